package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"

	"rentgen/app/bill/offer"
	core "rentgen/app/plan"
	"rentgen/app/workload/workflow"
	"rentgen/assets/texts"
	"rentgen/ui/hosts"
	"rentgen/ui/plan"
)

const (
	// comfyUI is where a ComfyUI listens on its host unless told otherwise.
	comfyUI = "127.0.0.1:8188"
	// mostAnswer is the largest answer of a program that is read, in bytes.
	mostAnswer = 32 << 20
	askingFor  = 30 * time.Second
)

// readWorkflow reads a job from a file.
func readWorkflow(name string, b []byte) (plan.Found, error) {
	f, err := workflow.Read(name, b)
	return found(f), err
}

func found(f workflow.Found) plan.Found {
	items := func(from []workflow.Item) []plan.Item {
		var to []plan.Item
		for _, i := range from {
			to = append(to, plan.Item(i))
		}
		return to
	}
	return plan.Found{Job: f.Job, Understood: items(f.Understood), Missed: items(f.Missed), Program: f.Program}
}

// planHost returns the chosen host if it can be asked what it paints.
func (w *Window) planHost() *hosts.Host {
	h := w.book.Chosen()
	if h == nil || h.Demo() || !h.Connected() {
		return nil
	}
	return h
}

// running reads the job of the ComfyUI on the host that was asked for, through a
// forward of its own that ends with the reading; from any goroutine.
func (w *Window) running(ctx context.Context) (plan.Found, error) {
	w.mu.Lock()
	h, local := w.askedHost, w.askedLocal
	w.mu.Unlock()
	if h == nil {
		return plan.Found{}, context.Canceled
	}
	ctx, cancel := context.WithTimeout(ctx, askingFor)
	defer cancel()
	addr := comfyUI
	if !local {
		f, err := h.Forward(ctx, "127.0.0.1:0", comfyUI)
		if err != nil {
			return plan.Found{}, err
		}
		defer f.Close()
		addr = f.Addr()
	}
	f, err := workflow.Running(ctx, getter("http://"+addr))
	return found(f), err
}

// getter asks a program at an address for its paths.
func getter(base string) func(ctx context.Context, path string) ([]byte, error) {
	client := plainClient()
	return func(ctx context.Context, path string) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return nil, err
		}
		r, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", path, r.Status)
		}
		b, err := io.ReadAll(io.LimitReader(r.Body, mostAnswer+1))
		if err == nil && len(b) > mostAnswer {
			err = fmt.Errorf("%s: more than %d MiB", path, mostAnswer>>20)
		}
		return b, err
	}
}

// plainClient asks whoever listens at a forward, who is not trusted: no proxy, no
// other address. What it answers is bounded by the reader.
func plainClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// sayError says an error in the language of now.
func sayError(c *texts.Catalogue, err error) string {
	var lines []string
	for _, e := range offer.Inputs(err) {
		lines = append(lines, c.Say(e.Phrase()))
	}
	if len(lines) > 0 {
		return strings.Join(lines, "\n")
	}
	var w *workflow.Error
	if errors.As(err, &w) {
		return c.Say(w.Phrase())
	}
	return err.Error()
}

// Dropped takes files that were dropped on the window, the first of them: a log of
// nvidia-smi is read into History, a plan becomes one of the plans, offers join
// those of the open one, everything else is read as a workflow.
func (w *Window) Dropped(files []fyne.URI) {
	if w.plan == nil || len(files) == 0 || w.win.Canvas().Overlays().Top() != nil {
		return
	}
	if w.frame.Covered() {
		w.uncover()
	}
	u := files[0]
	switch ext := strings.ToLower(path.Ext(u.Name())); ext {
	case ".yaml", ".yml", ".csv", ".txt", ".log":
		open := w.desk.ID()
		w.p.Go(func() {
			b, err := readFile(u)
			w.p.Do(func() {
				switch {
				case err == nil && w.history != nil && ext[1] != 'y' && isReadings(b):
					w.frame.Show(w.history.Key())
					w.history.Drop(u)
					return
				case ext == ".txt", ext == ".log":
					w.frame.Show(w.plan.Key())
					w.plan.Drop(u)
					return
				}
				if err == nil {
					err = w.takeTable(open, u.Name(), b)
				}
				if err != nil {
					w.say(w.c.T("plan.read.failed", "name", u.Name()), sayError(w.c, err))
				}
			})
		})
	default:
		w.frame.Show(w.plan.Key())
		w.plan.Drop(u)
	}
}

// isReadings reports whether a table's head names what nvidia-smi reads, or what we
// export.
func isReadings(b []byte) bool {
	head := bytes.ReplaceAll(b[:min(len(b), 4096)], []byte{0}, nil) // PowerShell writes two bytes a letter
	for _, name := range []string{"utilization.", "memory.used", "temperature.gpu", "power.draw", "util_pct"} {
		if bytes.Contains(head, []byte(name)) {
			return true
		}
	}
	return false
}

func readFile(u fyne.URI) ([]byte, error) {
	r, err := storage.Reader(u)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, mostAnswer))
}

// takeTable takes a YAML or CSV file: a plan is added, offers join those of the
// plan that was open. With an error nothing of it is taken.
func (w *Window) takeTable(open, name string, b []byte) error {
	ext := strings.ToLower(path.Ext(name))
	if ext != ".csv" && !isList(b) {
		w.frame.Show(w.plan.Key())
		p, err := core.Read(b)
		if err != nil {
			return err
		}
		if p.Name == "" {
			p.Name = strings.TrimSuffix(name, path.Ext(name))
		}
		w.desk.AddPlan(p)
		return nil
	}
	w.frame.Show(w.bill.Key())
	read := offer.ReadYAML
	if ext == ".csv" {
		read = offer.ReadCSV
	}
	offers, err := read(b)
	if err != nil {
		return err
	}
	w.desk.Open(open)
	w.desk.Edit("", func(p *core.Plan) {
		for _, o := range offers {
			o.Name = freeName(p.Offers, o.Name)
			p.Offers = append(p.Offers, o)
		}
	})
	return nil
}

// isList reports whether a YAML document is a list, as offers are.
func isList(b []byte) bool {
	for line := range strings.Lines(string(bytes.TrimPrefix(b, []byte("\ufeff")))) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line[0] == '#', line[0] == '%', strings.HasPrefix(line, "---"):
			continue
		}
		return line[0] == '-' || line[0] == '['
	}
	return false
}

// freeName returns name, with a number behind it where an offer has it.
func freeName(all []offer.Offer, name string) string {
	for n, want := 2, name; ; n++ {
		if !slices.ContainsFunc(all, func(o offer.Offer) bool { return o.Name == name }) {
			return name
		}
		name = want + " " + strconv.Itoa(n)
	}
}
