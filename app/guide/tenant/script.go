package tenant

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

// script prints one block a second. $1 is how many seconds, $2 a marker, $3 a
// directory for the small writes or "", $4 a target for the round trips or "".
// The sum, the write and the round trip are small enough to trouble nobody.
const script = `
secs=$1 m=$2 dir=$3 target=$4
probe=
if [ -n "$dir" ]; then
  probe=$dir/.rentgen-reading-$$
  trap 'rm -f "$probe"' EXIT
  trap 'rm -f "$probe"; exit 130' HUP INT TERM PIPE
fi
t() {
  d=$(date +%s%N 2>/dev/null)
  case $d in
    ''|*[!0-9]*) read -r d _ </proc/uptime ;;
  esac
}
read -r u _ </proc/uptime
end=$((${u%%.*} + secs))
while :; do
  read -r u _ </proc/uptime
  echo "$m time $u"
  [ "${u%%.*}" -ge "$end" ] && break
  echo "$m gpu"
  nvidia-smi --query-gpu=utilization.gpu,memory.used,memory.total --format=csv,noheader,nounits 2>&1
  echo "$m apps"
  nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | while read -r p _; do
    case $p in
      ''|*[!0-9]*) ;;
      *) if [ -d "/proc/$p" ]; then echo own; else echo foreign; fi ;;
    esac
  done
  echo "$m stat"
  while read -r line; do
    case $line in cpu*) echo "$line" ;; *) break ;; esac
  done </proc/stat
  echo "$m usage"
  if [ -r /sys/fs/cgroup/cpu.stat ]; then cat /sys/fs/cgroup/cpu.stat
  elif [ -r /sys/fs/cgroup/cpuacct/cpuacct.usage ]; then cat /sys/fs/cgroup/cpuacct/cpuacct.usage
  fi
  t; a=$d
  i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done
  t; echo "$m cpu $a $d"
  if [ -n "$probe" ]; then
    t; a=$d
    if dd if=/dev/zero of="$probe" bs=65536 count=4 conv=fsync 2>/dev/null; then t; echo "$m disk $a $d"; fi
  fi
  if [ -n "$target" ]; then
    echo "$m ping"
    ping -n -c 1 -W 1 "$target" 2>&1
    echo "$m pong $?"
  fi
  sleep 1
done
echo "$m end"
`

// Params say how to look.
type Params struct {
	Runner guide.Runner
	For    time.Duration // how long; 0 is three minutes
	Dir    string        // where small writes may go, "" for none
	Target string        // host name or address for round trips, "" for none
	Now    func() time.Time
	// Reading, where not nil, gets every reading as it comes.
	Reading func(Reading)
}

// Usual is how long a look takes.
const Usual = 3 * time.Minute

// Look reads for a while. With an error of the link or of ctx the Test holds
// what was read until then.
func Look(ctx context.Context, p Params) (Test, error) {
	if p.For <= 0 {
		p.For = Usual
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if strings.HasPrefix(p.Target, "-") {
		return Test{}, fmt.Errorf("target %q is no host", p.Target)
	}
	marker := "rentgen-" + rand.Text()
	t := Test{Start: p.Now(), Dir: p.Dir, Target: p.Target}
	r := newReader(marker, func(x Reading) {
		t.Readings = append(t.Readings, x)
		if p.Reading != nil {
			p.Reading(x)
		}
	})
	_, err := p.Runner.Exec(ctx, guide.Exec{
		Script: script, Args: []string{strconv.Itoa(int(p.For / time.Second)), marker, p.Dir, p.Target},
		Timeout: p.For + 30*time.Second, Limit: 16 << 20, Out: r.feed,
	})
	t.Ended = r.ended
	if err != nil {
		return t, fmt.Errorf("reading for other tenants: %w", err)
	}
	return t, nil
}
