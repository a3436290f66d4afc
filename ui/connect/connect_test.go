package connect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/connect"
	"rentgen/ui/uitest"
)

const linePlaceholder = "ssh -p 38076 root@region-1.example.com"

type rig struct {
	w     fyne.Window
	page  *connect.Page
	added []connect.New
	local int
	demo  int
}

func newPage(t *testing.T, first bool, config connect.Config) *rig {
	t.Helper()
	test.NewTempApp(t)
	r := &rig{w: test.NewTempWindow(t, nil)}
	p := connect.Params{
		Window: r.w, Texts: texts.For(texts.English),
		Config: func() connect.Config { return config },
		Add:    func(n connect.New) { r.added = append(r.added, n) },
		Local:  func() { r.local++ }, Demo: func() { r.demo++ },
	}
	if !first {
		p.Back = func() {}
	}
	r.page = connect.NewPage(p)
	r.w.SetContent(r.page.Content())
	r.w.Resize(fyne.NewSize(1024, 700))
	return r
}

func TestPasteALine(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	c := r.w.Canvas()
	if !uitest.Button(t, c, "Connect").Disabled() {
		t.Error("an empty page can connect")
	}
	if c.Focused() != nil {
		t.Error("the field blinks before anyone types")
	}
	r.page.Type('x')
	if uitest.Field(t, c, linePlaceholder).Text != "x" || c.Focused() == nil {
		t.Error("a letter that was typed is lost")
	}
	uitest.Field(t, c, linePlaceholder).SetText("")
	test.Type(uitest.Field(t, c, linePlaceholder), "ssh -p 38076 root@region-1.example.com")
	for _, want := range []string{"region-1.example.com", "38076", "root"} {
		if !uitest.Sees(c, want) {
			t.Errorf("%q is not shown as understood", want)
		}
	}
	uitest.Press(t, c, "Connect")
	if len(r.added) != 1 || r.added[0].Line != "ssh -p 38076 root@region-1.example.com" || r.added[0].Name != "region-1:38076" {
		t.Errorf("added %+v", r.added)
	}
}

func TestPasteWithPassword(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	c := r.w.Canvas()
	clip := fyne.CurrentApp().Clipboard()
	clip.SetContent("ssh -p 38076 root@region-1.example.com\n密码：Abc+1@x\n")
	line := uitest.Field(t, c, linePlaceholder)
	r.page.Paste(clip)
	if line.Text != "ssh -p 38076 root@region-1.example.com" {
		t.Errorf("the line is %q", line.Text)
	}
	for _, s := range uitest.Texts(c) {
		if strings.Contains(s, "Abc+1@x") && s != uitest.Field(t, c, "leave empty to be asked, or when you use a key").Text {
			t.Errorf("the password is seen in %q", s)
		}
	}
	if !uitest.Sees(c, "The password was taken out of the line") {
		t.Error("nothing says where the password went")
	}
	uitest.Press(t, c, "Connect")
	if len(r.added) != 1 || r.added[0].Password != "Abc+1@x" || strings.Contains(r.added[0].Line, "Abc") {
		t.Errorf("added %+v", r.added)
	}
}

func TestNoticesOfALine(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	c := r.w.Canvas()
	test.Type(uitest.Field(t, c, linePlaceholder), "ssh -o StrictHostKeyChecking=no -L 8188:127.0.0.1:8188 root@192.0.2.7 nvidia-smi")
	for _, want := range []string{"StrictHostKeyChecking", "is always checked", "8188", "nvidia-smi"} {
		if !uitest.Sees(c, want) {
			t.Errorf("%q is not said", want)
		}
	}
	uitest.Press(t, c, "Connect")
	if n := len(r.added[0].Forwards); n != 1 {
		t.Errorf("%d forwards are offered", n)
	}
}

