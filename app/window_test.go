package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rentgen/probe/agent/agenttest"
	"rentgen/probe/remote/remotetest"
)

// screen is a display with our window on it.
type screen struct {
	t       *testing.T
	display string
	xdotool string
	imprt   string
	window  string // id
	cmd     *exec.Cmd
	stderr  *bytes.Buffer
	done    chan struct{}
}

// openScreen starts the program on a display and waits for its window.
func openScreen(t *testing.T, display, home string, env []string, words ...string) *screen {
	t.Helper()
	return openProgram(t, "", display, home, env, words...)
}

// openProgram is openScreen for another program than the test's own.
func openProgram(t *testing.T, program, display, home string, env []string, words ...string) *screen {
	t.Helper()
	s := &screen{
		t: t, display: display, stderr: &bytes.Buffer{}, done: make(chan struct{}),
		xdotool: needTool(t, "xdotool", "xdotool"), imprt: needTool(t, "import", "imagemagick"),
	}
	s.cmd = rentgen(t, home, append([]string{"DISPLAY=" + display, "LANG=en_US.UTF-8"}, env...), words...)
	if program != "" {
		s.cmd.Path = program
	}
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait() // the exit code is read from its state
		close(s.done)
	}()
	t.Cleanup(func() {
		select {
		case <-s.done:
			return
		default:
		}
		if t.Failed() && s.window != "" {
			s.shot("failed-" + t.Name())
		}
		_ = s.cmd.Process.Kill()
		<-s.done
	})
	s.window = s.find()
	return s
}

// find waits for the window of the program.
func (s *screen) find() string {
	s.t.Helper()
	// xdotool's own --sync looks every half second only, which would round the
	// figure of the first frame up to that.
	end := time.After(waitLimit)
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := s.tool(s.xdotool, "search", "--onlyvisible", "--pid", fmt.Sprint(s.cmd.Process.Pid), "--name", ".").Output()
		if id := strings.Fields(string(out)); err == nil && len(id) > 0 {
			return id[0]
		}
		select {
		case <-s.done:
			s.t.Fatalf("the program ended: %s", s.stderr)
		case <-end:
			s.t.Fatal("no window came")
		case <-tick.C:
		}
	}
}

func (s *screen) tool(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display, "LC_ALL=C.UTF-8")
	return cmd
}

// do runs xdotool.
func (s *screen) do(args ...string) {
	s.t.Helper()
	if out, err := s.tool(s.xdotool, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("xdotool %q: %v\n%s", args, err, out)
	}
}

func (s *screen) key(keys ...string) {
	s.t.Helper()
	s.do(append([]string{"key", "--window", s.window, "--delay", "60"}, keys...)...)
}

// paste puts text on the clipboard and presses Ctrl+V.
func (s *screen) paste(text string) {
	s.t.Helper()
	xclip := needTool(s.t, "xclip", "xclip")
	cmd := s.tool(xclip, "-selection", "clipboard", "-i")
	cmd.Stdin = strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("xclip: %v", err)
	}
	s.key("ctrl+a", "ctrl+v") // in the place of an earlier try
}

// shot returns what the window shows and keeps it in build/window.
func (s *screen) shot(name string) image.Image {
	s.t.Helper()
	out, err := s.tool(s.imprt, "-window", s.window, "png:-").Output()
	if err != nil {
		s.t.Errorf("import: %v", err)
		return image.NewRGBA(image.Rectangle{})
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		s.t.Fatal(err)
	}
	if name != "" {
		dir := filepath.Join("..", "build", "window")
		if err := os.MkdirAll(dir, 0o755); err == nil {
			_ = os.WriteFile(filepath.Join(dir, name+".png"), out, 0o644) // for people to look at
		}
	}
	return img
}

// until waits for a condition that the world outside reports.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.After(waitLimit)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: did not come", what)
		}
	}
}

// press repeats keys until a condition holds: a panel that is not there yet
// takes none.
func (s *screen) press(what string, ok func() bool, keys ...string) {
	s.t.Helper()
	until(s.t, what, func() bool {
		if ok() {
			return true
		}
		s.key(keys...)
		return ok()
	})
}

// changes waits until the window shows something else than a picture, in more
// than a few pixels, below the bar and right of the rail.
func (s *screen) changes(what string, from image.Image) image.Image {
	s.t.Helper()
	var now image.Image
	until(s.t, what, func() bool {
		now = s.shot("")
		return differing(from, now) > 100
	})
	return now
}

// differing counts the pixels in which two pictures of the window differ where
// the place is.
func differing(a, b image.Image) int {
	n := 0
	r := a.Bounds().Intersect(b.Bounds())
	r.Min = r.Min.Add(image.Pt(140, 60))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// traced counts pixels of the first series' colour, a blue of its own, where the
// charts are.
func traced(img image.Image) int {
	n := 0
	r := img.Bounds()
	for y := r.Min.Y + 200; y < r.Max.Y; y++ {
		for x := r.Min.X + 420; x < r.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			if r>>8 < 90 && g>>8 > 110 && g>>8 < 180 && b>>8 > 180 {
				n++
			}
		}
	}
	return n
}

// quit ends the program in order and returns its exit code.
func (s *screen) quit() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.done:
	case <-time.After(waitLimit):
		s.t.Fatalf("the program does not end: %s", s.stderr)
	}
	if s.stderr.Len() > 0 {
		s.t.Errorf("stderr:\n%s", s.stderr)
	}
	return s.cmd.ProcessState.ExitCode()
}

// command runs a command line beside the window.
func command(t *testing.T, home string, words ...string) []byte {
	t.Helper()
	out, err := rentgen(t, home, []string{"LANG=en_US.UTF-8"}, words...).Output()
	if err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	return out
}

// logList reads the history beside the window.
func logList(t *testing.T, home string) []map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal(command(t, home, "history", "list", "--json"), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// seconds is how long a log is.
func seconds(t *testing.T, l map[string]any) float64 {
	t.Helper()
	from, ok1 := l["from"].(string)
	to, ok2 := l["to"].(string)
	if !ok1 || !ok2 {
		return -1
	}
	a, err1 := time.Parse(time.RFC3339, from)
	b, err2 := time.Parse(time.RFC3339, to)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return b.Sub(a).Seconds()
}

// rented starts a server that plays a machine with a card, and returns the
// login line and the environment for the window.
func rented(t *testing.T, scenario string) (line string, env []string) {
	t.Helper()
	dir := t.TempDir()
	key, signer := remotetest.Key(t, dir, "key", "ed25519", "")
	set := append(agenttest.Environ(agenttest.Library(t), agenttest.Scenario(t, scenario), ""), "XDG_CACHE_HOME="+t.TempDir())
	o := remotetest.SSHDOptions{Config: []string{"SetEnv " + strings.Join(set, " ")}}
	o.Keys = append(o.Keys, signer.PublicKey())
	srv := remotetest.SSHD(t, o)
	return fmt.Sprintf("ssh -i %s -p %d %s@%s", key, srv.Port, srv.User, srv.Host),
		[]string{"HOME=" + dir, "SSH_AUTH_SOCK="}
}

// connectTo pastes the login line into the first page and says yes to what is
// asked, until readings stand in the log.
func connectTo(s *screen, home, line string) {
	s.t.Helper()
	welcome := s.shot("welcome")
	until(s.t, "the login line in the field", func() bool {
		s.paste(line)
		return differing(welcome, s.shot("pasted")) > 100
	})
	hosts := func() (list []map[string]any) {
		if err := json.Unmarshal(command(s.t, home, "host", "list", "--json"), &list); err != nil {
			s.t.Fatal(err)
		}
		return list
	}
	s.press("the host in the list", func() bool { return len(hosts()) == 1 }, "Return")
	s.shot("asked")
	// Return agrees to the machine's identity, then to the upload.
	s.press("readings in the log", func() bool {
		l := logList(s.t, home)
		return len(l) == 1 && seconds(s.t, l[0]) >= 1
	}, "Return")
	if n := len(hosts()); n != 1 {
		s.t.Errorf("%d hosts came from one line", n)
	}
}

const livelyCard = `gpus 1
set 0 name NVIDIA GeForce RTX 4090
wave 0 util 20 100 8000
wave 0 power 180 440 8000
set 0 mem_used 6000 18000@4000 21500@9000
proc 0 self 512 3
`

// TestWindow is a person's first evening: start, paste the login line, see the
// values move, quit; start again and find what was kept.
func TestWindow(t *testing.T) {
	display := startDisplay(t)
	home := t.TempDir()
	line, env := rented(t, livelyCard)

	s := openScreen(t, display, home, env)
	connectTo(s, home, line)
	first := s.shot("live")
	second := s.changes("other values", first)
	s.changes("still other values", second)
	s.shot("later")

	// Another start raises this window and ends at once.
	again := rentgen(t, home, append([]string{"DISPLAY=" + display}, env...))
	if out, err := again.CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("a second start: %v, %q", err, out)
	}

	if code := s.quit(); code != 130 {
		t.Errorf("a terminated window ends with %d", code)
	}
	kept := logList(t, home)
	if len(kept) != 1 || kept[0]["open"] != false || kept[0]["demo"] != false || seconds(t, kept[0]) < 2 {
		t.Fatalf("kept: %v", kept)
	}

	s = openScreen(t, display, home, env)
	watch := s.shot("again")
	s.key("ctrl+6")
	s.changes("the history", watch)
	until(t, "the log's line in the chart", func() bool { return traced(s.shot("history")) > 300 })
	if again := logList(t, home); len(again) != 1 || again[0]["from"] != kept[0]["from"] {
		t.Errorf("after another start: %v, want %v", again, kept)
	}
	s.quit()
}

// TestWindowKilled kills the window while it keeps a log; at most two seconds
// may be missing, and the next start must find the rest.
func TestWindowKilled(t *testing.T) {
	display := startDisplay(t)
	home := t.TempDir()
	line, env := rented(t, livelyCard)
	s := openScreen(t, display, home, env)
	connectTo(s, home, line)
	until(t, "a log of some seconds", func() bool { return seconds(t, logList(t, home)[0]) >= 4 })
	before := seconds(t, logList(t, home)[0])
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	s = openScreen(t, display, home, env)
	l := logList(t, home)
	if len(l) != 1 || seconds(t, l[0]) < before {
		t.Errorf("%v; %.0f s were kept before the kill", l, before)
	}
	s.quit()
}

// TestSignalAtOnce ends the window as soon as it exists, before or just after
// its loop listens for signals.
func TestSignalAtOnce(t *testing.T) {
	display := startDisplay(t)
	for range 4 {
		s := openScreen(t, display, t.TempDir(), nil, "--demo")
		if code := s.quit(); code != 130 {
			t.Errorf("exit code %d", code)
		}
	}
}

// TestDemoWindow starts as make run does; nothing of the demo may be kept.
func TestDemoWindow(t *testing.T) {
	display := startDisplay(t)
	home := t.TempDir()
	s := openScreen(t, display, home, nil, "--demo", "--lang", "zh")
	s.changes("other values", s.changes("first values", s.shot("")))
	s.shot("demo-zh")
	s.quit()
	if l := logList(t, home); len(l) != 0 {
		t.Errorf("kept: %v", l)
	}
	if _, err := os.Stat(filepath.Join(home, "store")); err != nil {
		t.Errorf("the history is not in the home: %v", err)
	}
}
