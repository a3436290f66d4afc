package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/provider"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

// board keeps entries in memory.
type board struct {
	setup.Board
	list []guide.Entry
	fail error
}

func (b *board) Profile() provider.Profile { return provider.Profile{} }

func (b *board) Values() setup.Values { return setup.Values{"dir": "/root/autodl-tmp"} }

func (b *board) Entries(kind string) []guide.Entry {
	var out []guide.Entry
	for _, e := range b.list {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

func (b *board) Put(kind, key string, body any) error {
	if b.fail != nil {
		return b.fail
	}
	j, err := json.Marshal(body)
	if err != nil {
		return err
	}
	b.Drop(kind, key)
	b.list = append(b.list, guide.Entry{Kind: kind, Key: key, Body: j})
	return nil
}

func (b *board) Drop(kind string, keys ...string) error {
	for _, k := range keys {
		for i, e := range b.list {
			if e.Kind == kind && e.Key == k {
				b.list = append(b.list[:i], b.list[i+1:]...)
				break
			}
		}
	}
	return nil
}

// machine answers scripts with what was written down.
type machine struct {
	out func(e guide.Exec) string
	err error
}

func (m machine) Exec(_ context.Context, e guide.Exec) (guide.Output, error) {
	s := m.out(e)
	if e.Out != nil {
		e.Out([]byte(s))
	}
	return guide.Output{Stdout: []byte(s)}, m.err
}

func (m machine) Forward(context.Context, string, string) (guide.Open, error) { return nil, nil }

type stage struct {
	win   fyne.Window
	board *board
	run   *machine // nil: not connected
	said  []string
	taken *workload.Measured
	bodies
}

type bodies map[string]setup.Body

const t0 = int64(1_790_000_000_000)

var now = time.UnixMilli(t0).Add(time.Hour)

func open(t *testing.T, l texts.Lang, web ledger.Web) *stage {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{}))
	s := &stage{win: test.NewTempWindow(t, nil), board: &board{}, bodies: bodies{}}
	s.win.Resize(fyne.NewSize(1024, 700))
	h := &setup.Here{
		Texts: texts.For(l), Window: s.win, Board: s.board, Now: func() time.Time { return now },
		Host: func() setup.Host { return setup.Host{ID: "h1", Name: "mycard", Live: s.run != nil} },
		Go:   func(f func()) { f() }, Do: func(f func()) { f() },
		Say: func(_ guide.Verdict, sentence, _ string) { s.said = append(s.said, sentence) },
		Runner: func() guide.Runner {
			if s.run == nil {
				return nil
			}
			return s.run
		},
		Forwarder: func() guide.Forwarder {
			if s.run == nil {
				return nil
			}
			return s.run
		},
	}
	for _, p := range Pages(Params{
		Pace: chart.Immediate,
		Web:  func(context.Context, guide.Forwarder) (ledger.Web, func(), error) { return web, func() {}, nil },
		Card: func(string) string { return "RTX 4090" },
		Take: func(m workload.Measured) { s.taken = &m },
	}) {
		s.bodies[p.Key] = p.Make(h)
	}
	return s
}

// see shows a page and returns the words on it.
func (s *stage) see(key string) string {
	s.win.SetContent(s.bodies[key].Content())
	s.bodies[key].Sync()
	return seen(s.win.Canvas())
}

// seen is everything that is read on a canvas. Blanks of every width are plain.
func seen(c fyne.Canvas) string { return plain(strings.Join(uitest.Texts(c), "\n")) }

func has(words, part string) bool { return strings.Contains(words, plain(part)) }

func plain(s string) string { return strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(s) }

