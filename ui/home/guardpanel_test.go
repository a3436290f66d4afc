package home

import (
	"testing"
	"time"

	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
)

// panel opens the panel of the stop guard.
func panel(t *testing.T, g Guard) *rig {
	t.Helper()
	m := full()
	g.Command, g.Rule, g.Limit, g.Warn = m.guard.Command, m.guard.Rule, m.guard.Limit, m.guard.Warn
	m.guard = g
	r := start(t, m, texts.English, narrow, nil, "a")
	r.press("Switch on")
	return r
}

func TestSwitchingOnSaysWhatAStopCosts(t *testing.T) {
	r := panel(t, Guard{State: GuardOff})
	r.sees("runs “shutdown” on the host", "autodl.com/docs, 2026-11-28", "gives its card back", "after 15 days stopped", "Paid disk goes on billing",
		"The only hard limit", "never releases or deletes", "The first time is a dry run")
	r.misses("In earnest", "is not known")
	r.press("Cancel")
	if got := r.did(); got != "" {
		t.Errorf("cancelled, it did %q", got)
	}
	r.m.guard.Warn = nil
	r.press("Switch on")
	r.sees("What else a stop costs there is not known")
	r.press("Dry run first")
	want := GuardOrder{DryRun: true, After: guard.DefaultAfter, Countdown: guard.DefaultCountdown}
	if got := r.did(); got != "guard dry a" || r.m.order != want {
		t.Errorf("it did %q with %+v, want %+v", got, r.m.order, want)
	}
}

func TestInEarnestOnlyAfterADryRun(t *testing.T) {
	r := panel(t, Guard{State: GuardWould, DryRun: true, DryDone: true, After: time.Hour, Countdown: 2 * time.Minute, OnQueue: true, QueuePort: 8189})
	r.misses("The first time is a dry run")
	r.press("In earnest")
	want := GuardOrder{After: time.Hour, Countdown: 2 * time.Minute, OnQueue: true, QueuePort: 8189}
	if got := r.did(); got != "guard on a" || r.m.order != want {
		t.Errorf("it did %q with %+v, want %+v", got, r.m.order, want)
	}
	r.press("Switch on")
	r.press("Dry run again")
	if want.DryRun = true; r.did() != "guard dry a" || r.m.order != want {
		t.Errorf("again: %+v, want %+v", r.m.order, want)
	}
}

func TestWhatTheGuardIsSwitchedOnWith(t *testing.T) {
	for _, k := range []struct {
		after, count, port string
		queue              bool
		wrong              []string // fields
		want               GuardOrder
	}{
		{"5", "1", "x", false, nil, GuardOrder{After: guard.MinAfter, Countdown: guard.MinCountdown}},
		{" １４４０ ", "60", "8188", true, nil, GuardOrder{After: guard.MaxAfter, Countdown: guard.MaxCountdown, OnQueue: true, QueuePort: 8188}},
		{"4", "5", "8188", false, []string{"after"}, GuardOrder{}},
		{"1441", "5", "8188", false, []string{"after"}, GuardOrder{}},
		{"30", "0", "8188", false, []string{"countdown"}, GuardOrder{}},
		{"30", "61", "8188", false, []string{"countdown"}, GuardOrder{}},
		{"30", "5", "0", true, []string{"queue-port"}, GuardOrder{}},
		{"30", "5", "65536", true, []string{"queue-port"}, GuardOrder{}},
		{"-30", "", "ComfyUI", true, []string{"after", "countdown", "queue-port"}, GuardOrder{}},
		{"99999999999999999999", "1.5", "8188", true, []string{"after", "countdown"}, GuardOrder{}},
	} {
		r := panel(t, Guard{State: GuardOff})
		f := r.w.guard
		f.onQueue.SetChecked(k.queue)
		f.after.entry.SetText(k.after)
		f.count.entry.SetText(k.count)
		f.port.entry.SetText(k.port)
		r.press("Dry run first")
		var wrong []string
		for _, x := range []*numberField{f.after, f.count, f.port} {
			if x.sign.Visible() {
				wrong = append(wrong, x.name)
			}
		}
		if len(wrong) != len(k.wrong) {
			t.Errorf("%+v: wrong are %q", k, wrong)
			continue
		}
		for i := range wrong {
			if wrong[i] != k.wrong[i] {
				t.Errorf("%+v: wrong are %q", k, wrong)
			}
		}
		did := r.did()
		if len(k.wrong) == 0 {
			if k.want.DryRun = true; did != "guard dry a" || r.m.order != k.want {
				t.Errorf("%+v: it did %q with %+v", k, did, r.m.order)
			}
			continue
		}
		if did != "" || f.panel.Closed() {
			t.Errorf("%+v: it did %q", k, did)
		}
		// What is wrong is said at the field, and gone when that is changed.
		allowed := map[string]string{"after": "Allowed: 5 min to 1 d", "countdown": "Allowed: 1 min to 1 h", "queue-port": "Allowed: 1 to 65535"}[wrong[0]]
		r.sees(allowed)
		for _, x := range []*numberField{f.after, f.count, f.port} {
			x.entry.SetText(x.entry.Text + "0")
		}
		if uitest.Sees(r.win.Canvas(), "Allowed:") {
			t.Errorf("%+v: it is still said what is wrong", k)
		}
	}
}
