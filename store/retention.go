package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const retentionKey = "retention"

// Retention is how long the finer tiers are kept; hours are kept for ever. Zero
// stands for ever.
type Retention struct {
	//lint:ignore ST1011 the tier's name, not the unit
	Seconds time.Duration
	Minutes time.Duration
}

// DefaultRetention holds until another is set.
var DefaultRetention = Retention{Seconds: 90 * 24 * time.Hour, Minutes: 2 * 365 * 24 * time.Hour}

// Retention returns how long the tiers are kept.
func (s *Store) Retention(ctx context.Context) (Retention, error) {
	text, err := s.setting(ctx, retentionKey)
	if err != nil || text == "" {
		return DefaultRetention, err
	}
	return parseRetention(text)
}

func parseRetention(text string) (Retention, error) {
	var r Retention
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return DefaultRetention, fmt.Errorf("read retention: %w", err)
	}
	return r, nil
}

// SetRetention changes how long the tiers are kept; what is older goes in the
// background. Negative spans and minutes kept shorter than seconds are an
// error.
func (s *Store) SetRetention(ctx context.Context, r Retention) error {
	if r.Seconds < 0 || r.Minutes < 0 {
		return fmt.Errorf("set retention: seconds %v, minutes %v: must not be negative", r.Seconds, r.Minutes)
	}
	if r.Minutes != 0 && (r.Seconds == 0 || r.Minutes < r.Seconds) {
		return fmt.Errorf("set retention: minutes (%v) must be kept at least as long as seconds (%v)", r.Minutes, r.Seconds)
	}
	b, err := s.writes()
	if err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return b.saveSetting(ctx, retentionKey, string(text))
}

// retain removes what is past its retention.
func (o *owner) retain(ctx context.Context) error {
	r, err := o.s.Retention(ctx)
	if err != nil {
		return err
	}
	now := o.s.p.Now()
	for _, tier := range []struct {
		keep time.Duration
		drop func(context.Context, string, int64) (bool, error)
	}{{r.Seconds, o.dropSeconds}, {r.Minutes, o.dropMinutes}} {
		if tier.keep == 0 {
			continue
		}
		before := hourOf(now.Add(-tier.keep).Unix())
		for more := true; more; {
			if more, err = tier.drop(ctx, "hour<?", before); err != nil {
				return fmt.Errorf("retention: %w", err)
			}
		}
	}
	return nil
}

// Size is what the history takes on the disk, in bytes.
type Size struct {
	File, Log               int64 // the database and its write-ahead log
	Seconds, Minutes, Hours int64 // sealed tiers, without demo recordings
	Open                    int64 // the open hours, likewise
	Demo                    int64 // recordings of the demo host
	CardSeconds             int64 // sealed seconds of cards, likewise without demo
	Free                    int64 // inside the file, given back bit by bit
}

// Size measures what the history takes.
func (s *Store) Size(ctx context.Context) (Size, error) {
	var z Size
	db, err := s.reads()
	if err != nil {
		return z, err
	}
	for name, to := range map[string]*int64{s.path: &z.File, s.path + "-wal": &z.Log} {
		if info, err := os.Stat(name); err == nil {
			*to = info.Size()
		}
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum(c.seconds*(1-demo)),0), coalesce(sum(c.minutes*(1-demo)),0), coalesce(sum(c.hours*(1-demo)),0),
		coalesce(sum(c.cells*(1-demo)*(c.seconds>0)),0), coalesce(sum((c.seconds+c.minutes+c.hours)*demo),0)
		FROM chunks c JOIN recordings r ON r.id=c.recording WHERE r.deleted=0`).
		Scan(&z.Seconds, &z.Minutes, &z.Hours, &z.CardSeconds, &z.Demo)
	if err != nil {
		return z, fmt.Errorf("size of history: %w", named(err))
	}
	var demo int64
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum((length(x.data)+24)*(1-demo)),0), coalesce(sum((length(x.data)+24)*demo),0)
		FROM rows x JOIN tracks t ON t.id=x.track JOIN recordings r ON r.id=t.recording`).Scan(&z.Open, &demo)
	if err != nil {
		return z, fmt.Errorf("size of history: %w", named(err))
	}
	z.Demo += demo
	var free int64
	if err := db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
		return z, fmt.Errorf("size of history: %w", named(err))
	}
	z.Free = free * pageSize
	return z, nil
}

// Cost is what a retention takes once it is reached.
type Cost struct {
	Seconds, Minutes int64 // bytes for the span kept; for a tier kept for ever, a year of it
	Hours            int64 // bytes a year
	PerDay           int64 // bytes a day recorded, all tiers
	// Measured is false where there is too little history: then it is an
	// estimate for one card watched eight hours a day.
	Measured bool
	// CardHours is how many card-hours a day it was reckoned with.
	CardHours float64
}

// The estimate without data, in bytes a card-second.
const (
	estimateSeconds = 6.0
	estimateMinutes = 0.6
	estimateHours   = 0.15
	estimateHoursOn = 8.0 // card-hours a day
	measuredAfter   = 6 * 3600
)

// Cost reckons what a retention takes, from what the last 30 days took.
func (s *Store) Cost(ctx context.Context, r Retention) (Cost, error) {
	c := Cost{CardHours: estimateHoursOn}
	sec, minute, hour := estimateSeconds, estimateMinutes, estimateHours
	db, err := s.reads()
	if err != nil {
		return c, err
	}
	const window = 30 * 24
	from := hourOf(s.p.Now().Unix()) - window
	var bytes [3]float64
	var cells float64
	var first int64
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum(c.seconds),0), coalesce(sum(c.minutes),0), coalesce(sum(c.hours),0),
		coalesce(sum(c.cells),0), coalesce(min(c.hour),0)
		FROM chunks c JOIN recordings r ON r.id=c.recording WHERE r.deleted=0 AND r.demo=0 AND c.hour>=? AND c.seconds>0`, from).
		Scan(&bytes[0], &bytes[1], &bytes[2], &cells, &first)
	if err != nil {
		return c, fmt.Errorf("cost of retention: %w", named(err))
	}
	if cells >= measuredAfter {
		days := max(1, float64(hourOf(s.p.Now().Unix())-first)/24)
		sec, minute, hour = bytes[0]/cells, bytes[1]/cells, bytes[2]/cells
		c.Measured, c.CardHours = true, cells/3600/days
	}
	perDay := c.CardHours * 3600
	span := func(d time.Duration) float64 {
		if d == 0 {
			d = 365 * 24 * time.Hour
		}
		return d.Hours() / 24
	}
	c.Seconds = int64(sec * perDay * span(r.Seconds))
	c.Minutes = int64(minute * perDay * span(r.Minutes))
	c.Hours = int64(hour * perDay * 365)
	c.PerDay = int64((sec + minute + hour) * perDay)
	return c, nil
}
