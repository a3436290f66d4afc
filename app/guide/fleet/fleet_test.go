package fleet

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
)

// usable takes what begins with ssh or is a word, but no port 0.
func usable(line string) texts.Phrase {
	if strings.Contains(line, "-p 0") || strings.Contains(line, "??") {
		return texts.P("fleet.none")
	}
	return texts.Phrase{}
}

func TestParse(t *testing.T) {
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("名称\t登录指令\n张三\tssh -p 1 root@a.example\n")) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for in, want := range map[string]string{
		"ssh -p 38076 root@region-1.example.com\n":             "root@region-1.example.com:38076=ssh -p 38076 root@region-1.example.com",
		"# mine\n\n a1 ssh -p 1 root@x\r\na2: ssh -p 2 root@x": "a1=ssh -p 1 root@x;a2=ssh -p 2 root@x",
		"张三 root@x.example\n李四：ssh root@y":                     "张三=root@x.example;李四=ssh root@y",
		"mycard\ndemo": "mycard=mycard;demo=demo",
		"name,login\n\"a, b\",ssh root@x\nc,ssh root@y":     "a, b=ssh root@x;c=ssh root@y",
		"a;ssh root@x\nb;ssh root@y":                        "a=ssh root@x;b=ssh root@y",
		"ssh root@x,a\nssh root@y,b":                        "a=ssh root@x;b=ssh root@y",
		"a\tssh root@x\tsecret\nb\tssh root@y\tother":       "a=ssh root@x;b=ssh root@y",
		"学号\t名称\tSSH\n1\t张三\tssh root@x\n2\t李四\tssh root@y": "张三=ssh root@x;李四=ssh root@y",
		"a,mycard\nb,demo":                                  "a=mycard;b=demo",
		"\xef\xbb\xbfname,ssh\na,ssh root@x":                "a=ssh root@x",
		string(wide):                                        "张三=ssh -p 1 root@a.example",
		"ssh -i key -p 2 root@x":                            "root@x:2=ssh -i key -p 2 root@x",
	} {
		list, err := Parse([]byte(in), usable)
		var got []string
		for _, m := range list {
			got = append(got, m.Name+"="+m.Line)
		}
		if err != nil || strings.Join(got, ";") != want {
			t.Errorf("%q: %q, want %q, %v", in, got, want, err)
		}
	}
}

func TestParseNamesEveryBadLine(t *testing.T) {
	in := "a,ssh root@x\n\nb,ssh -p 0 root@y\nc,\na,ssh root@z\nd,ssh root@x\n" + strings.Repeat("n", 90) + ",ssh root@w\n" + "e,ssh root@" + strings.Repeat("x", 3000) + "\nok,ssh root@v"
	list, err := Parse([]byte(in), usable)
	var wrong Errors
	if !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	var at []int
	for _, w := range wrong {
		at = append(at, w.Line)
	}
	if !slices.Equal(at, []int{3, 4, 5, 6, 7, 8}) || len(list) != 2 || list[1].Name != "ok" || list[1].At != 9 {
		t.Errorf("%v, %+v", at, list)
	}
	for _, l := range texts.Langs() {
		for _, p := range wrong.Phrases() {
			if s := texts.For(l).Say(p); strings.Contains(s, "{") || len(s) > 400 {
				t.Errorf("%s", s)
			}
		}
	}
	for _, bad := range []string{"", "\n# x\n", strings.Repeat("x", MaxList+1)} {
		if _, err := Parse([]byte(bad), usable); !errors.As(err, &wrong) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	var many strings.Builder
	for i := range MaxMachines + 3 {
		fmt.Fprintf(&many, "m%d ssh -p %d root@x\n", i, i+1)
	}
	if list, err := Parse([]byte(many.String()), usable); len(list) != MaxMachines || err == nil {
		t.Errorf("%d machines, %v", len(list), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a,ssh root@x\nb;c\t\"d\n"))
	f.Add([]byte("\xff\xfea\x00,\x00b\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Parse(b, usable)
		if len(list) == 0 && err == nil {
			t.Error("neither machines nor an error")
		}
		for _, m := range list {
			if m.Name == "" || m.Line == "" || m.At < 1 || strings.ContainsAny(m.Name+m.Line, "\n\x1b") {
				t.Errorf("%+v", m)
			}
		}
	})
}

func rep(name string, v guide.Verdict, checks ...report.Check) *report.Report {
	return &report.Report{
		Verdict: report.Verdict(v), Sentence: "sentence of " + name, Host: report.Host{Name: name, Cards: []string{"RTX 4090"}, Driver: "550"},
		Made: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), Steps: []report.Step{{ID: "shared.1", Verdict: report.Verdict(v), Checks: checks}},
	}
}

