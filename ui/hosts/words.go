package hosts

import (
	"errors"
	"strings"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/widgets"
)

// Words are a connection's state as a person reads it.
type Words struct {
	State    widgets.State
	Short    string // for the bar
	Sentence string // what is so
	Next     string // what to do; may be empty
	Said     string // what the host said last
}

// NameOf returns what a host is called on the page: its own name, and the
// demo's in the language of now.
func NameOf(c *texts.Catalogue, h *Host) string {
	if h.Demo() {
		return c.T("hosts.demo.name")
	}
	return h.Name
}

// StageText returns a stage of connecting in words.
func StageText(c *texts.Catalogue, stage string) string {
	for _, room := range []string{"remote.stage.", "stream.stage."} {
		if c.Has(room + stage) {
			return c.T(room + stage)
		}
	}
	return c.T("stream.phase.connecting")
}

// WordsOf returns the words of a state. now tells how old the readings are.
func WordsOf(c *texts.Catalogue, s stream.State, now time.Time) Words {
	w := Words{Short: c.T("stream.phase." + s.Phase.String())}
	why := ErrorWords(c, s.Err)
	w.Said = why.Said
	switch s.Phase {
	case stream.Connecting:
		w.State = widgets.Connecting
		w.Short = c.T("hosts.connecting", "stage", StageText(c, s.Stage))
		w.Sentence = c.T("hosts.connecting.sentence", "stage", StageText(c, s.Stage))
	case stream.Live:
		w.State = widgets.Live
		w.Sentence = c.T("hosts.live.sentence", "source", SourceText(c, s.Source))
		if s.Mode != "" && s.Mode != probe.ModeGPU {
			w.Short = c.T("stream.mode." + string(s.Mode) + ".short")
			w.Sentence = c.T("stream.mode." + string(s.Mode))
			w.Next = c.T("stream.mode." + string(s.Mode) + ".next")
			w.Said = why.Said
			if s.Mode != probe.ModeNoGPU {
				w.State = widgets.Failed
			}
			return w
		}
		if s.Source == probe.SourceSMI && s.Reason != "" {
			w.Sentence = SimpleText(c, s.Reason)
			w.Said = s.Detail
		}
	case stream.Stale:
		w.State = widgets.Stale
		age := texts.Duration(c, now.Sub(s.LastTick))
		w.Short = c.T("hosts.stale", "age", age)
		w.Sentence = c.T("hosts.stale.sentence", "age", age)
		w.Next = c.T("hosts.stale.next")
	case stream.Waiting:
		w.State = widgets.Stale
		// What was never there can't be said to have broken off.
		key, plain := "hosts.waiting", w.Short
		if s.LastTick.IsZero() {
			key, plain = "hosts.unreached", c.T("hosts.unreached.now")
		}
		w.Short = plain
		if in := s.RetryAt.Sub(now).Round(time.Second); in > 0 {
			w.Short = c.T(key, "in", texts.Duration(c, in))
		}
		w.Sentence, w.Next = why.Sentence, why.Next
		if w.Sentence == "" {
			w.Sentence = c.T("hosts.waiting.sentence")
		}
	case stream.Failed:
		w.State = widgets.Failed
		w.Sentence, w.Next = why.Sentence, why.Next
		if w.Sentence == "" {
			w.Sentence = c.T("hosts.failed.sentence")
		}
		// A word of the person is no failure.
		var re *remote.Error
		if errors.As(s.Err, &re) && re.Kind == remote.KindCancelled {
			w.State, w.Short = widgets.Off, c.T("stream.phase.off")
		}
	case stream.Paused:
		w.State = widgets.Paused
		w.Sentence = c.T("hosts.paused.sentence")
	case stream.Off:
		w.State = widgets.Off
		w.Sentence = c.T("hosts.off.sentence")
	}
	return w
}

// SourceText names how readings are taken.
func SourceText(c *texts.Catalogue, s probe.Source) string {
	if s == "" {
		s = probe.SourceAgent
	}
	return c.T("hosts.source." + string(s))
}

// SimpleText says why there are only simple readings.
func SimpleText(c *texts.Catalogue, reason string) string {
	key := "stream.reason." + reason
	if !c.Has(key) {
		return c.T("hosts.simple")
	}
	return c.T("hosts.simple.why", "why", c.T(key))
}

// ErrorWords returns what is so, what to do and what the host said for a
// failure; empty words for none.
func ErrorWords(c *texts.Catalogue, err error) Words {
	var (
		re *remote.Error
		se *stream.Error
		ne *stream.NoCardError
	)
	switch {
	case err == nil:
		return Words{}
	case errors.As(err, &re):
		w := Words{Said: re.Said}
		w.Sentence = pick(c, "remote.err.", string(re.Kind), re.Error(), re.Args()...)
		w.Next = pick(c, "remote.next.", string(re.Kind), "", re.Args()...)
		// A link that broke, or a word of the person, has no step to name.
		if re.Kind != remote.KindLost && re.Kind != remote.KindCancelled && c.Has("remote.stage."+string(re.Stage)) {
			w.Sentence = c.T("hosts.at", "stage", c.T("remote.stage."+string(re.Stage)), "sentence", w.Sentence)
		}
		return w
	case errors.As(err, &ne):
		key := "stream.mode." + string(ne.Mode)
		return Words{Sentence: c.T(key), Next: c.T(key + ".next"), Said: ne.Detail}
	case errors.As(err, &se):
		w := Words{Said: se.Said}
		reason := ""
		if key := "stream.reason." + se.Reason; c.Has(key) {
			reason = c.T(key)
		}
		w.Sentence = strings.TrimSpace(pick(c, "stream.err.", se.Kind, se.Error(), "reason", reason))
		w.Next = pick(c, "stream.next.", se.Kind, "", "reason", reason)
		return w
	}
	return Words{Sentence: c.T("hosts.failed.other", "error", err.Error())}
}

func pick(c *texts.Catalogue, room, code, otherwise string, pairs ...any) string {
	if c.Has(room + code) {
		return c.T(room+code, pairs...)
	}
	return otherwise
}
