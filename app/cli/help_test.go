package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/assets/texts"
)

// result is what a command line gave.
type result struct {
	code        int
	out, stderr string
}

// runLine runs a command line in a home of its own.
func runLine(t *testing.T, home string, words ...string) result {
	t.Helper()
	return runWith(t.Context(), home, "", words...)
}

func runWith(ctx context.Context, home, stdin string, words ...string) result {
	var out, stderr bytes.Buffer
	code := Run(ctx, Params{
		Args: words, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &stderr, Version: "0.0.1-test",
		Getenv: func(k string) string {
			if k == "RENTGEN_HOME" {
				return home
			}
			return ""
		},
	})
	return result{code, out.String(), stderr.String()}
}

// TestEveryTextExists finds keys that the table makes up and no file holds.
func TestEveryTextExists(t *testing.T) {
	for _, l := range texts.Langs() {
		c := texts.For(l)
		need := func(key string) {
			if !c.Has(key) {
				t.Errorf("%s: %s is missing", l, key)
			}
		}
		for _, cmd := range commands() {
			if cmd.hidden {
				continue
			}
			need("cli.cmd." + cmd.key())
			if head, _, two := strings.Cut(cmd.name, " "); two {
				need("cli.group." + head)
			}
			for _, a := range cmd.args {
				need("cli.arg." + strings.ToLower(a.name))
			}
			for _, f := range cmd.allFlags() {
				need(f.key())
			}
		}
		for _, code := range []string{"command", "half", "flag", "needs", "value", "missing", "extra", "syntax", "empty", "login", "target", "reserved", "nohost", "nolog", "order", "host", "file", "notsaved", "nochecks", "noreport", "picture"} {
			need("cli.bad." + code)
		}
	}
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	home := t.TempDir()
	for _, cmd := range commands() {
		if cmd.hidden {
			continue
		}
		for _, lang := range []string{"en", "zh"} {
			words := append(strings.Fields(cmd.name), "--help", "--lang", lang)
			r := runLine(t, home, words...)
			if r.code != 0 || r.stderr != "" || len(cmd.examples) == 0 || !strings.Contains(r.out, cmd.examples[0]) {
				t.Errorf("%q: code %d, stderr %q:\n%s", words, r.code, r.stderr, r.out)
			}
			for _, f := range []string{"--json", "--lang LANG", "--help"} {
				if !strings.Contains(r.out, f) {
					t.Errorf("%q lacks %s", words, f)
				}
			}
			if strings.Contains(r.out, "cli.") {
				t.Errorf("%q shows a key:\n%s", words, r.out)
			}
		}
	}
	if entries, _ := os.ReadDir(home); len(entries) != 0 {
		t.Errorf("help wrote %v", entries)
	}
}

func TestHelpCommand(t *testing.T) {
	home := t.TempDir()
	for words, want := range map[string]string{
		"help":           "Exit codes",
		"help probe":     "rentgen probe TARGET",
		"help host":      "rentgen host forget NAME",
		"host --help":    "rentgen host add NAME LOGINLINE",
		"help host list": "rentgen host list",
		"--version":      "0.0.1-test",
		"version":        "0.0.1-test",
	} {
		r := runLine(t, home, strings.Fields(words+" --lang en")...)
		if r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("%s: code %d, %q is missing:\n%s%s", words, r.code, want, r.out, r.stderr)
		}
	}
	if r := runLine(t, home, "help", "nothing", "--lang", "en"); r.code != 64 || !strings.Contains(r.stderr, "nothing") {
		t.Errorf("help nothing: %+v", r)
	}
}

