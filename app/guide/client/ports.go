package client

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Port is a port that something on the host listens at.
type Port struct {
	Number int
	// Public says that it listens at an address that isn't the host's own: whether it
	// can be reached from outside is another question.
	Public bool
	// Program is what usually sits there: "ComfyUI", "" for anything.
	Program string
}

// usual are the ports of programs that let anybody in who reaches them.
var usual = map[int]string{
	22: "SSH", 7860: "Stable Diffusion WebUI", 7861: "Stable Diffusion WebUI", 8188: "ComfyUI", 18188: "ComfyUI", 8888: "Jupyter", 6006: "TensorBoard", 11434: "Ollama",
}

// readPorts reads lines of /proc/net/tcp and tcp6.
func readPorts(lines []string) []Port {
	by := map[int]bool{}
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] != "0A" { // listens
			continue
		}
		addr, port, ok := strings.Cut(f[1], ":")
		n, err := strconv.ParseUint(port, 16, 16)
		a, known := address(addr)
		if !ok || err != nil || n == 0 || !known || len(by) > 4096 {
			continue
		}
		by[int(n)] = by[int(n)] || !a.IsLoopback()
	}
	var l []Port
	for n, public := range by {
		l = append(l, Port{Number: n, Public: public, Program: usual[n]})
	}
	slices.SortFunc(l, func(a, b Port) int { return a.Number - b.Number })
	return l
}

// address reads the kernel's form: words of 32 bits, each with its bytes turned
// round.
func address(s string) (netip.Addr, bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 4 && len(b) != 16 {
		return netip.Addr{}, false
	}
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	a, ok := netip.AddrFromSlice(b)
	return a.Unmap(), ok
}
