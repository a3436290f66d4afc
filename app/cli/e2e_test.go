package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestProbeDemo(t *testing.T) {
	home := t.TempDir()
	r := run(t, home, nil, "probe", "demo", "--for", "2s", "--json", "--lang", "en")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	all := checkLines(t, r.out)
	if all[0]["type"] != "inventory" || all[0]["demo"] != true || all[0]["host"] != "demo" || all[1]["type"] != "tick" {
		t.Errorf("begins with %v, %v", all[0], all[1]["type"])
	}
	if end := all[len(all)-1]; end["reason"] != "for" || end["ticks"].(float64) < 2 {
		t.Errorf("ends with %v", end)
	}
	if n := len(all[0]["gpus"].([]any)); n != 2 {
		t.Errorf("%d cards", n)
	}
	if r := runLine(t, home, "history", "list", "--json"); r.out != "[]\n" {
		t.Errorf("the demo was recorded without being asked: %s", r.out)
	}
}

func TestProbeRates(t *testing.T) {
	r := run(t, t.TempDir(), nil, "probe", "--rate", "10", "--for=1s", "demo", "--json")
	all := checkLines(t, r.out)
	if end := all[len(all)-1]; r.code != 0 || end["ticks"].(float64) < 5 {
		t.Errorf("10 a second for a second: code %d, %v", r.code, end)
	}
}

func TestProbeTable(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := run(t, t.TempDir(), nil, "probe", "demo", "--for", "1s", "--lang", lang)
		if r.code != 0 || !strings.Contains(r.out, "RTX 4090") || !strings.Contains(r.out, catalogue(lang).T("cli.col.mem")) {
			t.Errorf("%s: %+v", lang, r)
		}
		if strings.Contains(r.out+r.stderr, "cli.") || strings.Contains(r.out+r.stderr, "stream.") {
			t.Errorf("%s: keys are shown: %+v", lang, r)
		}
	}
}

func TestInterruptEndsInOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: a console interrupt can't be sent to one process here")
	}
	p := start(t, t.TempDir(), nil, "probe", "demo", "--json")
	p.stdout.until(t, `"tick"`, 1)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r := p.wait()
	all := checkLines(t, r.out)
	if end := all[len(all)-1]; r.code != 130 || end["reason"] != "interrupted" {
		t.Errorf("code %d, %v", r.code, end)
	}
}

func TestRecordListExport(t *testing.T) {
	home := t.TempDir()
	r := run(t, home, nil, "probe", "demo", "--for", "2s", "--record", "--json")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	list := logs(t, home)
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	l := list[0]
	need(t, "log", l, strings.Fields("id host from to gpus gaps bytes"))
	if l["host"] != "demo" || l["demo"] != true || l["open"] != false || len(l["gpus"].([]any)) != 2 {
		t.Errorf("log %v", l)
	}
	csv := run(t, home, nil, "history", "export", "1")
	rows := strings.Count(csv.out, "\n")
	if csv.code != 0 || !strings.HasPrefix(csv.out, "\ufeff") || !strings.Contains(csv.out, "mem_used_mib") || rows < 5 {
		t.Errorf("export: code %d, %d rows: %s", csv.code, rows, csv.stderr)
	}
	read := map[string]int{}
	for line := range strings.Lines(run(t, home, nil, "history", "export", "1", "--json").out) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		read[o["type"].(string)]++
	}
	if read["inventory"] == 0 || read["tick"] < 2 || 2*read["tick"] != rows-1-read["event"]-read["gap"] {
		t.Errorf("as lines %v, as CSV %d rows", read, rows)
	}
	later := run(t, home, nil, "history", "export", "1", "--from", "2999-01-01")
	if n := strings.Count(later.out, "\n"); later.code != 0 || n >= rows {
		t.Errorf("--from leaves %d rows of %d: %+v", n, rows, later.stderr)
	}
	for _, id := range []string{"99", "x", "-1"} {
		if r := run(t, home, nil, "history", "export", "--", id); r.code != 64 || !strings.Contains(r.stderr, id) {
			t.Errorf("export %s: %+v", id, r)
		}
	}
	table := run(t, home, nil, "history", "list", "--lang", "en")
	if !strings.Contains(table.out, "demo (demo)") || !strings.Contains(table.out, "RTX 4090") {
		t.Errorf("list: %s", table.out)
	}
}

func logs(t *testing.T, home string) []object {
	t.Helper()
	r := run(t, home, nil, "history", "list", "--json")
	var list []object
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || r.code != 0 {
		t.Fatalf("history list: %v: %+v", err, r)
	}
	return list
}

