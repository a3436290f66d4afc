package cli

import (
	"context"
	"errors"
	"strings"

	"rentgen/app/bill/offer"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/probe/target"
	"rentgen/store"
)

// errNoWindow is returned where this build has no window at all.
var errNoWindow = errors.New("this build has no window")

// sentence says an error in the person's language: what is so, the host's own
// words, and what to do. An interrupt says nothing.
func (j *job) sentence(err error) string {
	c := j.c
	var usage *UsageError
	var fault *faultError
	var lists *listError
	var input *remote.InputError
	var hostInput *store.InputError
	var unknown *target.UnknownError
	var none *stream.NoCardError
	var far *remote.Error
	var near *stream.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &lists):
		var all []string
		for _, p := range lists.err.Phrases() {
			all = append(all, lists.hide.Text(c.Say(p)))
		}
		return lines(all...)
	case errors.As(err, &fault):
		return c.Say(fault.says)
	case errors.As(err, &usage):
		return c.T("cli.bad."+usage.Code, "field", usage.Field, "value", visible(usage.Value), "allowed", listed(c, usage.Allowed))
	case offer.Inputs(err) != nil:
		return planErrors(c, offer.Inputs(err))
	case errors.As(err, &input):
		return c.T("cli.bad.login", "value", input.Value, "allowed", input.Allowed, "why",
			texts.Input(c, input.Field, input.Value, input.Allowed))
	case errors.As(err, &hostInput) && hostInput.Of == "guide":
		return c.T("cli.check.unkept", "err", err)
	case errors.As(err, &hostInput):
		return c.T("cli.bad.host", "field", hostInput.Field, "value", hostInput.Value, "why", c.T("cli.bad.host."+hostInput.Why))
	case errors.As(err, &unknown):
		return c.T("cli.bad.target", "value", visible(unknown.Text))
	case errors.As(err, &none):
		return lines(c.T("stream.mode."+string(none.Mode)), c.T("stream.mode."+string(none.Mode)+".next"), quoted(c, none.Detail))
	case errors.As(err, &far):
		return farSentence(c, far)
	case errors.As(err, &near):
		return lines(c.T("stream.err."+near.Kind, "reason", reasonText(c, near.Reason)), c.T("stream.next."+near.Kind), quoted(c, near.Said))
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, errNoWindow):
		return c.T("cli.nowindow.none")
	case errors.Is(err, store.ErrNameTaken):
		return c.T("cli.host.taken")
	case errors.Is(err, store.ErrStillRecording):
		return c.T("cli.host.recording")
	case errors.Is(err, store.ErrOtherVersion):
		return c.T("cli.store.version")
	case errors.Is(err, store.ErrDiskFull):
		return c.T("cli.store.full")
	}
	return c.T("cli.internal", "err", err)
}

// named is a sentence about something that is named first.
func (j *job) named(name, says string) string {
	return j.c.T("cli.why.progress", "name", name, "line", says)
}

// wordFor is a target as it can be typed again, in one word of a shell and without
// a password.
func wordFor(t target.Target) string {
	word := t.Name
	if t.Kind == target.SSH && t.ID == "" && t.Name != t.Login.Host { // no alias of the ssh configuration: a line
		word = t.Login.Line()
	}
	if strings.ContainsAny(word, " \t\"'$`\\&;|<>()*?#~!") {
		word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// visible is a word of the command line; one that is empty would not be seen.
func visible(word string) string {
	if word == "" {
		return `""`
	}
	return word
}

// listed is a list of words as the language writes lists.
func listed(c *texts.Catalogue, list string) string {
	if c.Lang == texts.Chinese {
		return strings.ReplaceAll(list, ", ", "、")
	}
	return list
}

// farSentence says a failure on the way to a machine.
func farSentence(c *texts.Catalogue, e *remote.Error) string {
	if e.Kind == remote.KindCancelled {
		return ""
	}
	what, next := c.T("remote.err."+string(e.Kind), e.Args()...), c.T("remote.next."+string(e.Kind), e.Args()...)
	switch e.Kind {
	case remote.KindNoOneToAsk:
		next = c.T("cli.noask")
	case remote.KindHostKeyUnknown:
		if e.Change != nil {
			what = c.T("cli.hostkey.unknown", e.Args()...)
		}
		next = c.T("cli.hostkey.trust")
	case remote.KindHostKeyChanged:
		next = c.T("cli.hostkey.changed")
	}
	return lines(what, next, quoted(c, e.Said), c.T("cli.stage.at", "stage", stageText(c, string(e.Stage))))
}

// quoted says what a host said, "" for nothing.
func quoted(c *texts.Catalogue, said string) string {
	if said == "" {
		return ""
	}
	return c.T("cli.said", "said", said)
}

func lines(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}

func reasonText(c *texts.Catalogue, reason string) string {
	if reason == "" {
		return ""
	}
	return c.T("stream.reason." + reason)
}

// stageText names a stage of connecting.
func stageText(c *texts.Catalogue, stage string) string {
	if key := "stream.stage." + stage; c.Has(key) {
		return c.T(key)
	}
	return c.T("remote.stage." + stage)
}

func eventText(c *texts.Catalogue, e *probe.Event) string {
	return texts.Event(c, e.Kind, e.Code, e.Raw)
}
