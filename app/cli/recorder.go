package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe/resident"
	"rentgen/probe/stream"
	"rentgen/probe/target"
)

// The orders to the recorder of a host; the text of a command is
// "cli.cmd.recorder.<order>".
const (
	recorderStart  = "start"
	recorderStatus = "status"
	recorderStop   = "stop"
	recorderRemove = "remove"
	recorderFetch  = "fetch"
)

// maxMB is what --max-mb takes.
var maxMB = fmt.Sprintf("%d–%d", resident.MinBytes>>20, resident.MaxBytes>>20)

// recorderCommand is the row of the table for one order.
func recorderCommand(order string) command {
	c := command{
		name:     "recorder " + order,
		args:     []arg{{name: "TARGET", complete: "target"}},
		flags:    trust,
		examples: []string{"rentgen recorder " + order + " mycard"},
		run:      func(ctx context.Context, j *job) error { return j.recorder(ctx, order) },
	}
	if order == recorderStart {
		c.flags = append([]flagSpec{
			{name: "life", kind: kindDuration, meta: "D", preset: "72h"},
			{name: "max-mb", kind: kindNumber, meta: "N", preset: strconv.Itoa(resident.DefaultBytes >> 20), takes: maxMB},
		}, trust...)
		c.examples = append(c.examples, "rentgen recorder start mycard --life 168h --max-mb 128")
	}
	return c
}

// recorderJSON says how the recorder of a host stands.
type recorderJSON struct {
	Host     string          `json:"host"`
	There    bool            `json:"there"`
	Running  bool            `json:"running"`
	Stopped  bool            `json:"stopped"`
	Version  string          `json:"version"`
	PID      int             `json:"pid"`
	Started  *string         `json:"started"`
	Until    *string         `json:"until"`
	Gone     *string         `json:"gone"`
	LifeS    float64         `json:"life_s"`
	BootID   string          `json:"boot_id"`
	Oldest   *string         `json:"oldest"`
	Newest   *string         `json:"newest"`
	Seconds  int64           `json:"seconds"`
	Bytes    int64           `json:"bytes"`
	MaxBytes int64           `json:"max_bytes"`
	Hours    *float64        `json:"hours"`
	Dir      string          `json:"dir"`
	DiskFull bool            `json:"disk_full"`
	Guard    json.RawMessage `json:"guard"`
	Fetched  *int64          `json:"fetched,omitempty"`
}

func recorderOut(host string, r stream.Resident) recorderJSON {
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := moment(t)
		return &s
	}
	out := recorderJSON{
		Host: host, There: r.There, Running: r.Running, Stopped: r.Stopped, Version: r.Version, PID: r.PID,
		Started: at(r.Started), Until: at(r.Until), Gone: at(r.Gone), LifeS: r.Life.Seconds(), BootID: r.BootID,
		Oldest: at(r.Oldest), Newest: at(r.Newest), Seconds: r.Seconds, Bytes: r.Bytes, MaxBytes: r.MaxBytes,
		Dir: r.Dir, DiskFull: r.DiskFull, Guard: r.Guard,
	}
	if r.Hours > 0 {
		out.Hours = &r.Hours
	}
	if len(out.Guard) == 0 {
		out.Guard = json.RawMessage("null")
	}
	return out
}

// recorder connects, gives an order and says how the recorder stands after it.
func (j *job) recorder(ctx context.Context, order string) error {
	options, err := j.residentOptions()
	if err != nil {
		return err
	}
	closeLog := j.logging()
	defer closeLog()
	s, err := j.openWith(ctx, j.args[0], opening{source: stream.SourceAgent, prompt: j.prompter(), keep: order == recorderFetch})
	if err != nil {
		return err
	}
	defer s.close()
	if s.target.Kind == target.Demo {
		return &UsageError{Code: "norecorder", Field: "TARGET", Value: s.name}
	}
	l := &link{states: make(chan stream.State, 64)}
	cancel := s.host.OnState(func(st stream.State) {
		select {
		case l.states <- st:
		case <-ctx.Done():
		}
	})
	defer cancel()
	s.host.Start()
	said := ""
	err = l.wait(ctx, func(st stream.State) {
		if text := (&watch{j: j}).stage(st); text != "" && text != said {
			said = text
			fmt.Fprintln(j.p.Stderr, text)
		}
	})
	if err != nil {
		return err
	}
	r, fetched, err := orderRecorder(ctx, s.host, order, options)
	if err != nil {
		return err
	}
	if j.is("json") {
		out := recorderOut(s.name, r)
		if order == recorderFetch {
			out.Fetched = &fetched
		}
		return j.printJSON(out)
	}
	if order == recorderFetch {
		j.say("cli.recorder.fetched", "n", fetched)
	}
	j.recorderLines(s, r)
	return nil
}

