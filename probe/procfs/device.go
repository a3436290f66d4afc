package procfs

import (
	"bytes"

	"rentgen/probe"
)

// device is one disk or network interface: what went in (read, received) and
// out (written, sent), in the file's own unit.
type device struct {
	key     uint64 // hash of the name
	in, out uint64
	second  bool // counts only where no first-rank device is there
}

// maxDevices bounds the lists; a host with more is summed over the first ones.
const maxDevices = 1024

func fillDevices(src source, path string, into []device, parse func([]byte, []device) ([]device, bool)) ([]device, probe.Value) {
	b, err := src.read(path)
	if err != nil {
		return into, missing(err)
	}
	into, ok := parse(b, into)
	switch {
	case !ok:
		return into, garbled(b)
	case len(into) == 0:
		return into, probe.Missing(probe.Unsupported, "no device")
	}
	return into, probe.Value{State: probe.OK}
}

// hash is FNV-1a: names are compared between ticks without keeping them.
func hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// parseDiskstats keeps whole physical disks: no partitions, and nothing that
// is built on top of other disks, or every byte would count twice.
func parseDiskstats(b []byte, into []device) ([]device, bool) {
	var whole []byte
	for len(b) > 0 {
		var l, f []byte
		l, b = line(b)
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		_, l = field(l)
		_, l = field(l)
		name, l := field(l)
		var n [7]uint64
		for i := range n {
			f, l = field(l)
			v, ok := number(f)
			if !ok {
				return into, false
			}
			n[i] = v
		}
		if partition(whole, name) || stacked(name) {
			continue
		}
		whole = name
		if len(into) < maxDevices {
			into = append(into, device{key: hash(name), in: n[2], out: n[6]})
		}
	}
	return into, true
}

// partition reports whether name is a part of the disk before it: sda1 of
// sda, nvme0n1p1 of nvme0n1.
func partition(whole, name []byte) bool {
	if len(whole) == 0 || len(name) <= len(whole) || !bytes.HasPrefix(name, whole) {
		return false
	}
	tail := name[len(whole):]
	if last := whole[len(whole)-1]; last >= '0' && last <= '9' {
		if tail[0] != 'p' {
			return false
		}
		tail = tail[1:]
	}
	_, ok := number(tail)
	return ok
}

// stacked reports whether a block device is no disk of its own: a mapping, an
// array, memory, a drive for discs, or one path of a multipath NVMe.
func stacked(name []byte) bool {
	for _, p := range [...]string{"loop", "ram", "zram", "dm-", "md", "sr", "fd", "drbd", "bcache", "zd"} {
		if len(name) > len(p) && string(name[:len(p)]) == p {
			if c := name[len(p)]; c >= '0' && c <= '9' || c == '_' {
				return true
			}
		}
	}
	if len(name) > 4 && string(name[:4]) == "nvme" {
		c, n := bytes.IndexByte(name[4:], 'c'), bytes.IndexByte(name[4:], 'n')
		return c > 0 && n > c
	}
	return false
}

// parseNetDev keeps the interfaces through which bytes leave the machine or
// container: not the loopback, and not the inner ends, bridges and bonds that
// carry the same bytes once more. A tunnel counts only where nothing else is
// there, as in a container whose one interface is one.
func parseNetDev(b []byte, into []device) ([]device, bool) {
	first, found := false, false
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		i := bytes.LastIndexByte(l, ':')
		if i < 0 {
			continue // the two lines of heading
		}
		name, _ := field(l[:i])
		rest := l[i+1:]
		var n [9]uint64
		for j := range n {
			var f []byte
			f, rest = field(rest)
			v, ok := number(f)
			if !ok {
				return into, false
			}
			n[j] = v
		}
		found = true
		rank := interfaceRank(name)
		if rank == 0 || len(into) >= maxDevices {
			continue
		}
		first = first || rank == 1
		into = append(into, device{key: hash(name), in: n[0], out: n[8], second: rank == 2})
	}
	if first {
		kept := into[:0]
		for _, d := range into {
			if !d.second {
				kept = append(kept, d)
			}
		}
		into = kept
	}
	return into, found
}

// interfaceRank is 0 for an interface that is never counted, 1 for one that
// is, 2 for a tunnel.
func interfaceRank(name []byte) int {
	if string(name) == "lo" || bytes.IndexByte(name, '.') >= 0 {
		return 0 // a VLAN's bytes pass its parent
	}
	for _, p := range [...]string{
		"veth", "docker", "br-", "br", "virbr", "lxc", "lxd", "cni", "cbr", "flannel", "cali",
		"cilium", "kube", "nodelocal", "vnet", "vmnet", "dummy", "ifb", "bond", "team", "ovs", "podman",
		"sit", "ip6tnl", "tunl", "gre", "erspan", "ip_vti", "ip6_vti", "nerdctl",
	} {
		if len(name) >= len(p) && string(name[:len(p)]) == p {
			return 0
		}
	}
	for _, p := range [...]string{"tun", "tap", "wg", "tailscale", "zt", "utun", "ppp"} {
		if len(name) >= len(p) && string(name[:len(p)]) == p {
			return 2
		}
	}
	return 1
}

// deviceRates sums the growth of every device that is in both lists, in MB/s.
// One that ran backwards was replaced in between: the sum is not known then.
func deviceRates(prev, cur []device, unit uint64, seconds float64) (in, out probe.Value) {
	var sumIn, sumOut float64
	for i, c := range cur {
		p, ok := device{}, false
		if i < len(prev) && prev[i].key == c.key {
			p, ok = prev[i], true
		}
		for j := 0; !ok && j < len(prev); j++ {
			if prev[j].key == c.key {
				p, ok = prev[j], true
			}
		}
		if !ok {
			continue // new: what it carried before belongs to no tick
		}
		if c.in < p.in || c.out < p.out {
			return backwards, backwards
		}
		sumIn += float64(c.in - p.in)
		sumOut += float64(c.out - p.out)
	}
	scale := float64(unit) / megabyte / seconds
	return probe.Of(sumIn * scale), probe.Of(sumOut * scale)
}
