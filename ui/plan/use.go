package plan

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/advice"
	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

func usualNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// useFields are how many pictures there are and when the card is rented.
func (f *form) useFields() {
	w, c := f.w, f.w.c
	// The number stays when what it counts changes.
	pictures := whole(w, "use.pictures",
		func(p core.Plan) int { return max(p.Use.Pictures.PerDay, p.Use.Pictures.Total) },
		func(p *core.Plan, n int) { setPictures(p, n, p.Use.Pictures.Total > 0) })
	pictures.also = []string{"use.pictures.per_day", "use.pictures.total"}
	per := newPick(w, "use.pictures.of", func(p core.Plan) string {
		if p.Use.Pictures.Total > 0 {
			return "total"
		}
		return "day"
	}, func(p *core.Plan, code string) {
		setPictures(p, max(p.Use.Pictures.PerDay, p.Use.Pictures.Total), code == "total")
	})
	per.offer(f.words("plan.per.", "day", "total"))
	showPer := per.show
	per.field.sync = func(p core.Plan) {
		daily := "plan.per.day"
		if p.Use.Pattern == workload.Timetable {
			daily = "plan.per.lesson" // a day of a class is one lesson
		}
		per.offer([]string{"day", "total"}, []string{c.T(daily), c.T("plan.per.total")})
		showPer(p)
	}
	pictures.box = line(c.T("plan.f.pictures"), container.NewGridWithColumns(2, pictures.entry, per.sel), pictures.err)
	pictures.seen = func(p core.Plan) bool { return !p.Job.Kind.Training() }
	f.add(f.col, &pictures.field)
	trainings := whole(w, "use.pictures",
		func(p core.Plan) int { return max(p.Use.Pictures.PerDay, p.Use.Pictures.Total) },
		func(p *core.Plan, n int) { setPictures(p, n, true) })
	trainings.also = pictures.also
	trainings.seen = func(p core.Plan) bool { return p.Job.Kind.Training() }
	f.text(f.col, "plan.f.trainings", trainings, "")
	per.box = container.NewVBox(per.err)
	f.add(f.col, &per.field)

	pattern := newPick(w, "use.pattern", func(p core.Plan) string { return string(p.Use.Pattern) },
		func(p *core.Plan, code string) {
			p.Use.Pattern = workload.Pattern(code)
			usualUse(&p.Use)
		})
	codes, names := f.words("plan.pattern.", string(workload.Screen), string(workload.LongRun), string(workload.Timetable))
	f.list(f.col, "plan.f.pattern", pattern, codes, names)

	in := func(ps ...workload.Pattern) func(core.Plan) bool {
		return func(p core.Plan) bool {
			for _, k := range ps {
				if p.Use.Pattern == k {
					return true
				}
			}
			return false
		}
	}
	number := func(key, id, unit string, get func(*workload.Use) *int, ps ...workload.Pattern) *input {
		fl := whole(w, id, func(p core.Plan) int { return *get(&p.Use) }, func(p *core.Plan, n int) { *get(&p.Use) = n })
		fl.seen = in(ps...)
		return f.text(f.col, key, fl, unit)
	}
	real := func(key, id, unit string, get func(*workload.Use) *float64, ps ...workload.Pattern) {
		fl := decimal(w, id, func(p core.Plan) float64 { return *get(&p.Use) }, func(p *core.Plan, v float64) { *get(&p.Use) = v })
		fl.seen = in(ps...)
		f.text(f.col, key, fl, unit)
	}
	real("plan.f.days_per_week", "use.days_per_week", "", func(u *workload.Use) *float64 { return &u.DaysPerWeek }, workload.Screen)
	number("plan.f.machines", "use.machines", "", func(u *workload.Use) *int { return &u.Machines }, workload.Timetable)
	number("plan.f.sittings_per_week", "use.sittings_per_week", "", func(u *workload.Use) *int { return &u.SittingsPerWeek }, workload.Timetable)
	real("plan.f.hours_per_sitting", "use.hours_per_sitting", c.T("plan.unit.h"), func(u *workload.Use) *float64 { return &u.HoursPerSitting }, workload.Screen, workload.Timetable)
	number("plan.f.weeks", "use.weeks", "", func(u *workload.Use) *int { return &u.Weeks }, workload.Timetable)
	number("plan.f.spares", "use.spares", "", func(u *workload.Use) *int { return &u.Spares }, workload.Timetable)
	number("plan.f.start_early", "use.start_early_min", c.T("plan.unit.min"), func(u *workload.Use) *int { return &u.StartEarlyMin }, workload.Timetable)
	number("plan.f.heads", "use.heads", "", func(u *workload.Use) *int { return &u.Heads }, workload.Timetable)
	starts := number("plan.f.starts", "use.starts", "", func(u *workload.Use) *int { return &u.Starts }, workload.LongRun)
	starts.usual = func(workload.Job) string {
		u := w.p.Desk.Plan().Use
		if u.Pictures.Total > 0 {
			return c.T("plan.starts.one")
		}
		return c.T("plan.starts.daily")
	}
	days := whole(w, "days", func(p core.Plan) int { return p.Days }, func(p *core.Plan, n int) { p.Days = n })
	days.usual = func(workload.Job) string { return "30" }
	f.text(f.col, "plan.f.days", days, "")
}

