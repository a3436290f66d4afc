package guard

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// The kernel's inet_diag, by include/uapi/linux/inet_diag.h, sock_diag.h,
// netlink.h and tcp.h.
const (
	diagByFamily   = 20 // SOCK_DIAG_BY_FAMILY
	netlinkError   = 2
	netlinkDone    = 3
	diagInfo       = 2  // INET_DIAG_INFO: struct tcp_info
	diagMsgLen     = 72 // struct inet_diag_msg
	netlinkHeadLen = 16
	lastDataRecv   = 52 // of struct tcp_info: ms since the last data came
)

// diagRequest asks for the established TCP connections of a family with their
// tcp_info.
func diagRequest(family byte) []byte {
	const length = netlinkHeadLen + 56 // struct inet_diag_req_v2
	b := make([]byte, length)
	e := binary.NativeEndian
	e.PutUint32(b[0:], length)
	e.PutUint16(b[4:], diagByFamily)
	e.PutUint16(b[6:], 0x301) // NLM_F_REQUEST | NLM_F_DUMP
	e.PutUint32(b[8:], 1)     // sequence
	b[16], b[17] = family, 6  // IPPROTO_TCP
	b[18] = 1 << (diagInfo - 1)
	e.PutUint32(b[20:], 1<<1) // TCP_ESTABLISHED
	return b
}

// parseDiag goes through one datagram of answers and adds how long the connections
// with a local port of ports have got nothing. done says that it was the last one.
func parseDiag(b []byte, ports []int, into map[conn]time.Duration) (done bool, err error) {
	e := binary.NativeEndian
	for len(b) >= netlinkHeadLen {
		length := int(e.Uint32(b))
		if length < netlinkHeadLen || length > len(b) {
			return false, errors.New("a netlink message is cut off")
		}
		kind, body := e.Uint16(b[4:]), b[netlinkHeadLen:length]
		b = b[min((length+3)&^3, len(b)):]
		switch kind {
		case netlinkDone:
			return true, nil
		case netlinkError:
			return false, errors.New("the kernel does not tell of connections")
		case diagByFamily:
		default:
			continue
		}
		if len(body) < diagMsgLen {
			return false, errors.New("a connection's message is cut off")
		}
		c := conn{binary.BigEndian.Uint16(body[4:]), binary.BigEndian.Uint16(body[6:])}
		if !slices.Contains(ports, int(c.local)) {
			continue
		}
		ms, ok := dataRecv(body[diagMsgLen:])
		if !ok {
			return false, errors.New("a connection without its times")
		}
		d := time.Duration(ms) * time.Millisecond
		if had, twice := into[c]; twice {
			d = min(d, had)
		}
		if into[c] = d; len(into) > maxConns {
			return false, errors.New("too many connections")
		}
	}
	return false, nil
}

// dataRecv finds the time since the last data among the attributes.
func dataRecv(b []byte) (ms uint32, ok bool) {
	e := binary.NativeEndian
	for len(b) >= 4 {
		length, kind := int(e.Uint16(b)), e.Uint16(b[2:])
		if length < 4 || length > len(b) {
			return 0, false
		}
		if body := b[4:length]; kind == diagInfo {
			if len(body) < lastDataRecv+4 {
				return 0, false
			}
			return e.Uint32(body[lastDataRecv:]), true
		}
		b = b[min((length+3)&^3, len(b)):]
	}
	return 0, false
}
