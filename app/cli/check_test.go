package cli

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/assets/texts"
	"rentgen/probe/remote/remotetest"
)

// checkKeys are the keys that the contract promises of a check, stepKeys and
// reportKeys those of the rest.
var (
	checkKeys  = strings.Fields("check verdict facts sentence remedy command exit stdout stderr edited pasted time")
	stepKeys   = strings.Fields("id verdict checks")
	reportKeys = strings.Fields("verdict sentence steps")
)

// wholeReport looks at a report's keys and returns its checks by name.
func wholeReport(t *testing.T, m map[string]any) map[string]map[string]any {
	t.Helper()
	fields(t, "report", m, reportKeys...)
	checks := map[string]map[string]any{}
	for _, s := range list(t, "steps", m["steps"]) {
		step := fields(t, "step", s, stepKeys...)
		for _, c := range list(t, "checks", step["checks"]) {
			one := fields(t, "check", c, checkKeys...)
			checks[one["check"].(string)] = one
		}
	}
	return checks
}

func TestCheckDemo(t *testing.T) {
	home := t.TempDir()
	r := run(t, home, nil, "check", "demo", "--json", "--lang", "en")
	if r.code != 2 || !strings.Contains(r.stderr, "11/11") {
		t.Fatalf("%+v", r)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(r.out), &m); err != nil {
		t.Fatal(err)
	}
	checks := wholeReport(t, m)
	if m["verdict"] != "fail" || m["host"].(map[string]any)["demo"] != true {
		t.Errorf("%v %v", m["verdict"], m["host"])
	}
	for id, want := range map[string]any{"gpu.smi": "pass", "torch.cuda": "pass", "cpu.cgroup": "warn", "cache.persist": "fail", "net.ping": "pass", "tunnel": "pass", "gpu.query": nil} {
		c := checks[id]
		if c["verdict"] != want {
			t.Errorf("%s is %v: %v", id, c["verdict"], c["sentence"])
		}
		if ran := c["exit"] != nil; ran != (want != nil) || ran && id != "tunnel" && !strings.Contains(c["stderr"].(string), "made up") {
			t.Errorf("%s: exit %v, stderr %q", id, c["exit"], c["stderr"])
		}
	}
	// Every key of the answer stands in the contract.
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	keysOf(m, keys)
	for _, c := range checks { // facts have a list of their own
		for k := range c["facts"].(map[string]any) {
			delete(keys, k)
		}
	}
	for _, s := range list(t, "steps", m["steps"]) { // so have fields of forms
		for _, i := range list(t, "items", s.(map[string]any)["items"]) {
			values, _ := i.(map[string]any)["values"].(map[string]any)
			for k := range values {
				delete(keys, k)
			}
		}
	}
	for k := range keys {
		if !strings.Contains(string(doc), k) {
			t.Errorf("%q isn't in docs/contracts.md", k)
		}
	}
	// The text says the same.
	for _, lang := range []string{"en", "zh"} {
		r := run(t, home, nil, "check", "demo", "--track", "shared", "--lang", lang)
		if r.code != 2 || !strings.Contains(r.out, catalogue(lang).T("report.demo")) || !strings.Contains(r.out, "HF_HOME") || strings.Contains(r.out+r.stderr, "report.") || strings.Contains(r.out+r.stderr, "track.") || strings.Contains(r.out+r.stderr, "cli.") {
			t.Errorf("%s: %+v", lang, r)
		}
	}
}

func TestCheckCodes(t *testing.T) {
	home := t.TempDir()
	for words, code := range map[string]int{
		"check demo --step net.ping":                  0,
		"check demo --step cpu.cgroup":                1,
		"check demo --step shared.4":                  2,
		"check demo --step net.iperf3":                4, // no peer is known
		"check demo --track network --level thorough": 0,
		"check demo --step nothing":                   64,
		"check demo --track network --step shared.4":  64,
		"check":                                            64,
		"check demo --exit 0":                              64,
		"check demo --set nothing=1":                       64,
		"check demo --set dir=../x":                        64,
		"check nowhere":                                    64,
		"check demo --plan nowhere.yaml":                   64,
		"report":                                           64,
		"report nowhere":                                   64,
		"report ssh://root@192.0.2.1":                      64,
		"check --paste gpu.smi --exit 0":                   64,
		"check --paste gpu.smi --track shared":             64,
		"check --paste gpu.none --track shared --exit 0":   64,
		"check --paste gpu.smi --track shared --exit zero": 64,
	} {
		r := run(t, home, nil, append(strings.Fields(words), "--lang", "en")...)
		if words == "report" {
			r = run(t, t.TempDir(), nil, "report", "--lang", "en")
		}
		if r.code != code || strings.Contains(r.stderr, "cli.") {
			t.Errorf("%s: %+v, want %d", words, r, code)
		}
	}
}

