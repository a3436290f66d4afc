package track

import (
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// sums is what the sentence of a track is made from.
type sums struct {
	fails, warns []thing
	unread       []thing         // of the warnings, those that say that nothing could be read
	blind        bool            // not even the card is known
	judged       int             // checks with a verdict of now
	skips        int             // checks that can't be judged
	left         int             // left out by the user
	edited       int             // results of commands that the user changed
	missing      []guide.CheckID // quick ones without a verdict of now
	stale        []guide.CheckID // of these, the ones that had one
	longer       int             // longer ones that were never run
	waits        map[guide.CheckID]int
}

// thing is something to see to.
type thing struct {
	name texts.Phrase
	step string
	old  bool
	// before is how many checks wait until it is mended.
	before int
}

// levels says what a run of each length asks for.
func (p *MakeParams) levels(v *View) {
	for i, l := range guide.Levels() {
		lv := LevelView{Level: l}
		each(*v, func(_ StepView, c CheckView) {
			if slices.Index(guide.Levels(), c.Def.Level) <= i && c.Wants == "" && !slices.Contains(lv.Checks, c.ID) {
				lv.Checks = append(lv.Checks, c.ID)
			}
		})
		lv.Takes = p.Takes(lv.Checks, l)
		lv.Cost = p.cost(lv.Takes)
		v.Levels = append(v.Levels, lv)
	}
}

func (p *MakeParams) cost(d time.Duration) string {
	if p.Needs.Cost == nil || d <= 0 {
		return ""
	}
	return p.Needs.Cost(d)
}

// sum says in one sentence where the user stands, from what was checked alone;
// open forms are named behind it.
func (p *MakeParams) sum(v *View) {
	s := sums{waits: map[guide.CheckID]int{}}
	each(*v, func(_ StepView, c CheckView) {
		if c.BlockedBy != "" {
			s.waits[c.BlockedBy]++
		}
	})
	for _, st := range v.Steps {
		s.add(st)
	}
	// What others wait for is named first: a machine whose card doesn't answer has no
	// use for the rest.
	slices.SortStableFunc(s.fails, func(a, b thing) int { return b.before - a.before })
	again := Again(*v)
	v.Stale, v.StaleTakes = len(again), p.Takes(again, guide.Quick)
	if len(again) > 0 {
		c, _ := v.Check(again[0])
		v.Changed = texts.P("track.changed", "why", c.StaleWhy, "n", len(again), "takes", duration(v.StaleTakes))
	}
	for _, st := range v.Steps {
		if st.Skipped != nil {
			continue
		}
		for _, it := range st.Items {
			if it.Item.Needed && !it.Item.End && it.Verdict == guide.NotRun && !slices.Contains(v.Open, it.Item.ID) {
				v.Open = append(v.Open, it.Item.ID)
			}
		}
	}
	v.Verdict = s.verdict()
	v.Sentence = p.sentence(v, s)
	v.After = s.after(v)
	v.Next = s.next(v)
}

func (s *sums) add(st StepView) {
	if st.Skipped != nil {
		s.left++
		if st.Verdict == guide.Warn {
			s.warns = append(s.warns, thing{texts.P("track.thing.left", "name", texts.P("track."+st.Step.ID+".title")), st.Step.ID, false, 0})
		}
		return
	}
	for _, c := range st.Checks {
		s.check(st, c)
	}
	for _, it := range st.Items {
		t := thing{texts.P("track.item." + it.Item.ID), st.Step.ID, false, 0}
		switch it.Verdict {
		case guide.Fail:
			s.fails = append(s.fails, t)
		case guide.Warn:
			s.warns = append(s.warns, t)
		}
	}
}

func (s *sums) check(st StepView, c CheckView) {
	if c.Record != nil && c.Record.Edited {
		s.edited++
	}
	t := thing{CheckName(c.ID), st.Step.ID, !c.StaleWhy.IsZero(), s.waits[c.ID]}
	if c.Blocks || c.Tight && c.Outcome.Verdict != guide.Warn {
		t.name = texts.P("track.thing." + string(c.ID))
	}
	switch {
	case c.State == Left:
		s.left++
		if c.Verdict == guide.Warn {
			s.warns = append(s.warns, thing{texts.P("track.thing.left", "name", CheckName(c.ID)), st.Step.ID, false, 0})
		}
		return
	case c.Verdict == guide.Fail:
		s.fails = append(s.fails, t)
	case c.Verdict == guide.Warn:
		s.warns = append(s.warns, t)
		_, _, seen := c.Outcome.Facts.VRAM()
		if card := c.ID == guide.GPUSMI && !seen; card || c.Outcome.Rule == "unread" || c.Outcome.Rule == "cut" {
			s.unread = append(s.unread, t)
			s.blind = s.blind || card
		}
	case c.Verdict == guide.Skip:
		s.skips++
		return
	case c.Verdict == guide.NotRun:
		if c.Def.Level != guide.Quick && c.State != Stale {
			s.longer++
			return
		}
		s.missing = append(s.missing, c.ID)
		if c.State == Stale || c.Record != nil {
			s.stale = append(s.stale, c.ID)
		}
		return
	}
	s.judged++
}

func (s *sums) verdict() guide.Verdict {
	switch {
	case len(s.fails) > 0:
		return guide.Fail
	case len(s.warns) > 0:
		return guide.Warn
	case len(s.missing) > 0:
		return guide.NotRun
	case s.judged > 0:
		return guide.Pass
	case s.skips+s.left > 0:
		return guide.Skip
	}
	return guide.NotRun
}

// sentence is the one on top. What has to be mended comes first, then what isn't
// known yet, then what to keep in mind.
func (p *MakeParams) sentence(v *View, s sums) texts.Phrase {
	say := func(code string, args ...any) texts.Phrase {
		key := "track.say."
		if p.Track == guide.Network {
			key = "track.say.network."
		}
		return texts.P(key+code, args...)
	}
	takes := duration(p.Takes(s.missing, guide.Quick))
	switch f := s.fails; {
	case v.Running && len(f) == 0:
		return texts.P("track.say.running", "n", v.Done, "of", v.Total)
	case len(f) > 0 && !slices.ContainsFunc(f, func(t thing) bool { return !t.old }):
		return texts.P("track.say.fix.old", "n", len(f), "a", f[0].name)
	case len(f) == 1:
		return texts.P("track.say.fix.one", "a", f[0].name)
	case len(f) == 2:
		return texts.P("track.say.fix.two", "a", f[0].name, "b", f[1].name)
	case len(f) > 2:
		return texts.P("track.say.fix.more", "n", len(f), "a", f[0].name, "b", f[1].name, "rest", len(f)-2)
	case len(s.missing) > 0 && s.judged == 0 && len(s.stale) == 0:
		return texts.P("track.say.none", "takes", takes)
	case len(s.missing) > 0 && len(s.stale) == len(s.missing):
		return texts.P("track.say.again", "n", len(s.missing), "takes", takes)
	case len(s.missing) > 0 && len(s.warns) > 0:
		return texts.P("track.say.rest.but", "n", len(s.missing), "takes", takes, "a", s.warns[0].name, "things", len(s.warns))
	case len(s.missing) > 0:
		return texts.P("track.say.rest", "n", len(s.missing), "takes", takes)
	case len(s.unread) > 0 && (s.blind || len(s.unread) == s.judged):
		return texts.P("track.say.unread", "n", len(s.unread), "a", s.unread[0].name)
	case len(s.warns) > 0:
		return say("but", "n", len(s.warns), "a", s.warns[0].name)
	case s.judged > 0:
		return say("ok")
	}
	return texts.P("track.say.skips")
}

// after is what is said behind the sentence.
func (s *sums) after(v *View) []texts.Phrase {
	var list []texts.Phrase
	if s.left > 0 {
		list = append(list, texts.P("track.after.left", "n", s.left))
	}
	if s.edited > 0 {
		list = append(list, texts.P("track.after.edited", "n", s.edited))
	}
	if s.longer > 0 && s.judged > 0 && len(s.missing) == 0 && !v.Running {
		list = append(list, texts.P("track.after.longer", "n", s.longer))
	}
	if n := len(v.Open); n > 0 {
		list = append(list, texts.P("track.after.open", "n", n, "a", texts.P("track.item."+v.Open[0])))
	}
	return list
}

// next is the step to look at first.
func (s *sums) next(v *View) string {
	if len(s.fails) > 0 {
		return s.fails[0].step
	}
	for _, st := range v.Steps {
		for _, c := range st.Checks {
			if slices.Contains(s.missing, c.ID) {
				return st.Step.ID
			}
		}
	}
	if len(s.warns) > 0 {
		return s.warns[0].step
	}
	for _, st := range v.Steps {
		for _, it := range st.Items {
			if slices.Contains(v.Open, it.Item.ID) {
				return st.Step.ID
			}
		}
	}
	return ""
}