func TestBadInputSaysFieldValueAndWhatIsAllowed(t *testing.T) {
	home := t.TempDir()
	for lang, allowed := range map[string]string{"en": "1, 2, 5, 10", "zh": "1、2、5、10"} {
		r := runLine(t, home, "probe", "demo", "--rate", "7", "--lang", lang)
		if r.code != 64 || r.out != "" {
			t.Errorf("%+v", r)
		}
		for _, want := range []string{"--rate", "7", allowed} {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%s: %q lacks %s", lang, r.stderr, want)
			}
		}
	}
	if r := runLine(t, home, "probe", "demo", "--lang", "fr"); r.code != 64 {
		t.Errorf("a language that does not exist: %+v", r)
	}
}

func TestJSONOfEveryPrinter(t *testing.T) {
	home := t.TempDir()
	for _, words := range []string{"version", "help", "help probe", "man", "completion zsh", "host list", "history list"} {
		r := runLine(t, home, strings.Fields(words+" --json")...)
		if r.code != 0 || !json.Valid([]byte(r.out)) || strings.Count(r.out, "\n") != 1 {
			t.Errorf("%s: %+v", words, r)
		}
	}
}

func TestManPage(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := runLine(t, t.TempDir(), "man", "--lang", lang)
		if r.code != 0 || !strings.HasPrefix(r.out, ".TH RENTGEN 1") {
			t.Fatalf("%+v", r)
		}
		for _, want := range []string{`rentgen probe TARGET`, `\-\-trust\-new`, "RENTGEN_HOME", ".B 68"} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%s: %q is missing", lang, want)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	home := t.TempDir()
	for words, want := range map[string]string{
		"":                               "probe host history check report why judge fit bill advise plan recorder guard alerts cost completion man version help",
		"h":                              "host history help",
		"host ":                          "add list forget",
		"probe --":                       "--rate --for --source --record --trust-new --password-stdin --json --lang --help",
		"probe demo --r":                 "--rate --record",
		"probe demo --source ":           "auto agent smi",
		"probe --rate ":                  "1 2 5 10",
		"probe --rate 5 de":              "demo",
		"completion ":                    "bash zsh fish powershell",
		"alerts ":                        "test --json --lang --help",
		"alerts test --json ":            "json ntfy wecom feishu dingtalk bark",
		"--d":                            "--demo",
		"history export --format ":       "csv",
		"plan example ":                  "fit bill advise",
		"bill --format ":                 "text md",
		"probe demo --json --trust-new ": "--rate --for --source --record --password-stdin --lang --help",
	} {
		args := append([]string{"__complete", "--"}, strings.Split(words, " ")...)
		r := runLine(t, home, args...)
		var got []string
		for _, l := range strings.Split(strings.TrimSpace(r.out), "\n") {
			word, text, _ := strings.Cut(l, "\t")
			if text == "" || strings.HasPrefix(text, "cli.") {
				t.Errorf("%q: %q says nothing", words, l)
			}
			got = append(got, word)
		}
		if r.code != 0 || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

// TestCompletionScripts lets each shell that is here read its script; bash
// completes with it too.
func TestCompletionScripts(t *testing.T) {
	home := t.TempDir()
	for _, shell := range shells {
		r := runLine(t, home, "completion", shell)
		if r.code != 0 || !strings.Contains(r.out, "rentgen __complete --") {
			t.Errorf("%s: %+v", shell, r)
		}
		path, err := exec.LookPath(shell)
		if err != nil || shell == "powershell" {
			continue
		}
		file := filepath.Join(home, "script")
		if err := os.WriteFile(file, []byte(r.out), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s does not read its script: %v\n%s", shell, err, out)
		}
		if shell != "bash" {
			continue
		}
		test := `rentgen() { printf 'my card\tssh root@a\nmycard\tlocal\n'; }
. "$1"
COMP_WORDS=(rentgen probe my); COMP_CWORD=2; _rentgen; printf '%s\n' "${COMPREPLY[@]}"`
		out, err := exec.Command(path, "-c", test, "bash", file).CombinedOutput()
		if err != nil || string(out) != "my\\ card\nmycard\n" {
			t.Errorf("bash completes %q, %v", out, err)
		}
	}
}
