package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"rentgen/assets/texts"
)

// envMain makes the test program the program under test.
const envMain = "RENTGEN_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(envMain) == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// rentgen prepares a run of the program in a home of its own, without a
// display unless env names one.
func rentgen(t *testing.T, home string, env []string, words ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, words...)
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "FYNE_SCALE":
			continue
		}
		cmd.Env = append(cmd.Env, e)
	}
	cmd.Env = append(cmd.Env, envMain+"=1", "RENTGEN_HOME="+home)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// TestNoWindow wants one sentence in the person's language and exit code 1
// where no window can be opened.
func TestNoWindow(t *testing.T) {
	for _, c := range []struct {
		what string
		env  []string
		lang texts.Lang
		key  string
	}{
		{"no display", []string{"LANG=C.UTF-8"}, texts.English, "cli.nowindow.display"},
		{"no display, Chinese", []string{"LANG=zh_CN.UTF-8"}, texts.Chinese, "cli.nowindow.display"},
		{"nothing answers", []string{"LANG=en_US.UTF-8", "DISPLAY=127.0.0.1:97"}, texts.English, "cli.nowindow.server"},
	} {
		cmd := rentgen(t, t.TempDir(), c.env, "--demo")
		var out, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &stderr
		_ = cmd.Run()
		want := texts.For(c.lang).T(c.key) + "\n"
		if code := cmd.ProcessState.ExitCode(); code != 1 || stderr.String() != want || out.String() != "" {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want %q", c.what, code, out.String(), stderr.String(), want)
		}
	}
}

// TestWithoutOpenGL starts a display that has no GLX.
func TestWithoutOpenGL(t *testing.T) {
	d := startDisplay(t, "-extension", "GLX")
	cmd := rentgen(t, t.TempDir(), []string{"LANG=en_US.UTF-8", "DISPLAY=" + d})
	var stderr strings.Builder
	cmd.Stderr = &stderr
	_ = cmd.Run()
	want := texts.For(texts.English).T("cli.nowindow.gl") + "\n"
	if code := cmd.ProcessState.ExitCode(); code != 1 || stderr.String() != want {
		t.Errorf("code %d, stderr %q; want %q", code, stderr.String(), want)
	}
}

// TestNoNoise runs a command that needs no window under the locale of most
// containers: nothing but the answer may be printed.
func TestNoNoise(t *testing.T) {
	for _, lang := range []string{"C.UTF-8", "C", "POSIX.UTF-8", "en_US.UTF-8", "zh_CN.UTF-8", ""} {
		cmd := rentgen(t, t.TempDir(), []string{"LANG=" + lang}, "version")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.String() != "" || !strings.Contains(string(out), appVersion) {
			t.Errorf("LANG=%s: %v, stdout %q, stderr %q", lang, err, out, stderr.String())
		}
	}
}
