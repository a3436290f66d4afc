package resident

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"rentgen/probe/wire"
)

// State is what the running recorder says of itself; file state. Times are the
// host's wall clock in Unix nanoseconds.
type State struct {
	PID      int             `json:"pid"`
	Version  string          `json:"version"`
	SHA      string          `json:"sha,omitempty"`
	BootID   string          `json:"boot_id,omitempty"`
	Started  int64           `json:"started"`
	DiskFull bool            `json:"disk_full,omitempty"`
	Trouble  string          `json:"trouble,omitempty"`
	Idle     bool            `json:"idle,omitempty"`  // its life is over; it waits to be read
	Guard    json.RawMessage `json:"guard,omitempty"` // of the stop guard
}

// Save overwrites the state file; it needs no space after the first time.
func (s State) Save(dir string) error {
	b, err := json.Marshal(s)
	if err == nil && len(b) >= smallSize {
		s.Guard, s.Trouble = nil, ""
		b, err = json.Marshal(s)
	}
	if err != nil {
		return fmt.Errorf("save the recorder's state: %w", err)
	}
	return writeSmall(filepath.Join(dir, stateName), b)
}

// LoadState reads the state file; an unreadable one is empty.
func LoadState(dir string) State {
	var s State
	if b, err := readSmall(filepath.Join(dir, stateName)); err == nil && json.Unmarshal(b, &s) != nil {
		return State{}
	}
	return s
}

// Status is everything there is to say about the recorder of a host, as the
// program there prints it. Times are the host's wall clock in Unix nanoseconds.
type Status struct {
	There    bool            `json:"there"`
	Running  bool            `json:"running"`
	Stopped  bool            `json:"stopped,omitempty"`
	Idle     bool            `json:"idle,omitempty"`
	PID      int             `json:"pid,omitempty"`
	Version  string          `json:"version,omitempty"`
	BootID   string          `json:"boot_id,omitempty"`
	Started  int64           `json:"started,omitempty"`
	Until    int64           `json:"until,omitempty"`
	Gone     int64           `json:"gone,omitempty"`
	Life     time.Duration   `json:"life_ns,omitempty"`
	Oldest   int64           `json:"oldest,omitempty"`
	Newest   int64           `json:"newest,omitempty"`
	Seconds  int64           `json:"seconds,omitempty"`
	Bytes    int64           `json:"bytes,omitempty"`
	MaxBytes int64           `json:"max_bytes,omitempty"`
	Hours    float64         `json:"hours,omitempty"` // that fit in MaxBytes
	Dir      string          `json:"dir,omitempty"`
	DiskFull bool            `json:"disk_full,omitempty"`
	Trouble  string          `json:"trouble,omitempty"`
	Guard    json.RawMessage `json:"guard,omitempty"`
}

// enough is how many seconds must be kept before they say how many fit.
const enough = 600

// Look says what lies in a directory and who writes it.
func Look(dir string) (Status, error) {
	p, err := LoadPlan(dir)
	if errors.Is(err, ErrNone) {
		return Status{}, nil
	}
	if err != nil {
		return Status{}, err
	}
	out := Status{
		There: true, Running: Running(dir), Stopped: p.Stopped, Until: p.Until, Gone: p.Gone().UnixNano(), Life: p.Life, MaxBytes: p.MaxBytes, Dir: dir,
	}
	st := LoadState(dir)
	out.Version, out.BootID, out.Guard = st.Version, st.BootID, st.Guard
	if out.Running {
		out.PID, out.Started, out.DiskFull, out.Trouble, out.Idle = st.PID, st.Started, st.DiskFull, st.Trouble, st.Idle
	}
	list, err := segments(dir)
	if err != nil {
		return out, err
	}
	var packed, packedSeconds int64
	for _, s := range list {
		out.Bytes += s.size
		sum, err := summarise(dir, s)
		if err != nil || sum.Samples == 0 {
			continue
		}
		out.Seconds += int64(sum.Samples)
		if s.packed {
			packed, packedSeconds = packed+s.size, packedSeconds+int64(sum.Samples)
		}
		if out.Oldest == 0 {
			out.Oldest = sum.Oldest
		}
		out.Newest = max(out.Newest, sum.Newest)
	}
	switch {
	case packedSeconds >= enough:
		out.Hours = float64(p.MaxBytes) / (float64(packed) / float64(packedSeconds)) / 3600
	case out.Seconds >= enough:
		out.Hours = float64(p.MaxBytes) / (float64(out.Bytes) / float64(out.Seconds)) / 3600
	}
	return out, nil
}

// maxStatus bounds what a host may print as its status.
const maxStatus = 16 << 10

// ParseStatus reads what the program on the host printed. Text is cleaned;
// numbers that can't be are 0.
func ParseStatus(b []byte) (Status, error) {
	var s Status
	b = bytes.TrimSpace(b)
	if len(b) > maxStatus {
		return s, fmt.Errorf("status of %d bytes, at most %d", len(b), maxStatus)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return Status{}, fmt.Errorf("read the recorder's status: %w", err)
	}
	for _, t := range []*string{&s.Version, &s.BootID, &s.Dir, &s.Trouble} {
		*t = wire.Clean(*t)
		if len(*t) > 1024 {
			*t = (*t)[:1024]
		}
	}
	s.PID = max(0, s.PID)
	for _, n := range []*int64{&s.Started, &s.Until, &s.Gone, &s.Oldest, &s.Newest, &s.Seconds, &s.Bytes, &s.MaxBytes, (*int64)(&s.Life)} {
		*n = max(0, *n)
	}
	if !(s.Hours > 0 && s.Hours < 1e9) { // NaN too
		s.Hours = 0
	}
	if len(s.Guard) > smallSize {
		s.Guard = nil
	}
	return s, nil
}