func TestBadLinesLoseNothing(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"port":  {"ssh -p 99999 root@192.0.2.7", "1-65535"},
		"words": {"ssh -p 22", "region-1.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPage(t, true, connect.Config{})
			field := uitest.Field(t, r.w.Canvas(), linePlaceholder)
			test.Type(field, c.line)
			field.OnSubmitted(field.Text)
			if len(r.added) != 0 {
				t.Fatalf("added %+v", r.added)
			}
			if field.Text != c.line {
				t.Errorf("the line is now %q", field.Text)
			}
			if !uitest.Sees(r.w.Canvas(), c.want) && !uitest.Sees(r.w.Canvas(), "USER@HOST") {
				t.Errorf("what is allowed is not said: %q", uitest.Texts(r.w.Canvas()))
			}
		})
	}
}

func TestForm(t *testing.T) {
	r := newPage(t, false, connect.Config{})
	c := r.w.Canvas()
	uitest.Press(t, c, "Fill in a form")
	uitest.Press(t, c, "Connect")
	if !uitest.Sees(c, "The host is missing") {
		t.Error("a missing host is not said")
	}
	test.Type(uitest.Field(t, c, "region-1.example.com or an address"), "192.0.2.7")
	test.Type(uitest.Field(t, c, "22"), "70000")
	test.Type(uitest.Field(t, c, "root"), "ubuntu")
	test.Type(uitest.Field(t, c, "~/.ssh/id_ed25519; empty for the usual ones"), "/keys/my key")
	test.Type(uitest.Field(t, c, "user@host:port; mostly empty"), "a@b:2222")
	uitest.Press(t, c, "Connect")
	if len(r.added) != 0 || !uitest.Sees(c, "1-65535") {
		t.Fatalf("a bad port passes: %+v", r.added)
	}
	if got := uitest.Field(t, c, "root").Text; got != "ubuntu" {
		t.Errorf("the user is now %q", got)
	}
	uitest.Field(t, c, "22").SetText("2200")
	uitest.Press(t, c, "Connect")
	if len(r.added) != 1 {
		t.Fatalf("nothing added: %q", uitest.Texts(c))
	}
	l, err := remote.ParseLogin(r.added[0].Line)
	if err != nil || l.Host != "192.0.2.7" || l.Port != 2200 || l.User != "ubuntu" || fmt.Sprint(l.Identities) != "[/keys/my key]" || len(l.Jumps) != 1 {
		t.Errorf("line %q reads as %+v, %v", r.added[0].Line, l, err)
	}
}

func TestAliases(t *testing.T) {
	r := newPage(t, true, connect.Config{
		Aliases: []string{"gpu-box", "home"},
		Resolve: func(l remote.Login) remote.Login { l.User, l.Host, l.Port = "root", "192.0.2.9", 2200; return l },
		Notices: []remote.Notice{{Code: "text-ignored", Args: map[string]string{"text": "Match bogus"}}},
	})
	c := r.w.Canvas()
	uitest.Press(t, c, "From ~/.ssh/config")
	if !uitest.Sees(c, "root@192.0.2.9:2200") || !uitest.Sees(c, "Match bogus") {
		t.Errorf("seen: %q", uitest.Texts(c))
	}
	test.Type(uitest.Field(t, c, "part of a name"), "gpu")
	if uitest.Sees(c, "home") {
		t.Error("the filter does not filter")
	}
	uitest.Field(t, c, "part of a name").SetText("zzz")
	if !uitest.Sees(c, "No name holds that text") {
		t.Error("an empty answer says nothing")
	}
	empty := newPage(t, true, connect.Config{})
	uitest.Press(t, empty.w.Canvas(), "From ~/.ssh/config")
	if !uitest.Sees(empty.w.Canvas(), "There is no name in ~/.ssh/config") {
		t.Error("no hint without names")
	}
}

