package move

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/keep"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func sum(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }

// fakeTools puts a git and a Python on a PATH of its own.
func fakeTools(t *testing.T) string {
	bin := t.TempDir()
	put(t, filepath.Join(bin, "git"), `#!/bin/sh
while [ "$1" != -C ]; do shift; done
d=$2; shift 2
[ -f "$d/.fakegit" ] || exit 128
case $1 in
rev-parse) [ "$2" = HEAD ] && { echo 0123456789012345678901234567890123456789; exit; }; echo "$d" ;;
config) echo "https://user:secret@github.com/owner/$(basename "$d").git?x=1" ;;
status) cat "$d/.fakegit" ;;
esac
`)
	put(t, filepath.Join(bin, "python3"), "#!/bin/sh\nprintf 'python 3.12.3\\npackage torch 2.6.0+cu124\\npackage Pillow_SIMD 9.0\\npackage torch 2.6.0+cu124\\nwarning: a line of four words\\nwhole\\n'\n")
	return "PATH=" + bin + ":" + os.Getenv("PATH")
}

func setUp(t *testing.T) (keep.Survey, string) {
	root := t.TempDir()
	put(t, filepath.Join(root, "models/checkpoints/sdxl one.safetensors"), "weights")
	put(t, filepath.Join(root, "models/checkpoints/put_checkpoints_here"), "x")
	put(t, filepath.Join(root, "models/loras/a.safetensors"), "lora")
	put(t, filepath.Join(root, "extra/loras/b.safetensors"), "other lora")
	put(t, filepath.Join(root, "custom_nodes/Manager/.fakegit"), " M file.py\n")
	put(t, filepath.Join(root, "custom_nodes/plain/x.py"), "")
	put(t, filepath.Join(root, "custom_nodes/single.py"), "")
	put(t, filepath.Join(root, ".fakegit"), "")
	put(t, filepath.Join(root, "user/default/workflows/flow.json"), "{}")
	put(t, filepath.Join(root, "user/default/workflows/notes.txt"), "")
	place := func(k keep.Kind, p string) keep.Place {
		return keep.Place{Kind: k, Path: filepath.Join(root, p), State: keep.Seen}
	}
	return keep.Survey{
		UIs: []keep.UI{{Kind: keep.ComfyUI, Root: root}},
		Places: []keep.Place{
			place(keep.Models, "models"), place(keep.Extra, "extra"), place(keep.Nodes, "custom_nodes"), place(keep.Workflows, "user/default/workflows"),
			{Kind: keep.Models, Path: filepath.Join(root, "none"), State: keep.None},
		},
	}, root
}

func TestCollect(t *testing.T) {
	for _, sh := range guidetest.Shells() {
		s, root := setUp(t)
		sh.Env = []string{fakeTools(t), "HOME=" + root}
		var done, of int64
		l, err := Collect(t.Context(), Params{Runner: sh, Survey: s, Host: "4090\x1b[31m", Now: noon, Hash: true, Progress: func(d, o int64) { done, of = d, o }})
		if err != nil || len(l.Missing) != 0 || l.Host != "4090" {
			t.Fatalf("%v: %+v %v", sh.Command, l, err)
		}
		want := []File{
			{"checkpoints/sdxl one.safetensors", 7, sum("weights")}, {"loras/a.safetensors", 4, sum("lora")}, {"loras/b.safetensors", 10, sum("other lora")},
		}
		if !slices.Equal(l.Models, want) || done != 21 || of != 21 || l.Size() != 21 {
			t.Errorf("%v: %+v", sh.Command, l.Models)
		}
		if !slices.Equal(l.Workflows, []File{{"flow.json", 2, sum("{}")}}) {
			t.Errorf("%v: %+v", sh.Command, l.Workflows)
		}
		if l.Python != "3.12.3" || !slices.Equal(l.Packages, []Package{{"pillow-simd", "9.0"}, {"torch", "2.6.0+cu124"}}) {
			t.Errorf("%v: %q %+v", sh.Command, l.Python, l.Packages)
		}
		if len(l.Nodes) != 4 {
			t.Fatalf("%v: %+v", sh.Command, l.Nodes)
		}
		for _, n := range l.Nodes {
			switch n.Name {
			case "Manager":
				if n.Repo != "https://github.com/owner/Manager.git" || n.Commit == "" || n.Changed == nil || !*n.Changed {
					t.Errorf("%v: %+v", sh.Command, n)
				}
			case "plain", "single.py":
				if n.Commit != "" || n.Repo != "" || n.Changed != nil {
					t.Errorf("%v: %+v", sh.Command, n)
				}
			default:
				if !n.UI || n.Commit == "" || *n.Changed {
					t.Errorf("%v: %+v", sh.Command, n)
				}
			}
		}
		plain, err := Collect(t.Context(), Params{Runner: sh, Survey: s, Now: noon})
		if err != nil || len(plain.Models) != 3 || plain.Models[0].SHA256 != "" {
			t.Errorf("%+v %v", plain.Models, err)
		}
	}
}

