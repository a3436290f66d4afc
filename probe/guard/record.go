package guard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"time"

	"rentgen/probe"
)

// Peaks is the most that each signal showed in a quiet span.
type Peaks struct {
	Looks int     `json:"looks"` // seconds looked at
	GPU   float64 `json:"gpu_pct"`
	CPU   float64 `json:"cpu_cores"`
	Disk  float64 `json:"disk_mb_s"`
	Net   float64 `json:"net_mb_s"`
}

func (p *Peaks) take(in Input, means load) {
	p.Looks++
	if in.Sample != nil {
		for i := range in.Sample.GPUs {
			if n, ok := in.Sample.GPUs[i].Get(probe.UtilGPU).Ok(); ok {
				p.GPU = max(p.GPU, n)
			}
		}
	}
	grow := func(to *float64, v probe.Value) {
		if n, ok := v.Ok(); ok {
			*to = max(*to, n)
		}
	}
	grow(&p.CPU, means.cpu)
	grow(&p.Disk, means.disk)
	grow(&p.Net, means.net)
}

// Stop is the record of a stop, written before the command is given. Times are by
// the host's clock.
type Stop struct {
	Time   time.Time `json:"time"`
	Since  time.Time `json:"idle_since"`
	IdleS  int64     `json:"idle_s"`
	Cause  Cause     `json:"cause"`
	Action Action    `json:"action"`
	Dry    bool      `json:"dry_run"`
	Boot   string    `json:"boot,omitempty"`
	Peaks  Peaks     `json:"peaks"`
}

// StopOf makes the record of a state that has come to its end.
func StopOf(s State, p Peaks) Stop {
	return Stop{
		Time: s.Time.UTC(), Since: s.Since.UTC(), IdleS: int64(s.Idle / time.Second), Cause: s.Cause,
		Action: s.Order.Action, Dry: s.Order.DryRun, Boot: s.Boot, Peaks: p,
	}
}

const (
	maxStops    = 64 // kept
	maxStopsLen = 64 << 10
)

// ParseStops reads records, one JSON object a line, and skips lines that are
// none: a power cut may have left half of one.
func ParseStops(b []byte) []Stop {
	if len(b) > maxStopsLen {
		b = b[len(b)-maxStopsLen:]
	}
	var all []Stop
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 4<<10)
	for sc.Scan() {
		var s Stop
		if json.Unmarshal(sc.Bytes(), &s) != nil || !s.Action.Valid() || s.Time.IsZero() || s.IdleS < 0 {
			continue
		}
		s.Boot, s.Cause = clip(s.Boot), Cause(clip(string(s.Cause)))
		all = append(all, s)
	}
	if len(all) > maxStops {
		all = all[len(all)-maxStops:]
	}
	return all
}
