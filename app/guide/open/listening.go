package open

import (
	"context"
	"slices"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
)

// listeningText shows which TCP ports have a listener, with the kernel's own
// table where no tool is there, as in small containers.
const listeningText = `LC_ALL=C ss -H -lnt 2>/dev/null || cat /proc/net/tcp /proc/net/tcp6 2>/dev/null`

// Listening returns the TCP ports of an instance at which something listens,
// ascending, whether they can be reached from outside or not.
func Listening(ctx context.Context, r guide.Runner) ([]int, error) {
	out, err := r.Exec(ctx, guide.Exec{Script: listeningText})
	if err != nil {
		return nil, err
	}
	o := check.Judge(guide.Input{Check: guide.SecPorts, Track: guide.Dedicated, Command: "ss -H -lnt", Stdout: out.Stdout})
	var ports []int
	for _, name := range []string{"public_ports", "loopback_ports"} {
		l, _ := o.Facts[name].([]int)
		ports = append(ports, l...)
	}
	slices.Sort(ports)
	return slices.Compact(ports), nil
}
