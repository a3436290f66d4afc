package script

import (
	"strconv"
	"strings"
	"time"
)

// Weight is what lies in a folder.
type Weight struct {
	Bytes  int64
	Files  int
	Newest time.Time // the host's time of the newest file, zero where it isn't known
	Whole  bool      // counted to the end, and everything could be entered
}

// ReadWeight reads "bytes files time exit": the sums of a find, the time in seconds
// of the Unix clock, and find's exit code.
func ReadWeight(s string) (Weight, bool) {
	f := strings.Fields(s)
	if len(f) != 4 {
		return Weight{}, false
	}
	var n [4]int64
	for i := range n {
		v, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil || v < 0 {
			return Weight{}, false
		}
		n[i] = v
	}
	w := Weight{Bytes: n[0], Files: int(n[1]), Whole: n[3] == 0}
	if n[1] > 0 && n[2] > 0 && n[2] < 1<<40 {
		w.Newest = time.Unix(n[2], 0)
	}
	return w, true
}