func TestCheck(t *testing.T) {
	var machines []Machine
	for i := range 9 {
		machines = append(machines, Machine{Name: fmt.Sprint("m", i), Line: "x"})
	}
	exit := 0
	gate := make(chan struct{})
	var mu sync.Mutex
	var three sync.Once
	at, most, changes := 0, 0, map[string][]State{}
	table := Check(t.Context(), Params{
		Machines: machines, AtOnce: 3,
		Check: func(_ context.Context, m Machine) (*report.Report, error) {
			mu.Lock()
			at++
			most = max(most, at)
			if at == 3 {
				three.Do(func() { close(gate) })
			}
			mu.Unlock()
			<-gate
			mu.Lock()
			defer mu.Unlock()
			at--
			switch m.Name {
			case "m1":
				return nil, errors.New("no way")
			case "m2":
				return rep("other", guide.Fail,
					report.Check{Check: guide.GPUSMI, Verdict: "warn", Sentence: "w"},
					report.Check{Check: guide.DiskDf, Verdict: "fail", Sentence: "left", Skipped: "x"},
					report.Check{Check: guide.TorchCUDA, Verdict: "fail", Sentence: "=1+1", Remedy: "do | it", Exit: &exit, Pasted: true, Stale: "old"}), nil
			case "m3":
				return rep("m3", guide.Warn), nil
			}
			return rep(m.Name, guide.Pass), nil
		},
		Say:     func(err error) string { return "said: " + err.Error() },
		Changed: func(i int, r Row) { changes[r.Name] = append(changes[r.Name], r.State) },
	})
	if most > 3 {
		t.Errorf("%d at once", most)
	}
	if r := table[1]; r.State != Failed || r.Fault != "said: no way" {
		t.Errorf("%+v", r)
	}
	if r := table[2]; r.First != "=1+1" || r.Check != guide.TorchCUDA || r.Name != "m2" {
		t.Errorf("%+v", r)
	}
	if table.Verdict() != guide.Fail || !slices.Equal(changes["m1"], []State{Checking, Failed}) || !slices.Equal(changes["m8"], []State{Checking, Done}) {
		t.Errorf("%v %v", table.Verdict(), changes)
	}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		if s := c.Say(table.Sentence()); !strings.Contains(s, "6") || !strings.Contains(s, "9") || strings.Contains(s, "{") {
			t.Error(s)
		}
		md := table.Markdown(c)
		if !strings.Contains(md, `do \| it`) || !strings.Contains(md, "said: no way") || !strings.Contains(md, c.T("fleet.mark.pasted", "n", 1)) {
			t.Error(md)
		}
		b, err := table.CSV(c)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(b), "\ufeff"))).ReadAll()
		if err != nil || len(rows) != 10 || rows[3][2] != "'=1+1" {
			t.Errorf("%q, %v", rows, err)
		}
		for _, r := range table {
			if !c.Has("fleet.state." + state(r)) {
				t.Errorf("no word for %+v", r)
			}
		}
	}
}

func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	table := Check(ctx, Params{
		Machines: []Machine{{Name: "a"}, {Name: "b"}, {Name: "c"}}, AtOnce: 1,
		Check: func(ctx context.Context, m Machine) (*report.Report, error) {
			if m.Name == "b" {
				stop()
				return nil, ctx.Err()
			}
			return rep(m.Name, guide.Pass), nil
		},
		Say: func(err error) string { return err.Error() },
	})
	if table[0].State != Done || table[1].State != Stopped || table[2].State == Waiting || table[2].State == Checking {
		t.Errorf("%+v", table)
	}
}

func TestSentences(t *testing.T) {
	for want, table := range map[string]Table{
		"fleet.none":        nil,
		"fleet.all":         {Of(rep("a", guide.Pass))},
		"fleet.some":        {Of(rep("a", guide.Pass)), Of(rep("b", guide.Warn))},
		"fleet.some.faults": {Of(rep("a", guide.NotRun)), Of(rep("b", guide.Pass))},
	} {
		if p := table.Sentence(); p.Key != want {
			t.Errorf("%v, want %s", p, want)
		}
	}
	if v := (Table{{State: Failed}, Of(rep("a", guide.Skip))}).Verdict(); v != guide.NotRun {
		t.Errorf("%q", v)
	}
}

// TestFirstIsWhatOthersWaitFor: no use mending ports while the card doesn't answer.
func TestFirstIsWhatOthersWaitFor(t *testing.T) {
	fail := report.Verdict(guide.Fail)
	r := rep("a", guide.Fail,
		report.Check{Check: guide.SecPorts, Verdict: fail, Sentence: "ports"}, report.Check{Check: guide.GPUSMI, Verdict: fail, Sentence: "card"},
		report.Check{Check: guide.TorchCUDA, Verdict: report.Verdict(guide.Skip), BlockedBy: guide.GPUSMI})
	if row := Of(r); row.First != "card" || row.Check != guide.GPUSMI {
		t.Errorf("%+v", row)
	}
	r.Steps[0].Checks = r.Steps[0].Checks[:2]
	if row := Of(r); row.First != "ports" {
		t.Errorf("%+v", row)
	}
}
