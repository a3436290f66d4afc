package bill

import "time"

func secs(n int64) time.Duration { return time.Duration(n) * time.Second }

// when draws a time within eight years, at one of several offsets.
func when(d dice) time.Time {
	zone := time.FixedZone("", int(d.of(0, 8*3600, -5*3600, 5*3600+1800, 5*3600+2700)))
	return time.Date(2026, 1, 1, 0, 0, 0, 0, zone).Add(secs(d.Int64N(8 * 365 * 86400)))
}