func (j *job) residentOptions() (stream.ResidentOptions, error) {
	var o stream.ResidentOptions
	if o.Life = j.duration("life"); o.Life != 0 && (o.Life < resident.MinLife || o.Life > resident.MaxLife) {
		return o, &UsageError{Code: "value", Field: "--life", Value: j.flags["life"], Allowed: "1m, 72h, 744h"}
	}
	if text := j.flags["max-mb"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < resident.MinBytes>>20 || n > resident.MaxBytes>>20 {
			return o, &UsageError{
				Code: "value", Field: "--max-mb", Value: text, Allowed: maxMB,
			}
		}
		o.MaxBytes = n << 20
	}
	return o, nil
}

// orderRecorder gives an order; fetched is how many seconds came into history.
func orderRecorder(ctx context.Context, h *stream.Host, order string, o stream.ResidentOptions) (r stream.Resident, fetched int64, err error) {
	switch order {
	case recorderStart:
		r, err = h.StartResident(ctx, o)
		return r, 0, err
	case recorderStop:
		err = h.StopResident(ctx)
	case recorderRemove:
		err = h.RemoveResident(ctx)
	case recorderFetch:
		// What the connection itself fetched counts too.
		if r, err = h.Resident(ctx); err != nil || !r.There {
			return r, 0, err
		}
		if _, err = h.Backfill(ctx); err == nil {
			fetched = h.Filled()
		}
	}
	if err != nil {
		return r, 0, err
	}
	r, err = h.Resident(ctx)
	return r, fetched, err
}

// recorderLines says for people what lies where on the host, since when and
// until when.
func (j *job) recorderLines(s *session, r stream.Resident) {
	c, host := j.c, s.name
	if !r.There {
		fmt.Fprintln(j.p.Stdout, c.T("cli.recorder.none", "host", host))
		return
	}
	state := "cli.recorder.ended"
	switch {
	case r.Running && r.DiskFull:
		state = "cli.recorder.full"
	case r.Running && r.Idle:
		state = "cli.recorder.idle"
	case r.Running:
		state = "cli.recorder.running"
	case r.Stopped:
		state = "cli.recorder.stopped"
	}
	fmt.Fprintln(j.p.Stdout, c.T(state, "host", host, "since", when(c, r.Started)))
	rows := [][2]string{{c.T("cli.recorder.dir"), r.Dir}}
	kept := c.T("cli.recorder.nothing")
	if r.Seconds > 0 {
		kept = c.T("cli.recorder.kept", "time", texts.Duration(c, time.Duration(r.Seconds)*time.Second),
			"from", when(c, r.Oldest), "to", when(c, r.Newest))
	}
	rows = append(rows, [2]string{c.T("cli.recorder.holds"), kept})
	room := texts.Bytes(float64(r.Bytes)) + " / " + texts.Bytes(float64(r.MaxBytes))
	if r.Hours > 0 {
		room = c.T("cli.recorder.room", "bytes", room, "time", texts.Duration(c, time.Duration(r.Hours*float64(time.Hour))))
	}
	rows = append(rows, [2]string{c.T("cli.recorder.size"), room})
	if !r.Stopped {
		rows = append(rows, [2]string{c.T("cli.recorder.until"), c.T("cli.recorder.renewed", "at", when(c, r.Until), "life", texts.Duration(c, r.Life))})
	}
	rows = append(rows,
		[2]string{c.T("cli.recorder.gone"), when(c, r.Gone)},
		[2]string{c.T("cli.recorder.away"), "rentgen recorder remove " + wordFor(s.target)})
	columns(j.p.Stdout, rows)
}

// when is a moment with its day, or a dash.
func when(c *texts.Catalogue, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return texts.DateTime(c, t)
}
