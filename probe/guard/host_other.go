//go:build !linux

package guard

import (
	"errors"
	"os"
	"time"

	"rentgen/probe"
)

// The guard lives on Linux hosts; elsewhere every signal is unreadable, and so
// busy.

var errSystem = errors.New("not a system that the guard knows")

func cores() int { return 0 }

func gone(err error) bool { return errors.Is(err, os.ErrNotExist) }

func typed(string, time.Time) probe.Value {
	return probe.Missing(probe.Unsupported, errSystem.Error())
}

func received([]int) (map[conn]time.Duration, error) { return nil, errSystem }

func get(int, string, int, time.Duration) ([]byte, error) { return nil, errSystem }
