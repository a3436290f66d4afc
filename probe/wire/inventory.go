package wire

import "rentgen/probe"

func (e *Encoder) inventory(inv *probe.Inventory) *inventoryShape {
	e.reset()
	out := &inventoryShape{
		Time: nanos(inv.Time), Demo: inv.Demo, Texts: texts(inventoryTexts(inv)), Cores: int32(inv.System.Cores),
		Values: values(machineValues(&inv.System)), Init: nanos(inv.Run.Init),
	}
	for i := range inv.GPUs[:min(len(inv.GPUs), MaxDevices)] {
		d := &inv.GPUs[i]
		out.GPUs = append(out.GPUs, device{
			Index: int32(d.Index), Virtual: d.Virtual, Texts: texts(deviceTexts(d)), Values: values(deviceValues(d)),
		})
		e.place[d.UUID] = i + 1
	}
	return out
}

func (d *Decoder) inventory(in *inventoryShape) (*probe.Inventory, error) {
	if err := within("cards", len(in.GPUs), MaxDevices); err != nil {
		return nil, err
	}
	d.reset()
	d.index = make([]name, len(in.GPUs))
	inv := &probe.Inventory{Time: moment(in.Time), Demo: in.Demo, GPUs: make([]probe.Device, len(in.GPUs))}
	inv.System.Cores, inv.Run.Init = int(in.Cores), moment(in.Init)
	setTexts(inventoryTexts(inv), in.Texts)
	setValues(machineValues(&inv.System), in.Values)
	for i, g := range in.GPUs {
		dev := &inv.GPUs[i]
		dev.Index, dev.Virtual = int(g.Index), g.Virtual
		setTexts(deviceTexts(dev), g.Texts)
		setValues(deviceValues(dev), g.Values)
		d.index[i] = name{dev.Index, dev.UUID, dev.Name}
	}
	return inv, nil
}

func texts(from []*string) []text {
	list := make([]text, len(from))
	for i, s := range from {
		list[i] = cut(*s)
	}
	return list
}

func setTexts(to []*string, list []text) {
	for i := range min(len(to), len(list)) {
		*to[i] = string(list[i])
	}
}

func values(from []*probe.Value) []value {
	list := make([]value, len(from))
	for i, v := range from {
		list[i] = value(*v)
	}
	return list
}

func setValues(to []*probe.Value, list []value) {
	for i := range min(len(to), len(list)) {
		*to[i] = probe.Value(list[i])
	}
}
