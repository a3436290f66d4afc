package wire

import "rentgen/probe"

// An inventory is sent rarely, so its maps carry every field with its key and
// a reader passes over keys it does not know.

func appendKeyText(b []byte, key uint64, s string) []byte {
	return appendText(appendUint(b, key), s)
}

func appendKeyValue(b []byte, key uint64, v probe.Value) []byte {
	return appendValue(appendUint(b, key), v)
}

func (e *Encoder) inventory(b []byte, inv *probe.Inventory) []byte {
	e.reset()
	b = appendHead(b, majorMap, 12)
	b = appendTime(appendUint(b, 1), inv.Time)
	b = appendKeyText(b, 2, string(inv.Source))
	b = appendKeyText(b, 3, inv.Reason)
	b = appendKeyText(b, 4, inv.Detail)
	b = appendKeyText(b, 5, inv.Agent)
	b = appendBool(appendUint(b, 6), inv.Demo)
	b = appendKeyText(b, 7, inv.Driver)
	b = appendKeyText(b, 8, inv.CUDA)
	gpus := inv.GPUs[:min(len(inv.GPUs), MaxDevices)]
	b = appendHead(appendUint(b, 9), majorArray, uint64(len(gpus)))
	for i := range gpus {
		b = appendDevice(b, &gpus[i])
		e.index[gpus[i].UUID] = i
	}
	b = appendMachine(appendUint(b, 10), &inv.System)
	b = appendHead(appendUint(b, 11), majorArray, 2)
	b = appendTime(appendText(b, inv.Run.BootID), inv.Run.Init)
	return appendKeyText(b, 12, string(inv.Mode))
}

func appendDevice(b []byte, d *probe.Device) []byte {
	b = appendHead(b, majorMap, 12+uint64(len(deviceValues(d))))
	b = appendInt(appendUint(b, 1), int64(d.Index))
	for _, f := range [...]struct {
		key  uint64
		text string
	}{
		{2, d.UUID},
		{3, d.Name},
		{4, d.BusID},
		{5, d.ComputeCap},
		{6, d.Persistence},
		{7, d.MIG},
		{8, d.Parent},
		{9, d.Profile},
		{10, d.MemSource},
		{11, d.Problem},
	} {
		b = appendKeyText(b, f.key, f.text)
	}
	b = appendBool(appendUint(b, 12), d.Virtual)
	for i, v := range deviceValues(d) {
		b = appendKeyValue(b, uint64(deviceValueKey+i), *v)
	}
	return b
}

func appendMachine(b []byte, m *probe.Machine) []byte {
	b = appendHead(b, majorMap, 12)
	for i, s := range machineTexts(m) {
		b = appendKeyText(b, uint64(1+i), *s)
	}
	b = appendInt(appendUint(b, 9), int64(m.Cores))
	b = appendKeyValue(b, 10, m.Quota)
	b = appendKeyValue(b, 11, m.RAMTotal)
	return appendKeyValue(b, 12, m.RAMLimit)
}

// deviceValueKey is the key of the first of deviceValues.
const deviceValueKey = 13

func deviceValues(d *probe.Device) [9]*probe.Value {
	return [9]*probe.Value{
		&d.MemTotal, &d.PowerCap, &d.PowerDefault, &d.PowerMax,
		&d.ClockMaxSM, &d.ClockMaxMem, &d.PCIeGenMax, &d.PCIeWidthMax, &d.TempSlow,
	}
}

func machineTexts(m *probe.Machine) [8]*string {
	return [8]*string{&m.OS, &m.Kernel, &m.Arch, &m.Libc, &m.Hostname, &m.User, &m.CPUModel, &m.Container}
}

func (r *reader) inventory() *probe.Inventory {
	inv := &probe.Inventory{}
	for n := r.dict(maxKeys); n > 0 && r.err == nil; n-- {
		switch r.uint() {
		case 1:
			inv.Time = r.time()
		case 2:
			inv.Source = probe.Source(r.text())
		case 3:
			inv.Reason = r.text()
		case 4:
			inv.Detail = r.text()
		case 5:
			inv.Agent = r.text()
		case 6:
			inv.Demo = r.bool()
		case 7:
			inv.Driver = r.text()
		case 8:
			inv.CUDA = r.text()
		case 9:
			count := r.list(MaxDevices)
			inv.GPUs = make([]probe.Device, count)
			for i := range inv.GPUs {
				r.device(&inv.GPUs[i])
			}
		case 10:
			r.machine(&inv.System)
		case 11:
			if r.list(2) == 2 {
				inv.Run.BootID, inv.Run.Init = r.text(), r.time()
			} else {
				r.fail("a run needs a boot id and a time")
			}
		case 12:
			inv.Mode = probe.Mode(r.text())
		default:
			r.skip(0)
		}
	}
	return inv
}

func (r *reader) device(d *probe.Device) {
	values := deviceValues(d)
	for n := r.dict(maxKeys); n > 0 && r.err == nil; n-- {
		switch key := r.uint(); key {
		case 1:
			d.Index = r.small()
		case 2:
			d.UUID = r.text()
		case 3:
			d.Name = r.text()
		case 4:
			d.BusID = r.text()
		case 5:
			d.ComputeCap = r.text()
		case 6:
			d.Persistence = r.text()
		case 7:
			d.MIG = r.text()
		case 8:
			d.Parent = r.text()
		case 9:
			d.Profile = r.text()
		case 10:
			d.MemSource = r.text()
		case 11:
			d.Problem = r.text()
		case 12:
			d.Virtual = r.bool()
		default:
			if i := key - deviceValueKey; key >= deviceValueKey && i < uint64(len(values)) {
				*values[i] = r.value()
			} else {
				r.skip(0)
			}
		}
	}
}

func (r *reader) machine(m *probe.Machine) {
	texts := machineTexts(m)
	for n := r.dict(maxKeys); n > 0 && r.err == nil; n-- {
		switch key := r.uint(); key {
		case 1, 2, 3, 4, 5, 6, 7, 8:
			*texts[key-1] = r.text()
		case 9:
			m.Cores = r.small()
		case 10:
			m.Quota = r.value()
		case 11:
			m.RAMTotal = r.value()
		case 12:
			m.RAMLimit = r.value()
		default:
			r.skip(0)
		}
	}
}