func TestDoorsAndLanguage(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	c := r.w.Canvas()
	uitest.Press(t, c, "Open the demo")
	uitest.Press(t, c, "Look at this computer")
	if r.demo != 1 || r.local != 1 {
		t.Errorf("demo %d, local %d", r.demo, r.local)
	}
	test.Type(uitest.Field(t, c, linePlaceholder), "ssh a@b")
	r.page.Retext(texts.For(texts.Chinese))
	if got := uitest.Field(t, c, linePlaceholder).Text; got != "ssh a@b" {
		t.Errorf("the switch lost the line: %q", got)
	}
	for _, s := range uitest.Texts(c) {
		if strings.Contains(s, "Connect") || strings.Contains(s, "instance") {
			t.Errorf("English is left: %q", s)
		}
	}
}

// asker answers on the test's goroutine: questions come from others.
type asker struct {
	*connect.Asker
	w    fyne.Window
	todo chan func()
}

func newAsker(t *testing.T, keyring bool) *asker {
	t.Helper()
	test.NewTempApp(t)
	a := &asker{w: test.NewTempWindow(t, nil), todo: make(chan func(), 8)}
	a.w.Resize(fyne.NewSize(1024, 700))
	a.Asker = &connect.Asker{
		Canvas: func() fyne.Canvas { return a.w.Canvas() },
		Texts:  func() *texts.Catalogue { return texts.For(texts.English) },
		Do:     func(f func()) { a.todo <- f }, Keyring: keyring,
	}
	return a
}

// turn runs what was handed to the UI thread.
func (a *asker) turn(t *testing.T) {
	t.Helper()
	select {
	case f := <-a.todo:
		f()
	case <-time.After(10 * time.Second):
		t.Fatal("no question came")
	}
}

func wait[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("no answer came")
		panic("unreachable")
	}
}

func TestFirstMeeting(t *testing.T) {
	a := newAsker(t, true)
	q := remote.HostKeyQuestion{Hop: "root@192.0.2.7:22", Key: remote.KeyInfo{Type: "ssh-ed25519", Fingerprint: "SHA256:abc"}}
	type reply struct {
		a   remote.HostKeyAnswer
		err error
	}
	got := make(chan reply, 1)
	start := func() {
		go func() {
			ans, err := a.HostKey(context.Background(), q)
			got <- reply{ans, err}
		}()
		a.turn(t)
	}
	start()
	c := a.w.Canvas()
	if !uitest.Sees(c, "192.0.2.7:22 is new to us. That is normal. If its identity ever changes, we stop.") {
		t.Errorf("seen: %q", uitest.Texts(c))
	}
	if uitest.Sees(c, "SHA256:abc") {
		t.Error("the details are not folded")
	}
	uitest.Press(t, c, "Details")
	if !uitest.Sees(c, "SHA256:abc") {
		t.Error("the details don't hold the identity")
	}
	uitest.Press(t, c, "Go on")
	if r := wait(t, got); r.err != nil || !r.a.Trust {
		t.Errorf("answer %+v", r)
	}
	start()
	uitest.Press(t, c, "Details")
	uitest.Press(t, c, "Don't connect")
	if r := wait(t, got); !errors.Is(r.err, connect.ErrNoAnswer) || r.a.Trust {
		t.Errorf("answer %+v", r)
	}
	// By keyboard alone: the button has the focus.
	start()
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if r := wait(t, got); !r.a.Trust {
		t.Errorf("answer %+v", r)
	}
}

func TestAQuestionGoesWithItsConnection(t *testing.T) {
	a := newAsker(t, true)
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan error, 1)
	go func() {
		_, err := a.Secret(ctx, remote.SecretQuestion{Kind: remote.SecretPassword, Hop: "h"})
		got <- err
	}()
	a.turn(t)
	if a.w.Canvas().Overlays().Top() == nil {
		t.Fatal("no panel")
	}
	cancel()
	a.turn(t)
	if err := wait(t, got); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if a.w.Canvas().Overlays().Top() != nil {
		t.Error("the question stays")
	}
}

