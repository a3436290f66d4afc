package track

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/assets/texts"
)

var now = time.Date(2026, 11, 29, 10, 41, 0, 0, time.UTC)

// host is an instance that answers as a test says.
type host struct {
	p MakeParams
}

// on returns the params of a track on which every check passed in this run.
func on(t guide.Track) *host {
	h := &host{MakeParams{
		Track: t, Main: t, Now: now, Instance: guide.Run{Boot: "b1", PID1: "1", Driver: "550.90", Instance: "i1"},
		Latest: map[guide.CheckID]Judged{}, Before: map[guide.CheckID]Judged{},
		Ticks: map[string]guide.Tick{}, Edits: map[guide.CheckID]string{}, Values: map[string]string{},
		Def: run.DefOf, Takes: func(ids []guide.CheckID, _ guide.Level) time.Duration { return run.Takes(ids) },
		Command: func(id guide.CheckID) (string, string) { return "command of " + string(id), "" },
	}}
	h.p.Elsewhere = func(u guide.Track, id guide.CheckID) (Judged, bool) { j, ok := h.p.Latest[id]; return j, ok && u == t }
	for _, id := range Of(t).Checks() {
		h.set(id, guide.Pass, nil)
	}
	return h
}

func (h *host) set(id guide.CheckID, v guide.Verdict, facts guide.Facts) {
	h.p.Latest[id] = Judged{
		Record:  guide.Record{Input: guide.Input{Check: id, Track: h.p.Track}, Time: now.Add(-time.Minute), Run: h.p.Instance},
		Outcome: guide.Outcome{Check: id, Verdict: v, Facts: facts, Findings: []guide.Finding{{Verdict: v, Code: "test", Says: texts.P("check.any.unread")}}},
	}
}

// change alters the latest record of a check.
func (h *host) change(id guide.CheckID, f func(*Judged)) {
	j := h.p.Latest[id]
	f(&j)
	h.p.Latest[id] = j
}

func (h *host) view() View { return Make(h.p) }

func (h *host) check(t *testing.T, id guide.CheckID) CheckView {
	t.Helper()
	c, ok := h.view().Check(id)
	if !ok {
		t.Fatalf("no check %s", id)
	}
	return c
}

func (h *host) stepOf(t *testing.T, id string) StepView {
	t.Helper()
	for _, s := range h.view().Steps {
		if s.Step.ID == id {
			return s
		}
	}
	t.Fatalf("no step %s", id)
	return StepView{}
}

// sentence wants the key of the sentence and the track's verdict.
func (h *host) sentence(t *testing.T, key string, v guide.Verdict, args ...any) {
	t.Helper()
	w := h.view()
	if w.Sentence.Key != "track.say."+key || w.Verdict != v {
		t.Errorf("sentence %v, verdict %q; want %s, %q", w.Sentence, w.Verdict, key, v)
	}
	for i := 0; i+1 < len(args); i += 2 {
		if got := arg(w.Sentence, args[i].(string)); got != args[i+1] {
			t.Errorf("%s of the sentence is %v, want %v", args[i], got, args[i+1])
		}
	}
	said(t, w)
}

// arg is a value of a phrase; of one that is a phrase, its key.
func arg(p texts.Phrase, name string) any {
	for i := 0; i+1 < len(p.Args); i += 2 {
		if p.Args[i] == name {
			if q, ok := p.Args[i+1].(texts.Phrase); ok {
				return q.Key
			}
			return p.Args[i+1]
		}
	}
	return nil
}

