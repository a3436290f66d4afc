package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/resident"
)

// Resident says what stands behind on the host and keeps recording while nobody
// is connected. Times are in the laptop's UTC.
type Resident struct {
	There   bool // it was switched on and its files lie there
	Running bool
	Version string
	PID     int       // 0 where it does not run
	Started time.Time // when this run began
	// Until is when it stops reading unless a connection renews it, Gone when
	// it deletes what it kept and itself.
	Until, Gone     time.Time
	Life            time.Duration // what a connection renews it to
	BootID          string
	Oldest, Newest  time.Time // of the readings kept
	Seconds         int64     // how many of them
	Bytes, MaxBytes int64
	Hours           float64 // how many hours fit, by what they have taken so far; 0 unknown
	Dir             string  // on the host
	DiskFull        bool    // nothing can be written; the newest wait in its memory
	Stopped         bool    // by the person
	Idle            bool    // its life is over: it reads nothing and waits to be read
	Guard           json.RawMessage
}

// ResidentOptions says how a recorder is started.
type ResidentOptions struct {
	// Life is how long it goes on without a connection; 0 is three days.
	Life time.Duration
	// MaxBytes bounds its files; 0 is 64 MiB.
	MaxBytes int64
}

// History keeps what a recorder on the host has kept. It is asked on every
// connection and called from one goroutine.
type History interface {
	// Cursor returns that of the last Fill that was kept, "" for none.
	Cursor(ctx context.Context) (string, error)
	// Fill keeps f and its cursor, both or neither.
	Fill(ctx context.Context, f *probe.Fill) error
}

// Resident asks what the recorder on the host does. Like the three below it
// needs a connection over which our program was started.
func (h *Host) Resident(ctx context.Context) (Resident, error) { return h.resident(ctx, "status") }

// StartResident leaves a recorder behind, or gives the one that is there other
// options. It is started anew where it runs in another version.
func (h *Host) StartResident(ctx context.Context, o ResidentOptions) (Resident, error) {
	var args []string
	if o.Life > 0 {
		args = append(args, "--life", o.Life.String())
	}
	if o.MaxBytes > 0 {
		args = append(args, "--max-bytes", strconv.FormatInt(o.MaxBytes, 10))
	}
	return h.resident(ctx, "start", args...)
}

// StopResident ends the recorder and leaves what it kept; nothing starts it
// again but StartResident.
func (h *Host) StopResident(ctx context.Context) error {
	_, err := h.resident(ctx, "stop")
	return err
}

// RemoveResident ends the recorder and removes what it kept.
func (h *Host) RemoveResident(ctx context.Context) error {
	_, err := h.resident(ctx, "remove")
	return err
}

// residentTime is what one order to the recorder may take; a stop waits for
// the end.
const residentTime = 40 * time.Second

// residentScript runs our program beside its files: $1 is its name, the rest
// its arguments.
const residentScript = `f=$1; shift
[ -f "./$f" ] && [ ! -L "./$f" ] && [ -x "./$f" ] && exec "./$f" resident "$@"`

// resident gives an order and returns what the program says of itself after it.
func (h *Host) resident(ctx context.Context, order string, args ...string) (Resident, error) {
	conn, name, err := h.program()
	if err != nil {
		return Resident{}, err
	}
	res, err := h.runOn(ctx, conn, Command{
		Script: h.eachDir(residentScript) + "exit 127", Args: append([]string{name, order}, args...), Timeout: residentTime, Limit: 64 << 10,
	})
	if err != nil {
		return Resident{}, fmt.Errorf("%s the recorder: %w", order, err)
	}
	said := clip(clean(string(res.Stderr)), saidLimit)
	if res.Exit != 0 {
		return Resident{}, &Error{Kind: KindResident, Reason: order, Said: said, Err: fmt.Errorf("exit code %d", res.Exit)}
	}
	s, err := resident.ParseStatus(res.Stdout)
	if err != nil {
		return Resident{}, &Error{Kind: KindResident, Reason: order, Said: said, Err: err}
	}
	h.mu.Lock()
	ahead := h.st.Offset
	h.mu.Unlock()
	return residentOf(s, ahead), nil
}

// program returns the connection and the name of our program as it lies on the
// host.
func (h *Host) program() (remote.Conn, string, error) {
	conn, err := h.connection()
	if err != nil {
		return nil, "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.placed == "" {
		return nil, "", &Error{Kind: KindResident, Reason: h.st.Reason, Err: errNoProgram}
	}
	return conn, h.placed, nil
}

// errNoProgram is the cause where our program doesn't lie on the host.
var errNoProgram = errors.New("our program is not on the host")

// residentOf turns what the host says, by its clock, into the laptop's time.
func residentOf(s resident.Status, ahead time.Duration) Resident {
	at := func(ns int64) time.Time {
		if ns == 0 {
			return time.Time{}
		}
		return time.Unix(0, ns).Add(-ahead).UTC()
	}
	return Resident{
		There: s.There, Running: s.Running, Version: s.Version, PID: s.PID, Started: at(s.Started), Until: at(s.Until), Gone: at(s.Gone),
		Life: s.Life, BootID: s.BootID, Oldest: at(s.Oldest), Newest: at(s.Newest), Seconds: s.Seconds, Bytes: s.Bytes, MaxBytes: s.MaxBytes,
		Hours: s.Hours, Dir: s.Dir, DiskFull: s.DiskFull, Stopped: s.Stopped, Idle: s.Idle, Guard: s.Guard,
	}
}
