package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/probe/target"
	"rentgen/store"
)

func catalogue(lang string) *texts.Catalogue { return texts.For(texts.Lang(lang)) }

// TestEveryErrorIsSaid runs every kind of failure through the sentences of both
// languages: no key may be shown, and the documented code must come out.
func TestEveryErrorIsSaid(t *testing.T) {
	type coded struct {
		err  error
		code int
	}
	list := []coded{
		{&UsageError{Code: "value", Field: "--rate", Value: "7", Allowed: "1"}, 64},
		{context.Canceled, 130},
		{fmt.Errorf("x: %w", store.ErrNameTaken), 64},
		{fmt.Errorf("x: %w", store.ErrOtherVersion), 1},
		{fmt.Errorf("x: %w", store.ErrDiskFull), 1},
		{errors.New("anything"), 1},
	}
	for _, k := range remote.Kinds() {
		for _, s := range []remote.Stage{remote.StageDial, remote.StageAuth} {
			e := &remote.Error{Stage: s, Kind: k, Hop: "root@a:22", Said: "said so"}
			list = append(list, coded{fmt.Errorf("connect: %w", e), e.ExitCode()})
		}
	}
	for _, f := range []string{"line", "host", "port", "user", "option", "jump", "forward", "identity"} {
		list = append(list, coded{&remote.InputError{Field: f, Value: "x", Allowed: "y"}, 64})
	}
	for _, k := range []string{
		stream.KindNoCommand, stream.KindNotLinux, stream.KindBootstrap, stream.KindAgent, stream.KindSimple,
		stream.KindDeclined, stream.KindSilent, stream.KindLink, stream.KindOffline, stream.KindTimeout,
		stream.KindUpload, stream.KindForward, stream.KindLocalListen,
	} {
		list = append(list, coded{&stream.Error{Kind: k, Reason: probe.ReasonNoExec}, 65})
	}
	for _, m := range []probe.Mode{probe.ModeNoGPU, probe.ModeNoDriver, probe.ModeFault} {
		list = append(list, coded{&stream.NoCardError{Mode: m, Detail: "said so"}, 68})
	}
	for _, lang := range []string{"en", "zh"} {
		j := &job{c: catalogue(lang)}
		for _, c := range list {
			text := j.sentence(c.err)
			if strings.Contains(text, "remote.") || strings.Contains(text, "stream.") || strings.Contains(text, "cli.") {
				t.Errorf("%s: %v shows a key: %s", lang, c.err, text)
			}
			if text == "" && c.code != ExitInterrupted {
				t.Errorf("%s: %v says nothing", lang, c.err)
			}
			if got := exitCode(c.err); got != c.code {
				t.Errorf("%v: exit code %d, want %d", c.err, got, c.code)
			}
		}
	}
}

// TestWordForIsTypedAgain: what a line says to type next names the same host, with
// no password in it.
func TestWordForIsTypedAgain(t *testing.T) {
	for text, want := range map[string]string{
		"root@192.0.2.7":                                `'ssh root@192.0.2.7'`,
		"ssh -p 2222 root@192.0.2.7":                    `'ssh -p 2222 root@192.0.2.7'`,
		"sshpass -p hunter2 ssh -p 2222 root@192.0.2.7": `'ssh -p 2222 root@192.0.2.7'`,
		"ssh -i /k/my\\ key -p 22 me@192.0.2.7":         `'ssh -p 22 -i '\''/k/my key'\'' me@192.0.2.7'`,
		"local":                                         "local",
	} {
		got, err := target.Resolve(text, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if w := wordFor(got); w != want {
			t.Errorf("%s: %s, want %s", text, w, want)
		}
	}
	saved := target.Target{Kind: target.SSH, ID: "1", Name: "my card's", Login: remote.Login{Host: "192.0.2.7"}}
	if w := wordFor(saved); w != `'my card'\''s'` {
		t.Error(w)
	}
	if w := wordFor(target.Target{Kind: target.SSH, Name: "gpu", Login: remote.Login{Host: "gpu"}}); w != "gpu" {
		t.Error(w)
	}
}
