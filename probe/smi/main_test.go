package smi

import (
	"flag"
	"os"
	"testing"
)

// The looks at fake hosts wait for half seconds to pass, not for a processor.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