// said wants every text of a view to exist and to be filled, in both languages.
func said(t *testing.T, v View) {
	t.Helper()
	list := append([]texts.Phrase{v.Sentence, v.Changed, v.Fault}, v.After...)
	for _, s := range v.Steps {
		list = append(list, s.Line)
		for _, c := range s.Checks {
			list = append(list, c.Line, c.Job, c.StaleWhy, c.Fine)
		}
		for _, it := range s.Items {
			list = append(list, it.Finding, it.Hint, it.StaleWhy)
			for _, f := range it.Filled {
				list = append(list, f)
			}
		}
	}
	for _, c := range v.Folded {
		list = append(list, c.Why)
	}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, p := range list {
			if p.IsZero() {
				continue
			}
			if s := c.Say(p); !c.Has(p.Key) || strings.ContainsAny(s, "{}") || strings.Contains(s, "%!") {
				t.Errorf("%s: %s says %q", l, p.Key, s)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for _, tr := range []guide.Track{guide.Shared, guide.Dedicated} {
		h := on(tr)
		h.sentence(t, "ok", guide.Pass)

		h.set(guide.MemCgroup, guide.Warn, nil)
		h.sentence(t, "but", guide.Warn, "n", 1, "a", "track.check.mem.cgroup")
		h.set(guide.CPUCgroup, guide.Warn, nil)
		h.sentence(t, "but", guide.Warn, "n", 2, "a", "track.check.cpu.cgroup")

		h.set(guide.DiskDf, guide.Fail, nil)
		h.sentence(t, "fix.one", guide.Fail, "a", "track.check.disk.df")
		h.set(guide.GPUSMI, guide.Fail, nil)
		// Others wait for the card: it is named first.
		h.sentence(t, "fix.two", guide.Fail, "a", "track.check.gpu.smi", "b", "track.check.disk.df")
		h.set(guide.MemCgroup, guide.Fail, nil)
		h.sentence(t, "fix.more", guide.Fail, "n", 3, "rest", 1)
	}
	h := on(guide.Network)
	h.sentence(t, "network.ok", guide.Pass)
	h.set(guide.NetCurl, guide.Warn, nil)
	h.sentence(t, "network.but", guide.Warn, "n", 1)
	h.set(guide.NetHF, guide.Fail, nil)
	h.sentence(t, "fix.one", guide.Fail, "a", "track.check.net.hf")
}

func TestNothingRun(t *testing.T) {
	h := on(guide.Shared)
	clear(h.p.Latest)
	h.sentence(t, "none", guide.NotRun)
	v := h.view()
	if s := texts.For(texts.English).Say(v.Sentence); !strings.Contains(s, "s") || v.Next != "shared.2" {
		t.Errorf("%s; next %q", s, v.Next)
	}
	// A form alone changes nothing about that.
	h.p.Ticks["verified"] = guide.Tick{Item: "verified", Done: true}
	h.sentence(t, "none", guide.NotRun)
}

// TestAnswerBeforeForms holds that the sentence stands from the quick checks
// alone, and that open forms come behind it.
func TestAnswerBeforeForms(t *testing.T) {
	h := on(guide.Shared)
	for _, id := range Of(guide.Shared).Checks() {
		if run.DefOf(id).Level != guide.Quick {
			delete(h.p.Latest, id)
		}
	}
	h.sentence(t, "ok", guide.Pass)
	v := h.view()
	if !slices.Equal(v.Open, []string{"verified", "region", "billing"}) {
		t.Errorf("open: %v", v.Open)
	}
	last := v.After[len(v.After)-1]
	if last.Key != "track.after.open" || arg(last, "n") != 3 || !slices.ContainsFunc(v.After, func(p texts.Phrase) bool { return p.Key == "track.after.longer" }) {
		t.Errorf("after: %v", v.After)
	}
	if v.Next != "shared.1" {
		t.Errorf("next is %q: with all checks right it is the first open form", v.Next)
	}
}

func TestPartlyRun(t *testing.T) {
	h := on(guide.Shared)
	delete(h.p.Latest, guide.MemCgroup)
	h.sentence(t, "rest", guide.NotRun, "n", 1)
	delete(h.p.Latest, guide.GPUQuery)
	if v := h.view(); slices.ContainsFunc(v.After, func(p texts.Phrase) bool { return p.Key == "track.after.longer" }) {
		t.Errorf("it is called to hold for the quick checks, and one wasn't run: %v", v.After)
	}
	h.set(guide.DiskDf, guide.Warn, nil)
	h.sentence(t, "rest.but", guide.Warn, "n", 1, "things", 1)
	h.set(guide.DiskMount, guide.Fail, nil)
	h.sentence(t, "fix.one", guide.Fail)
}

func TestUnreadIsNeverPass(t *testing.T) {
	unread := func(h *host, id guide.CheckID) {
		h.set(id, guide.Warn, nil)
		h.change(id, func(j *Judged) { j.Outcome.Rule = "unread" })
	}
	h := on(guide.Shared)
	unread(h, guide.MemCgroup)
	h.sentence(t, "but", guide.Warn, "n", 1)
	// Nobody can start on a card of which nothing is known.
	unread(h, guide.GPUSMI)
	h.sentence(t, "unread", guide.Warn, "n", 2, "a", "track.check.gpu.smi")
	h.set(guide.GPUSMI, guide.Warn, guide.Facts{"driver": "550.90", "mem_total_mib": []any{nil}})
	h.sentence(t, "unread", guide.Warn)
	h.set(guide.GPUSMI, guide.Warn, guide.Facts{"mem_total_mib": []any{24564}})
	h.sentence(t, "but", guide.Warn, "n", 2)

	n := on(guide.Network)
	for _, id := range Of(guide.Network).Checks() {
		unread(n, id)
	}
	n.sentence(t, "unread", guide.Warn, "n", 5)
}

func TestBlocked(t *testing.T) {
	h := on(guide.Shared)
	h.set(guide.GPUSMI, guide.Fail, nil)
	h.change(guide.GPUSMI, func(j *Judged) { j.Time = now })
	c := h.check(t, guide.TorchCUDA)
	if c.State != Blocked || c.BlockedBy != guide.GPUSMI || c.Verdict != guide.Skip || c.Line.Key != "track.line.blocked" {
		t.Errorf("%+v", c)
	}
	if c = h.check(t, guide.Attn); c.BlockedBy != guide.GPUSMI {
		t.Errorf("what rests on a blocked check is blocked by the root: %v", c.BlockedBy)
	}
	if s := h.stepOf(t, "shared.2"); s.State != Blocked || s.Verdict != guide.Skip {
		t.Errorf("step: %s, %s", s.State, s.Verdict)
	}
	first, speed := h.p.Latest[guide.FirstImage], h.p.Latest[guide.DiskSpeed]
	delete(h.p.Latest, guide.FirstImage)
	delete(h.p.Latest, guide.DiskSpeed)
	if s := h.stepOf(t, "shared.6"); s.State != Idle || s.Verdict != guide.NotRun {
		t.Errorf("a step with one check that is blocked and two that can be run: %s, %s", s.State, s.Verdict)
	}
	h.p.Latest[guide.FirstImage], h.p.Latest[guide.DiskSpeed] = first, speed
	h.sentence(t, "fix.one", guide.Fail, "a", "track.check.gpu.smi")

	// Whatever was run or pasted after the parent stands for itself.
	h.change(guide.TorchCUDA, func(j *Judged) { j.Time = now.Add(time.Second) })
	if c = h.check(t, guide.TorchCUDA); c.State != Done || c.Verdict != guide.Pass {
		t.Errorf("a later result: %s, %s", c.State, c.Verdict)
	}
	// A record that says "blocked" says nothing once the parent is right.
	h.set(guide.GPUSMI, guide.Pass, nil)
	h.change(guide.TorchCUDA, func(j *Judged) { j.BlockedBy, j.Outcome = guide.GPUSMI, guide.Outcome{} })
	if c = h.check(t, guide.TorchCUDA); c.State != Idle || c.Verdict != guide.NotRun {
		t.Errorf("after the parent was mended: %s, %s", c.State, c.Verdict)
	}
}

func TestStale(t *testing.T) {
	for why, f := range map[Staleness]func(*MakeParams){
		StaleInstance:  func(p *MakeParams) { p.Instance.Instance = "i2" },
		StaleDriver:    func(p *MakeParams) { p.Instance.Driver = "570.1" },
		StaleBoot:      func(p *MakeParams) { p.Instance.Boot = "b2" },
		StaleContainer: func(p *MakeParams) { p.Instance.PID1 = "2" },
		StaleDays:      func(p *MakeParams) { p.Now = now.Add(15 * 24 * time.Hour) },
	} {
		h := on(guide.Shared)
		h.set(guide.DiskDf, guide.Warn, nil)
		f(&h.p)
		c := h.check(t, guide.GPUSMI)
		if c.State != Stale || c.Verdict != guide.NotRun || c.StaleWhy.Key != "track.stale."+string(why) {
			t.Errorf("%s: a pass is %s, %q, %s", why, c.State, c.Verdict, c.StaleWhy.Key)
		}
		if c = h.check(t, guide.DiskDf); c.State != Done || c.Verdict != guide.Warn || c.StaleWhy.IsZero() {
			t.Errorf("%s: a warning is %s, %q", why, c.State, c.Verdict)
		}
		v := h.view()
		if n := len(Of(guide.Shared).Checks()); v.Stale != n || v.Changed.IsZero() || v.StaleTakes <= 0 {
			t.Errorf("%s: %d stale of %d, offer %v", why, v.Stale, n, v.Changed)
		}
		h.set(guide.DiskDf, guide.Pass, nil)
		f(&h.p)
		h.change(guide.DiskDf, func(j *Judged) { j.Run, j.Time = guide.Run{Boot: "b1"}, now })
		if why == StaleBoot {
			h.sentence(t, "again", guide.NotRun)
		}
	}
	h := on(guide.Shared)
	h.set(guide.GPUSMI, guide.Fail, nil)
	h.p.Instance.Boot = "b2"
	h.sentence(t, "fix.old", guide.Fail, "n", 1)
	if c := h.check(t, guide.GPUSMI); c.State != Done || c.Verdict != guide.Fail || c.Line.Key != "track.line.old" {
		t.Errorf("an old fail: %+v", c)
	}
	if again := Again(h.view()); !slices.Contains(again, guide.TorchCUDA) || !slices.Contains(again, guide.GPUSMI) {
		t.Errorf("again: %v", again)
	}
	h.p.Instance = guide.Run{}
	if v := h.view(); v.Stale != 0 {
		t.Error("what isn't known of a run makes nothing stale")
	}
}

func TestLeftOut(t *testing.T) {
	h := on(guide.Shared)
	h.set(guide.MemCgroup, guide.Warn, nil)
	h.p.Skips = []guide.Skipped{{On: "mem.cgroup", Reason: "small job", Time: now}}
	h.sentence(t, "ok", guide.Pass)
	if c := h.check(t, guide.MemCgroup); c.State != Left || c.Verdict != guide.Skip || c.Record == nil {
		t.Errorf("%+v", c)
	} else if s := texts.For(texts.English).Say(c.Line); !strings.HasSuffix(s, "small job") {
		t.Errorf("the reason became %q", s)
	}
	v := h.view()
	if v.After[0].Key != "track.after.left" || len(v.Skips) != 1 {
		t.Errorf("what was left out is not said: %v", v.After)
	}

	// What is known to be wrong does not become right by being left out.
	h.set(guide.MemCgroup, guide.Fail, nil)
	w := h.view()
	if w.Verdict != guide.Warn || w.Sentence.Key != "track.say.but" || arg(w.Sentence, "a") != "track.thing.left" {
		t.Errorf("%v, %s", w.Sentence, w.Verdict)
	}
	h.p.Skips[0].Until = now
	h.sentence(t, "fix.one", guide.Fail)
	if len(h.view().Skips) != 1 {
		t.Error("a skip that was taken back left no trace")
	}

	h = on(guide.Shared)
	h.set(guide.DiskDf, guide.Fail, nil)
	h.p.Skips = []guide.Skipped{{On: "shared.4", Reason: "nothing of mine is there", Time: now}}
	s := h.stepOf(t, "shared.4")
	if w := h.view(); s.State != Left || s.Verdict != guide.Warn || w.Verdict != guide.Warn {
		t.Errorf("step %s, %s; track %s", s.State, s.Verdict, w.Verdict)
	}
	h.set(guide.DiskDf, guide.Pass, nil)
	h.sentence(t, "ok", guide.Pass)

	h = on(guide.Network)
	for _, id := range Of(guide.Network).Checks() {
		h.p.Skips = append(h.p.Skips, guide.Skipped{On: string(id), Reason: "offline", Time: now})
	}
	if w := h.view(); w.Verdict != guide.Skip || w.Sentence.Key != "track.say.skips" {
		t.Errorf("only skips: %v, %s", w.Sentence, w.Verdict)
	}
}

func TestJob(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name          string
		facts         guide.Facts
		low, high     *float64
		blocks, tight bool
		key           string
	}{
		{"enough", guide.Facts{"mem_total_mib": []any{24564}}, f(18), f(21), false, false, "track.job.vram.enough"},
		{"just", guide.Facts{"mem_total_mib": []any{20000.0}}, f(18), f(21), false, true, "track.job.vram.just"},
		{"short", guide.Facts{"mem_total_mib": []any{12288}}, f(18), f(21), true, false, "track.job.vram.short"},
		{"the largest of several", guide.Facts{"mem_total_mib": []any{12288, 24564}}, f(18), f(21), false, false, "track.job.vram.enough"},
		{"a slice", guide.Facts{"mig": true, "mem_total_mib": []any{nil}, "slice_mem_total_mib": []int{9984}}, f(18), f(21), true, false, "track.job.vram.short"},
		{"the largest slice, not the sum", guide.Facts{"mig": true, "slice_mem_total_mib": []int{9984, 9984, 20096}}, f(18), f(19), false, false, "track.job.vram.enough"},
		{"one end of the band", guide.Facts{"mem_total_mib": []any{12288}}, nil, f(21), true, false, "track.job.vram.short"},
		{"no plan", guide.Facts{"mem_total_mib": []any{12288}}, nil, nil, false, false, ""},
		{"not read", guide.Facts{"mem_total_mib": []any{nil}}, f(18), f(21), false, false, ""},
		{"not there", nil, f(18), f(21), false, false, ""},
	} {
		h := on(guide.Shared)
		h.set(guide.GPUSMI, guide.Pass, c.facts)
		h.p.Needs = guide.Needs{VRAMLowGiB: c.low, VRAMHighGiB: c.high}
		v := h.check(t, guide.GPUSMI)
		if v.Blocks != c.blocks || v.Tight != c.tight || v.Job.Key != c.key {
			t.Errorf("%s: blocks %v, tight %v, %q", c.name, v.Blocks, v.Tight, v.Job.Key)
		}
		want, key := guide.Pass, "ok"
		if c.blocks {
			want, key = guide.Fail, "fix.one"
		} else if c.tight {
			want, key = guide.Warn, "but"
		}
		h.sentence(t, key, want)
		if c.blocks && arg(h.view().Sentence, "a") != "track.thing.gpu.smi" {
			t.Errorf("%s: the sentence names %v", c.name, arg(h.view().Sentence, "a"))
		}
		if c.blocks && !h.stepOf(t, "shared.5").Blocks {
			t.Errorf("%s: the step doesn't say that it is in the way", c.name)
		}
	}
	h := on(guide.Shared)
	h.set(guide.GPUSMI, guide.Warn, guide.Facts{"mem_total_mib": []any{24564}, "mem_used_mib": []any{10240}})
	h.p.Needs = guide.Needs{VRAMLowGiB: f(18), VRAMHighGiB: f(21)}
	if h.check(t, guide.GPUSMI).Blocks {
		t.Error("what may be the user's own was counted off")
	}
	h.change(guide.GPUSMI, func(j *Judged) { j.Context.OwnProcesses = new(int) })
	if v := h.check(t, guide.GPUSMI); !v.Blocks {
		t.Errorf("what others hold was not counted off: %v", v.Job)
	}
	said(t, h.view())
	for _, c := range []struct {
		name   string
		track  guide.Track
		facts  guide.Facts
		blocks bool
		key    string
	}{
		{"enough", guide.Shared, guide.Facts{"root_avail_gib": 5.0, "persistent_avail_gib": 60.0}, false, "track.job.disk.enough"},
		{"short", guide.Shared, guide.Facts{"root_avail_gib": 500.0, "persistent_avail_gib": 30.0}, true, "track.job.disk.short"},
		{"GiB and GB are two things", guide.Shared, guide.Facts{"persistent_avail_gib": 47.0}, false, "track.job.disk.enough"},
		{"only the system disk", guide.Shared, guide.Facts{"root_avail_gib": 60.0}, false, "track.job.disk.root.enough"},
		{"a small system disk", guide.Shared, guide.Facts{"root_avail_gib": 10.0}, true, "track.job.disk.root.short"},
		{"a whole machine's own disk", guide.Dedicated, guide.Facts{"root_avail_gib": 500.0, "persistent_avail_gib": 30.0}, false, "track.job.disk.enough"},
		{"the provider's store", guide.Shared, guide.Facts{"persistent_avail_gib": 2e6, "capacity_trustworthy": false}, false, "track.job.disk.unknown"},
		{"not read", guide.Shared, nil, false, ""},
	} {
		h := on(c.track)
		h.set(guide.DiskDf, guide.Warn, c.facts)
		h.p.Needs = guide.Needs{DiskGB: f(50)}
		v := h.check(t, guide.DiskDf)
		if v.Blocks != c.blocks || v.Job.Key != c.key {
			t.Errorf("%s: blocks %v, %q", c.name, v.Blocks, v.Job.Key)
		}
		said(t, h.view())
	}
}

func TestFolded(t *testing.T) {
	v := on(guide.Shared).view()
	if len(v.Folded) != 3 {
		t.Fatalf("%d folded", len(v.Folded))
	}
	for _, c := range v.Folded {
		if c.State != Folded || c.Verdict != guide.Skip || !has(c.Why.Key) {
			t.Errorf("%+v", c)
		}
	}
	if n := len(on(guide.Dedicated).view().Folded); n != 0 {
		t.Errorf("%d folded on a whole machine", n)
	}
}

func TestLevelsAndCost(t *testing.T) {
	h := on(guide.Shared)
	h.p.Needs = guide.Needs{PriceHour: "1.88 CNY/h", Cost: func(d time.Duration) string { return d.Truncate(time.Second).String() }}
	v := h.view()
	if len(v.Levels) != 3 {
		t.Fatalf("%d levels", len(v.Levels))
	}
	for i, l := range v.Levels {
		if l.Level != guide.Levels()[i] || l.Cost == "" || i > 0 && (len(l.Checks) < len(v.Levels[i-1].Checks) || l.Takes < v.Levels[i-1].Takes) {
			t.Errorf("%+v", l)
		}
	}
	if q := v.Levels[0].Takes; q > 30*time.Second {
		t.Errorf("quick takes %v", q)
	}
	h.p.Needs.Cost = nil
	if c := h.view().Levels[2].Cost; c != "" {
		t.Errorf("without a price it costs %q", c)
	}
}

func TestLive(t *testing.T) {
	h := on(guide.Shared)
	delete(h.p.Latest, guide.DiskDf)
	h.p.Live = &Live{Level: guide.Quick, Since: now, Checks: []guide.CheckID{guide.GPUSMI, guide.DiskDf, guide.MemCgroup}, Done: map[guide.CheckID]bool{guide.GPUSMI: true}, Running: guide.DiskDf}
	for id, want := range map[guide.CheckID]State{guide.GPUSMI: Done, guide.DiskDf: Running, guide.MemCgroup: Queued, guide.CPUCgroup: Done} {
		if c := h.check(t, id); c.State != want {
			t.Errorf("%s is %s, want %s", id, c.State, want)
		}
	}
	v := h.view()
	if !v.Running || v.Done != 1 || v.Total != 3 || v.Level != guide.Quick || v.Sentence.Key != "track.say.running" {
		t.Errorf("%+v", v)
	}
	if s := h.stepOf(t, "shared.4"); s.State != Running {
		t.Errorf("the step is %s", s.State)
	}
	if slices.ContainsFunc(v.After, func(p texts.Phrase) bool { return p.Key == "track.after.longer" }) {
		t.Error("the longer checks are called not run while a run goes on")
	}
	h.set(guide.CPUCgroup, guide.Fail, nil)
	if v = h.view(); v.Sentence.Key != "track.say.fix.one" {
		t.Errorf("a fail is said while the rest runs: %s", v.Sentence.Key)
	}
}

func TestAlreadyFine(t *testing.T) {
	h := on(guide.Shared)
	if c := h.check(t, guide.DiskDf); c.Fine.Key != "track.fine.already" {
		t.Errorf("%v", c.Fine)
	}
	h.p.Before[guide.DiskDf] = Judged{Outcome: guide.Outcome{Verdict: guide.Fail}}
	if c := h.check(t, guide.DiskDf); c.Fine.Key != "track.fine.now" {
		t.Errorf("%v", c.Fine)
	}
	h.set(guide.DiskDf, guide.Warn, nil)
	if c := h.check(t, guide.DiskDf); !c.Fine.IsZero() {
		t.Errorf("a warning is %v", c.Fine)
	}
}

func TestEdited(t *testing.T) {
	h := on(guide.Shared)
	h.p.Edits[guide.GPUSMI] = "/opt/bin/nvidia-smi"
	if c := h.check(t, guide.GPUSMI); !c.Edited || c.Command != "/opt/bin/nvidia-smi" {
		t.Errorf("%+v", c)
	}
	h.change(guide.GPUSMI, func(j *Judged) { j.Edited = true })
	delete(h.p.Edits, guide.GPUSMI)
	if v := h.view(); !slices.ContainsFunc(v.After, func(p texts.Phrase) bool { return p.Key == "track.after.edited" && arg(p, "n") == 1 }) {
		t.Errorf("a result of a changed command is not marked: %v", v.After)
	}
}

func TestWantsAValue(t *testing.T) {
	h := on(guide.Network)
	delete(h.p.Latest, guide.NetIperf3)
	h.p.Command = func(id guide.CheckID) (string, string) {
		if id == guide.NetIperf3 {
			return "", "peer"
		}
		return "x", ""
	}
	c := h.check(t, guide.NetIperf3)
	if c.State != Idle || c.Verdict != guide.Skip || c.Wants != "peer" || c.Line.Key != "track.line.wants" {
		t.Errorf("%+v", c)
	}
	h.sentence(t, "network.ok", guide.Pass)
	for _, l := range h.view().Levels {
		if slices.Contains(l.Checks, guide.NetIperf3) {
			t.Error("a run holds a check that can't be run")
		}
	}
}

// TestWorstChildDecides tries every pair of verdicts in a step.
func TestWorstChildDecides(t *testing.T) {
	all := []guide.Verdict{guide.Pass, guide.Warn, guide.Fail, guide.Skip}
	for _, a := range all {
		for _, b := range all {
			h := on(guide.Network)
			h.set(guide.NetCurl, a, nil)
			h.set(guide.NetHF, b, nil)
			want := guide.Worse(a, b)
			if s := h.stepOf(t, "network.3"); s.Verdict != want {
				t.Errorf("%s and %s make %s, want %s", a, b, s.Verdict, want)
			}
			said(t, h.view())
		}
	}
}
