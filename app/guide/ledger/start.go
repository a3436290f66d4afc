package ledger

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

// startScript prints when the instance and what paints on it began, from the
// kernel's own clocks: wall clock and uptime now, ticks a second, the start of
// PID 1 and of every program that looks like one that paints.
const startScript = `
echo "now $(date +%s)"
read -r u _ </proc/uptime && echo "uptime $u"
echo "hz $(getconf CLK_TCK 2>/dev/null || echo 100)"
for d in /proc/1 /proc/[0-9]*; do
  [ -r "$d/stat" ] && [ -r "$d/cmdline" ] || continue
  kind=
  [ "$d" = /proc/1 ] && kind=init
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      *main.py*|*launch.py*|*webui.py*) kind=${kind:-page} ;;
    esac
    break
  done <<EOF
$(tr '\000' ' ' <"$d/cmdline" 2>/dev/null)
EOF
  [ -n "$kind" ] || continue
  read -r stat <"$d/stat" || continue
  echo "$kind ${stat##*) }"
done
echo end
`

// Start is when an instance and its programs began, by the host's clock.
type Start struct {
	Instance time.Time // zero: not known
	Page     time.Time // the oldest program that paints; zero: none runs
	Now      time.Time // the host's clock at the reading
}

// ReadStart asks an instance when it began.
func ReadStart(ctx context.Context, r guide.Runner) (Start, error) {
	out, err := r.Exec(ctx, guide.Exec{Script: startScript, Timeout: 20 * time.Second, Limit: 64 << 10})
	if err != nil {
		return Start{}, fmt.Errorf("start of the instance: %w", err)
	}
	return parseStart(guide.Clean(out.Stdout, 64<<10)), nil
}

func parseStart(s string) Start {
	var now, uptime float64
	hz := 100.0
	var st Start
	for line := range strings.Lines(s) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch f[0] {
		case "now":
			now = number(f[1], 1e9, 1e11)
			st.Now = wall(now)
		case "uptime":
			uptime = number(f[1], 0.001, 1e10)
		case "hz":
			if v := number(f[1], 1, 1e6); v > 0 {
				hz = v
			}
		case "init", "page":
			// Behind the name in brackets the start stands in the 20th field.
			if len(f) < 21 || now == 0 || uptime == 0 {
				continue
			}
			ticks := number(f[20], 0, 1e15)
			at := wall(now - uptime + ticks/hz)
			if ticks/hz > uptime+1 || at.IsZero() {
				continue
			}
			if f[0] == "init" {
				st.Instance = at
			} else if st.Page.IsZero() || at.Before(st.Page) {
				st.Page = at
			}
		}
	}
	return st
}

// number reads a number within limits, 0 for anything else.
func number(s string, low, high float64) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= low && v <= high) {
		return 0
	}
	return v
}

func wall(s float64) time.Time {
	if s <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(s * 1000)).UTC()
}
