package guard

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"rentgen/probe"
)

// established is the state of a connection that is open both ways, as the kernel
// writes it.
const established = "01"

// conn names a connection by its two ports: the watched one and that of the other
// side. Two of the same name are as good as one.
type conn struct{ local, remote uint16 }

const (
	// connEvery is how often connections are listed: the kernel goes through its
	// whole table for it, which takes milliseconds on a machine with much memory.
	connEvery = 5 * time.Second
	// lived is in how many lists in a row a connection must have been to count. A
	// page that is open keeps one for as long as it is; our own program on the laptop
	// asks the program that paints for its queue with connections that are gone at
	// once, and must not be taken for a person.
	lived = 2
)

// connMeter remembers in how many lists each connection has been, and the latest
// answer.
type connMeter struct {
	looks       map[conn]int
	at          time.Duration
	asked       bool
	conns, sent probe.Value
}

// connected returns the latest answer about the ports, which is at most connEvery
// old. How long the others have been silent has grown since then.
func (m *Meter) connected(mono time.Duration, ports []int) (conns, sent probe.Value) {
	c := &m.conns
	if !c.asked || mono-c.at >= connEvery || mono < c.at {
		c.conns, c.sent = m.connections(ports)
		c.at, c.asked = mono, true
	}
	sent = c.sent
	if n, ok := sent.Ok(); ok {
		sent = probe.Of(n + (mono - c.at).Seconds())
	}
	return c.conns, sent
}

// connections counts who is connected to the ports, and since when the last of
// them has been silent. Connections are listed by this network namespace: what a
// container with its own one publishes is not seen.
func (m *Meter) connections(ports []int) (conns, sent probe.Value) {
	none := probe.Missing(probe.Unsupported, "")
	if len(ports) == 0 {
		return probe.Of(0), none
	}
	now := map[conn]int{}
	for i, name := range []string{"proc/net/tcp", "proc/net/tcp6"} {
		b, err := readFile(m.root, name)
		if i == 1 && errors.Is(err, fs.ErrNotExist) {
			continue // without IPv6
		}
		if err != nil {
			return missing(err), none
		}
		cs, err := parseTCP(b, ports)
		if err != nil {
			return probe.Missing(probe.Error, err.Error()), none
		}
		for _, c := range cs {
			now[c] = min(m.conns.looks[c]+1, lived)
		}
	}
	m.conns.looks = now
	total := 0
	for _, n := range now {
		if n == lived {
			total++
		}
	}
	if total == 0 || m.root != "" {
		return probe.Of(float64(total)), none
	}
	silent, err := m.silence(ports)
	if err != nil {
		return probe.Of(float64(total)), none
	}
	return probe.Of(float64(total)), probe.Of(silent.Seconds())
}

var errUntold = errors.New("a connection is not told of")

// silence is how long the connections that count have sent nothing, the shortest.
// One that the kernel doesn't tell of may be sending: that is an error.
func (m *Meter) silence(ports []int) (time.Duration, error) {
	told, err := received(ports)
	if err != nil {
		return 0, err
	}
	shortest := never
	for c, n := range m.conns.looks {
		if n < lived {
			continue
		}
		d, ok := told[c]
		if !ok {
			return 0, errUntold
		}
		shortest = min(shortest, d)
	}
	return shortest, nil
}

// maxConns bounds the list; a server with more on a port that paints is no one
// person's.
const maxConns = 4096

// parseTCP returns the established connections of /proc/net/tcp or tcp6 whose own
// port is one of ports. A line that can't be read is an error: it may be one.
func parseTCP(b []byte, ports []int) ([]conn, error) {
	var cs []conn
	first := true
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) == 0 {
			continue
		}
		if first {
			first = false
			if string(f[0]) != "sl" {
				return nil, errors.New("the list of connections has no heading")
			}
			continue
		}
		if len(f) < 4 || len(f[3]) != 2 {
			return nil, errors.New("a connection can't be read")
		}
		local, err := portOf(f[1])
		if err != nil {
			return nil, err
		}
		remote, err := portOf(f[2])
		if err != nil {
			return nil, err
		}
		if string(f[3]) == established && slices.Contains(ports, int(local)) {
			if cs = append(cs, conn{local, remote}); len(cs) > maxConns {
				return nil, errors.New("too many connections")
			}
		}
	}
	if first {
		return nil, errors.New("the list of connections is empty")
	}
	return cs, nil
}

// portOf reads the port of "0100007F:1FFC".
func portOf(b []byte) (uint16, error) {
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
	return uint16(p), nil
}