func TestCheckPaste(t *testing.T) {
	home := t.TempDir()
	table := "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
	paste := func(in string, more ...string) (result, map[string]any) {
		t.Helper()
		p := runStdin(t, in, append([]string{"check", "--paste", "gpu.smi", "--json", "--lang", "en"}, more...)...)
		var m map[string]any
		if err := json.Unmarshal([]byte(p.out), &m); err != nil {
			t.Fatalf("%v: %+v", err, p)
		}
		return p, fields(t, "check", m, checkKeys...)
	}
	p, m := paste(table, "--track", "dedicated", "--exit", "9", "--command", "nvidia-smi")
	if p.code != 2 || m["verdict"] != "fail" || m["exit"] != 9.0 || m["pasted"] != true || m["edited"] != false || m["stdout"] != table || m["facts"].(map[string]any)["error"] != "driver_not_loaded" {
		t.Errorf("%+v %v", p, m)
	}
	p, m = paste("what is this", "--track", "shared", "--exit", "0", "--command", "mine")
	if p.code != 1 || m["verdict"] != "warn" || m["edited"] != true {
		t.Errorf("%+v %v", p, m)
	}
	ctx := runStdin(t, "x", "check", "--paste", "gpu.query", "--track", "shared", "--exit", "0", "--context", `{"own_processes":"many"}`, "--lang", "en")
	if ctx.code != 64 || !strings.Contains(ctx.stderr, "--context") {
		t.Errorf("%+v", ctx)
	}
	for _, lang := range []string{"en", "zh"} {
		r := runStdin(t, table, "check", "--paste", "gpu.smi", "--track", "shared", "--exit", "9", "--lang", lang)
		if r.code != 2 || !strings.Contains(r.out, catalogue(lang).T("report.mark.pasted")) || strings.Contains(r.out, "{") {
			t.Errorf("%+v", r)
		}
	}
	// What was cut may have said otherwise: it is no pass.
	pair, err := os.ReadFile(filepath.Join("..", "guide", "testdata", "cases", "checks", "003-smi-525-a40-pair.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for tail, code := range map[string]int{"": 0, strings.Repeat("\n", guide.MaxOutput): 1} {
		if p, m := paste(string(pair)+tail, "--track", "dedicated", "--exit", "0", "--command", "nvidia-smi"); p.code != code {
			t.Errorf("%d bytes more: code %d, %v", len(tail), p.code, m["sentence"])
		}
	}
	// That of a saved host is kept.
	if r := run(t, home, nil, "host", "add", "box", "ssh root@192.0.2.7"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := runWith(t.Context(), home, table, "check", "box", "--paste", "gpu.smi", "--track", "shared", "--exit", "9"); r.code != 2 {
		t.Errorf("%+v", r)
	}
	r := run(t, home, nil, "report", "--format", "json")
	checks := wholeReport(t, asJSON(t, r))
	if c := checks["gpu.smi"]; c["pasted"] != true || c["verdict"] != "fail" {
		t.Errorf("%v", c)
	}
}

// TestCheckCases reads every built-in case through the command line's own entry.
func TestCheckCases(t *testing.T) {
	codes := map[guide.Verdict]int{guide.Pass: 0, guide.Warn: 1, guide.Fail: 2, guide.Skip: 4}
	for _, c := range guidetest.Cases(t, filepath.Join("..", "guide", "testdata", "cases", "checks")) {
		r := runStdin(t, string(c.In.Stdout), "check", "--paste", string(c.In.Check), "--track", string(c.In.Track), "--exit", strconv.Itoa(c.In.Exit),
			"--command", c.In.Command, "--context", c.Context, "--json")
		if r.code != codes[c.Want] {
			t.Errorf("case %s: code %d, want %s: %s", c.ID, r.code, c.Want, r.stderr)
		}
	}
}

func TestReportForms(t *testing.T) {
	home := t.TempDir()
	if r := run(t, home, nil, "check", "demo", "--track", "shared"); r.code != 2 {
		t.Fatalf("%+v", r)
	}
	for _, lang := range []string{"en", "zh"} {
		for format, want := range map[string]string{"md": "# ", "html": "<!DOCTYPE html>", "json": `"redacted":true`} {
			r := run(t, home, nil, "report", "--format", format, "--lang", lang)
			if r.code != 0 || !strings.Contains(r.out, want) || !strings.Contains(r.out, "HF") || strings.Contains(r.out, "de30de30-0000") {
				t.Errorf("%s %s: code %d, %s\n%.300s", lang, format, r.code, r.stderr, r.out)
			}
		}
		for _, more := range [][]string{nil, {"--card"}} {
			r := run(t, home, nil, append([]string{"report", "demo", "--format", "png", "--lang", lang}, more...)...)
			if img, err := png.Decode(bytes.NewReader([]byte(r.out))); err != nil || img.Bounds().Dx() != 1080 {
				t.Errorf("%v: %v, %s", more, err, r.stderr)
			}
		}
		r := run(t, home, nil, "report", "demo", "--card", "--lang", lang)
		if r.code != 0 || !strings.Contains(r.out, "RTX 4090") || !strings.Contains(r.out, texts.Dash) || !strings.Contains(r.out, catalogue(lang).T("report.card.why.price")) {
			t.Errorf("%+v", r)
		}
		if r := run(t, home, nil, "report", "demo", "--message", "--lang", lang); r.code != 0 || !strings.Contains(r.stderr, catalogue(lang).T("cli.report.nomessage")) {
			t.Errorf("%+v", r)
		}
	}
	if r := run(t, home, nil, "report", "--json", "--no-redact"); !strings.Contains(r.out, "de30de30-0000") {
		t.Errorf("%.300s", r.out)
	}
	c := asJSON(t, run(t, home, nil, "report", "demo", "--case", "cache.persist", "--right", "warn", "--json"))
	if c["got"] != "fail" || c["kept"] != true || !strings.Contains(c["raw"].(string), "HF_HOME=") || c["row"].(map[string]any)["verdict"] != "warn" {
		t.Errorf("%v", c)
	}
	for _, words := range []string{"report demo --case cache.persist", "report demo --case net.iperf3 --right pass", "report demo --format csv", "report demo demo"} {
		if r := run(t, home, nil, strings.Fields(words)...); r.code != 64 || r.out != "" {
			t.Errorf("%s: %+v", words, r)
		}
	}
}

func TestCheckMany(t *testing.T) {
	home := t.TempDir()
	for i, name := range []string{"one", "two"} {
		if r := run(t, home, nil, "host", "add", name, "demo"); r.code != 0 {
			t.Fatalf("%d: %+v", i, r)
		}
	}
	closed := "ssh -p 1 root@127.0.0.1" // nothing listens there
	p := runWith(t.Context(), home, "name,login\nseat 1,one\nseat 2,two\nseat 3,"+closed+"\n", "check", "--hosts", "-", "--track", "shared", "--json", "--lang", "en")
	var m map[string]any
	if err := json.Unmarshal([]byte(p.out), &m); err != nil || p.code != 2 {
		t.Fatalf("%v %+v", err, p)
	}
	machines := list(t, "machines", m["machines"])
	if len(machines) != 3 || !strings.Contains(m["sentence"].(string), "3") {
		t.Fatalf("%v", m)
	}
	for i, want := range []float64{2, 2, 65} {
		one := fields(t, "machine", machines[i], "name", "state", "verdict", "sentence", "first", "remedy", "check", "fault", "code", "report")
		if one["code"] != want || (want == 65) != (one["report"] == nil) {
			t.Errorf("%v", one)
		}
	}
	// Saved, it opens as the same table; so do single reports.
	file := filepath.Join(home, "class.json")
	if err := os.WriteFile(file, []byte(p.out), 0o600); err != nil {
		t.Fatal(err)
	}
	single := filepath.Join(home, "seat.json")
	if r := run(t, home, nil, "report", "one", "--format", "json"); r.code != 0 || os.WriteFile(single, []byte(r.out), 0o600) != nil {
		t.Fatalf("%+v", r)
	}
	for format, want := range map[string]string{"md": "| seat 3 |", "csv": "seat 1,", "json": `"machines"`} {
		r := run(t, home, nil, "report", file, single, "--format", format, "--lang", "en")
		if r.code != 0 || !strings.Contains(r.out, want) || strings.Count(r.out, "RTX 4090") < 3 {
			t.Errorf("%s: %+v", format, r)
		}
	}
	if r := run(t, home, nil, "report", file, "one"); r.code != 64 {
		t.Errorf("%+v", r)
	}
	for words, want := range map[string]string{
		file + " one":                               "rentgen report one",
		filepath.Join(home, "gone.json"):            "gone.json can't be read",
		file + " " + filepath.Join(home, "no.json"): "no.json can't be read",
		file + " --card":                            "--card has no meaning beside FILE.json",
	} {
		if r := run(t, home, nil, append(strings.Fields("report "+words), "--lang", "en")...); r.code != 64 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", words, r)
		}
	}
	broken := filepath.Join(home, "broken.json")
	if err := os.WriteFile(broken, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, home, nil, "report", broken, "--lang", "en"); r.code != 64 || !strings.Contains(r.stderr, "broken.json") {
		t.Errorf("%+v", r)
	}
	bad := runWith(t.Context(), home, "a,nothing-here\nb,ssh -p 99999 root@192.0.2.7\n\nc,\n", "check", "--hosts", "-", "--lang", "en")
	if bad.code != 64 || !strings.Contains(bad.stderr, "Line 1") || !strings.Contains(bad.stderr, "Line 4") || bad.out != "" {
		t.Errorf("%+v", bad)
	}
	table := run(t, home, nil, "check", "one", "two", "--track", "shared", "--lang", "en")
	if table.code != 2 || !strings.Contains(table.out, "HF_HOME") || !strings.Contains(table.stderr, "one: ") {
		t.Errorf("%+v", table)
	}
}

// TestCheckOverSSH: a machine whose driver is gone is checked all the same, what
// was found is kept under the saved host, and nothing is put on it.
func TestCheckOverSSH(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte("#!/bin/sh\necho 'No devices were found'\nexit 6\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	_, line, env := sshHost(t, remotetest.SSHDOptions{
		Config: []string{"SetEnv PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin XDG_CACHE_HOME=" + cache},
	})
	home := t.TempDir()
	if r := run(t, home, env, "check", line, "--track", "shared", "--step", "gpu.smi", "--lang", "en"); r.code != 67 {
		t.Errorf("an unknown machine: %+v", r)
	}
	if r := run(t, home, env, "host", "add", "box", line); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	r := run(t, home, env, "check", "box", "--track", "shared", "--step", "gpu.smi", "--json", "--trust-new")
	checks := wholeReport(t, asJSON(t, result{0, r.out, ""}))
	if c := checks["gpu.smi"]; r.code != 2 || c["verdict"] != "fail" || c["exit"] != 6.0 || c["pasted"] != false || !strings.Contains(c["stdout"].(string), "No devices") {
		t.Errorf("code %d, %v", r.code, c)
	}
	if left, _ := os.ReadDir(cache); len(left) != 0 {
		t.Errorf("put on the host: %v", left)
	}
	kept := run(t, home, env, "report", "--format", "json")
	if c := wholeReport(t, asJSON(t, kept))["gpu.smi"]; c["verdict"] != string(guide.Fail) || strings.Contains(kept.out, "127.0.0.1:") && strings.Contains(kept.out, "ssh -") {
		t.Errorf("%v", c)
	}
	if r := run(t, home, env, "report", "box", "--message", "--lang", "en"); r.code != 0 || !strings.Contains(r.out, "nvidia-smi") {
		t.Errorf("%+v", r)
	}
	if r := run(t, home, env, "host", "forget", "box"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := run(t, home, env, "report"); r.code != 64 {
		t.Errorf("a report of a forgotten host: %+v", r)
	}
	if r := run(t, home, env, "check", "ssh -p 1 root@127.0.0.1", "--track", "shared"); r.code != 65 {
		t.Errorf("nothing listens: %+v", r)
	}
}

// TestSudoIsAllowedOnce: what --set allows for a run does not hold for the next.
func TestSudoIsAllowedOnce(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct{ words, want string }{
		{"check demo --track dedicated --step sec.sshd --set sudo=yes --set dir=/data --json", "sudo -n"},
		{"check demo --track dedicated --step sec.sshd --json", ""},
	} {
		r := run(t, home, nil, strings.Fields(c.words)...)
		command := wholeReport(t, asJSON(t, result{0, r.out, ""}))["sec.sshd"]["command"].(string)
		if c.want == "" && strings.Contains(command, "sudo") || !strings.Contains(command, c.want) {
			t.Errorf("%s: %q", c.words, command)
		}
	}
}

// TestCheckGoesOnAfterACut: the link breaks in the middle of a check; what was
// found stays, and the rest is run once the link stands again.
func TestCheckGoesOnAfterACut(t *testing.T) {
	bin := t.TempDir()
	for name, text := range map[string]string{
		"nvidia-smi": "echo ran >> " + bin + "/smi; echo 'No devices were found'; exit 6",
		"nproc":      "[ -e " + bin + "/once ] || { : > " + bin + "/once; sleep 9; }; echo 4",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	srv, line, env := sshHost(t, remotetest.SSHDOptions{Config: []string{"SetEnv PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin"}})
	p := start(t, t.TempDir(), env, "check", line, "--track", "shared", "--json", "--trust-new", "--lang", "en")
	p.stderr.until(t, "Directory that stays", 1) // the check before the one that hangs
	srv.KillConnections()
	r := p.wait()
	if r.code != 2 || !strings.Contains(r.stderr, catalogue("en").T("cli.check.link")) {
		t.Fatalf("%+v", r)
	}
	checks := wholeReport(t, asJSON(t, result{0, r.out, ""}))
	for _, id := range []string{"gpu.smi", "disk.df", "disk.mount", "cpu.cgroup", "mem.cgroup", "cache.persist", "first.image"} {
		if c := checks[id]; c["exit"] == nil {
			t.Errorf("%s was not run: %v", id, c)
		}
	}
	if ran, err := os.ReadFile(filepath.Join(bin, "smi")); err != nil || strings.Count(string(ran), "ran") > 2 { // the second is the login shell's
		t.Errorf("what had been found was run again: %q, %v", ran, err)
	}
}

// TestCheckInterrupted: what was found until then is printed and kept.
func TestCheckInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: a console interrupt can't be sent to one process here")
	}
	bin := t.TempDir()
	for name, text := range map[string]string{"nvidia-smi": "echo 'No devices were found'; exit 6", "nproc": "sleep 9"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	_, line, env := sshHost(t, remotetest.SSHDOptions{Config: []string{"SetEnv PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin"}})
	home := t.TempDir()
	if r := run(t, home, env, "host", "add", "box", line); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	p := start(t, home, env, "check", "box", "--track", "shared", "--json", "--trust-new", "--lang", "en")
	p.stderr.until(t, "Directory that stays", 1)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r := p.wait()
	if r.code != 130 {
		t.Fatalf("%+v", r)
	}
	kept := run(t, home, env, "report", "--format", "json")
	for _, out := range []string{r.out, kept.out} {
		checks := wholeReport(t, asJSON(t, result{0, out, ""}))
		if checks["gpu.smi"]["verdict"] != "fail" || checks["disk.df"]["exit"] == nil || checks["mem.cgroup"]["exit"] != nil {
			t.Errorf("%.500s", out)
		}
	}
}

// TestCheckSaysWhatIsAllowed: a value, a check, a context or a flag that can't be
// used is named with what could be, before anything is connected to.
func TestCheckSaysWhatIsAllowed(t *testing.T) {
	home := t.TempDir()
	for words, want := range map[string]string{
		"check demo --set nothing=1":                                                   "--set can't be nothing. Allowed: dir, url",
		"check demo demo2 --set ui_port=70000":                                         "--set ui_port can't be 70000. Allowed: 1-65535.",
		"check demo --set dir=models":                                                  "Allowed: /DIR.",
		"check demo --track shared --step sec.sshd":                                    "--step can't be sec.sshd. Allowed: shared.1",
		"check demo --exit 0":                                                          "--exit is for --paste CHECK only.",
		"check --paste gpu.smi --exit 0 --step gpu.smi":                                "--step has no meaning beside --paste.",
		"check --paste gpu.smi --track shared --exit 0 --context {\"vram_gib\":\"x\"}": `Allowed: {"vram_gib": 1}.`,
		"check --paste gpu.smi --track shared --exit 0 --context {\"other\":1}":        `"own_processes": 1,"retries_done": true`,
		"report demo --right pass":                                                     "--right is for --case CHECK only.",
		"report demo --card --message":                                                 "--card has no meaning beside --message.",
		"report demo --case gpu.smi --no-redact":                                       "--no-redact has no meaning beside --case.",
	} {
		if r := run(t, home, nil, append(strings.Fields(words), "--lang", "en")...); r.code != 64 || r.out != "" || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v, want %s", words, r, want)
		}
	}
	for _, o := range valueNames {
		if valueForms[o] == "" {
			t.Errorf("nothing says what %s looks like", o)
		}
	}
}

