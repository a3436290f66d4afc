package wire

import "rentgen/probe"

// The shapes of a frame in CBOR. Maps have integer keys, never used again for
// something else; a reader passes over keys that it does not know.

type frame struct {
	Inventory *inventoryShape `cbor:"1,keyasint,omitempty"`
	Sample    *sample         `cbor:"2,keyasint,omitempty"`
	Event     *event          `cbor:"3,keyasint,omitempty"`
	Pong      *pong           `cbor:"4,keyasint,omitempty"`
	Heartbeat *Heartbeat      `cbor:"5,keyasint,omitempty"`
	Error     text            `cbor:"6,keyasint,omitempty"`
	Start     *Start          `cbor:"7,keyasint,omitempty"`
	Hole      *Hole           `cbor:"8,keyasint,omitempty"`
	Done      bool            `cbor:"9,keyasint,omitempty"`
}

type event struct {
	_    struct{} `cbor:",toarray"`
	Time int64
	GPU  text
	Kind text
	Code int32
	Text text
	Raw  text
}

type pong struct {
	_    struct{} `cbor:",toarray"`
	Ping uint64
	Wall int64
	Mono int64
}

type sample struct {
	Seq    uint64  `cbor:"1,keyasint"`
	Time   int64   `cbor:"2,keyasint,omitempty"` // the host's
	Mono   int64   `cbor:"3,keyasint,omitempty"`
	GPUs   []gpu   `cbor:"4,keyasint,omitempty"`
	System changes `cbor:"5,keyasint,omitzero"` // empty: asked, nothing changed
}

// changes are the values that differ from the tick before, by metric.
type changes map[uint64]value

// gpu names its card by the place in the inventory, from 1 on; one that the
// inventory lacks carries its names.
type gpu struct {
	Place   int        `cbor:"1,keyasint,omitempty"`
	Changes changes    `cbor:"2,keyasint,omitempty"`
	Spreads []spread   `cbor:"3,keyasint,omitempty"`
	Procs   *processes `cbor:"4,keyasint,omitempty"`
	Index   int32      `cbor:"5,keyasint,omitempty"`
	UUID    text       `cbor:"6,keyasint,omitempty"`
	Name    text       `cbor:"7,keyasint,omitempty"`
}

type spread struct {
	_      struct{} `cbor:",toarray"`
	Metric uint64
	Min    value
	Max    value
	N      int32
}

type processes struct {
	_     struct{} `cbor:",toarray"`
	State uint64
	Raw   text
	List  []process
}

type process struct {
	_    struct{} `cbor:",toarray"`
	PID  int32
	Name text
	Mem  value
	Util value
	Own  bool
}

// The texts and values of an inventory are lists in the order of the functions
// below, which grow at their end only.

type inventoryShape struct {
	Time   int64    `cbor:"1,keyasint,omitempty"`
	Demo   bool     `cbor:"2,keyasint,omitempty"`
	Texts  []text   `cbor:"3,keyasint"`
	GPUs   []device `cbor:"4,keyasint,omitempty"`
	Cores  int32    `cbor:"5,keyasint,omitempty"`
	Values []value  `cbor:"6,keyasint"` // of the machine
	Init   int64    `cbor:"7,keyasint,omitempty"`
}

type device struct {
	Index   int32   `cbor:"1,keyasint,omitempty"`
	Virtual bool    `cbor:"2,keyasint,omitempty"`
	Texts   []text  `cbor:"3,keyasint"`
	Values  []value `cbor:"4,keyasint"`
}

func inventoryTexts(inv *probe.Inventory) []*string {
	m := &inv.System
	return []*string{
		(*string)(&inv.Source), &inv.Reason, &inv.Detail, &inv.Agent, &inv.Driver, &inv.CUDA, (*string)(&inv.Mode), &inv.Run.BootID,
		&m.OS, &m.Kernel, &m.Arch, &m.Libc, &m.Hostname, &m.User, &m.CPUModel, &m.Container,
	}
}

func machineValues(m *probe.Machine) []*probe.Value {
	return []*probe.Value{&m.Quota, &m.RAMTotal, &m.RAMLimit}
}

func deviceTexts(d *probe.Device) []*string {
	return []*string{
		&d.UUID, &d.Name, &d.BusID, &d.ComputeCap, &d.Persistence, &d.MIG, &d.Parent, &d.Profile, &d.MemSource, &d.Problem,
	}
}

func deviceValues(d *probe.Device) []*probe.Value {
	return []*probe.Value{
		&d.MemTotal, &d.PowerCap, &d.PowerDefault, &d.PowerMax,
		&d.ClockMaxSM, &d.ClockMaxMem, &d.PCIeGenMax, &d.PCIeWidthMax, &d.TempSlow,
	}
}
