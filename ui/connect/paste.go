package connect

import (
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/probe/remote"
	"rentgen/ui/widgets"
)

// pasteTab takes a login line and shows at once what was understood.
type pasteTab struct {
	g        *Page
	line     *widgets.Entry
	name     *widgets.Entry
	password *widgets.Entry
	err      *message
	facts    *fyne.Container
	notices  *fyne.Container
	nameRow  *fieldRow
	passRow  *fieldRow
	connect  *widgets.Button
	box      *fyne.Container
	login    *remote.Login
	setting  bool // the text is being set by us
	pasting  bool // the next change is a paste
	autoName string
	moved    string // the password that was taken out of a pasted text
	movedFor string // the line it came with
}

func newPasteTab(g *Page) *pasteTab {
	t := &pasteTab{g: g, line: widgets.NewEntry(), name: widgets.NewEntry(), password: widgets.NewPassword(), err: newError()}
	before := 0
	t.line.OnChanged = func(s string) {
		n := len([]rune(s))
		typed := n <= before+1 && !t.pasting
		before, t.pasting = n, false
		if !t.setting {
			t.readAs(s, typed)
		}
	}
	t.line.OnPaste = func(text string) bool {
		t.pasting = true
		// A field of one line would join the lines of a text that holds the
		// password under the login line.
		if !strings.ContainsAny(text, "\r\n") {
			return false
		}
		t.read(text)
		if t.login == nil {
			return false
		}
		t.setLine(t.login.Line())
		t.pasting = false
		return true
	}
	t.line.OnSubmitted = func(string) { t.submit() }
	t.name.OnSubmitted = t.line.OnSubmitted
	t.password.OnSubmitted = t.line.OnSubmitted
	t.facts, t.notices = container.NewVBox(), container.NewVBox()
	t.nameRow, t.passRow = newFieldRow(t.name), newFieldRow(t.password)
	t.connect = widgets.Primary("", nil, t.submit)
	return t
}

func (t *pasteTab) retext() {
	c := t.g.c
	t.line.SetPlaceHolder("ssh -p 38076 root@region-1.example.com")
	t.password.SetPlaceHolder(c.T("connect.password.later"))
	t.name.SetPlaceHolder(c.T("connect.name.hint"))
	t.nameRow.label.SetText(c.T("connect.name"))
	t.passRow.label.SetText(c.T("connect.password"))
	t.connect.SetText(c.T("connect.do"))
	t.box = container.NewVBox(
		widgets.Words(c.T("connect.paste")), t.line, t.err.box, t.facts, t.notices,
		t.nameRow.box, t.passRow.box, container.NewHBox(t.connect),
	)
	if t.err.label.Text != "" {
		t.read(t.line.Text)
	}
	t.show()
}

func (t *pasteTab) setLine(s string) {
	t.setting = true
	t.line.SetText(s)
	t.line.CursorColumn = len([]rune(s))
	t.line.Refresh()
	t.setting = false
}

// read takes what was pasted and moves a password out of sight.
func (t *pasteTab) read(text string) { t.readAs(text, false) }

// readAs leaves a password in its place while it is typed: moved at its first
// letter, the rest of it would be typed behind the host's name.
func (t *pasteTab) readAs(text string, typed bool) {
	t.login = nil
	t.err.set("")
	if strings.TrimSpace(text) != "" {
		l, err := t.g.p.Parse(text)
		var in *remote.InputError
		switch {
		case err == nil:
			t.login = &l
			// A password belongs to the line that it came with, and goes to no
			// other host.
			if t.moved != "" && t.movedFor != l.Line() && t.password.Text == t.moved {
				t.password.SetText("")
				t.moved = ""
			}
			if l.Password != "" && !typed {
				t.moved, t.movedFor = l.Password, l.Line()
				t.password.SetText(l.Password)
				t.setLine(l.Line())
			}
			if t.name.Text == t.autoName {
				t.autoName = suggestedName(l)
				t.name.SetText(t.autoName)
			}
		case errors.As(err, &in):
			t.err.set(inputText(t.g.c, in))
		default:
			t.err.set(t.g.c.T("remote.input.line", "value", text, "allowed", "ssh -p PORT USER@HOST"))
		}
	}
	t.show()
}

// suggestedName is what a host is called until the person says otherwise.
func suggestedName(l remote.Login) string {
	name, _, _ := strings.Cut(l.Host, ".")
	if name == "" || name == "ssh" || strings.Trim(name, "0123456789") == "" {
		name = l.Host
	}
	if l.Port != 0 && l.Port != 22 {
		name += ":" + strconv.Itoa(l.Port)
	}
	return name
}

// show draws what was understood.
func (t *pasteTab) show() {
	c := t.g.c
	t.facts.RemoveAll()
	t.notices.RemoveAll()
	if t.login != nil {
		l := t.login
		port := l.Port
		if port == 0 {
			port = 22
		}
		add := func(key, value string) {
			if value == "" {
				return
			}
			v := widget.NewLabel(value)
			v.Truncation = fyne.TextTruncateEllipsis
			v.TextStyle.Bold = true
			t.facts.Add(container.NewBorder(nil, nil,
				widgets.AtLeast(fyne.NewSize(widgets.Scaled(130), 1), widget.NewLabel(c.T(key))), nil, v))
		}
		user := l.User
		if user == "" {
			user = c.T("connect.user.default")
		}
		add("connect.host", l.Host)
		add("connect.port", strconv.Itoa(port))
		add("connect.user", user)
		add("connect.key", strings.Join(l.Identities, ", "))
		var jumps []string
		for _, j := range l.Jumps {
			jumps = append(jumps, j.Hop())
		}
		add("connect.jump", strings.Join(jumps, " → "))
		if l.Password != "" && l.Password == t.moved {
			t.notices.Add(newMessage(theme.NewSuccessThemedResource(theme.ConfirmIcon()), c.T("connect.password.moved")).box)
		}
		for _, n := range l.Notices {
			t.notices.Add(newMessage(theme.NewWarningThemedResource(theme.WarningIcon()), NoticeText(c, n)).box)
		}
		for _, f := range l.Forwards {
			t.notices.Add(newMessage(theme.InfoIcon(), c.T("connect.forward.offered", "port", f.Port, "host", f.Host, "to", f.To)).box)
		}
	}
	if t.login == nil {
		t.nameRow.box.Hide()
		t.passRow.box.Hide()
	} else {
		t.nameRow.box.Show()
		t.passRow.box.Show()
	}
	if t.login == nil || t.g.saving {
		t.connect.Disable()
	} else {
		t.connect.Enable()
	}
	t.g.relayout()
}

func (t *pasteTab) submit() {
	if t.login == nil {
		t.read(t.line.Text)
		if t.login == nil {
			if t.err.label.Text == "" {
				t.err.set(t.g.c.T("remote.input.line.empty"))
			}
			return
		}
	}
	n := New{
		Name: strings.TrimSpace(t.name.Text), Line: t.login.Line(),
		Password: t.password.Text, Forwards: t.login.Forwards,
	}
	if n.Password == "" {
		n.Password = t.login.Password // typed in the line, not pasted
	}
	if n.Name == "" {
		n.Name = suggestedName(*t.login)
	}
	t.g.p.Add(n)
}