func TestSecrets(t *testing.T) {
	for _, keyring := range []bool{true, false} {
		a := newAsker(t, keyring)
		c := a.w.Canvas()
		type reply struct {
			a   remote.SecretAnswer
			err error
		}
		got := make(chan reply, 1)
		go func() {
			ans, err := a.Secret(context.Background(), remote.SecretQuestion{
				Kind: remote.SecretPassword, Hop: "root@192.0.2.7:22", Attempt: 2, CanRemember: true,
			})
			got <- reply{ans, err}
		}()
		a.turn(t)
		if !uitest.Sees(c, "The last one was wrong") {
			t.Error("the second try looks like the first")
		}
		field, ok := c.Focused().(interface{ TypedRune(rune) })
		if !ok {
			t.Fatalf("focus is on %T", c.Focused())
		}
		for _, r := range "pw" {
			field.TypedRune(r)
		}
		if keyring {
			uitest.Check(t, c, "Keep it in the system keyring").SetChecked(true)
		} else if !uitest.Sees(c, "kept in memory until you quit") {
			t.Error("without a keyring nothing says where it is kept")
		}
		uitest.Press(t, c, "Log in")
		if r := wait(t, got); r.err != nil || r.a.Secret != "pw" || r.a.Remember != keyring {
			t.Errorf("keyring %v: answer %+v", keyring, r)
		}
	}
}

func TestHostsOwnQuestion(t *testing.T) {
	a := newAsker(t, true)
	got := make(chan string, 1)
	go func() {
		ans, _ := a.Secret(context.Background(), remote.SecretQuestion{Kind: remote.SecretInteractive, Prompt: "Verification code:", Echo: true})
		got <- ans.Secret
	}()
	a.turn(t)
	c := a.w.Canvas()
	if !uitest.Sees(c, "Verification code:") {
		t.Error("the host's words are not shown")
	}
	test.Type(c.Focused(), "123456")
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if s := wait(t, got); s != "123456" {
		t.Errorf("answer %q", s)
	}
}

func TestConsents(t *testing.T) {
	a := newAsker(t, true)
	c := a.w.Canvas()
	errs := make(chan error, 1)
	up := func() {
		go func() {
			errs <- a.Upload(context.Background(), stream.UploadQuestion{Host: "Box", Path: "/root/.cache/rentgen", Size: 3 << 20, Sent: 1 << 20})
		}()
		a.turn(t)
	}
	up()
	if !uitest.Sees(c, "Send the probe to Box?") || !uitest.Sees(c, "/root/.cache/rentgen") || !uitest.Sees(c, "It stops with the connection") {
		t.Errorf("seen: %q", uitest.Texts(c))
	}
	uitest.Press(t, c, "Send the probe")
	if err := wait(t, errs); err != nil {
		t.Error(err)
	}
	up()
	uitest.Press(t, c, "Simple readings instead")
	if err := wait(t, errs); !errors.Is(err, stream.ErrDeclined) {
		t.Errorf("error is %v", err)
	}
	ok := make(chan bool, 1)
	go func() {
		yes, _ := a.ProxyCommand(context.Background(), "root@h:22", "nc -X 5 %h %p")
		ok <- yes
	}()
	a.turn(t)
	if !uitest.Sees(c, "nc -X 5 %h %p") {
		t.Error("the command is not shown")
	}
	uitest.Press(t, c, "Don't run it")
	if wait(t, ok) {
		t.Error("it runs all the same")
	}
}