// readings is what a machine at rest prints for n seconds; busy loads its card.
func readings(e guide.Exec, n, util int) string {
	m := e.Args[1]
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%[1]s time %[2]d.0\n%[1]s gpu\n%[3]d, 300, 24564\n%[1]s apps\nforeign\n%[1]s cpu %[2]d.000 %[2]d.010\n%[1]s disk %[2]d.100 %[2]d.104\n%[1]s ping\ntime=0.5 ms\n%[1]s pong 0\n", m, 100+i, util)
	}
	fmt.Fprintf(&b, "%s time %d.0\n%s end\n", m, 100+n, m)
	return b.String()
}

func TestTenants(t *testing.T) {
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) {
			c := texts.For(l)
			s := open(t, l, ledger.Web{})
			if words := s.see(PageTenants); !has(words, c.T("measure.tenants.empty")) || !has(words, c.T("measure.offline")) {
				t.Error(words)
			}
			page := s.bodies[PageTenants].(*tenants)
			if !page.start.Disabled() {
				t.Error("can start without a connection")
			}
			s.run = &machine{out: func(e guide.Exec) string {
				if e.Args[2] != "/root/autodl-tmp" {
					t.Errorf("writes to %q", e.Args[2])
				}
				return readings(e, 180, 0)
			}}
			s.see(PageTenants)
			test.Tap(&page.start.Button)
			words := s.see(PageTenants)
			if !has(words, c.T("tenant.quiet", "n", 4)) || len(s.board.list) != 1 {
				t.Errorf("%d kept\n%s", len(s.board.list), words)
			}
			// A second one finds somebody; the first stays and can be opened.
			s.run.out = func(e guide.Exec) string { return readings(e, 180, 90) }
			now = now.Add(time.Hour)
			test.Tap(&page.start.Button)
			words = s.see(PageTenants)
			if !has(words, c.T("tenant.seen.one", "what", c.T("tenant.resource.gpu"))) || len(s.board.list) != 2 {
				t.Errorf("%d kept\n%s", len(s.board.list), words)
			}
		})
	}
}

func TestTenantsBrokenLink(t *testing.T) {
	c := texts.For(texts.English)
	s := open(t, texts.English, ledger.Web{})
	s.run = &machine{out: func(e guide.Exec) string { return readings(e, 40, 0) }, err: errors.New("link lost")}
	s.see(PageTenants)
	page := s.bodies[PageTenants].(*tenants)
	test.Tap(&page.start.Button)
	words := s.see(PageTenants)
	if !strings.Contains(words, "link lost") || len(s.board.list) != 1 || page.start.Disabled() {
		t.Errorf("%d kept\n%s", len(s.board.list), words)
	}
	s.run.out = func(e guide.Exec) string { return readings(e, 5, 0) }
	test.Tap(&page.start.Button)
	few := c.T("measure.tenants.of", "what", c.T("measure.tenants.chart.cpu"), "says", c.T("tenant.few", "n", 5))
	if words := s.see(PageTenants); !has(words, few) {
		t.Errorf("%q is not said\n%s", few, words)
	}
	s.run.out = func(e guide.Exec) string { return readings(e, 40, 0) }
	s.board.fail = errors.New("disk full")
	s.run.err = nil
	test.Tap(&page.start.Button)
	if words := s.see(PageTenants); !has(words, c.T("measure.unsaved", "err", "disk full")) {
		t.Error(words)
	}
}

const graph = `{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sd_xl_base_1.0.safetensors"}},"2":{"class_type":"KSampler","inputs":{"seed":1,"steps":20,"model":["1",0],"latent_image":["3",0]}},"3":{"class_type":"EmptyLatentImage","inputs":{"width":1024,"height":1024,"batch_size":1}}}`

func history() []byte {
	item := func(id string, start, end int64) string {
		return fmt.Sprintf(`%q:{"prompt":[1,%q,%s],"outputs":{"4":{"images":[{"type":"output"}]}},"status":{"status_str":"success","messages":[["execution_start",{"timestamp":%d}],["execution_success",{"timestamp":%d}]]}}`, id, id, graph, start, end)
	}
	return []byte("{" + item("a", t0, t0+90_000) + "," + item("b", t0+100_000, t0+107_000) + "}")
}

