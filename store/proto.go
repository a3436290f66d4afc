package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"rentgen/probe"
)

// Processes that share a folder talk in frames: four bytes of length, then
// CBOR. The first frame of a connection is a request, each answer a reply; a
// recording goes on with notes.
const (
	protoVersion = 1
	maxFrame     = 64 << 20 // what Set up saves at once goes over as one
)

var errFrame = errors.New("bad frame")

var (
	frameEnc = func() cbor.EncMode {
		m, err := cbor.EncOptions{Time: cbor.TimeRFC3339NanoUTC}.EncMode()
		if err != nil {
			panic(err)
		}
		return m
	}()
	frameDec = func() cbor.DecMode {
		m, err := cbor.DecOptions{
			MaxNestedLevels: 16, MaxArrayElements: 1 << 16, MaxMapPairs: 1 << 12,
			DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden,
		}.DecMode()
		if err != nil {
			panic(err)
		}
		return m
	}()
)

type request struct {
	Proto     int
	Schema    int
	Token     string
	Op        string
	Host      *Host           `cbor:",omitempty"`
	Start     *RecordingStart `cbor:",omitempty"`
	Plan      *PlanRecord     `cbor:",omitempty"`
	Guide     []GuideRecord   `cbor:",omitempty"` // of host ID
	GuideKeys *GuideKeys      `cbor:",omitempty"`
	Purse     []PurseRecord   `cbor:",omitempty"`
	PurseKeys *PurseKeys      `cbor:",omitempty"`
	Judged    *JudgedRecord   `cbor:",omitempty"`
	Import    *ImportRecord   `cbor:",omitempty"`
	Fill      *fillFrame      `cbor:",omitempty"`
	ID        string          `cbor:",omitempty"` // host or plan
	Number    int64           `cbor:",omitempty"` // recording
	With      bool            `cbor:",omitempty"` // recordings too
	Key       string          `cbor:",omitempty"`
	Value     string          `cbor:",omitempty"`
}

// The operations of a request.
const (
	opRaise       = "raise"
	opSave        = "host.save"
	opForget      = "host.forget"
	opDelete      = "recording.delete"
	opSetting     = "setting"
	opRecord      = "record"
	opSavePlan    = "plan.save"
	opDeletePlan  = "plan.delete"
	opSaveGuide   = "guide.save"
	opDeleteGuide = "guide.delete"
	opSavePurse   = "purse.save"
	opDeletePurse = "purse.delete"
	opSaveJudged  = "judged.save"
	opSaveImport  = "import.save"
	opFill        = "fill"
	opWindow      = "window" // each reply after the first one raises it
)

type reply struct {
	Code   string `cbor:",omitempty"` // one of codes, "" for done
	Text   string `cbor:",omitempty"`
	Number int64  `cbor:",omitempty"`
}

// codes carry the errors that callers tell apart across the socket.
var codes = map[string]error{
	"name-taken":      ErrNameTaken,
	"not-found":       ErrNotFound,
	"still-recording": ErrStillRecording,
	"no-window":       ErrNoWindow,
	"version":         ErrOtherVersion,
	"disk-full":       ErrDiskFull,
	"damaged":         ErrDamaged,
	"closed":          ErrClosed,
	"other":           nil,
}

func replyOf(err error) reply {
	if err == nil {
		return reply{}
	}
	for code, known := range codes {
		if known != nil && errors.Is(err, known) {
			return reply{Code: code, Text: err.Error()}
		}
	}
	return reply{Code: "other", Text: err.Error()}
}

// replyError is an error told by the other process.
type replyError struct {
	text string
	err  error
}

func (e *replyError) Error() string { return e.text }
func (e *replyError) Unwrap() error { return e.err }

func (r reply) err() error {
	if r.Code == "" {
		return nil
	}
	return &replyError{clipText(r.Text), codes[r.Code]}
}

// note is one message of a recording, or its end.
type note struct {
	Inventory *probe.Inventory `cbor:"1,keyasint,omitempty"`
	Sample    *probe.Sample    `cbor:"2,keyasint,omitempty"`
	Event     *probe.Event     `cbor:"3,keyasint,omitempty"`
	Gap       *probe.Gap       `cbor:"4,keyasint,omitempty"`
	Close     bool             `cbor:"5,keyasint,omitempty"`
	Reason    string           `cbor:"6,keyasint,omitempty"`
	Sync      bool             `cbor:"7,keyasint,omitempty"` // write what came, then reply
}

func noteOf(m probe.Message) note {
	switch m := m.(type) {
	case *probe.Inventory:
		return note{Inventory: m}
	case *probe.Sample:
		if m == nil {
			return note{}
		}
		// Process lists are not history.
		s := *m
		s.GPUs = slices.Clone(s.GPUs)
		for i := range s.GPUs {
			s.GPUs[i].Procs = nil
		}
		return note{Sample: &s}
	case *probe.Event:
		return note{Event: m}
	case *probe.Gap:
		return note{Gap: m}
	}
	return note{}
}

// message returns the message in the note, nil for none.
func (n *note) message() probe.Message {
	switch {
	case n.Inventory != nil:
		return n.Inventory
	case n.Sample != nil:
		return n.Sample
	case n.Event != nil:
		return n.Event
	case n.Gap != nil:
		return n.Gap
	}
	return nil
}

// appendFrame appends a frame; more than maxFrame bytes are an error.
func appendFrame(b []byte, v any) ([]byte, error) {
	body, err := frameEnc.Marshal(v)
	if err != nil {
		return b, fmt.Errorf("pack frame: %w", err)
	}
	if len(body) > maxFrame {
		return b, fmt.Errorf("pack frame: %w: %d bytes", errFrame, len(body))
	}
	return append(binary.BigEndian.AppendUint32(b, uint32(len(body))), body...), nil
}

func writeFrame(w io.Writer, v any) error {
	b, err := appendFrame(nil, v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// readFrame reads one frame into v.
func readFrame(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return fmt.Errorf("%w: %d bytes", errFrame, n)
	}
	// A length alone costs no memory.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(n)); errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	if err := frameDec.Unmarshal(body.Bytes(), v); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}
