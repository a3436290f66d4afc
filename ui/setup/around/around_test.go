package around

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/fleet"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/network"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/setup/setuptest"
	"rentgen/ui/uitest"
)

// file stands for the dialog: it gives a file at once.
func file(name, content string) func([]string, func(string, io.ReadCloser, error)) {
	return func(_ []string, open func(string, io.ReadCloser, error)) {
		open(name, io.NopCloser(strings.NewReader(content)), nil)
	}
}

func each(t *testing.T, f func(t *testing.T, l texts.Lang)) {
	t.Helper()
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) { f(t, l) })
	}
}

// usable is what a window says of a line.
func usable(line string) texts.Phrase {
	if !strings.HasPrefix(line, "ssh ") {
		return texts.P("around.machines.bad.unknown")
	}
	return texts.Phrase{}
}

func rep(name string, v guide.Verdict, first string) *report.Report {
	r := &report.Report{Verdict: report.Verdict(v), Sentence: "sentence of " + name, Host: report.Host{Name: name, Cards: []string{"RTX 4090"}}, Steps: []report.Step{{ID: "shared.1", Verdict: report.Verdict(v)}}}
	if first != "" {
		r.Steps[0].Checks = []report.Check{{Check: guide.DiskDf, Verdict: report.Verdict(v), Sentence: first, Remedy: "do " + first}}
	}
	return r
}

func params(chosen *[]fleet.Machine) Params {
	return Params{
		Pace: chart.Immediate, Usable: usable,
		Check: func(_ context.Context, m fleet.Machine, _ texts.Lang) (*report.Report, error) {
			switch m.Name {
			case "b":
				return rep("x", guide.Fail, "the disk is full"), nil
			case "c":
				return nil, errors.New("connection refused")
			}
			return rep("x", guide.Pass, ""), nil
		},
		Say:    func(_ *texts.Catalogue, err error) string { return "said: " + err.Error() },
		Choose: func(m fleet.Machine) error { *chosen = append(*chosen, m); return nil },
		Known:  func(name string) bool { return name == "saved" },
	}
}

func TestMachines(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		var chosen []fleet.Machine
		p := params(&chosen)
		pages := Pages(p)
		s.Open(pages, PageMachines)
		s.Sees(s.Says("around.machines.empty"))
		s.Body.(*machines).list.SetText("a,ssh -p 1 root@x\nb,ssh -p 2 root@x\nhello\nc,ssh -p 3 root@x")
		s.Sees(s.C.Say(fleet.Errors{{Field: "line", Line: 3, Value: "hello", Allowed: texts.P("fleet.bad.nologin")}}.Phrases()[0])[:6])
		s.Press("around.machines.check", "n", 3)
		s.Sees(s.C.Say(texts.P("fleet.some.faults", "good", 1, "warn", 0, "bad", 1, "faults", 1, "n", 3)))
		s.Sees("the disk is full")
		s.Sees("said: connection refused")
		s.Misses("do the disk is full")
		w := s.Body.(*machines)
		w.rows[1].tap.Tapped(nil)
		s.Sees("do the disk is full")
		s.Press("around.machines.choose")
		if len(chosen) != 1 || chosen[0].Line != "ssh -p 2 root@x" {
			t.Errorf("%+v", chosen)
		}
		s.Press("around.machines.copy")
		s.Press("around.machines.csv")
		if got := s.Saved[s.Says("around.machines.name")+".csv"]; !strings.Contains(got, "the disk is full") || !strings.Contains(s.Copied[0], "the disk is full") {
			t.Errorf("%q %q", got, s.Copied)
		}
		// The list and the table are there when another host shows the page.
		s.Open(pages, PageMachines)
		s.Sees("the disk is full")
	})
}

func TestReportsOpenAsTheSameTable(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		var chosen []fleet.Machine
		p := params(&chosen)
		files := []string{"not JSON"}
		for _, r := range []*report.Report{rep("one", guide.Warn, "low RAM"), rep("saved", guide.Pass, ""), rep("one", guide.Fail, "no RAM at all")} {
			var b bytes.Buffer
			if err := r.JSON(&b); err != nil {
				t.Fatal(err)
			}
			files = append(files, b.String())
		}
		n := 0
		p.Ask = func(e []string, open func(string, io.ReadCloser, error)) {
			n++
			file(fmt.Sprint("r", n, ".json"), files[n-1])(e, open)
		}
		s.Open(Pages(p), PageMachines)
		for range files {
			s.Press("around.machines.reports")
		}
		if len(s.Said) != 1 || s.Said[0] != s.Says("around.machines.noreport", "name", "r1.json") {
			t.Error(s.Said)
		}
		s.Sees("no RAM at all")
		s.Misses("low RAM")
		w := s.Body.(*machines)
		if len(w.rows) != 2 {
			t.Fatalf("%d rows", len(w.rows))
		}
		w.rows[0].tap.Tapped(nil)
		s.Sees(s.Says("around.machines.nologin"))
		if b := uitest.Button(t, s.Win.Canvas(), s.Says("around.machines.choose")); !b.Disabled() {
			t.Error("leads to a machine that nobody can reach")
		}
		w.rows[1].tap.Tapped(nil)
		s.Press("around.machines.choose")
		if len(chosen) != 1 || chosen[0].Line != "saved" {
			t.Errorf("%+v", chosen)
		}
	})
}

