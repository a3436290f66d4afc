package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"rentgen/probe"
)

// stamp is how moments stand in JSON.
const stamp = "2006-01-02T15:04:05.000Z"

func moment(t time.Time) string { return t.UTC().Format(stamp) }

// The kinds of lines.
const (
	lineInventory = "inventory"
	lineTick      = "tick"
	lineEvent     = "event"
	lineGap       = "gap"
	lineEnd       = "end"
)

// The reasons on an end line.
const (
	endFor         = "for"         // --for is over
	endInterrupted = "interrupted" // Ctrl+C
	endFailed      = "failed"      // stderr says how
	endNoGPU       = "no-gpu"      // there is no card to read
)

type lineHead struct {
	Type string `json:"type"`
	Host string `json:"host"`
	Demo bool   `json:"demo"`
}

type inventoryLine struct {
	lineHead
	Source probe.Source   `json:"source"`
	Reason string         `json:"reason"`
	Detail string         `json:"detail"`
	Mode   probe.Mode     `json:"mode"`
	Time   string         `json:"time"`
	Agent  string         `json:"agent"`
	Driver string         `json:"driver"`
	CUDA   string         `json:"cuda_max"`
	GPUs   []probe.Device `json:"gpus"`
	System probe.Machine  `json:"system"`
}

type tickLine struct {
	lineHead
	Source probe.Source `json:"source"`
	Seq    uint64       `json:"seq"`
	Time   string       `json:"time"`
	GPUs   []probe.GPU  `json:"gpus"`
	System probe.System `json:"system"`
}

type eventLine struct {
	lineHead
	Time string `json:"time"`
	GPU  string `json:"gpu"`
	Kind string `json:"kind"`
	Code int    `json:"code"`
	Text string `json:"text"`
	Raw  string `json:"raw"`
}

type gapLine struct {
	lineHead
	From   string          `json:"from"`
	To     string          `json:"to"`
	GPU    string          `json:"gpu"`
	Reason probe.GapReason `json:"reason"`
}

type endLine struct {
	lineHead
	Time   string `json:"time"`
	Reason string `json:"reason"`
	Ticks  uint64 `json:"ticks"`
}

// show writes what a look produces; its methods are called from one goroutine.
type show interface {
	message(m probe.Message) error
	end(reason string, at time.Time) error
}

// jsonLines writes one object a line.
type jsonLines struct {
	e      *json.Encoder
	host   string
	demo   bool
	source probe.Source
	seq    uint64
}

func newJSONLines(w io.Writer, host string, demo bool) *jsonLines {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return &jsonLines{e: e, host: host, demo: demo}
}

func (l *jsonLines) head(typ string) lineHead { return lineHead{typ, l.host, l.demo} }

func (l *jsonLines) write(v any) error {
	if err := l.e.Encode(v); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}

// message writes one line. Ticks are numbered here: the readers on the host
// start anew with every connection, and what they missed is a gap line.
func (l *jsonLines) message(m probe.Message) error {
	switch m := m.(type) {
	case *probe.Inventory:
		l.source = m.Source
		gpus := m.GPUs
		if gpus == nil {
			gpus = []probe.Device{}
		}
		return l.write(inventoryLine{
			lineHead: l.head(lineInventory), Source: m.Source, Reason: m.Reason, Detail: m.Detail, Mode: m.Mode,
			Time: moment(m.Time), Agent: m.Agent, Driver: m.Driver, CUDA: m.CUDA, GPUs: gpus, System: m.System,
		})
	case *probe.Sample:
		l.seq++
		t := tickLine{lineHead: l.head(lineTick), Source: l.source, Seq: l.seq, Time: moment(m.Time), GPUs: m.GPUs}
		if t.GPUs == nil {
			t.GPUs = []probe.GPU{}
		}
		if m.System != nil {
			t.System = *m.System
		}
		return l.write(t)
	case *probe.Event:
		return l.write(eventLine{l.head(lineEvent), moment(m.Time), m.GPU, m.Kind, m.Code, m.Text, m.Raw})
	case *probe.Gap:
		return l.write(gapLine{l.head(lineGap), moment(m.From), moment(m.To), m.GPU, m.Reason})
	}
	return nil
}

func (l *jsonLines) end(reason string, at time.Time) error {
	return l.write(endLine{l.head(lineEnd), moment(at), reason, l.seq})
}
