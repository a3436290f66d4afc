package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const nightLog = "timestamp, index, name, utilization.gpu [%], power.draw [W]\n" +
	"2026/11/29 20:00:00.000, 0, NVIDIA GeForce RTX 4090, 97 %, 401.00 W\n" +
	"2026/11/29 20:00:01.000, 0, NVIDIA GeForce RTX 4090, 98 %, 402.00 W\n" +
	"2026/11/29 20:00:02.000, 0, NVIDIA GeForce RTX 4090, 98 %, 402.00 W\n" +
	"2026/11/29 20:09:00.000, 0, NVIDIA GeForce RTX 4090, 0 %, 20.00 W\n" +
	"some other line\n"

func TestHistoryImport(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "night.csv")
	if err := os.WriteFile(file, []byte(nightLog), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := runLine(t, home, "host", "add", "mycard", "ssh root@192.0.2.7"); r.code != 0 {
		t.Fatal(r)
	}
	r := runLine(t, home, "history", "import", file, "--name", "MyCard", "--tz", "+08:00", "--lang", "en")
	if r.code != 0 || !strings.Contains(r.out, "Log 1 holds 4 seconds of 1 GPU") || !strings.Contains(r.out, "Gaps where the log is silent: 1.") || !strings.Contains(r.out, "kept as events: 1.") {
		t.Fatal(r)
	}
	r = runLine(t, home, "history", "export", "1")
	if r.code != 0 || !strings.Contains(r.out, "2026-11-29T12:00:01Z,1,0,#0,NVIDIA GeForce RTX 4090,98,") {
		t.Error(r)
	}
	// The same again is told, whatever it is called.
	for _, c := range []struct {
		words []string
		stdin string
		code  int
		says  string
	}{
		{[]string{file, "--lang", "en"}, "", 64, "log 1, from night.csv"},
		{[]string{"-", "--lang", "zh"}, nightLog, 64, "第 1 号监测记录"},
		{[]string{"-", "--tz", "Mars/North"}, nightLog, 64, "Mars/North"},
		{[]string{"-", "--lang", "en"}, "timestamp, power.draw [W]\nyesterday at 10:00, 3\n", 64, "stdin, line 2, column 1"},
		{[]string{"-", "--columns", "index, power.draw"}, nightLog, 64, "index, power.draw"},
		{[]string{filepath.Join(home, "none.csv")}, "", 64, "none.csv"},
	} {
		r := runWith(t.Context(), home, c.stdin, append([]string{"history", "import"}, c.words...)...)
		if r.code != c.code || !strings.Contains(strings.ReplaceAll(r.stderr, "\u2009", " "), c.says) {
			t.Errorf("%q: %+v", c.words, r)
		}
	}
	r = runWith(t.Context(), home, "2026/11/29 20:00:00.000, 55\n", "history", "import", "-", "--columns", "timestamp, power.draw", "--tz", "Asia/Shanghai", "--json")
	var got importJSON
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.Samples != 1 || got.GPUs != 1 || got.File != "stdin" || got.From != "2026-11-29T12:00:00.000Z" {
		t.Error(r, err)
	}
	if r := runLine(t, home, "history", "import", file, "--again"); r.code != 0 {
		t.Error(r)
	}
	r = runLine(t, home, "history", "list", "--json")
	var logs []logJSON
	if err := json.Unmarshal([]byte(r.out), &logs); err != nil || len(logs) != 3 || logs[len(logs)-1].Host != "mycard" && logs[0].Host != "mycard" {
		t.Error(r, err)
	}
}
