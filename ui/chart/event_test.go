package chart

import (
	"strings"
	"testing"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
)

func TestEventMark(t *testing.T) {
	en := texts.For(texts.English)
	for _, c := range []struct {
		kind string
		code int
		want Level
	}{
		{probe.EventLost, 0, Fail},
		{probe.EventStalled, 0, Warn},
		{probe.EventClock, 0, Info},
		{"unheard of", 0, Info},
		{probe.EventXid, 79, Fail},
		{probe.EventXid, 13, Warn},
	} {
		m := EventMark(en, probe.Event{Kind: c.kind, Code: c.code, Time: time.UnixMilli(1234)})
		if m.Level != c.want || m.T != 1234 {
			t.Errorf("%s %d: %+v", c.kind, c.code, m)
		}
	}
	if m := EventMark(en, probe.Event{Kind: "unheard of", Text: "its own words"}); !strings.Contains(m.Text, "its own words") {
		t.Errorf("text %q", m.Text)
	}
}

func TestEventMarkHasBothLanguages(t *testing.T) {
	for _, l := range texts.Langs() {
		for _, k := range []string{probe.EventXid, probe.EventLost, probe.EventAccess, probe.EventSource, "unheard of"} {
			if s := EventMark(texts.For(l), probe.Event{Kind: k, Code: 13, Raw: "raw"}).Text; s == "" || strings.Contains(s, "event.") {
				t.Errorf("%s: %s is %q", l, k, s)
			}
		}
	}
}
