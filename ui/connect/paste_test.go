package connect_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/ui/connect"
	"rentgen/ui/uitest"
)

const passwordPlaceholder = "leave empty to be asked, or when you use a key"

func TestAPastedPasswordGoesToNoOtherHost(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	c := r.w.Canvas()
	clip := fyne.CurrentApp().Clipboard()
	clip.SetContent("ssh -p 38076 root@region-1.example.com\nAbc+1@x\n")
	r.page.Paste(clip)
	if uitest.Field(t, c, passwordPlaceholder).Text != "Abc+1@x" {
		t.Fatal("the password was not taken")
	}
	clip.SetContent("ssh root@192.0.2.7")
	r.page.Paste(clip)
	if s := uitest.Field(t, c, linePlaceholder).Text; s != "ssh root@192.0.2.7" {
		t.Errorf("a pasted line is put to the old one: %q", s)
	}
	clip.SetContent("ssh a@b password: p")
	r.page.Paste(clip)
	if s := uitest.Field(t, c, linePlaceholder).Text; s != "ssh a@b" {
		t.Errorf("a shorter line keeps its password in sight: %q", s)
	}
	clip.SetContent("ssh root@192.0.2.7")
	r.page.Paste(clip)
	uitest.Press(t, c, "Connect")
	if len(r.added) != 1 || r.added[0].Password != "" {
		t.Errorf("added %+v", r.added)
	}
}

func TestAPasswordThatIsTypedStaysWhole(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	c := r.w.Canvas()
	const line = "ssh root@192.0.2.7 password: xyz"
	test.Type(uitest.Field(t, c, linePlaceholder), line)
	if s := uitest.Field(t, c, linePlaceholder).Text; s != line {
		t.Errorf("the line is %q", s)
	}
	uitest.Press(t, c, "Connect")
	if len(r.added) != 1 || r.added[0].Password != "xyz" || r.added[0].Line != "ssh root@192.0.2.7" {
		t.Errorf("added %+v", r.added)
	}
}

func TestNamesThatWeMake(t *testing.T) {
	r := newPage(t, true, connect.Config{})
	clip := fyne.CurrentApp().Clipboard()
	clip.SetContent("ssh abc-1@ssh.runpod.io -i ~/.ssh/id_ed25519")
	r.page.Paste(clip)
	uitest.Press(t, r.w.Canvas(), "Connect")
	if r.added[0].Name != "ssh.runpod.io" {
		t.Errorf("the name is %q", r.added[0].Name)
	}

	for name, want := range map[string]string{"192.0.2.7:1000": "192.0.2.7:2000", "Mine": "Mine"} {
		var got connect.New
		page := connect.NewPage(connect.Params{
			Window: r.w, Texts: texts.For(texts.English), Back: func() {}, Local: func() {}, Demo: func() {},
			Edit: &connect.New{Name: name, Line: "ssh -p 1000 root@192.0.2.7"}, Add: func(n connect.New) { got = n },
		})
		r.w.SetContent(page.Content())
		clip.SetContent("ssh -p 2000 root@192.0.2.7")
		page.Paste(clip)
		uitest.Press(t, r.w.Canvas(), "Connect")
		if got.Name != want {
			t.Errorf("%s became %q, want %q", name, got.Name, want)
		}
	}
}
