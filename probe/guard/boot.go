package guard

import (
	"strconv"
	"strings"

	"rentgen/probe"
)

// Boot names a run of the machine: its boot and, since a container is started
// anew within one boot of its host, the start of its first process. It is "" where
// the boot isn't known.
func Boot(r probe.Run) string {
	if r.BootID == "" {
		return ""
	}
	return clip(r.BootID) + "@" + strconv.FormatInt(r.Init.Unix(), 10)
}

// SameBoot reports whether two of Boot's names are known and of the same run. The
// start of the first process is known to two seconds.
func SameBoot(a, b string) bool {
	idA, startA, okA := splitBoot(a)
	idB, startB, okB := splitBoot(b)
	return okA && okB && idA == idB && startA-startB <= 2 && startB-startA <= 2
}

func splitBoot(s string) (id string, start int64, ok bool) {
	id, text, found := strings.Cut(s, "@")
	start, err := strconv.ParseInt(text, 10, 64)
	return id, start, found && id != "" && err == nil
}
