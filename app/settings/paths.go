package settings

import (
	"fmt"
	"os"
	"path/filepath"
)

// Environment variables of ours.
const (
	EnvHome    = "RENTGEN_HOME"    // everything of ours in this one folder
	EnvKeyring = "RENTGEN_KEYRING" // "1" keeps the keyring on beside RENTGEN_HOME
)

// Paths are the files and folders of one home. Nothing of ours stands anywhere
// else.
type Paths struct {
	Home       string
	Settings   string // JSON
	Database   string // folder of the store
	KnownHosts string // our own; ~/.ssh/known_hosts is only read
	Log        string
	Agent      string // folder of the program that reads this computer's own card
}

// HomeOf returns RENTGEN_HOME of an environment as an absolute path or, where it is unset,
// "rentgen" in the user's configuration folder. It makes nothing. An error
// means that the system names no such folder.
func HomeOf(getenv func(string) string) (string, error) {
	if dir := getenv(EnvHome); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("resolve %s: %w", EnvHome, err)
		}
		return abs, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration folder: %w", err)
	}
	return filepath.Join(dir, "rentgen"), nil
}

// PathsIn returns the paths below a home folder. It makes nothing.
func PathsIn(home string) Paths {
	return Paths{
		Home:       home,
		Settings:   filepath.Join(home, "settings.json"),
		Database:   filepath.Join(home, "store"),
		KnownHosts: filepath.Join(home, "known_hosts"),
		Log:        filepath.Join(home, "logs", "rentgen.log"),
		Agent:      filepath.Join(home, "agent"),
	}
}

// Make creates the folders, readable by their owner alone.
func (p Paths) Make() error {
	for _, dir := range []string{p.Home, p.Database, filepath.Dir(p.Log), p.Agent} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make folder %s: %w", dir, err)
		}
	}
	return nil
}

// KeyringOn reports whether the operating system's keyring may be used: not
// beside RENTGEN_HOME, where everything of ours is to stay in one folder,
// unless RENTGEN_KEYRING is 1.
func KeyringOn(getenv func(string) string) bool {
	return getenv(EnvHome) == "" || getenv(EnvKeyring) == "1"
}
