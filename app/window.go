package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"rentgen/app/cli"
	"rentgen/app/cli/reach"
	"rentgen/app/settings"
	"rentgen/assets/icons"
	"rentgen/store"
	"rentgen/ui"
	"rentgen/ui/hosts"
)

// opener makes the connections of the window; nil makes real ones.
var opener hosts.Opener

// openWindow opens the window and returns its exit code when it is closed. A
// window that is open already is raised instead.
func openWindow(ctx context.Context, p cli.WindowParams) int {
	say := func(key string, pairs ...any) int {
		fmt.Fprintln(p.Stderr, p.Texts.T(key, pairs...))
		return cli.ExitInternal
	}
	if err := store.Raise(ctx, p.Paths.Database); err == nil {
		return cli.ExitDone
	}
	// The trial takes as long as opening the history; both at once.
	trial := make(chan error, 1)
	go func() { trial <- tryWindow(ctx, os.Getenv) }()
	if err := p.Paths.Make(); err != nil {
		return say("cli.internal", "err", err)
	}
	history, err := store.Open(ctx, store.Params{Dir: p.Paths.Database, Log: p.Log})
	// A second start may come before this window stands: it is answered from
	// now on, and the window comes to the front once it is there.
	var front atomic.Pointer[func()]
	raise := func() {
		if f := front.Load(); f != nil {
			(*f)()
		}
	}
	if err == nil {
		defer history.Close()
		if history.Writer() {
			history.Serve(raise)
		}
	}
	if err := <-trial; err != nil {
		var none *noWindowError
		if errors.As(err, &none) {
			p.Log.Warn("no window can be opened", "reason", none.reason, "said", none.said)
			return say("cli.nowindow." + none.reason)
		}
		return say("cli.internal", "err", err)
	}
	if err != nil {
		return say("cli.internal", "err", err)
	}
	if !history.Writer() {
		// Another window may have been faster since the first question.
		if err := store.Raise(ctx, p.Paths.Database); err == nil {
			return cli.ExitDone
		}
		history.Serve(raise)
	}
	if os.Getenv("GOGC") == "" {
		// Most of the heap are parsed fonts that stay. Letting it double before
		// it is swept would cost more memory than the sweeping costs time. While the
		// window comes up, somebody waits for it: sweeping as often costs half a second.
		debug.SetGCPercent(2 * heapSlack)
		settle := time.AfterFunc(settled, func() {
			debug.SetGCPercent(heapSlack)
			debug.FreeOSMemory()
		})
		defer settle.Stop()
	}
	if p.Settings.Scale > 0 && os.Getenv("FYNE_SCALE") == "" {
		os.Setenv("FYNE_SCALE", strconv.FormatFloat(p.Settings.Scale, 'f', -1, 64))
	}
	if os.Getenv(settings.EnvHome) != "" {
		// Fyne makes a folder of its own beside ours and keeps an index of the
		// system's fonts; both stay inside where the system lets them.
		os.Setenv("XDG_CONFIG_HOME", p.Paths.Home)
		if cache, err := os.UserCacheDir(); err == nil && os.Getenv("MESA_SHADER_CACHE_DIR") == "" {
			os.Setenv("MESA_SHADER_CACHE_DIR", cache) // the driver's, shared by all programs
		}
		os.Setenv("XDG_CACHE_HOME", filepath.Join(p.Paths.Home, "cache"))
	}
	hideOwnConsole()
	// Without an ID Fyne keeps no preferences, which would be a second place for
	// settings and complain about themselves while they are written at the end.
	a := fyneapp.NewWithID("")
	fyneapp.SetMetadata(fyne.AppMetadata{
		ID: appID, Name: appName, Version: appVersion, Build: appBuild,
		Icon: fyne.NewStaticResource("app.png", icons.App), Migrations: map[string]bool{"fyneDo": true},
	})
	way := reach.New(reach.Params{
		Paths: p.Paths, Keyring: p.Keyring, Redactor: p.Redactor, Log: p.Log,
	})
	w := ui.New(ui.Params{
		App: a, Settings: p.Settings, Store: ui.Storage(history), Opener: opener, Demo: p.Demo, Keyring: p.Keyring,
		Reach: way, Secrets: way.Secrets(),
		Home: p.Paths.Home, Version: p.Version, Redactor: p.Redactor,
		Log: func() string {
			b, _ := settings.Tail(p.Paths.Log, logTail) // a log that can't be read is an empty one
			return string(b)
		},
	})
	toFront := w.Raise
	front.Store(&toFront)
	// Fyne too ends its loop on a signal, but not on one that comes before the
	// loop listens. Ending it twice does nothing.
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		w.Close()
		fyne.Do(a.Driver().Quit)
		close(closed)
	})
	w.Fyne().Show()
	if err := w.Start(ctx); err != nil {
		p.Log.Error("the saved hosts can't be read", "err", err)
	}
	a.Run()
	if !stop() {
		<-closed
		return cli.ExitInterrupted
	}
	w.Close()
	return cli.ExitDone
}

// settled is when the window stands.
const settled = 4 * time.Second

// heapSlack is how much the heap may grow between two sweeps, in percent.
const heapSlack = 6

// logTail is how much of the log goes into diagnostics, in bytes.
const logTail = 64 << 10