// TestKillLosesAtMostTwoSeconds kills the program without warning while it
// records.
func TestKillLosesAtMostTwoSeconds(t *testing.T) {
	home := t.TempDir()
	p := start(t, home, nil, "probe", "demo", "--record", "--json")
	const n = 5
	p.stdout.until(t, `"type":"tick"`, n)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	list := logs(t, home)
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	from, err1 := time.Parse(stamp, list[0]["from"].(string))
	to, err2 := time.Parse(stamp, list[0]["to"].(string))
	if err1 != nil || err2 != nil || to.Sub(from) < (n-1-2)*time.Second {
		t.Errorf("%d seconds were read, the log holds %v to %v", n-1, list[0]["from"], list[0]["to"])
	}
	if csv := run(t, home, nil, "history", "export", "1"); csv.code != 0 || strings.Count(csv.out, "\n") < 2*(n-2) {
		t.Errorf("export after a kill: %+v", csv)
	}
	// The folder can be written again.
	if r := run(t, home, nil, "host", "add", "a", "root@192.0.2.7"); r.code != 0 {
		t.Errorf("host add after a kill: %+v", r)
	}
}

// TestTwoWriters adds a host while another process holds the history.
func TestTwoWriters(t *testing.T) {
	home := t.TempDir()
	p := start(t, home, nil, "probe", "demo", "--record", "--json")
	p.stdout.until(t, `"tick"`, 1)
	if r := run(t, home, nil, "host", "add", "a", "root@192.0.2.7"); r.code != 0 {
		t.Errorf("host add: %+v", r)
	}
	if r := run(t, home, nil, "probe", "demo", "--record", "--for", "1s", "--json"); r.code != 0 {
		t.Errorf("a second log: %+v", r)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if r := p.wait(); r.code != 130 {
		t.Errorf("%+v", r)
	}
	if list := logs(t, home); len(list) != 2 || list[0]["open"] != false || list[1]["open"] != false {
		t.Errorf("%v", list)
	}
}

func TestHostCommands(t *testing.T) {
	home := t.TempDir()
	if r := runLine(t, home, "host", "list", "--json"); r.code != 0 || r.out != "[]\n" {
		t.Errorf("an empty list: %+v", r)
	}
	r := runLine(t, home, "host", "add", "my card", "ssh -p 38076 root@region-1.example.com", "--json")
	var h object
	if err := json.Unmarshal([]byte(r.out), &h); err != nil || r.code != 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	need(t, "host", h, strings.Fields("id name line created"))
	if r := runLine(t, home, "host", "add", "My Card", "root@b"); r.code != 64 {
		t.Errorf("a name twice: %+v", r)
	}
	if r := runLine(t, home, "host", "add", "here", "local"); r.code != 0 {
		t.Errorf("this computer: %+v", r)
	}
	for _, bad := range [][]string{
		{"demo", "root@b"}, {"local", "root@b"}, {"", "root@b"}, {"x", "ssh -p 99999 root@b"}, {"x", "ssh"}, {"x\ny", "root@b"},
	} {
		if r := runLine(t, home, "host", "add", bad[0], bad[1], "--lang", "en"); r.code != 64 || r.stderr == "" || strings.Contains(r.stderr, "remote.") {
			t.Errorf("host add %q: %+v", bad, r)
		}
	}
	if r := runLine(t, home, "host", "list"); !strings.Contains(r.out, "my card") || !strings.Contains(r.out, "38076") {
		t.Errorf("%+v", r)
	}
	if r := runLine(t, home, "__complete", "--", "probe", "my"); !strings.HasPrefix(r.out, "my card\t") {
		t.Errorf("completion of a saved host: %+v", r)
	}
	if r := runLine(t, home, "host", "forget", "my card"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := runLine(t, home, "host", "forget", "my card"); r.code != 64 {
		t.Errorf("forgotten twice: %+v", r)
	}
	if r := runLine(t, t.TempDir(), "host", "forget", "x"); r.code != 64 {
		t.Errorf("nothing was ever saved: %+v", r)
	}
}

// TestPasswordInAnArgument keeps it out of the history, the log and the output.
func TestPasswordInAnArgument(t *testing.T) {
	home := t.TempDir()
	r := runLine(t, home, "host", "add", "a", "ssh root@b.example\npassword: hunter2hunter2", "--lang", "en")
	if r.code != 0 || !strings.Contains(r.stderr, "--password-stdin") {
		t.Errorf("%+v", r)
	}
	if strings.Contains(r.out+r.stderr, "hunter2") {
		t.Errorf("shown: %+v", r)
	}
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "hunter2") {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnknownTarget(t *testing.T) {
	r := runLine(t, t.TempDir(), "probe", "nosuchthing", "--lang", "en")
	if r.code != 64 || !strings.Contains(r.stderr, "nosuchthing") {
		t.Errorf("%+v", r)
	}
}