func setPictures(p *core.Plan, n int, total bool) {
	p.Use.Pictures = workload.Count{PerDay: n}
	if total {
		p.Use.Pictures = workload.Count{Total: n}
	}
}

// usualUse fills what a pattern can't do without and nobody filled in yet; the
// fields show it.
func usualUse(u *workload.Use) {
	usual := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	switch u.Pattern {
	case workload.Timetable:
		usual(&u.Machines, 30)
		usual(&u.SittingsPerWeek, 2)
		usual(&u.Weeks, 3)
	case workload.Screen:
		if u.DaysPerWeek == 0 {
			u.DaysPerWeek = 5
		}
	case workload.LongRun:
	}
	if u.Pattern != workload.LongRun && u.HoursPerSitting == 0 {
		u.HoursPerSitting = 2
	}
}

// questionFields are the form of four items: two answers come from the job.
func (f *form) questionFields() {
	w, c := f.w, f.w.c
	ask := func(item string, get func(*advice.Questions) *string, codes ...string) {
		p := newPick(w, "questions."+item, func(p core.Plan) string { return *get(&p.Questions) },
			func(p *core.Plan, code string) { *get(&p.Questions) = code })
		names := []string{c.T("advice.answer.open")}
		for _, code := range codes {
			names = append(names, c.T("advice.answer."+item+"."+code))
		}
		p.offer(append([]string{""}, codes...), names)
		p.box = container.NewVBox(question(c.T("advice.question."+item)), p.sel, p.err)
		f.add(f.col, &p.field)
	}
	ask("duration", func(q *advice.Questions) *string { return &q.Duration }, advice.Durations()...)
	f.vram = fromJob(f, c.T("advice.question.vram"))
	ask("sensitivity", func(q *advice.Questions) *string { return &q.Sensitivity }, advice.Sensitivities()...)
	f.idle = fromJob(f, c.T("advice.question.idle"))
	ask("load", func(q *advice.Questions) *string { return &q.Load }, advice.Loads()...)
	f.col.Add(question(c.T("plan.rights")))
	tick := func(key, item string, get func(*advice.Questions) *bool) fyne.CanvasObject {
		t := newTick(w, "questions."+item, c.T(key), func(p core.Plan) bool { return *get(&p.Questions) },
			func(p *core.Plan, on bool) { *get(&p.Questions) = on })
		f.fields = append(f.fields, t)
		return t.box
	}
	f.col.Add(container.NewGridWithColumns(2,
		tick("plan.right.root", "root", func(q *advice.Questions) *bool { return &q.Root }),
		tick("plan.right.driver", "driver", func(q *advice.Questions) *bool { return &q.Driver }),
		tick("plan.right.kernel", "kernel", func(q *advice.Questions) *bool { return &q.Kernel }),
		tick("plan.right.docker", "docker", func(q *advice.Questions) *bool { return &q.Docker })))
	f.col.Add(tick("plan.proven", "proven", func(q *advice.Questions) *bool { return &q.Proven }))
	f.col.Add(tick("plan.steady", "steady_speed", func(q *advice.Questions) *bool { return &q.Steady }))
	cards := whole(w, "questions.multi_card", func(p core.Plan) int { return p.Questions.MultiCard },
		func(p *core.Plan, n int) { p.Questions.MultiCard = n })
	f.text(f.col, "plan.f.multi_card", cards, "")
	fail := newInput(w, "questions.fail_share", func(p core.Plan) string {
		if s := p.Questions.FailShare; s != nil {
			return strconv.FormatFloat(*s*100, 'f', -1, 64)
		}
		return ""
	}, func(p *core.Plan, text string) texts.Phrase {
		if plainNumber(text) == "" {
			p.Questions.FailShare = nil
			return texts.Phrase{}
		}
		v, bad := number(text)
		switch {
		case !bad.IsZero():
			return bad
		case v > 100:
			return texts.P("plan.share")
		}
		v /= 100
		p.Questions.FailShare = &v
		return texts.Phrase{}
	})
	fail.seen = func(p core.Plan) bool { return !p.Questions.Proven }
	f.text(f.col, "plan.f.fail_share", fail, "%")
}

func question(text string) *widget.Label {
	l := widgets.Small(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

// fromJob adds an item of the form whose answer nobody types.
func fromJob(f *form, name string) *widget.Label {
	answer := widgets.Words("")
	f.col.Add(container.NewVBox(question(name), answer))
	return answer
}

// fromAnswer says what the job and the use answer to the form of four items.
func (f *form) fromAnswer() {
	c, r := f.w.c, f.w.good
	vram, idle := c.T("plan.fromjob.none"), c.T("plan.fromuse.none")
	if v := r.Fit.VRAM; v.High > 0 {
		vram = c.T("plan.fromjob", "value", gib(c, v))
	}
	if h, ok := f.w.hours(); ok && !h.Unknown && h.Rented.Point > 0 {
		idle = c.T("plan.fromuse", "value", texts.Band(c, h.IdleShare.Low*100, h.IdleShare.High*100, "%"))
	}
	say(f.vram, vram)
	say(f.idle, idle)
}
