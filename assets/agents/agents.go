// Package agents carries our programs for the hosts, built by `make agents`
// before the window is. A build without them works; it has simple readings
// only.
package agents

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"sync"
)

// The folder holds agent-linux-amd64.gz and agent-linux-arm64.gz once built.
// The pattern takes this file as well, so that it matches before.
//
//go:embed *
var files embed.FS

// maxUnpacked bounds what is unpacked to be hashed.
const maxUnpacked = 64 << 20

type found struct {
	gz  []byte
	sum string
}

var (
	mu    sync.Mutex
	cache = map[string]found{}
)

// Find returns the program for Linux on a processor, as Go names it: compressed
// with gzip, and the SHA-256 of the unpacked program in hexadecimal. ok is false
// where this build carries none.
func Find(goarch string) (gz []byte, sha256hex string, ok bool) {
	mu.Lock()
	defer mu.Unlock()
	f, known := cache[goarch]
	if !known {
		f = load(goarch)
		cache[goarch] = f
	}
	return f.gz, f.sum, f.sum != ""
}

func load(goarch string) found {
	gz, err := files.ReadFile("agent-linux-" + goarch + ".gz")
	if err != nil {
		return found{}
	}
	r, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return found{}
	}
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(r, maxUnpacked)); err != nil || n == maxUnpacked {
		return found{}
	}
	return found{gz, hex.EncodeToString(h.Sum(nil))}
}
