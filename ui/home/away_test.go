package home

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/ui/verdict/verdicttest"
)

func TestRecorderInEveryState(t *testing.T) {
	since, until := now.Add(-26*time.Hour), now.Add(50*time.Hour)
	why := verdicttest.Words("The disk there is full.", "")
	for _, k := range []struct {
		r       Recorder
		want    []string
		press   string
		did     string
		without []string
	}{
		{Recorder{}, []string{"Connect to see whether the probe stays"}, "", "", []string{"Keep reading", "Remove"}},
		{Recorder{State: RecorderOff}, []string{"Readings stop when this computer sleeps"}, "Keep reading", "start a", []string{"Remove"}},
		{Recorder{State: RecorderOff, Why: why}, []string{"The disk there is full."}, "Keep reading", "start a", nil},
		{Recorder{State: RecorderOn, Since: since, Until: until, Bytes: 2_300_000}, []string{"since 29 Nov 08:57, at least until 2 Dec 12:57", "It holds 2.3 MB."}, "Stop", "stop a", []string{"Keep reading"}},
		{Recorder{State: RecorderOn, Since: since, Until: until}, nil, "Remove", "remove a", nil},
		{Recorder{State: RecorderEnded, Until: since, Bytes: 1000}, []string{"stopped on 29 Nov 08:57", "1 kB wait"}, "Remove", "remove a", nil},
		{Recorder{Why: why}, []string{"The disk there is full."}, "", "", nil},
		{Recorder{State: RecorderBusy}, []string{"One moment."}, "", "", []string{"Keep reading", "Stop", "Remove"}},
		{Recorder{State: RecorderRefused, Why: why}, []string{"can't stay on this host", "The disk there is full."}, "", "", []string{"Keep reading"}},
	} {
		m := full()
		m.recorder, m.guard = k.r, Guard{}
		r := start(t, m, texts.English, narrow, nil, "a")
		r.sees(k.want...)
		r.misses(k.without...)
		if k.press != "" {
			r.press(k.press)
		}
		if got := r.did(); got != k.did {
			t.Errorf("%q: %s did %q, want %q", k.r.State, k.press, got, k.did)
		}
	}
}

func TestGuardInEveryState(t *testing.T) {
	why := verdicttest.Words("No dated rule says that a command ends billing here.", "")
	soon := now.Add(95 * time.Second)
	for _, k := range []struct {
		g       Guard
		want    []string
		press   string
		did     string
		without []string
	}{
		{Guard{}, []string{"Connect to see whether the stop guard watches"}, "", "", []string{"Dry run"}},
		{Guard{State: GuardOff}, []string{"The stop guard is off."}, "Switch on", "", []string{"Switch off"}},
		{Guard{State: GuardWatching, After: 30 * time.Minute, IdleFor: 4 * time.Minute}, []string{"ends billing after 30 min idle", "Idle for 4 min now."}, "Switch off", "guard off a", nil},
		{Guard{State: GuardWatching, DryRun: true, After: 30 * time.Minute}, []string{"Dry run: it would end billing after 30 min idle."}, "Switch off", "guard off a", []string{"Keep it on"}},
		{Guard{State: GuardWatching, OnQueue: true, After: time.Hour}, []string{"when the queue has ended, or after 1 h idle"}, "", "", nil},
		{Guard{State: GuardWatching, OnQueue: true, After: time.Hour, DryRun: true}, []string{"Dry run: it would end billing when the queue has ended, or after 1 h idle."}, "", "", []string{"Switch on"}},
		{Guard{State: GuardWatching, DryRun: true, DryDone: true}, nil, "Switch on", "", []string{"Keep it on"}},
		{Guard{State: GuardWatching, Busy: []texts.Phrase{texts.P("guard.signal.gpu"), texts.P("guard.signal.net")}}, []string{"Not quiet now: the card, the network."}, "", "", []string{"Idle for 0 s", "Can't be read"}},
		{Guard{State: GuardWatching, Unread: []texts.Phrase{texts.P("guard.signal.disk")}}, []string{"Can't be read: the disk. That counts as busy", "never ends billing"}, "", "", []string{"Idle for 0 s", "Not quiet now"}},
		{Guard{State: GuardCounting, StopAt: soon}, []string{"ends billing at 10:59:05, in 1 min"}, "Cancel the stop", "cancel a", nil},
		{Guard{State: GuardCounting, StopAt: soon, DryRun: true}, []string{"Dry run: it would end billing at 10:59:05"}, "Cancel the stop", "cancel a", []string{"Keep it on"}},
		{Guard{State: GuardKept, KeptUntil: now.Add(time.Hour)}, []string{"leaves it running until 11:57"}, "Let go", "keep a", nil},
		{Guard{State: GuardKept}, []string{"until you let go"}, "Switch off", "guard off a", nil},
		{Guard{State: GuardWould}, []string{"it would have ended billing"}, "Switch off", "guard off a", nil},
		{Guard{State: GuardStopping}, []string{"is ending billing now"}, "", "", []string{"Switch off"}},
		{Guard{State: GuardStopped}, []string{"has ended billing"}, "", "", nil},
		{Guard{State: GuardBusy}, []string{"One moment."}, "", "", []string{"Switch off"}},
		{Guard{State: GuardRefused, Why: why}, []string{"can't end billing here", "No dated rule"}, "", "", []string{"Dry run", "Switch on"}},
	} {
		m := full()
		m.recorder, m.guard = Recorder{}, k.g
		r := start(t, m, texts.English, narrow, nil, "a")
		r.sees(k.want...)
		r.misses(k.without...)
		if k.press != "" {
			r.press(k.press)
		}
		if got := r.did(); got != k.did {
			t.Errorf("%q: %s did %q, want %q", k.g.State, k.press, got, k.did)
		}
	}
}

func TestKeepingItOnForAWhile(t *testing.T) {
	m := full()
	m.guard = Guard{State: GuardCounting, StopAt: now.Add(time.Minute), After: 30 * time.Minute}
	r := start(t, m, texts.English, narrow, nil, "a")
	r.press("Keep it on")
	r.sees("until 30 Nov 12:57 (2 h)")
	// The countdown is told anew each second without another button.
	button := r.w.page.away.guard.acts.Objects[0]
	r.win.Canvas().Overlays().Remove(r.win.Canvas().Overlays().Top())
	r.tick(10 * time.Second)
	r.sees("in 50 s")
	if r.w.page.away.guard.acts.Objects[0] != button {
		t.Error("the buttons are made anew each second")
	}
	r.w.page.away.keep(button)
	for _, o := range test.LaidOutObjects(r.win.Canvas().Overlays().Top()) {
		if i, ok := o.(fyne.Tappable); ok && m.until.IsZero() {
			i.Tapped(&fyne.PointEvent{})
		}
	}
	if got := r.did(); got != "keep a" || !m.until.Equal(r.now.Add(time.Hour)) {
		t.Errorf("it did %q until %v", got, m.until)
	}
}
