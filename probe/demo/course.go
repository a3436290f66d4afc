package demo

import (
	"math/rand/v2"
	"time"

	"rentgen/probe"
)

// phase is what a card is doing.
type phase uint8

const (
	idle    phase = iota // nothing, the model may stay in memory
	loading              // a model goes from the disk to the card
	sample               // denoising
	decode               // the picture is made of its latents: the peak of memory
	saving               // the picture is written; the card waits
)

// A job lasts one slot: a model is loaded, pictures are painted, the rest of
// the slot is idle. The number of the slot decides everything in it.
const slot = 8 * time.Minute

// job is one slot of one card.
type job struct {
	load     time.Duration // of the model
	busy     time.Duration // from the slot's start until the last picture
	pictures time.Duration // of one picture: denoise, decode, save
	denoise  time.Duration
	decode   time.Duration
	batch    int // pictures between two longer pauses
	pause    time.Duration
	model    float64 // MiB
	work     float64 // MiB more while sampling
	peak     float64 // MiB more while decoding
}

func newJob(seed uint64, card int, n int64, kind product) job {
	r := rand.New(rand.NewPCG(seed^uint64(card+1)<<32, uint64(n))) //nolint:gosec // a demo
	vary := func(d time.Duration, by float64) time.Duration {
		return time.Duration(float64(d) * (1 - by + 2*by*r.Float64()))
	}
	j := job{
		load:    vary(22*time.Second, 0.3),
		denoise: vary(time.Duration(kind.speed*float64(time.Second)), 0.1),
		decode:  vary(900*time.Millisecond, 0.2),
		batch:   6 + r.IntN(8),
		pause:   vary(4*time.Second, 0.4),
		model:   6900 + 400*r.Float64(),
		work:    2100 + 500*r.Float64(),
		peak:    7200 + 1500*r.Float64(),
	}
	if r.IntN(3) == 0 { // the larger model
		j.model, j.load = 12300+300*r.Float64(), j.load*17/10
		j.denoise = j.denoise * 19 / 10
	}
	j.pictures = j.denoise + j.decode + vary(700*time.Millisecond, 0.3)
	j.busy = vary(slot*82/100, 0.12)
	return j
}

// at returns what goes on at a moment of the slot, and how far it is, 0 to 1.
func (j job) at(in time.Duration) (p phase, part float64) {
	if in < j.load {
		return loading, in.Seconds() / j.load.Seconds()
	}
	if in >= j.busy {
		return idle, 1
	}
	in -= j.load
	round := time.Duration(j.batch)*j.pictures + j.pause
	in %= round
	if in >= time.Duration(j.batch)*j.pictures {
		return saving, 1
	}
	in %= j.pictures
	switch {
	case in < j.denoise:
		return sample, in.Seconds() / j.denoise.Seconds()
	case in < j.denoise+j.decode:
		return decode, (in - j.denoise).Seconds() / j.decode.Seconds()
	}
	return saving, (in - j.denoise - j.decode).Seconds() / (j.pictures - j.denoise - j.decode).Seconds()
}

// What happens once in every round of the demo; the moments are from its
// beginning. All of it is seen within five minutes.
const (
	course      = 15 * time.Minute
	capFrom     = 100 * time.Second // the second card's power limit is lowered
	capTo       = 165 * time.Second
	holeFrom    = 185 * time.Second // nothing arrives
	holeTo      = 191 * time.Second
	xidAt       = 222 * time.Second // the second card reports an error
	heatFrom    = 255 * time.Second // the first card's air is blocked
	heatTo      = 330 * time.Second
	secondShift = 41 * time.Second // the cards do not work in step
)

// in returns the moment within its round and the round's number; time before
// the beginning counts too.
func in(t, round time.Duration) (time.Duration, int64) {
	n := int64(t / round)
	r := t % round
	if r < 0 {
		r += round
		n--
	}
	return r, n
}

func within(t, from, to time.Duration) bool {
	m, _ := in(t, course)
	return m >= from && m < to
}

func holed(t time.Duration) bool { return within(t, holeFrom, holeTo) }

// marksUntil counts the error marks before a moment.
func marksUntil(t time.Duration) int {
	m, n := in(t, course)
	if m > xidAt {
		n++
	}
	return int(n)
}

// events returns what happened since the last tick.
func (w *world) events(at time.Time, t time.Duration) (es []*probe.Event) {
	n := marksUntil(t)
	if n > w.marks && w.p.Fault != FaultDenied {
		c := w.cards[len(w.cards)-1]
		es = append(es, &probe.Event{
			Time: at, GPU: c.uuid, Kind: probe.EventXid, Code: 31,
			Text: "the card reports error 31: a program read memory that is not its own",
			Raw:  "NVRM: Xid (PCI:0000:" + c.bus[9:11] + ":00): 31, pid=4177, name=python3, Ch 00000008, MMU Fault: ENGINE GRAPHICS",
		})
	}
	w.marks = n
	if w.p.Fault == FaultLostCard && !w.cards[len(w.cards)-1].fallen && t >= fallAt {
		c := w.cards[len(w.cards)-1]
		c.fallen = true
		es = append(es, &probe.Event{
			Time: at, GPU: c.uuid, Kind: probe.EventLost, Code: 79, Text: "the card has fallen off the bus",
			Raw: "NVRM: Xid (PCI:0000:" + c.bus[9:11] + ":00): 79, GPU has fallen off the bus.",
		})
	}
	return es
}

// fallAt is when the last card is lost in FaultLostCard.
const fallAt = 12 * time.Second
