package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// uploadScript puts stdin where $1 says: $2 bytes with the hash $3 and the mode
// $4, written under the name $5 beside it first.
const uploadScript = `umask 077
p=$1
case $p in "~/"*) p=${HOME:?}/${p#"~/"} ;; esac
d=${p%/*}
[ "$d" = "$p" ] && d=.
mkdir -p "$d" || exit 3
t=$d/.$5.part
trap 'rm -f "$t"' EXIT
trap 'exit 1' HUP INT TERM PIPE
head -c "$2" >"$t" || exit 4
if command -v sha256sum >/dev/null 2>&1; then s=$(sha256sum <"$t")
elif command -v shasum >/dev/null 2>&1; then s=$(shasum -a 256 <"$t")
else s=$(openssl dgst -sha256 -r <"$t"); fi
[ "${s%% *}" = "$3" ] || { echo "what arrived is not what was sent" >&2; exit 5; }
chmod "$4" "$t" && mv -f "$t" "$p" || exit 6`

// uploadRate is the slowest link a file's time limit allows for, bytes a second.
const uploadRate = 16 << 10

// Upload puts a file on the host: written beside its place, checked by its
// SHA-256, renamed. A file that could not be put there whole is not there; the
// one before stays.
func (h *Host) Upload(ctx context.Context, f File) error {
	if f.Mode == 0 {
		f.Mode = 0o600
	}
	sum := sha256.Sum256(f.Data)
	data := f.Data
	if data == nil {
		data = []byte{}
	}
	res, err := h.Run(ctx, Command{
		Script: uploadScript,
		Args: []string{
			f.Path, strconv.Itoa(len(data)), hex.EncodeToString(sum[:]),
			strconv.FormatUint(uint64(f.Mode&0o777), 8), random128(),
		},
		Stdin:   data,
		Timeout: runTime + time.Duration(len(data)/uploadRate)*time.Second,
	})
	if err != nil {
		return fmt.Errorf("upload %s: %w", f.Path, err)
	}
	if res.Exit != 0 {
		return &Error{
			Kind: KindUpload, Said: clip(clean(string(res.Stderr)), saidLimit),
			Err: fmt.Errorf("upload %s: exit code %d", f.Path, res.Exit),
		}
	}
	return nil
}