// TestRealGit reads a repository of the real git, with and without it on PATH.
func TestRealGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	s, root := setUp(t)
	node := filepath.Join(root, "custom_nodes/plain")
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"},
		{"remote", "add", "origin", "git@github.com:owner/plain.git"},
	} {
		cmd := exec.Command(git, append([]string{"-C", node}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	bin := t.TempDir()
	for _, tool := range []string{"find", "stat", "head", "cat", "od", "tr", "sort", "sed", "grep", "cut", "sha256sum", "timeout", "true", "sh"} {
		p, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(p, filepath.Join(bin, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var commits []string
	for _, path := range []string{"PATH=" + os.Getenv("PATH"), "PATH=" + bin} {
		l, err := Collect(t.Context(), Params{Runner: guidetest.Shell{Env: []string{path, "HOME=" + root}}, Survey: s, Now: noon})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range l.Nodes {
			if n.Name == "plain" {
				commits = append(commits, n.Commit)
				if n.Repo != "git@github.com:owner/plain.git" || (n.Changed == nil) != (path == "PATH="+bin) {
					t.Errorf("%+v", n)
				}
			}
		}
		if path == "PATH="+bin && !slices.Contains(l.Missing, "packages") {
			t.Error("without a Python packages are not known")
		}
	}
	if len(commits) != 2 || commits[0] == "" || commits[0] != commits[1] {
		t.Errorf("%q", commits)
	}
}

func TestCompare(t *testing.T) {
	yes, no := true, false
	c1, c2 := strings.Repeat("1", 40), strings.Repeat("2", 40)
	want := List{
		Models:    []File{{"a", 1, sum("a")}, {"b", 1, sum("b")}, {"c", 1, ""}, {"d", 1, sum("d")}, {"e", 2, sum("e")}},
		Nodes:     []Node{{Name: "N1", Commit: c1, Changed: &no}, {Name: "n2", Commit: c1}, {Name: "n3", Commit: c1, Changed: &yes}, {Name: "n4"}, {Name: "gone", Commit: c1}},
		Packages:  []Package{{"torch", "2"}, {"x", "1"}, {"none", "1"}},
		Workflows: []File{{"w.json", 1, sum("w")}},
	}
	have := List{
		Models:   []File{{"a", 1, sum("a")}, {"b", 1, sum("changed")}, {"c", 1, sum("c")}, {"e", 3, sum("e")}},
		Nodes:    []Node{{Name: "n1", Commit: c1, Changed: &no}, {Name: "n2", Commit: c2}, {Name: "n3", Commit: c1}, {Name: "n4", Commit: c1}},
		Packages: []Package{{"torch", "2"}, {"x", "2"}},
		Missing:  []string{"workflows"},
	}
	got := map[string]State{}
	c := Compare(want, have)
	for _, i := range c.Items {
		got[i.Kind+" "+i.Name] = i.State
	}
	for name, w := range map[string]State{
		"model a": Same, "model b": Different, "model c": Alike, "model d": Missing, "model e": Different,
		"node N1": Same, "node n2": Different, "node n3": Alike, "node n4": Alike, "node gone": Missing,
		"package torch": Same, "package x": Different, "package none": Missing, "workflow w.json": Unknown,
	} {
		if got[name] != w {
			t.Errorf("%s: %q, want %q", name, got[name], w)
		}
	}
	if c.Done() || len(got) != 14 || c.Items[len(c.Items)-1].State != Same || c.Items[0].State == Same {
		t.Errorf("%+v", c)
	}
	if s := c.Sentence(); s.Key != "move.compare.open" {
		t.Error(s)
	}
	if c := Compare(want, want); !c.Done() || c.Count[Same] != 11 || c.Sentence().Key != "move.compare.alike" {
		t.Errorf("%+v", c.Count)
	}
	if c := Compare(List{}, have); c.Sentence().Key != "move.compare.empty" {
		t.Error(c)
	}
	for _, i := range c.Items {
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(i.Says()); strings.ContainsAny(s, "{}") || s == i.Says().Key {
				t.Errorf("%q", s)
			}
		}
	}
}

func TestListThereAndBack(t *testing.T) {
	s, root := setUp(t)
	l, err := Collect(t.Context(), Params{Runner: guidetest.Shell{Env: []string{fakeTools(t), "HOME=" + root}}, Survey: s, Now: noon, Host: "a"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadList(b)
	if err != nil || !Compare(l, back).Done() || len(back.Nodes) != len(l.Nodes) {
		t.Errorf("%+v %v", back, err)
	}
	e, err := l.Entry()
	if kept, err2 := ReadList(e.Body); err != nil || err2 != nil || len(kept.Models) != 3 || e.Kind != guide.KindMove {
		t.Error(err, err2)
	}
	for _, bad := range []string{"", "{}", "[]", "null", `{"rentgen_move":2}`, string(b) + "{}"} {
		if _, err := ReadList([]byte(bad)); !errors.Is(err, ErrNoList) {
			t.Errorf("%q was taken", bad)
		}
	}
	hostile := List{Format: 1, Host: "x|y", Time: noon, Models: []File{{Name: "a|b`c`<script>\n# head", Size: 1}}, Nodes: []Node{{Name: "[n](http://x)", Repo: "https://u:p@h/r"}}, Packages: []Package{{"a", "1\n\n# x"}}}
	j, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadList(j)
	if err != nil || read.Nodes[0].Repo != "https://h/r" {
		t.Errorf("%+v %v", read, err)
	}
	for _, lang := range texts.Langs() {
		md := read.Markdown(texts.For(lang))
		for _, line := range strings.Split(md, "\n") {
			if strings.Contains(line, "<script>") || strings.HasPrefix(line, "# head") || strings.HasPrefix(line, "# x") {
				t.Errorf("%q means something", line)
			}
		}
		if strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(md, `\{`, ""), `\}`, ""), "{}") {
			t.Errorf("not filled: %s", md)
		}
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(`{"rentgen_move":1,"time":"2026-11-30T00:00:00Z","models":[{"name":"a","size":-1}],"nodes":[{"name":"x","repo":"https://a:b@c"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ReadList(b)
		if err != nil {
			return
		}
		for _, n := range l.Nodes {
			if strings.Contains(n.Repo, "://") && strings.Contains(n.Repo, "@") && strings.Index(n.Repo, "@") < strings.Index(n.Repo+"/", "/x") && strings.HasPrefix(n.Repo, "https://a:") {
				t.Fatal(n.Repo)
			}
		}
		if Compare(l, l).Count[Missing] != 0 {
			t.Fatal("a list misses its own things")
		}
		l.Markdown(texts.For(texts.English))
	})
}

func amount(v, c string) *money.Amount {
	return &money.Amount{Value: money.MustParse(v), Currency: money.Currency(c)}
}

func TestRenew(t *testing.T) {
	for _, c := range []struct {
		name            string
		p               RenewParams
		want            Choice
		threshold, cost string
		key             string
	}{
		{"far above", RenewParams{Hours: 400, Days: 30, Hourly: amount("1.88", "CNY"), Monthly: amount("400", "CNY")}, Monthly, "213", "752.00", "move.renew.monthly"},
		{"far below", RenewParams{Hours: 22, Days: 30, Hourly: amount("1.88", "CNY"), Monthly: amount("400", "CNY")}, Metered, "213", "41.36", "move.renew.metered"},
		{"near", RenewParams{Hours: 210, Days: 30, Hourly: amount("1.88", "CNY"), Monthly: amount("400", "CNY")}, Either, "213", "394.80", "move.renew.either"},
		{"ten days", RenewParams{Hours: 100, Days: 10, Hourly: amount("2", "CNY"), Monthly: amount("400", "CNY")}, Monthly, "200", "600.00", "move.renew.monthly.drawn"},
		{"nothing used", RenewParams{Days: 30, Hourly: amount("2", "CNY"), Monthly: amount("400", "CNY")}, Metered, "200", "0.00", "move.renew.metered"},
		{"too little", RenewParams{Hours: 5, Days: 1, Hourly: amount("2", "CNY"), Monthly: amount("400", "CNY")}, Open, "200", "0.00", "move.renew.too_little"},
		{"impossible", RenewParams{Hours: 900, Days: 30, Hourly: amount("2", "CNY"), Monthly: amount("400", "CNY")}, Open, "200", "0.00", "move.renew.too_little"},
		{"no price", RenewParams{Hours: 100, Days: 30, Hourly: amount("2", "CNY")}, Open, "0", "0.00", "move.renew.no_price"},
		{"price of nothing", RenewParams{Hours: 100, Days: 30, Hourly: amount("0", "CNY"), Monthly: amount("4", "CNY")}, Open, "0", "0.00", "move.renew.no_price"},
		{"currencies", RenewParams{Hours: 100, Days: 30, Hourly: amount("2", "USD"), Monthly: amount("4", "CNY")}, Open, "0", "0.00", "move.renew.currency"},
	} {
		r := Renew(c.p)
		if r.Choice != c.want || r.Threshold.Ceil().String() != c.threshold || r.Cost.Value.Fixed(2) != c.cost || r.Says().Key != c.key {
			t.Errorf("%s: %+v, %s %s %s", c.name, r, r.Threshold, r.Cost.Value.Fixed(2), r.Says().Key)
		}
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(r.Says()); strings.ContainsAny(s, "{}") || s == c.key {
				t.Errorf("%s: %q", c.name, s)
			}
		}
	}
	if s := texts.For(texts.English).Say(Renew(RenewParams{Hours: 700, Days: 30, Hourly: amount("2", "CNY"), Monthly: amount("400", "CNY")}).Says()); !strings.Contains(s, "¥1,400.00") || !strings.Contains(s, "200 h") {
		t.Error(s)
	}
}

func TestHoursOn(t *testing.T) {
	at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	for _, c := range []struct {
		spans       []Span
		hours, days float64
	}{
		{nil, 0, 0},
		{[]Span{{at(-48), at(-24)}, {at(-30), at(-20)}, {at(-2), at(5)}}, 30, 2},
		{[]Span{{at(-1000), at(-700)}}, 20, 30},
		{[]Span{{at(-1000), at(-800)}, {at(1), at(2)}, {at(-5), at(-5)}, {at(-3), at(-9)}}, 0, 0},
	} {
		if h, d := HoursOn(c.spans, noon); h != c.hours || d != c.days {
			t.Errorf("%v: %g h, %g days", c.spans, h, d)
		}
	}
}

func TestEndOf(t *testing.T) {
	for h, want := range map[int]string{80: "", 73: "", 72: "move.package.ends", 1: "move.package.ends", 0: "move.package.over", -5: "move.package.over"} {
		e := EndOf(noon.Add(time.Duration(h)*time.Hour), noon)
		if e.Says().Key != want || e.Due != (want == "move.package.ends") {
			t.Errorf("%d h: %+v", h, e)
		}
	}
}
