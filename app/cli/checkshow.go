package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/report"
	guiderun "rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/probe/demo"
	"rentgen/probe/target"
	"rentgen/store"
)

// hostOf is what a report calls a host.
func hostOf(s *session) report.Host { return report.Host{Name: s.name, Demo: s.demo} }

// reportOf makes the report of tracks.
func (j *job) reportOf(b *board.Board, h report.Host, vs []track.View, m *report.Mask) *report.Report {
	if b.Provider() != "" {
		h.Provider = b.Profile().NameIn(j.c.Lang)
	}
	for _, t := range guide.Tracks() {
		if _, o, ok := b.Latest(t, guide.GPUSMI); ok && len(h.Cards) == 0 {
			names, _ := o.Facts["names"].([]string)
			h.Cards = slices.Clone(names)
		}
	}
	return report.Make(report.Params{Lang: j.c.Lang, Host: h, Views: vs, Run: b.Instance(), Now: time.Now(), Mask: m, Remedy: j.remedy(b)})
}

// remedy says what to do about a finding; the provider's own way wins.
func (j *job) remedy(b *board.Board) func(guide.CheckID, guide.Finding) string {
	p := b.Profile()
	return func(id guide.CheckID, f guide.Finding) string {
		text, _ := track.Remedy(j.c, p, id, f)
		return text
	}
}

// keptHost is a host whose entries are read or written without a connection.
type keptHost struct {
	target target.Target
	store  *store.Store
	board  *board.Board
}

func (k *keptHost) close() {
	k.board.Close()
	_ = k.store.Close()
}

// kept opens what Set up keeps of a host.
func (j *job) kept(ctx context.Context, text string, write bool) (*keptHost, error) {
	t, err := j.resolve(ctx, text, j.reach().Config())
	if err != nil {
		return nil, err
	}
	if t.ID == "" {
		return nil, &UsageError{Code: "notsaved", Field: "TARGET", Value: t.Name, Allowed: "rentgen host add NAME LOGINLINE"}
	}
	open := j.readStore
	if write {
		open = j.writeStore
	}
	st, err := open(ctx)
	if err != nil {
		return nil, err
	}
	b := board.New(board.Params{Host: t.ID, Login: loginOf(t), Store: st})
	if err := b.Load(ctx); err != nil {
		j.say("cli.check.unreadable", "err", err)
	}
	return &keptHost{t, st, b}, nil
}

