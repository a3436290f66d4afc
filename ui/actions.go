package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net/url"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/connect"
	"rentgen/ui/frame"
	"rentgen/ui/hosts"
	"rentgen/ui/watch"
	"rentgen/ui/widgets"
)

// Hosts implements frame.Model.
func (w *Window) Hosts() []frame.Host {
	all := w.book.Hosts()
	out := make([]frame.Host, 0, len(all))
	for _, h := range all {
		out = append(out, frame.Host{ID: h.ID, Name: hosts.NameOf(w.c, h), Status: w.status(h)})
	}
	return out
}

// status says how a host is, and what can be done about it.
func (w *Window) status(h *hosts.Host) frame.Status {
	st := h.State()
	words := hosts.WordsOf(w.c, st, w.p.Now())
	s := frame.Status{State: words.State, Words: words.Short, Sentence: words.Sentence, Next: words.Next, Said: words.Said}
	action := func(key string, do func()) {
		s.Actions = append(s.Actions, frame.Action{Label: w.c.T(key), Do: do})
	}
	off := h.Leave
	switch st.Phase {
	case stream.Off:
		action("watch.connect", h.Connect)
	case stream.Connecting:
		action("watch.cancel", off)
	case stream.Failed, stream.Waiting, stream.Stale:
		if change := watch.ChangeOf(st.Err); change != nil {
			action("watch.changed", func() { w.replace(h, change) })
		}
		action("watch.retry", h.Connect)
		action("watch.disconnect", off)
	case stream.Paused:
		action("watch.resume", h.Resume)
	case stream.Live:
		action("watch.disconnect", off)
	}
	for _, n := range w.noticesOf(h.ID) {
		s.Notes = append(s.Notes, connect.NoticeText(w.c, n))
	}
	on, err := h.Logging()
	switch {
	case err != nil:
		s.Record = w.c.T("hosts.log.failed")
	case on && h.Demo():
		s.Record = w.c.T("hosts.log.demo")
	case on:
		s.Record = w.c.T("hosts.log.on")
	}
	return s
}

// noticed keeps what a connection found worth saying, once each; from any
// goroutine.
func (w *Window) noticed(id string, n remote.Notice) {
	w.mu.Lock()
	known := slices.ContainsFunc(w.notices[id], func(o remote.Notice) bool {
		return o.Code == n.Code && maps.Equal(o.Args, n.Args)
	})
	if !known {
		w.notices[id] = append(w.notices[id], n)
	}
	w.mu.Unlock()
	if !known {
		w.changed()
	}
}

func (w *Window) noticesOf(id string) []remote.Notice {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.notices[id])
}

// Chosen implements frame.Model.
func (w *Window) Chosen() string {
	if h := w.book.Chosen(); h != nil {
		return h.ID
	}
	return ""
}

// Choose implements frame.Model.
func (w *Window) Choose(id string) { w.book.Choose(id) }

// Add implements frame.Model: it opens the page that adds a host.
func (w *Window) Add() {
	w.welcome(w.uncover)
	w.Reread()
}

func (w *Window) actions() watch.Actions {
	return watch.Actions{
		Add: w.Add, Choose: w.Choose, Edit: w.edit, Forget: w.forget, Forward: w.forward, Diagnostics: w.diagnostics,
		Replace: w.replace, Save: w.savePicture, Copy: w.copyText, Cost: w.showCost,
	}
}

func (w *Window) copyText(s string) { w.p.App.Clipboard().SetContent(s) }

// welcome opens the page with the doors; back leaves it, nil on a first run.
func (w *Window) welcome(back func()) {
	w.page = connect.NewPage(connect.Params{
		Window: w.win, Texts: w.c, Back: back, Config: w.sshConfig,
		Add:   w.addHost,
		Local: func() { w.addHost(connect.New{Name: w.c.T("connect.local.name"), Line: hosts.LineLocal}) },
		Demo:  func() { w.openDemo(true) },
		Plan:  w.choosing(),
	})
	w.frame.Cover(w.page.Content(), back)
}

