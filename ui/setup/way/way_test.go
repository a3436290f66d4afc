package way

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/open"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

type board struct{ setup.Board }

func (board) Provider() string          { return "autodl" }
func (board) Profile() provider.Profile { p, _ := provider.ProfileOf("autodl"); return p }
func (board) Track() guide.Track        { return guide.Shared }

// direct leads every port to one server.
type direct struct{ addr string }

func (d direct) Forward(context.Context, string, string) (guide.Open, error) { return d, nil }
func (d direct) Addr() string                                                { return d.addr }
func (d direct) Err() error                                                  { return nil }
func (d direct) Close() error                                                { return nil }
func (d direct) Exec(context.Context, guide.Exec) (guide.Output, error)      { return guide.Output{}, nil }

type stage struct {
	win     fyne.Window
	page    *page
	browsed []string
	said    []string
	kept    []guide.Record
	probed  []open.ProbeParams
	seen    []open.Seen
	live    bool
}

func start(t *testing.T, l texts.Lang, addr string, live bool) *stage {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{}))
	s := &stage{win: test.NewTempWindow(t, nil), live: live}
	s.win.Resize(fyne.NewSize(1024, 700))
	h := &setup.Here{
		Texts: texts.For(l), Window: s.win, Board: board{}, Now: time.Now,
		Host: func() setup.Host { return setup.Host{ID: "h1", Live: s.live} },
		Go:   func(f func()) { f() }, Do: func(f func()) { f() },
		Copy: func(string) {}, Say: func(_ guide.Verdict, sentence, _ string) { s.said = append(s.said, sentence) },
		Runner: func() guide.Runner {
			if !s.live {
				return nil
			}
			return direct{addr}
		},
		Forwarder: func() guide.Forwarder { return direct{addr} },
	}
	p := Params{
		Browse:  func(url string) error { s.browsed = append(s.browsed, url); return nil },
		Address: func(string) string { return "instance.example.com" },
		Keep:    func(_ string, r guide.Record) { s.kept = append(s.kept, r) },
		Probe: func(_ context.Context, p open.ProbeParams) ([]open.Seen, error) {
			s.probed = append(s.probed, p)
			if !p.Own {
				return nil, open.ErrGateway
			}
			return s.seen, nil
		},
	}
	s.page = Pages(p)[0].Make(h).(*page)
	s.win.SetContent(s.page.Content())
	s.page.Sync()
	return s
}

func (s *stage) words() string { return strings.Join(uitest.Texts(s.win.Canvas()), "\n") }

func has(words, text string) bool {
	return strings.Contains(words, strings.NewReplacer("\u2009", " ", "\u00a0", " ", "\r", "").Replace(text))
}

func TestOpen(t *testing.T) {
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) {
			c := texts.For(l)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/system_stats" {
					_, _ = w.Write([]byte(`{"system":{"comfyui_version":"0.3.75"},"devices":[]}`))
					return
				}
				_, _ = w.Write([]byte("<title>ComfyUI</title>"))
			}))
			defer srv.Close()
			s := start(t, l, strings.TrimPrefix(srv.URL, "http://"), true)
			s.page.port.SetText("8188")
			uitest.Press(t, s.win.Canvas(), c.T("way.port.open"))
			if len(s.browsed) != 1 || s.browsed[0] != srv.URL+"/" && s.browsed[0] != srv.URL {
				t.Errorf("browsed %v", s.browsed)
			}
			if len(s.kept) != 1 || s.kept[0].Check != guide.Tunnel {
				t.Errorf("kept %+v", s.kept)
			}
			if words := s.words(); !strings.Contains(words, "ComfyUI") || !has(words, c.T("way.door", "port", 8188, "url", s.browsed[0])) {
				t.Error(words)
			}
			s.page.port.SetText("99999")
			uitest.Press(t, s.win.Canvas(), c.T("way.port.open"))
			if len(s.said) != 1 {
				t.Errorf("said %v", s.said)
			}
			uitest.Press(t, s.win.Canvas(), c.T("way.shut"))
			if words := s.words(); has(words, c.T("way.shut")) {
				t.Error("still open")
			}
		})
	}
}

func TestOutside(t *testing.T) {
	c := texts.For(texts.English)
	s := start(t, texts.English, "127.0.0.1:1", false)
	if words := s.words(); !has(words, c.T("setup.task.offline")) || !has(words, c.T("way.outside.address", "host", "instance.example.com")) {
		t.Error(words)
	}
	// A container's login host is a gateway of many until the user says otherwise.
	uitest.Press(t, s.win.Canvas(), c.T("way.probe"))
	if words := s.words(); !has(words, c.Say(open.Why(open.ErrGateway))) {
		t.Error(words)
	}
	s.seen = []open.Seen{{Port: 8188, State: open.Open, Verdict: guide.Fail, Says: texts.P("open.probe.public", "port", 8188, "app", "ComfyUI"), Do: texts.P("open.probe.public.do", "port", 8188)}}
	uitest.Check(t, s.win.Canvas(), c.T("way.own")).SetChecked(true)
	uitest.Press(t, s.win.Canvas(), c.T("way.probe"))
	if len(s.probed) != 2 || !s.probed[1].Own || s.probed[1].Host != "instance.example.com" {
		t.Errorf("%+v", s.probed)
	}
	if words := s.words(); !has(words, c.T("open.probe.public.do", "port", 8188)) {
		t.Error(words)
	}
}

func TestOutsideFails(t *testing.T) {
	c := texts.For(texts.English)
	s := start(t, texts.English, "127.0.0.1:1", false)
	s.page.p.Probe = func(context.Context, open.ProbeParams) ([]open.Seen, error) { return nil, errors.New("no network") }
	uitest.Press(t, s.win.Canvas(), c.T("way.probe"))
	if words := s.words(); !has(words, c.T("setup.task.failed", "err", "no network")) {
		t.Error(words)
	}
}
