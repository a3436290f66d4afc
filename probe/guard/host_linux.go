package guard

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"rentgen/probe"
)

func cores() int { return runtime.NumCPU() }

// gone reports whether a process has ended while it was read.
func gone(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// typed returns how many seconds ago a key was struck at any terminal: the kernel
// keeps it as the access time of the terminal's file, to eight seconds.
func typed(root string, now time.Time) probe.Value {
	dir := filepath.Join("/", root, "dev/pts")
	es, err := os.ReadDir(dir)
	if err != nil {
		return missing(err)
	}
	ago := never
	for _, e := range es {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue // ptmx
		}
		var st syscall.Stat_t
		if err := syscall.Stat(filepath.Join(dir, e.Name()), &st); err != nil {
			if errors.Is(err, syscall.ENOENT) {
				continue
			}
			return missing(err)
		}
		ago = min(ago, max(0, now.Sub(time.Unix(st.Atim.Unix()))))
	}
	return probe.Of(ago.Seconds())
}

// received asks the kernel how long ago each connection of the ports last got data
// from the other side.
func received(ports []int) (map[conn]time.Duration, error) {
	told := map[conn]time.Duration{}
	for _, family := range []byte{syscall.AF_INET, syscall.AF_INET6} {
		if err := diag(family, ports, told); err != nil {
			return nil, err
		}
	}
	return told, nil
}

func diag(family byte, ports []int, into map[conn]time.Duration) error {
	const sockDiag = 4 // NETLINK_SOCK_DIAG
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, sockDiag)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	second := syscall.Timeval{Sec: 1}
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &second); err != nil {
		return err
	}
	if err := syscall.Sendto(fd, diagRequest(family), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return err
	}
	buf := make([]byte, 32<<10)
	for range 4096 { // bounds what is read: a datagram holds a hundred connections
		m, _, err := syscall.Recvfrom(fd, buf, 0)
		if err != nil {
			return err
		}
		if done, err := parseDiag(buf[:m], ports, into); err != nil || done {
			return err
		}
	}
	return errors.New("too many connections")
}

// get fetches a page from a program on this machine: loopback, GET, nothing that
// is followed, all within the limit and the time. It is the one time that our
// program speaks to another.
func get(port int, path string, limit int, within time.Duration) ([]byte, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	end := time.Now().Add(within)
	left := func(option int) error {
		d := time.Until(end)
		if d <= 0 {
			return syscall.EAGAIN
		}
		tv := syscall.NsecToTimeval(int64(d))
		return syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, option, &tv)
	}
	if err := left(syscall.SO_SNDTIMEO); err != nil {
		return nil, err
	}
	if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, err
	}
	ask := []byte("GET " + path + " HTTP/1.0\r\nHost: 127.0.0.1:" + strconv.Itoa(port) + "\r\nConnection: close\r\n\r\n")
	if n, err := syscall.Write(fd, ask); err != nil || n != len(ask) {
		return nil, errors.Join(errors.New("the question could not be sent"), err)
	}
	var all []byte
	buf := make([]byte, 32<<10)
	for {
		if err := left(syscall.SO_RCVTIMEO); err != nil {
			return nil, err
		}
		n, err := syscall.Read(fd, buf)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return all, nil
		}
		if len(all)+n > limit {
			return nil, errors.New("the answer is too long")
		}
		all = append(all, buf[:n]...)
	}
}