// edit opens the page with a host's login line to be changed.
func (w *Window) edit(h *hosts.Host) {
	var page *connect.Page
	w.page = connect.NewPage(connect.Params{
		Window: w.win, Texts: w.c, Back: w.uncover, Config: w.sshConfig, Local: func() {}, Demo: func() {},
		Edit: &connect.New{Name: h.Name, Line: h.Line},
		Add: func(n connect.New) {
			page.Saving(true)
			w.p.Go(func() { // the old connection takes a moment to end
				changed, err := w.book.Change(context.Background(), h.ID, n.Name, n.Line)
				w.guides.drop(h.ID) // its login and provider may be others
				w.p.Do(func() {
					if w.saved(page, err) {
						w.begin(changed, n)
					}
				})
			})
		},
	})
	page = w.page
	w.frame.Cover(w.page.Content(), w.uncover)
	w.Reread()
}

// saved ends the saving of a page's host and says where it was asked for why it
// failed.
func (w *Window) saved(page *connect.Page, err error) bool {
	shown := page != nil && w.page == page
	if shown {
		page.Saving(false)
	}
	switch {
	case err == nil:
		return true
	case shown:
		page.Failed(w.c.T("window.host.unsaved"), err.Error())
	default:
		w.say(w.c.T("window.host.unsaved"), err.Error())
	}
	return false
}

// begin connects a host that was just typed and shows it.
func (w *Window) begin(h *hosts.Host, n connect.New) {
	if n.Password != "" {
		w.p.Redactor.Secret(n.Password)
		h.SetPassword(n.Password)
	}
	if len(n.Forwards) > 0 {
		w.offered[h.ID] = n
	}
	h.Connect()
	w.uncover()
}

func (w *Window) uncover() {
	w.page = nil
	w.frame.Cover(nil, nil)
	w.frame.Show(w.watch.Key())
	if !w.p.Settings.Welcomed {
		w.p.Settings.Welcomed = true
		save := w.saver.save(w.p.Settings)
		w.p.Go(func() { _ = save() }) // it would only be asked again
	}
	w.refresh()
}

func (w *Window) sshConfig() connect.Config {
	if w.p.Reach == nil {
		return connect.Config{}
	}
	cfg := w.p.Reach.Config()
	return connect.Config{
		Aliases: cfg.Aliases(), Notices: w.p.Reach.Notices(),
		Resolve: func(l remote.Login) remote.Login {
			full, _ := cfg.Resolve(l)
			return full
		},
	}
}

// addHost saves a host, connects to it and shows it. The demo that ran behind
// the first page ends.
func (w *Window) addHost(n connect.New) {
	page := w.page
	if page != nil {
		page.Saving(true)
	}
	w.p.Go(func() { // another process may be the one that writes
		h, err := w.book.Add(context.Background(), hosts.Saved{Name: n.Name, Line: n.Line})
		w.p.Do(func() {
			if !w.saved(page, err) {
				return
			}
			if page != nil && !w.p.Demo && !w.p.Settings.Welcomed {
				if d := w.book.Get(w.demoHost().ID); d != nil {
					w.p.Go(func() { _ = w.book.Forget(context.Background(), d.ID, hosts.Forgetting{}) }) // nothing of it is kept
				}
			}
			w.begin(h, n)
		})
	})
}

// forget asks what goes with a host, and lets it go.
func (w *Window) forget(h *hosts.Host) {
	connect.Forget(w.win.Canvas(), w.c, hosts.NameOf(w.c, h), h.State().Phase == stream.Live, func(helper, logs bool) {
		w.p.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			w.guides.drop(h.ID)
			err := w.book.Forget(ctx, h.ID, hosts.Forgetting{Helper: helper, Logs: logs})
			if err == nil {
				err = w.sense.Forget(ctx, h.ID)
			}
			w.p.Do(func() {
				delete(w.offered, h.ID)
				w.mu.Lock()
				delete(w.tunnels, h.ID)
				w.mu.Unlock()
				var left *hosts.HelperLeftError
				switch {
				case errors.As(err, &left):
					w.say(w.c.T("window.helper.left"), hosts.ErrorWords(w.c, left.Err).Sentence)
				case err != nil:
					w.say(w.c.T("window.host.kept"), err.Error())
				}
				w.refresh()
			})
		})
	})
}

