package chart

import (
	"rentgen/assets/texts"
	"rentgen/probe"
)

// EventMark says an event in the face's own words, with how grave it is.
func EventMark(c *texts.Catalogue, e probe.Event) Mark {
	raw := e.Raw
	if raw == "" {
		raw = e.Text
	}
	return Mark{T: e.Time.UnixMilli(), Text: texts.Event(c, e.Kind, e.Code, raw), Level: eventLevel(e)}
}

func eventLevel(e probe.Event) Level {
	switch e.Kind {
	case probe.EventXid:
		if texts.XidGrave(e.Code) {
			return Fail
		}
		return Warn
	case probe.EventLost, probe.EventReset, probe.EventAccess, probe.EventDriverMismatch:
		return Fail
	case probe.EventStalled, probe.EventRun:
		return Warn
	}
	return Info
}