// TestCheckAlone: an entry asked for alone shows its questions, a check that lacks a
// value the flag for it.
func TestCheckAlone(t *testing.T) {
	for words, want := range map[string]string{
		"check demo --step shared.1":                       catalogue("en").T("track.item.verified"),
		"check demo --step net.iperf3":                     "--set peer=ADDRESS",
		"check demo --step disk.speed":                     "--set dir=/DIR",
		"check demo --step disk.speed --set dir=/data":     "GB/s",
		"check demo --step network.2 --set peer=192.0.2.9": "--level standard",
	} {
		r := run(t, t.TempDir(), nil, append(strings.Fields(words), "--lang", "en")...)
		if !strings.Contains(r.out, want) || strings.Contains(r.out, " 0 of 0 ") {
			t.Errorf("%s: %+v, want %s", words, r, want)
		}
	}
}

// TestCheckList hides a password of a list, checks the same host once and says what
// to do about each.
func TestCheckList(t *testing.T) {
	home := t.TempDir()
	for _, lang := range []string{"en", "zh"} {
		bad := runWith(t.Context(), home, "a,sshpass -p canary123 ssh root@192.0.2.7\nb,ssh -p 22\n", "check", "--hosts", "-", "--lang", lang)
		if bad.code != 64 || strings.Contains(bad.stderr, "canary123") || !strings.Contains(bad.stderr, "ssh -p PORT USER@HOST") {
			t.Errorf("%+v", bad)
		}
		r := runWith(t.Context(), home, "demo\ngone,ssh -p 1 root@127.0.0.1\n", "check", "demo", "demo", "--hosts", "-", "--track", "shared", "--lang", lang)
		do := catalogue(lang).T("report.do")
		if r.code != 2 || strings.Count(r.out, "demo") != 1 || strings.Count(r.out, do) != 2 || strings.Contains(r.stderr, "  \n") {
			t.Errorf("%+v", r)
		}
	}
}

// TestCheckInChinese: no half-width brackets or lists, no text stuck to a path.
func TestCheckInChinese(t *testing.T) {
	r := run(t, t.TempDir(), nil, "check", "demo", "--track", "shared", "--lang", "zh")
	for _, bad := range []string{"了/", "。 ", "(退出码", ", 退"} {
		if strings.Contains(r.out, bad) {
			t.Errorf("%q in %s", bad, r.out)
		}
	}
	if strings.Contains(r.out, catalogue("zh").T("report.also")) {
		t.Errorf("the demo's output is not whole: %s", r.out)
	}
	if !strings.Contains(r.out, "（还有") || !strings.Contains(r.out, "（退出码") {
		t.Errorf("%s", r.out)
	}
}
