package script

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

const hashText = `
d=$1
shift
one() {
  if have sha256sum; then sha256sum <"$1"
  elif have shasum; then shasum -a 256 <"$1"
  elif have openssl; then openssl dgst -sha256 -r <"$1"
  else return 1
  fi
}
n=0
for f in "$@"; do
  n=$((n+1))
  h=$(one "$d/$f" 2>/dev/null) || h=
  say hash $n "${h%% *}" "$(stat -L -c %s "$d/$f" 2>/dev/null)"
done
`

// Sum is what a file holds.
type Sum struct {
	SHA256 string // in hexadecimal
	Size   int64  // in bytes, at the same moment
}

// Hashes asks the host for the SHA-256 of files, by their paths below dir. One that
// could not be computed is missing. timeout is for 100 files.
func Hashes(ctx context.Context, r guide.Runner, dir string, files []string, timeout time.Duration) (map[string]Sum, error) {
	got := map[string]Sum{}
	for part := range slices.Chunk(files, 100) {
		told, err := Run(ctx, Params{Runner: r, Text: hashText, Args: append([]string{dir}, part...), Timeout: timeout})
		if err != nil {
			return got, err
		}
		for _, rec := range told.Of("hash") {
			n, err := strconv.Atoi(rec.Field(0))
			if err != nil || n < 1 || n > len(part) {
				continue
			}
			sum := strings.ToLower(rec.Field(1))
			size, err := strconv.ParseInt(strings.TrimSpace(rec.Field(2)), 10, 64)
			if IsSHA256(sum) && err == nil && size >= 0 {
				got[part[n-1]] = Sum{SHA256: sum, Size: size}
			}
		}
	}
	return got, nil
}

// IsSHA256 reports whether a text is a SHA-256 in lower-case hexadecimal.
func IsSHA256(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }
