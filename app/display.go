package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/go-gl/gl/v2.1/gl"
	"github.com/go-gl/glfw/v3.3/glfw"
)

// glCheckArg makes this program try to make a GL context and exit.
const glCheckArg = "__gl-check"

// glCheckTime is how long the trial may take; a driver that hangs is as good
// as none.
const glCheckTime = 20 * time.Second

// The reasons for which no window can be opened; text keys
// "cli.nowindow.<reason>".
const (
	noDisplay = "display" // neither DISPLAY nor WAYLAND_DISPLAY is set
	noServer  = "server"  // set, but nothing answers there
	noGL      = "gl"      // no OpenGL context can be made
)

// noWindowError says why no window can be opened.
type noWindowError struct {
	reason string
	said   string // the system's own words
}

func (e *noWindowError) Error() string { return "no window: " + e.reason + ": " + e.said }

// tryWindow finds out whether Fyne could open a window. Fyne itself ends the
// program with a stack trace where it can't, and a broken driver may end it
// without a word, so the trial is made by a child process.
func tryWindow(ctx context.Context, getenv func(string) string) error {
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" &&
		getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return &noWindowError{reason: noDisplay}
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, glCheckTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, glCheckArg)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output() // glfw writes to stderr on its own account
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return &noWindowError{reason: noGL, said: ctx.Err().Error()}
	}
	reason, said, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == glCheckFailed && (reason == noServer || reason == noGL) {
		return &noWindowError{reason: reason, said: strings.TrimSpace(said)}
	}
	return &noWindowError{reason: noGL, said: err.Error()}
}

// glCheckFailed is the exit code of a trial that failed in an orderly way.
const glCheckFailed = 3

// checkGL makes the context that Fyne would make, in a hidden window.
func checkGL() (code int) {
	runtime.LockOSThread()
	reason := noServer
	fail := func(err any) int {
		// Init only prints that the display can't be opened.
		if strings.HasPrefix(fmt.Sprint(err), "NotInitialized") {
			reason = noServer
		}
		fmt.Printf("%s\n%v\n", reason, err)
		return glCheckFailed
	}
	defer func() { // glfw panics on errors that it does not expect
		if err := recover(); err != nil {
			code = fail(err)
		}
	}()
	if err := glfw.Init(); err != nil {
		return fail(err)
	}
	defer glfw.Terminate()
	reason = noGL
	glfw.WindowHint(glfw.Visible, glfw.False)
	glfw.WindowHint(glfw.ContextVersionMajor, 2)
	glfw.WindowHint(glfw.ContextVersionMinor, 1)
	w, err := glfw.CreateWindow(16, 16, appName, nil, nil)
	if err != nil {
		return fail(err)
	}
	defer w.Destroy()
	w.MakeContextCurrent()
	if err := gl.Init(); err != nil {
		return fail(err)
	}
	return 0
}
