package day

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
)

const ageText = `
P=$1 E=$1
` + script.RunText + `
say uptime "$(head -c 100 "$P/uptime" 2>/dev/null)" "$(getconf CLK_TCK 2>/dev/null)"
`

// errAge says that an instance doesn't tell when it was started.
var errAge = errors.New("the start of the instance could not be read")

// Age returns how long ago the instance was started: the container's first
// process, or the machine. It needs no clock of the host's.
func Age(ctx context.Context, r guide.Runner) (time.Duration, error) {
	return ageAt(ctx, r, "/proc")
}

func ageAt(ctx context.Context, r guide.Runner, proc string) (time.Duration, error) {
	told, err := script.Run(ctx, script.Params{Runner: r, Text: ageText, Args: []string{proc}, Timeout: 20 * time.Second})
	if err != nil {
		return 0, err
	}
	u, _ := told.One("uptime")
	first, _, _ := strings.Cut(u.Field(0), " ")
	up, err := strconv.ParseFloat(first, 64)
	if err != nil || up <= 0 || up > 1e10 {
		return 0, errAge
	}
	hz, err := strconv.ParseFloat(strings.TrimSpace(u.Field(1)), 64)
	if err != nil || hz <= 0 || hz > 1e6 {
		hz = 100 // what Linux tells every program since 2.6
	}
	start, err := strconv.ParseFloat(script.RunOf(told).PID1, 64)
	if err != nil {
		return 0, errAge
	}
	// Some containers show an uptime of their own; PID 1's start is then of another clock.
	if age := up - start/hz; age >= 0 {
		up = age
	}
	return time.Duration(up * float64(time.Second)), nil
}
