package life

import (
	"context"
	"errors"
	"slices"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/app/guide/keep"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
)

// evening is what was seen at the end of a day; UI thread.
type evening struct {
	known    bool
	queue    *day.Queue
	listed   bool
	listings []day.Listing
	fresh    []fresh
	into     string
	report   string // what the last copy came to
}

// fresh is a picture that is on the instance only.
type fresh struct {
	dir string
	day.Remote
}

func (e evening) make(h *setup.Here, v *view) day.Evening {
	p := day.EveningParams{Profile: h.Board.Profile(), Queue: e.queue, Listed: e.listed, Rows: v.rows(h)}
	for _, f := range e.fresh {
		p.New = append(p.New, f.Remote)
	}
	return day.MakeEvening(p)
}

// into is the folder of this computer for pictures: the chosen one, else that of
// the latest copy.
func (t *today) into() string { return intoOf(t.h, t.v) }

func intoOf(h *setup.Here, v *view) string {
	if v.end.into != "" {
		return v.end.into
	}
	if all := day.Copies(h.Board.Entries(guide.KindDay)); len(all) > 0 {
		return all[len(all)-1].Into
	}
	return ""
}

func (t *today) choose() {
	if t.p.Folder == nil {
		return
	}
	t.p.Folder(func(path string) {
		t.v.end.into = path
		if t.v.end.known {
			t.v.end.sort(path)
		}
		t.v.update()
	})
}

// sort finds what is not in a folder yet.
func (e *evening) sort(into string) {
	e.fresh = nil
	for _, l := range e.listings {
		files := l.Files
		if into != "" {
			if got, err := day.New(l, into); err == nil {
				files = got
			}
		}
		for _, f := range files {
			e.fresh = append(e.fresh, fresh{l.Dir, f})
		}
	}
}

// finish looks at everything that matters at the end of a day.
func (t *today) finish() {
	r, fw, h, v := t.h.Runner(), t.h.Forwarder(), t.h, t.v
	if r == nil {
		return
	}
	profile, into := h.Board.Profile(), t.into()
	v.task.Start(h, h.Texts.T("life.looking"), setup.Failed(h.Texts), func(ctx context.Context) (func(), error) {
		s, err := keep.Look(ctx, r, profile)
		if err != nil {
			return nil, err
		}
		// Without any folder of pictures it can't be said that none is new.
		isPictures := func(p keep.Place) bool { return p.Kind == keep.Pictures }
		next := evening{known: true, into: v.end.into, listed: slices.ContainsFunc(s.Places, isPictures)}
		for _, p := range s.Places {
			if !isPictures(p) || !p.HasContent() {
				continue
			}
			l, err := day.List(ctx, r, p.Real)
			switch {
			case errors.Is(err, day.ErrNoFolder):
				continue
			case err != nil:
				return nil, err
			}
			next.listings = append(next.listings, l)
			next.listed = next.listed && l.Whole
		}
		next.sort(into)
		next.queue = t.ask(ctx, fw)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return func() {
			v.survey, v.whole = &s, false
			v.end = next
		}, nil
	})
}

// ask asks ComfyUI for its queue, nil where it can't be asked.
func (t *today) ask(ctx context.Context, fw guide.Forwarder) *day.Queue {
	if fw == nil || t.p.Client == nil {
		return nil
	}
	client, base, closed, err := t.p.Client(ctx, fw)
	if err != nil {
		return nil
	}
	defer closed()
	q, err := day.AskQueue(ctx, client, base)
	if err != nil {
		return nil
	}
	return &q
}

// fetchNew copies what is on the instance only.
func (t *today) fetchNew() {
	v, into := t.v, t.into()
	t.copyAll(v.end.listings, into, func(report string) {
		v.end.sort(into)
		v.end.report = report
	})
}

// copyAll copies listings into folders below into, one each where there are
// several, and keeps a record of each.
func (t *today) copyAll(listings []day.Listing, into string, then func(report string)) {
	copyListings(t.h, t.v, listings, into, then)
}

func copyListings(h *setup.Here, v *view, listings []day.Listing, into string, then func(report string)) {
	r := h.Runner()
	if r == nil || into == "" {
		return
	}
	c, run := h.Texts, h.Board.Instance()
	v.task.Start(h, c.T("life.copying"), setup.Failed(c), func(ctx context.Context) (func(), error) {
		var copies []day.Copy
		var files, bad, have int
		var fault error
		for _, l := range listings {
			rep, err := day.Fetch(ctx, day.FetchParams{
				Runner: r, Dir: l.Dir, Into: into, Files: l.Files,
				Progress: func(p day.Progress) {
					h.Do(func() {
						if v.task.Busy() {
							v.task.Tell(c.T("life.copying.at", "n", p.Files, "of", p.Of, "file", p.File,
								"bytes", texts.Bytes(float64(p.Bytes)), "size", texts.Bytes(float64(p.Size))))
						}
					})
				},
			})
			for _, f := range rep.Files {
				files++
				switch f.State {
				case day.Have:
					have++
				case day.Copied:
				default:
					bad++
				}
			}
			if err != nil {
				fault = err
				break
			}
			copies = append(copies, day.CopyOf(l, rep, into, run, h.Now()))
		}
		return func() {
			for _, k := range copies {
				e, err := k.Entry()
				if err == nil {
					err = h.Board.Put(e.Kind, e.Key, e.Body)
				}
				if err != nil {
					v.task.Fail(c.T("setup.task.unsaved", "err", err))
				}
			}
			report := c.T("day.fetch.done", "n", files-bad, "have", have)
			if bad > 0 {
				report = c.T("day.fetch.partly", "bad", bad, "n", files)
			}
			if slices.ContainsFunc(listings, func(l day.Listing) bool { return l.Odd }) {
				report = join(c, report, c.T("day.fetch.odd"))
			}
			if fault == nil {
				then(report)
			}
		}, fault
	})
}