func TestListFromAFile(t *testing.T) {
	s := setuptest.New(t, texts.English)
	var chosen []fleet.Machine
	p := params(&chosen)
	p.Ask = file("list.csv", "\xff\xfen\x00a\x00m\x00e\x00,\x00s\x00s\x00h\x00\n\x00a\x00,\x00s\x00s\x00h\x00 \x00r\x00@\x00x\x00")
	s.Open(Pages(p), PageMachines)
	s.Press("around.machines.file")
	s.Press("around.machines.check", "n", 1)
	s.Sees(s.C.Say(texts.P("fleet.all", "n", 1)))
}

// TestManyRows keeps a table of the greatest length usable.
func TestManyRows(t *testing.T) {
	s := setuptest.New(t, texts.English)
	var chosen []fleet.Machine
	s.Open(Pages(params(&chosen)), PageMachines)
	var b strings.Builder
	for i := range fleet.MaxMachines {
		fmt.Fprintf(&b, "m%d,ssh -p %d root@x\n", i, i+1)
	}
	w := s.Body.(*machines)
	w.list.SetText(b.String())
	s.Press("around.machines.check", "n", fleet.MaxMachines)
	if len(w.rows) != fleet.MaxMachines || w.rows[499].word.Text != s.Says("fleet.state.pass") {
		t.Errorf("%d rows", len(w.rows))
	}
}

func TestNetwork(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		p := Params{
			Pace: chart.Immediate, Addr: func(string) string { return "region-1.example.com:38076" },
			Measure: func(_ context.Context, p network.LatencyParams) (network.Latency, error) {
				if p.Addr != "region-1.example.com:38076" {
					t.Errorf("measures %q", p.Addr)
				}
				return network.Latency{Times: []time.Duration{30 * time.Millisecond, 34 * time.Millisecond}}, nil
			},
		}
		pages := Pages(p)
		s.Open(pages, PageNetwork)
		s.Sees(s.Says("around.net.time.empty"))
		s.Sees(s.Says("setup.task.offline"))
		for i := range 4 {
			s.Time = s.Time.Add(time.Duration(i+1) * time.Hour)
			s.Press("around.net.measure")
		}
		if list := network.Points(s.Board.List, network.Login); len(list) != 4 || *list[0].Value != 32 {
			t.Fatalf("%+v", list)
		}
		s.Sees(s.C.Say(network.Login.Name()))
		s.Misses(s.Says("around.net.time.empty"))
		// A run of the network's checks adds points by itself.
		b := board.New(board.Params{Now: func() time.Time { return s.Time }})
		defer b.Close()
		for id, out := range map[guide.CheckID]string{
			guide.NetPing: "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\n",
			guide.NetCurl: "206 104857600 48902225 0.004112 0.011873 0.052114 2.144231\n",
		} {
			b.Take(guide.Record{Input: guide.Input{Check: id, Track: guide.Network, Stdout: []byte(out)}, Time: s.Time})
		}
		s.Board.List = append(s.Board.List, b.Entries(guide.KindNet)...)
		s.Board.Network = b.View(guide.Network)
		s.Body.Sync()
		s.Body.Sync()
		if list := network.Points(s.Board.List, network.Ping); len(list) != 1 || *list[0].Value != 12.4 {
			t.Errorf("%+v", list)
		}
		s.Sees(s.C.Say(texts.P("network.stage.wait")))
		// The answer is kept, addresses that can't be asked are refused.
		own := uitest.Field(t, s.Win.Canvas(), s.Says("around.net.own.form"))
		own.SetText("file:///etc/passwd")
		s.Runner = guidetest.Shell{Before: func(guide.Exec) error { return guide.ErrOffline }}
		s.Body.Sync()
		s.Press("around.net.ask")
		if len(s.Said) != 1 || s.Said[0] != s.Says("around.net.own.bad") {
			t.Error(s.Said)
		}
		own.SetText("https://bucket.example.com/x")
		s.Press("around.net.ask")
		s.Sees(s.Says("setup.task.failed", "err", "")[:4])
		s.Open(pages, PageNetwork)
		if got := s.Body.(*netPage).own.Text; got != "https://bucket.example.com/x" {
			t.Errorf("%q", got)
		}
	})
}

// TestReach asks a real server over the shell of this machine.
func TestReach(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close() // nobody listens there
	s := setuptest.New(t, texts.Chinese)
	s.Open(Pages(Params{Pace: chart.Immediate}), PageNetwork)
	uitest.Field(t, s.Win.Canvas(), s.Says("around.net.own.form")).SetText("http://" + addr + "/")
	s.Runner = guidetest.Shell{}
	s.Body.Sync()
	s.Press("around.net.ask")
	s.Sees(s.Says("around.net.own.one"))
	s.Sees("127.0.0.1")
}
