package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"rentgen/app/settings"
	"rentgen/assets/texts"
)

// Params is what a command line needs of the world.
type Params struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string // nil is os.Getenv
	Version        string
	// Agents finds our program for a processor; nil is what this build holds.
	Agents func(goarch string) (gz []byte, sha256 string, ok bool)
	// Window opens the window and returns the exit code when it is closed.
	Window func(context.Context, WindowParams) int
}

// WindowParams is what the window is opened with.
type WindowParams struct {
	Demo     bool // the demo host is started and shown
	Settings *settings.Settings
	Paths    settings.Paths
	Texts    *texts.Catalogue
	Log      *slog.Logger
	Redactor *settings.Redactor
	Keyring  bool // the system's keyring may be used
	Version  string
	Stderr   io.Writer
	Trouble  error // settings that could not be read, to be shown
}

// oneAtATime lets several goroutines write whole lines.
type oneAtATime struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *oneAtATime) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// job is one command being carried out.
type job struct {
	*call
	p        Params
	in       io.Reader                 // standard input for who reads it as a whole; its wait ends with an interrupt
	waits    func(io.Reader) io.Reader // the same for a file that may be a pipe
	c        *texts.Catalogue
	table    []command
	settings *settings.Settings
	paths    settings.Paths
	trouble  error
	redactor *settings.Redactor
	log      *slog.Logger
}

// Main carries out one command line and returns its exit code. Ctrl+C ends it
// with 130 after the last line is written.
func Main(p Params) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, p)
}

// Run is Main under a context; its end is an interrupt.
func Run(ctx context.Context, p Params) int {
	if p.Getenv == nil {
		p.Getenv = os.Getenv
	}
	p.Stderr = &oneAtATime{w: p.Stderr} // stages and notices come from several goroutines
	j := &job{p: p, table: commands(), redactor: &settings.Redactor{}, log: slog.New(slog.DiscardHandler)}
	home, err := settings.HomeOf(p.Getenv)
	if err == nil {
		j.paths = settings.PathsIn(home)
		j.settings, j.trouble = settings.Load(j.paths.Settings)
	} else {
		j.settings = settings.Default("")
	}
	j.c = texts.For(j.lang())
	if err != nil {
		return j.fail(err)
	}
	j.call, err = parse(j.table, p.Args)
	if err != nil {
		return j.fail(err)
	}
	if j.trouble != nil && !j.cmd.hidden {
		j.say("cli.settings.damaged", "err", j.trouble)
	}
	if j.is("help") {
		return j.fail(j.help(j.cmd))
	}
	j.waits = func(r io.Reader) io.Reader { return waitingFor(ctx, r) }
	j.in = j.waits(p.Stdin)
	err = j.cmd.run(ctx, j)
	if _, said := err.(answered); err != nil && !said && ctx.Err() != nil {
		err = context.Canceled // whatever it was that the interrupt ended
	}
	return j.fail(err)
}

// lang is the language asked for, chosen in the settings, or the system's. It
// is looked for by hand, since a wrong flag is complained about in it.
func (j *job) lang() texts.Lang {
	want := ""
	for i, a := range j.p.Args {
		if a == "--lang" && i+1 < len(j.p.Args) {
			want = j.p.Args[i+1]
		} else if v, ok := strings.CutPrefix(a, "--lang="); ok {
			want = v
		}
	}
	if want == "" {
		want = j.settings.Lang
	}
	switch want {
	case "zh":
		return texts.Chinese
	case "en":
		return texts.English
	}
	return texts.Detect()
}

// fail says an error, if there is one, and returns the exit code for it.
func (j *job) fail(err error) int {
	if err == nil {
		return ExitDone
	}
	if a, ok := err.(answered); ok {
		return a.code
	}
	if text := j.sentence(err); text != "" {
		fmt.Fprintln(j.p.Stderr, text)
	}
	return exitCode(err)
}

// say writes a sentence to stderr.
func (j *job) say(key string, pairs ...any) {
	fmt.Fprintln(j.p.Stderr, j.c.T(key, pairs...))
}

// logging opens the log; without one the command goes on.
func (j *job) logging() (closeLog func()) {
	log, c, err := settings.OpenLog(j.paths.Log, j.redactor)
	if err != nil {
		return func() {}
	}
	j.log = log
	return func() { _ = c.Close() }
}

// answered carries an exit code that was explained before: the window's, or a
// verdict.
type answered struct{ code int }

// Error implements error.
func (a answered) Error() string { return fmt.Sprintf("answered with %d", a.code) }

// runWindow opens the window.
func runWindow(ctx context.Context, j *job) error {
	if j.is("version") {
		return runVersion(ctx, j)
	}
	closeLog := j.logging()
	defer closeLog()
	if j.p.Window == nil {
		return errNoWindow
	}
	code := j.p.Window(ctx, WindowParams{
		Demo: j.is("demo"), Settings: j.settings, Paths: j.paths, Texts: j.c, Log: j.log,
		Redactor: j.redactor, Keyring: settings.KeyringOn(j.p.Getenv), Version: j.p.Version,
		Stderr: j.p.Stderr, Trouble: j.trouble,
	})
	if code != ExitDone {
		return answered{code}
	}
	return nil
}
