package connect

import (
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"rentgen/probe/remote"
	"rentgen/ui/widgets"
)

// formTab puts a login together from fields.
type formTab struct {
	g      *Page
	fields map[string]*widgets.Entry
	rows   map[string]*fieldRow
	choose *widgets.Button
	do     *widgets.Button
	box    *fyne.Container
	wrong  *remote.InputError // what is said to be wrong
}

// formFields are the fields in their order; the names are those of
// remote.InputError.
var formFields = []string{"name", "host", "port", "user", "password", "identity", "jump"}

func newFormTab(g *Page) *formTab {
	t := &formTab{g: g, fields: make(map[string]*widgets.Entry), rows: make(map[string]*fieldRow)}
	t.choose = widgets.NewButton("", nil, t.pick)
	t.do = widgets.Primary("", nil, t.submit)
	for _, f := range formFields {
		e := widgets.NewEntry()
		if f == "password" {
			e = widgets.NewPassword()
		}
		e.OnSubmitted = func(string) { t.submit() }
		e.OnChanged = func(string) {
			t.wrong = nil
			t.rows[f].err.set("")
		}
		t.fields[f] = e
		var o fyne.CanvasObject = e
		if f == "identity" {
			o = container.NewBorder(nil, nil, nil, t.choose, e)
		}
		t.rows[f] = newFieldRow(o)
	}
	return t
}

func (t *formTab) retext() {
	c := t.g.c
	t.box = container.NewVBox()
	for _, f := range formFields {
		t.rows[f].label.SetText(c.T("connect.field." + f))
		if hint := "connect.field." + f + ".hint"; c.Has(hint) {
			t.fields[f].SetPlaceHolder(c.T(hint))
		}
		t.box.Add(t.rows[f].box)
	}
	t.choose.SetText(c.T("connect.choose"))
	t.do.SetText(c.T("connect.do"))
	if t.wrong != nil {
		t.say(t.wrong)
	}
	t.box.Add(container.NewHBox(t.do))
}

// pick chooses the key file.
func (t *formTab) pick() {
	dialog.ShowFileOpen(func(r fyne.URIReadCloser, err error) {
		if err != nil || r == nil {
			return
		}
		t.fields["identity"].SetText(r.URI().Path())
		_ = r.Close()
	}, t.g.p.Window)
}

func (t *formTab) text(f string) string { return strings.TrimSpace(t.fields[f].Text) }

// login returns what the fields say, read back through the parser, so that a
// form takes exactly what a line takes.
func (t *formTab) login() (remote.Login, error) {
	l := remote.Login{User: t.text("user"), Host: t.text("host")}
	if l.Host == "" {
		return l, &remote.InputError{Field: "host", Allowed: "region-1.example.com"}
	}
	if p := t.text("port"); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > 65535 {
			return l, &remote.InputError{Field: "port", Value: p, Allowed: "1-65535"}
		}
		l.Port = n
	}
	if id := t.text("identity"); id != "" {
		l.Identities = []string{id}
	}
	if j := t.text("jump"); j != "" {
		hop, err := t.g.p.Parse("ssh -J " + strconv.Quote(j) + " x")
		if err != nil || len(hop.Jumps) == 0 {
			return l, &remote.InputError{Field: "jump", Value: j, Allowed: "USER@HOST:PORT"}
		}
		l.Jumps = hop.Jumps
	}
	back, err := t.g.p.Parse(l.Line())
	if err != nil {
		return l, err
	}
	if back.Host != l.Host {
		return l, &remote.InputError{Field: "host", Value: l.Host, Allowed: "region-1.example.com"}
	}
	return back, nil
}

// say puts what is wrong under its field.
func (t *formTab) say(in *remote.InputError) {
	row := t.rows[in.Field]
	if row == nil {
		row = t.rows["host"]
	}
	row.err.set(inputText(t.g.c, in))
}

func (t *formTab) submit() {
	for _, r := range t.rows {
		r.err.set("")
	}
	l, err := t.login()
	var in *remote.InputError
	if errors.As(err, &in) {
		t.wrong = in
		t.say(in)
		if e := t.fields[in.Field]; e != nil {
			t.g.p.Window.Canvas().Focus(e)
		}
		t.g.relayout()
		return
	}
	if err != nil {
		t.rows["host"].err.set(t.g.c.T("remote.input.line", "value", l.Host, "allowed", "ssh -p PORT USER@HOST"))
		return
	}
	name := t.text("name")
	if name == "" {
		name = suggestedName(l)
	}
	t.g.p.Add(New{Name: name, Line: l.Line(), Password: t.fields["password"].Text})
}