// latest is the host that was checked last.
func (j *job) latest(ctx context.Context) (string, error) {
	s, err := j.readStore(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	hosts, err := s.Hosts(ctx)
	if err != nil {
		return "", fmt.Errorf("read the saved hosts: %w", err)
	}
	best, at := "", time.Time{}
	for _, h := range append(hosts, store.Host{ID: demo.ID, Name: string(target.Demo)}) {
		list, err := s.GuideEntries(ctx, h.ID)
		if err != nil {
			return "", fmt.Errorf("look for what was checked: %w", err)
		}
		for _, e := range list {
			if e.Kind == guide.KindCheck && e.Time.After(at) {
				best, at = h.Name, e.Time
			}
		}
	}
	if best == "" {
		return "", &UsageError{Code: "nochecks", Field: "TARGET", Allowed: "rentgen check TARGET"}
	}
	return best, nil
}

// maskOf hides what others must not read of a host.
func maskOf(t target.Target) *report.Mask {
	k := report.Known{}
	if t.Kind == target.SSH {
		hops := append([]string{t.Login.Host, t.Login.Option("HostName")}, t.Login.User)
		k.Hosts, k.Users = hops[:2], hops[2:]
		for _, hop := range t.Login.Jumps {
			k.Hosts, k.Users = append(k.Hosts, hop.Host), append(k.Users, hop.User)
		}
	}
	if u, err := user.Current(); err == nil {
		k.Users = append(k.Users, u.Username[strings.LastIndexByte(u.Username, '\\')+1:])
	}
	return report.NewMask(k)
}

// printReport writes a report for a terminal or as JSON.
func (j *job) printReport(r *report.Report) error {
	if j.is("json") {
		return j.printJSON(r)
	}
	w := j.p.Stdout
	fmt.Fprintf(w, "%s\n%s %s\n", r.Title(), r.Shape(), cmp.Or(r.Sentence, r.Word(r.Verdict)))
	for _, n := range r.Facts() {
		fmt.Fprintln(w, n)
	}
	for _, t := range r.Tracks {
		fmt.Fprintf(w, "\n%s\n", t.Title)
		if len(r.Tracks) > 1 && t.Sentence != "" {
			fmt.Fprintf(w, "%s %s\n", t.Shape(), t.Sentence)
		}
		for _, a := range t.After {
			fmt.Fprintln(w, a)
		}
		for _, s := range r.StepsOf(t.ID) {
			fmt.Fprintf(w, "  %s %s\n", s.Shape(), s.Title)
			if line := r.Result(s); line != "" {
				fmt.Fprintf(w, "      %s\n", line)
			}
			if len(r.Steps) == 1 { // asked for alone: with the questions that are left
				for _, i := range s.Items {
					fmt.Fprintf(w, "      %s\n", r.Pair(i.Title, r.Answer(i)))
				}
			}
			for _, c := range s.Checks {
				if flag := wanted(c); flag != "" {
					fmt.Fprintf(w, "      %s\n", j.c.T("cli.check.set", "check", c.Title, "flag", flag))
				}
				if l := guiderun.DefOf(c.Check).Level; len(r.Steps) == 1 && c.Exit == nil && c.State == track.Idle && c.Command != "" && longer(l, j.level()) {
					fmt.Fprintf(w, "      %s\n", j.c.T("cli.check.longer", "check", c.Title, "flag", "--level "+string(l)))
				}
				if quiet(r, c) {
					continue
				}
				if err := j.printCheck(c, "    ", false); err != nil {
					return err
				}
			}
		}
	}
	for i, s := range r.Skips {
		if i == 0 {
			fmt.Fprintf(w, "\n%s\n", j.c.T("report.left"))
		}
		fmt.Fprintf(w, "  %s\n", r.Pair(s.Title, s.Reason))
	}
	if !slices.ContainsFunc(r.Steps, func(s report.Step) bool { return len(s.Checks) > 0 }) {
		return nil // a pass of nothing means nothing
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Scope)
	return err
}

// longer reports whether a level takes longer than another.
func longer(a, b guide.Level) bool {
	return slices.Index(guide.Levels(), a) > slices.Index(guide.Levels(), b)
}

// wanted is the flag that gives a check what its command can't be made without, ""
// where nothing is wanted.
func wanted(c report.Check) string {
	switch {
	case c.Command != "" || c.Exit != nil || c.Skipped != "" || c.BlockedBy != "":
		return ""
	case c.Check == guide.NetIperf3:
		return "--set " + guiderun.ValuePeer + "=ADDRESS"
	case c.Check == guide.DiskSpeed || c.Check == guide.DiskMount:
		return "--set " + guiderun.ValueDir + "=/DIR"
	}
	return ""
}

// quiet reports whether the line of its entry says all there is to say of a check:
// it came out well and nothing else must be known of it, or nothing was run.
func quiet(r *report.Report, c report.Check) bool {
	if c.Exit == nil && c.Skipped == "" && c.BlockedBy == "" {
		return true
	}
	marks := r.Marks(c)
	if c.Check == guide.Tunnel && c.Laptop && c.Skipped == "" { // it always runs there
		marks = marks[:len(marks)-1]
	}
	return c.Verdict == report.Verdict(guide.Pass) && len(marks) == 0
}

// printCheck writes a check for a terminal: what was seen, what to do, what was
// run. Of a command with many lines the first stands for all, unless whole asks
// for it.
func (j *job) printCheck(c report.Check, indent string, whole bool) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, indent+format+"\n", args...) }
	r := &report.Report{Lang: j.c.Lang}
	pair := func(key, text string) { line("  %s", r.Pair(j.c.T(key), text)) }
	line("%s %s", c.Shape(), r.Pair(c.Title, c.Sentence))
	for _, m := range r.Marks(c) {
		if m != c.Sentence {
			line("  %s", m)
		}
	}
	if c.Remedy != "" {
		pair("report.do", c.Remedy)
	}
	for _, also := range r.Also(problems(c)) {
		pair("report.also", also)
	}
	if c.Job != "" {
		pair("report.job", c.Job)
	}
	if c.Exit != nil {
		command := strings.Split(c.Command, "\n")
		more := len(command) - 1
		if whole {
			more = 0
		}
		last := len(command) - 1 - more
		for i, l := range command[:last+1] {
			switch {
			case i < last:
				line("  $ %s", l)
			case more > 0:
				line("  $ %s", j.c.T("cli.check.ran.more", "command", l, "n", more, "code", *c.Exit))
			default:
				line("  $ %s", j.c.T("cli.check.ran", "command", l, "code", *c.Exit))
			}
		}
		for _, l := range c.Lines[:min(len(c.Lines), 8)] {
			line("  | %s", l)
		}
	}
	_, err := io.WriteString(j.p.Stdout, b.String())
	return err
}

// problems is a check without the lesser findings that came out well.
func problems(c report.Check) report.Check {
	c.Findings = slices.Clone(c.Findings)
	for i := len(c.Findings) - 1; i > 0; i-- {
		if c.Findings[i].Verdict == report.Verdict(guide.Pass) {
			c.Findings = slices.Delete(c.Findings, i, i+1)
		}
	}
	return c
}
