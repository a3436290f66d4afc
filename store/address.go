package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

const (
	socketName  = "history.sock"
	addressName = "history.socket"
	// maxSocketPath keeps clear of the 104 bytes that macOS allows.
	maxSocketPath = 100
)

// address tells other processes of the same user where the writer listens and
// what to show it. It lies in our folder, mode 0600.
type address struct {
	Path  string `json:"path"`
	Token string `json:"token"`
}

// socketPath returns where to listen: in the folder, or, where that path is
// too long for a socket, in a private folder of the system's temporary one.
func socketPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path := filepath.Join(abs, socketName); len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(abs))
	short := filepath.Join(os.TempDir(), "rentgen-"+hex.EncodeToString(sum[:8]))
	if err := os.Mkdir(short, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	// Anyone may make a folder there before us.
	if err := private(short); err != nil {
		return "", err
	}
	return filepath.Join(short, "s"), nil
}

func writeAddress(dir string, a address) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, addressName)
	// A new file, so that its mode is ours whatever lay there.
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

func readAddress(dir string) (address, error) {
	var a address
	b, err := os.ReadFile(filepath.Join(dir, addressName))
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("read %s: %w", addressName, err)
	}
	return a, nil
}