func TestPictures(t *testing.T) {
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) {
			c := texts.For(l)
			answer := history()
			s := open(t, l, ledger.Web{Get: func(context.Context, string) ([]byte, error) {
				if answer == nil {
					return nil, errors.New("connection refused")
				}
				return answer, nil
			}})
			if words := s.see(PagePictures); !has(words, c.T("measure.pictures.empty")) {
				t.Error(words)
			}
			s.run = &machine{out: func(guide.Exec) string {
				return fmt.Sprintf("now %d\nuptime 1000\nhz 100\ninit S %s50000\n", t0/1000, strings.Repeat("0 ", 18))
			}}
			page := s.bodies[PagePictures].(*pictures)
			s.see(PagePictures)
			test.Tap(&page.read.Button)
			words := s.see(PagePictures)
			for _, want := range []string{"90.0", "83.0", "7.0", c.T("ledger.from.history"), c.T("measure.pictures.nopeak")} {
				if !has(words, want) {
					t.Errorf("%q is missing in\n%s", want, words)
				}
			}
			page.typed(ledger.Queue, "2 min")
			page.typed(ledger.Pull, "soon")
			if got := page.r.now.Stages[ledger.Queue]; got.Seconds != 120 || got.From != ledger.Typed || len(s.said) != 1 {
				t.Error(got, s.said)
			}
			test.Tap(&page.take.Button)
			if s.taken == nil || *s.taken.SecondsPerPic != 7 || *s.taken.StartupSeconds != 120 || s.taken.Card != "RTX 4090" {
				t.Errorf("%+v", s.taken)
			}
			// What goes wrong is said, and what was there stays.
			answer = nil
			test.Tap(&page.read.Button)
			if words := s.see(PagePictures); !strings.Contains(words, "connection refused") || !strings.Contains(words, "90.0") {
				t.Error(words)
			}
			if len(s.board.list) != 1 {
				t.Errorf("%d kept", len(s.board.list))
			}
		})
	}
}

func TestAskedFirst(t *testing.T) {
	s := open(t, texts.English, ledger.Web{})
	ran := 0
	s.run = &machine{out: func(guide.Exec) string {
		ran++
		return `{"rentgen": 1, "seconds": 0.007, "tflops": 148.6, "peak_mib": 512, "card": "RTX 4090"}`
	}}
	s.see(PagePictures)
	page := s.bodies[PagePictures].(*pictures)
	test.Tap(&page.card.Button)
	if ran != 0 || !strings.Contains(seen(s.win.Canvas()), "torch.cuda.synchronize") {
		t.Fatalf("ran %d times before it was shown", ran)
	}
	uitest.Press(t, s.win.Canvas(), texts.For(texts.English).T("measure.pictures.card"))
	if words := s.see(PagePictures); ran != 1 || !strings.Contains(words, "148.6 TFLOPS") {
		t.Errorf("ran %d times\n%s", ran, words)
	}
}

func TestModelRead(t *testing.T) {
	c := texts.For(texts.English)
	s := open(t, texts.English, ledger.Web{})
	out := "model: none\n"
	s.run = &machine{out: func(guide.Exec) string { return out }}
	s.see(PagePictures)
	uitest.Press(t, s.win.Canvas(), c.T("measure.pictures.model"))
	if words := s.see(PagePictures); !has(words, c.T("measure.pictures.model.none")) {
		t.Error(words)
	}
	out = "model: /root/autodl-tmp/models/x.safetensors\nmmap 268435456 26.843546 1\nrow 268435456 0.268435 1\n"
	uitest.Press(t, s.win.Canvas(), c.T("measure.pictures.model"))
	if words := s.see(PagePictures); !has(words, "--disable-mmap") || !has(words, "x.safetensors") || !has(words, "10 MB/s") {
		t.Error(words)
	}
	if len(s.board.list) != 1 {
		t.Errorf("%d kept", len(s.board.list))
	}
}
