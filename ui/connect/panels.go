package connect

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/ui/widgets"
)

// Changed shows that a machine's identity changed: both of them, and the one
// way on, which has to be said explicitly. recreated calls done on the UI
// thread, with what went wrong or "", which closes the panel.
func Changed(canvas fyne.Canvas, c *texts.Catalogue, name string, change *remote.KeyChange, recreated func(done func(problem string))) *widgets.Panel {
	var panel *widgets.Panel
	var olds []string
	for _, k := range change.Old {
		olds = append(olds, k.Fingerprint)
	}
	problem, note := newError(), widgets.Words(c.T("connect.changed.saving"))
	note.Hide()
	var replace *widgets.Button
	var sure *widgets.Check
	replace = widgets.NewButton(c.T("connect.changed.replace"), nil, func() {
		problem.set("")
		replace.Disable()
		sure.Disable()
		note.Show()
		panel.Fit()
		recreated(func(said string) {
			if said == "" {
				panel.Close()
				return
			}
			note.Hide()
			problem.set(said)
			replace.Enable()
			sure.Enable()
			panel.Fit()
		})
	})
	replace.Importance = widget.DangerImportance
	replace.Disable()
	sure = widgets.NewCheck(c.T("connect.changed.sure"), func(on bool) {
		if on {
			replace.Enable()
		} else {
			replace.Disable()
		}
	})
	stop := widgets.Primary(c.T("connect.changed.stop"), nil, func() { panel.Close() })
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: canvas, Title: c.T("connect.changed.title", "name", name), Width: 560,
		Content: container.NewVBox(
			newMessage(theme.NewErrorThemedResource(theme.WarningIcon()), c.T("connect.changed.words")).box,
			fact(c.T("connect.host"), change.Addr),
			fact(c.T("connect.changed.old"), strings.Join(olds, "\n")),
			fact(c.T("connect.changed.new"), change.New.Fingerprint),
			sure, note, problem.box,
		),
		First:   stop,
		Buttons: []fyne.CanvasObject{replace, stop},
	})
	panel.Show()
	return panel
}

// Forget asks what goes with a host.
func Forget(canvas fyne.Canvas, c *texts.Catalogue, name string, connected bool, do func(helper, logs bool)) *widgets.Panel {
	var panel *widgets.Panel
	helper := widgets.NewCheck(c.T("connect.forget.helper"), nil)
	helper.SetChecked(connected)
	if !connected {
		helper.Disable()
	}
	logs := widgets.NewCheck(c.T("connect.forget.logs"), nil)
	forget := widgets.NewButton(c.T("connect.forget.do"), nil, func() {
		panel.Close()
		do(helper.Checked, logs.Checked)
	})
	forget.Importance = widget.DangerImportance
	keep := widgets.NewButton(c.T("connect.cancel"), nil, func() { panel.Close() })
	col := container.NewVBox(widgets.Words(c.T("connect.forget.words")), helper, logs)
	if !connected {
		col.Add(widgets.Small(c.T("connect.forget.offline")))
	}
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: canvas, Title: c.T("connect.forget.title", "name", name), Content: col,
		First:   keep,
		Buttons: []fyne.CanvasObject{keep, forget},
	})
	panel.Show()
	return panel
}

// Diagnostics shows what would be copied, all names masked, and copies it.
func Diagnostics(canvas fyne.Canvas, c *texts.Catalogue, text string, copyText func(string)) *widgets.Panel {
	var panel *widgets.Panel
	grid := widget.NewTextGridFromString(tail(text, 200))
	grid.Scroll = fyne.ScrollBoth
	done := widgets.NewButton(c.T("connect.close"), nil, func() { panel.Close() })
	var do *widgets.Button
	do = widgets.Primary(c.T("connect.diag.copy"), theme.ContentCopyIcon(), func() {
		copyText(text)
		do.SetText(c.T("connect.copied"))
	})
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: canvas, Title: c.T("connect.diag.title"), Width: 720,
		Content: container.NewVBox(widgets.Words(c.T("connect.diag.words")),
			widgets.AtLeast(fyne.NewSize(680, 320), grid)),
		First:   do,
		Buttons: []fyne.CanvasObject{done, do},
	})
	panel.Show()
	return panel
}

// tail returns the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}

// Tunnel is an open forward.
type Tunnel struct {
	Local, Remote string // "127.0.0.1:41234", "127.0.0.1:8188"
	Close         func()
}

// ForwardParams say what the panel of forwards works with.
type ForwardParams struct {
	Canvas  fyne.Canvas
	Texts   *texts.Catalogue
	Name    string
	Offered []remote.ForwardSpec
	Open    func(local, remote string, done func(t Tunnel, problem string))
	Tunnels func() []Tunnel
	OpenURL func(url string)
	Copy    func(string)
}

// ForwardTarget reads what may be typed as the address on the host: a port, or
// host:port.
func ForwardTarget(text string) (string, error) {
	text = strings.TrimSpace(text)
	host, port := "127.0.0.1", text
	if i := strings.LastIndex(text, ":"); i >= 0 {
		host, port = text[:i], text[i+1:]
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 || host == "" || strings.ContainsAny(host, " /\\@") {
		return "", &remote.InputError{Field: "forward", Value: text, Allowed: "8188, 127.0.0.1:8188"}
	}
	return host + ":" + strconv.Itoa(n), nil
}

// Forward shows the open forwards and opens another.
func Forward(p ForwardParams) *widgets.Panel {
	c := p.Texts
	var panel *widgets.Panel
	list := container.NewVBox()
	problem := newError()
	target := widgets.NewEntry()
	target.SetPlaceHolder("127.0.0.1:8188")
	var fill func()
	fill = func() {
		list.RemoveAll()
		for _, t := range p.Tunnels() {
			url := "http://" + t.Local
			list.Add(container.NewBorder(nil, nil, nil, container.NewHBox(
				widgets.NewButton(c.T("connect.forward.browser"), nil, func() { p.OpenURL(url) }),
				widgets.Quiet(c.T("connect.copy"), theme.ContentCopyIcon(), func() { p.Copy(url) }),
				widgets.Quiet(c.T("connect.close"), theme.CancelIcon(), func() {
					t.Close()
					fill()
				}),
			), widget.NewLabel(c.T("connect.forward.line", "local", url, "remote", t.Remote))))
		}
		list.Refresh()
		if panel != nil {
			panel.Fit()
		}
	}
	open := func(text string) {
		problem.set("")
		addr, err := ForwardTarget(text)
		if err != nil {
			in, _ := err.(*remote.InputError) //nolint:errorlint // made three lines up
			problem.set(inputText(c, in))
			panel.Fit()
			return
		}
		p.Open("127.0.0.1:0", addr, func(_ Tunnel, said string) {
			problem.set(said)
			fill()
		})
	}
	target.OnSubmitted = open
	offers := widgets.Row()
	for _, f := range p.Offered {
		addr := f.Host + ":" + strconv.Itoa(f.To)
		offers.Add(widgets.NewButton(c.T("connect.forward.offer", "remote", addr), nil, func() { open(addr) }))
	}
	done := widgets.NewButton(c.T("connect.close"), nil, func() { panel.Close() })
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: p.Canvas, Title: c.T("connect.forward.title", "name", p.Name), Width: 600,
		Content: container.NewVBox(widgets.Words(c.T("connect.forward.words")),
			container.NewBorder(nil, nil, nil, widgets.Primary(c.T("connect.forward.open"), nil, func() { open(target.Text) }), target),
			problem.box, offers, list),
		First:   target,
		Buttons: []fyne.CanvasObject{done},
	})
	fill()
	panel.Show()
	return panel
}
