package guard

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strconv"

	"rentgen/probe"
)

// established is the state of a connection that is open both ways, as the kernel
// writes it.
const established = "01"

// connections counts who is connected to the ports, and since when the last of
// them has been silent. Connections are listed by this network namespace: what a
// container with its own one publishes is not seen.
func (m *Meter) connections(ports []int) (conns, sent probe.Value) {
	none := probe.Missing(probe.Unsupported, "")
	if len(ports) == 0 {
		return probe.Of(0), none
	}
	total := 0
	for i, name := range []string{"proc/net/tcp", "proc/net/tcp6"} {
		b, err := readFile(m.root, name)
		if i == 1 && errors.Is(err, fs.ErrNotExist) {
			continue // without IPv6
		}
		if err != nil {
			return missing(err), none
		}
		n, err := ParseTCP(b, ports)
		if err != nil {
			return probe.Missing(probe.Error, err.Error()), none
		}
		total += n
	}
	if total == 0 || m.root != "" {
		return probe.Of(float64(total)), none
	}
	silent, n, err := lastReceived(ports)
	if err != nil || n < total {
		// One that isn't told of may be sending: they all count.
		return probe.Of(float64(total)), none
	}
	return probe.Of(float64(total)), probe.Of(silent.Seconds())
}

// ParseTCP counts the established connections of /proc/net/tcp or tcp6 whose own
// port is one of ports. A line that can't be read is an error: it may be one.
func ParseTCP(b []byte, ports []int) (int, error) {
	n, first := 0, true
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) == 0 {
			continue
		}
		if first {
			first = false
			if string(f[0]) != "sl" {
				return 0, errors.New("the list of connections has no heading")
			}
			continue
		}
		if len(f) < 4 {
			return 0, errors.New("a connection can't be read")
		}
		local, err := portOf(f[1])
		if err != nil {
			return 0, err
		}
		if _, err := portOf(f[2]); err != nil {
			return 0, err
		}
		if len(f[3]) != 2 {
			return 0, errors.New("a connection can't be read")
		}
		if string(f[3]) == established && slices.Contains(ports, local) {
			n++
		}
	}
	if first {
		return 0, errors.New("the list of connections is empty")
	}
	return n, nil
}

// portOf reads the port of "0100007F:1FFC".
func portOf(b []byte) (int, error) {
	addr, text, found := bytes.Cut(b, []byte(":"))
	if !found || (len(addr) != 8 && len(addr) != 32) || len(text) != 4 {
		return 0, errors.New("an address can't be read")
	}
	if _, err := hex.Decode(make([]byte, 16), addr); err != nil {
		return 0, errors.New("an address can't be read")
	}
	p, err := strconv.ParseUint(string(text), 16, 16)
	if err != nil {
		return 0, errors.New("a port can't be read")
	}
	return int(p), nil
}
