package store

import (
	"rentgen/probe"
)

// gapRow is a row of table gaps; times in Unix milliseconds.
type gapRow struct {
	id, t0, t1, lost int64
	uuid, reason     string
}

// gapRows lists the gaps of a recording that touch a span.
func (f *filling) gapRows(recording, t0, t1 int64) ([]gapRow, error) {
	return listRows(f.ctx, f.tx, "SELECT id, t0, t1, lost, uuid, reason FROM gaps WHERE recording=? AND t1>? AND t0<?",
		[]any{recording, t0, t1}, func(g *gapRow) []any {
			return []any{&g.id, &g.t0, &g.t1, &g.lost, &g.uuid, &g.reason}
		})
}

// span is from t0 to t1, Unix milliseconds.
type span struct{ t0, t1 int64 }

// holds reports whether a whole second lies in the span: what is less is the
// way from one reading to the next.
func (s span) holds() bool { return (s.t0+999)/1000 < s.t1/1000 }

// without returns what is left of s when the given ascending seconds are there.
func (s span) without(seconds []int64) []span {
	var left []span
	at := s.t0
	for _, t := range seconds {
		if (t+1)*1000 <= at {
			continue
		}
		if t*1000 >= s.t1 {
			break
		}
		if p := (span{at, t * 1000}); p.holds() {
			left = append(left, p)
		}
		at = (t + 1) * 1000
	}
	if p := (span{at, s.t1}); p.holds() {
		left = append(left, p)
	}
	return left
}

// shrinkGaps takes the seconds that were added out of the gaps of a recording.
func (f *filling) shrinkGaps(recording int64, added map[string][]int64) error {
	any := added[anyCard]
	list, err := f.gapRows(recording, any[0]*1000, (any[len(any)-1]+1)*1000)
	if err != nil {
		return err
	}
	for _, g := range list {
		seconds := any
		if g.uuid != "" {
			seconds = added[g.uuid]
		}
		whole := span{g.t0, g.t1}
		left := whole.without(seconds)
		if touched(whole, seconds) {
			if err := f.replaceGap(recording, g, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// touched reports whether one of the seconds lies in the span.
func touched(s span, seconds []int64) bool {
	for _, t := range seconds {
		if (t+1)*1000 > s.t0 && t*1000 < s.t1 {
			return true
		}
	}
	return false
}

// replaceGap puts the given spans in the place of a gap.
func (f *filling) replaceGap(recording int64, g gapRow, left []span) error {
	if err := f.exec("DELETE FROM gaps WHERE id=?", g.id); err != nil {
		return err
	}
	for _, s := range left {
		if err := f.addGap(recording, g.uuid, g.reason, s, g.lost); err != nil {
			return err
		}
	}
	return nil
}

func (f *filling) addGap(recording int64, uuid, reason string, s span, lost int64) error {
	return f.exec(`INSERT INTO gaps (recording, uuid, t0, t1, reason, lost) VALUES (?,?,?,?,?,?)
		ON CONFLICT (recording, t0, uuid, reason) DO UPDATE SET t1=max(t1, excluded.t1)`, recording, uuid, s.t0, s.t1, reason, lost)
}

// maxGapHours bounds the gap of a recorder that is looked through by seconds.
const maxGapHours = 24 * 366

// gap takes down why the recorder has nothing of a span, as far as nobody else
// has it either. It takes the place of what was said before of the host there:
// that we were away holds anyway.
func (f *filling) gap(g *probe.Gap) error {
	from, to := g.From.Unix(), g.To.Unix()
	if g.GPU != "" || to <= from || from < 0 || hourOf(to) > maxHour || hourOf(to)-hourOf(from) > maxGapHours {
		return nil
	}
	// What is there of the span, in any recording.
	var there []int64
	for h := hourOf(from); h <= hourOf(to-1); h++ {
		hour, err := f.hour(h)
		if err != nil {
			return err
		}
		for t := max(from, h*hourSeconds); t < min(to, (h+1)*hourSeconds); t++ {
			if hour.at(anyCard, t) != secondNone {
				there = append(there, t)
			}
		}
	}
	for _, piece := range (span{from * 1000, to * 1000}).without(there) {
		// Both ends of a recording are there, so a piece lies in one or in none;
		// then it belongs to the end of the one before.
		if rec := f.recordingUpTo(piece.t0 / 1000); rec != nil {
			if err := f.tell(rec.id, piece, string(g.Reason)); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell puts a gap in the place of what was said of its span before.
func (f *filling) tell(recording int64, s span, reason string) error {
	list, err := f.gapRows(recording, s.t0, s.t1)
	if err != nil {
		return err
	}
	for _, old := range list {
		if old.uuid != "" {
			continue
		}
		if reason == string(probe.GapHost) && (old.reason == string(probe.GapLink) || old.reason == string(probe.GapAgent)) {
			// We saw the same run of the host on both sides, so it was not the
			// host: a recorder that could not write one word was in between.
			reason = string(probe.GapAgent)
		}
		var left []span
		for _, rest := range []span{{old.t0, min(old.t1, s.t0)}, {max(old.t0, s.t1), old.t1}} {
			if rest.holds() {
				left = append(left, rest)
			}
		}
		if err := f.replaceGap(recording, old, left); err != nil {
			return err
		}
	}
	return f.addGap(recording, "", reason, s, 0)
}

// event takes down what the recorder saw while nobody else looked.
func (f *filling) event(e *probe.Event) error {
	t := e.Time.Unix()
	if t < 0 || hourOf(t) > maxHour {
		return nil
	}
	hour, err := f.hour(hourOf(t))
	if err != nil {
		return err
	}
	rec := f.recordingOf(t)
	if rec == nil || hour.at(anyCard, t) == secondLive {
		return nil
	}
	return f.exec("INSERT OR IGNORE INTO events (recording, uuid, t, kind, code, text, raw) VALUES (?,?,?,?,?,?,?)",
		rec.id, clipText(e.GPU), e.Time.UnixMilli(), clipText(e.Kind), e.Code, clipText(e.Text), clipText(e.Raw))
}