func TestChangedIdentityNeedsAWord(t *testing.T) {
	test.NewTempApp(t)
	w := test.NewTempWindow(t, nil)
	w.Resize(fyne.NewSize(1024, 700))
	replaced := 0
	var finish func(problem string)
	connect.Changed(w.Canvas(), texts.For(texts.English), "Box", &remote.KeyChange{
		Addr: "192.0.2.7:22", Old: []remote.KeyInfo{{Fingerprint: "SHA256:old"}}, New: remote.KeyInfo{Fingerprint: "SHA256:new"},
	}, func(done func(string)) { replaced++; finish = done })
	c := w.Canvas()
	if !uitest.Sees(c, "SHA256:old") || !uitest.Sees(c, "SHA256:new") {
		t.Error("both identities must be seen")
	}
	if !uitest.Button(t, c, "Accept the new identity and connect").Disabled() {
		t.Fatal("it can be replaced without a word")
	}
	uitest.Check(t, c, "This instance was re-created").SetChecked(true)
	uitest.Press(t, c, "Accept the new identity and connect")
	if replaced != 1 {
		t.Error("not replaced")
	}
	if !uitest.Button(t, c, "Accept the new identity and connect").Disabled() || !uitest.Sees(c, "Saving the new identity…") {
		t.Error("while it is saved it can be asked for again, or nothing says so")
	}
	finish("the file is locked")
	if uitest.Button(t, c, "Accept the new identity and connect").Disabled() || !uitest.Sees(c, "the file is locked") || uitest.Sees(c, "Saving") {
		t.Errorf("what failed is not said in its place: %q", uitest.Texts(c))
	}
	uitest.Press(t, c, "Accept the new identity and connect")
	finish("")
	if replaced != 2 || uitest.Sees(c, "SHA256:old") {
		t.Errorf("replaced %d times, the panel shows %q", replaced, uitest.Texts(c))
	}
}

func TestForwardTarget(t *testing.T) {
	for in, want := range map[string]string{"8188": "127.0.0.1:8188", " 127.0.0.1:80 ": "127.0.0.1:80", "db:5432": "db:5432", "": "", "0": "", "70000": "", "a b:80": "", "http://x:80": ""} {
		got, err := connect.ForwardTarget(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v", in, got, err)
		}
	}
}

func TestForwardPanel(t *testing.T) {
	test.NewTempApp(t)
	w := test.NewTempWindow(t, nil)
	w.Resize(fyne.NewSize(1024, 700))
	var open []connect.Tunnel
	browsed := ""
	connect.Forward(connect.ForwardParams{
		Canvas: w.Canvas(), Texts: texts.For(texts.English), Name: "Box",
		Offered: []remote.ForwardSpec{{Host: "127.0.0.1", To: 8888}},
		Open: func(_, remote string, done func(connect.Tunnel, string)) {
			tn := connect.Tunnel{Local: "127.0.0.1:41234", Remote: remote, Close: func() { open = nil }}
			open = append(open, tn)
			done(tn, "")
		},
		Tunnels: func() []connect.Tunnel { return open }, OpenURL: func(u string) { browsed = u }, Copy: func(string) {},
	})
	c := w.Canvas()
	uitest.Press(t, c, "Open")
	if !uitest.Sees(c, "can't be opened") {
		t.Error("an empty target passes")
	}
	uitest.Press(t, c, "Open 127.0.0.1:8888")
	uitest.Press(t, c, "Open in the browser")
	if browsed != "http://127.0.0.1:41234" {
		t.Errorf("browsed %q", browsed)
	}
}

func TestDiagnosticsAndForget(t *testing.T) {
	test.NewTempApp(t)
	w := test.NewTempWindow(t, nil)
	w.Resize(fyne.NewSize(1024, 700))
	c, en := w.Canvas(), texts.For(texts.English)
	copied := ""
	p := connect.Diagnostics(c, en, "rentgen 1\nhost-1", func(s string) { copied = s })
	uitest.Press(t, c, "Copy all")
	if copied != "rentgen 1\nhost-1" {
		t.Errorf("copied %q", copied)
	}
	p.Close()
	var helper, logs bool
	connect.Forget(c, en, "Box", false, func(h, l bool) { helper, logs = h, l })
	if !uitest.Check(t, c, "Also remove the probe from the host").Disabled() {
		t.Error("the probe can't be removed without a connection")
	}
	uitest.Check(t, c, "Also delete its logs in History").SetChecked(true)
	uitest.Press(t, c, "Forget")
	if helper || !logs {
		t.Errorf("helper %v, logs %v", helper, logs)
	}
}
