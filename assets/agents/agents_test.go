package agents

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"testing"
)

func TestFind(t *testing.T) {
	if _, _, ok := Find("mips"); ok {
		t.Error("found a program for a processor that has none")
	}
	if _, _, ok := Find("../agents"); ok {
		t.Error("a path was taken for a processor")
	}
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(arch, func(t *testing.T) {
			gz, sum, ok := Find(arch)
			if !ok {
				t.Skip("not built: make agents")
			}
			r, err := gzip.NewReader(bytes.NewReader(gz))
			if err != nil {
				t.Fatal(err)
			}
			if !r.ModTime.IsZero() || r.Name != "" {
				t.Errorf("the archive names %q of %v: not reproducible", r.Name, r.ModTime)
			}
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if h := sha256.Sum256(b); hex.EncodeToString(h[:]) != sum {
				t.Errorf("hash is %s", sum)
			}
			f, err := elf.NewFile(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if f.Machine != machine {
				t.Errorf("built for %v", f.Machine)
			}
		})
	}
}