// replace asks about a changed machine identity, and connects with the new one.
func (w *Window) replace(h *hosts.Host, change *remote.KeyChange) {
	connect.Changed(w.win.Canvas(), w.c, h.Name, change, func(done func(problem string)) {
		w.p.Go(func() { // the file may be locked by another process
			err := w.p.Reach.Known().Replace(change)
			w.p.Do(func() {
				if err != nil {
					done(w.c.T("window.identity.kept") + "\n" + err.Error())
					return
				}
				done("")
				h.Connect()
			})
		})
	})
}

// forward opens a page of the host in the browser.
func (w *Window) forward(h *hosts.Host) {
	connect.Forward(connect.ForwardParams{
		Canvas: w.win.Canvas(), Texts: w.c, Name: hosts.NameOf(w.c, h), Offered: w.offered[h.ID].Forwards,
		Tunnels: func() []connect.Tunnel { return w.tunnelsOf(h.ID) },
		OpenURL: func(s string) {
			if u, err := url.Parse(s); err == nil {
				_ = w.p.App.OpenURL(u) // the address stands beside the button
			}
		},
		Copy: w.copyText,
		Open: func(local, far string, done func(connect.Tunnel, string)) {
			w.p.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				f, err := h.Forward(ctx, local, far)
				w.p.Do(func() {
					if err != nil {
						done(connect.Tunnel{}, hosts.ErrorWords(w.c, err).Sentence)
						return
					}
					t := connect.Tunnel{Local: f.Addr(), Remote: far}
					t.Close = func() {
						_ = f.Close() // its connections end with it
						w.dropTunnel(h.ID, t.Local)
					}
					w.mu.Lock()
					w.tunnels[h.ID] = append(w.tunnels[h.ID], t)
					w.mu.Unlock()
					w.meaning.Forwarded(h.ID)
					done(t, "")
				})
			})
		},
	})
}

func (w *Window) tunnelsOf(id string) []connect.Tunnel {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tunnels[id])
}

func (w *Window) dropTunnel(id, local string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var keep []connect.Tunnel
	for _, t := range w.tunnels[id] {
		if t.Local != local {
			keep = append(keep, t)
		}
	}
	w.tunnels[id] = keep
}

// savePicture asks where and writes a PNG.
func (w *Window) savePicture(img image.Image, name string) {
	d := dialog.NewFileSave(func(out fyne.URIWriteCloser, err error) {
		if err == nil && out == nil {
			return
		}
		if err != nil {
			w.say(w.c.T("window.picture.failed"), err.Error())
			return
		}
		w.writePicture(out, img)
	}, w.win)
	d.SetFileName(name)
	d.SetFilter(storage.NewExtensionFileFilter([]string{".png"}))
	d.Show()
}

// writePicture writes a PNG in the background.
func (w *Window) writePicture(out fyne.URIWriteCloser, img image.Image) {
	w.p.Go(func() {
		if err := writePNG(out, img); err != nil {
			_ = storage.Delete(out.URI()) // half a picture shows nothing
			w.Say("window.picture.failed", err.Error())
		}
	})
}

func writePNG(out io.WriteCloser, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("encode the picture: %w", err)
	}
	_, err := out.Write(b.Bytes())
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// say shows a sentence that needs to be seen, with the raw words below it.
func (w *Window) say(sentence, raw string) {
	var panel *widgets.Panel
	col := container.NewVBox(widgets.Words(sentence))
	if raw != "" {
		l := widgets.Words(raw)
		l.TextStyle.Monospace = true
		l.Selectable = true
		col.Add(l)
	}
	ok := widgets.Primary(w.c.T("frame.close"), nil, func() { panel.Close() })
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.win.Canvas(), Title: w.c.T("window.notice"), Content: col, First: ok, Buttons: []fyne.CanvasObject{ok},
	})
	panel.Show()
}

// Say shows a sentence that needs to be seen; from any goroutine. key is a text
// key, raw the words of the system.
func (w *Window) Say(key, raw string, pairs ...any) {
	w.p.Do(func() { w.say(w.c.T(key, pairs...), raw) })
}
