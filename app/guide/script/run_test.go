package script_test

import (
	"os"
	"path/filepath"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/script"
)

func TestRunOf(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sys/kernel/random/boot_id": "01234567-89ab-cdef-0123-456789abcdef\n",
		"sys/kernel/hostname":       "autodl-container-1\n",
		"1/stat":                    "1 (sh) x (y) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 100 1 1\n",
		"driver/nvidia/version":     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31\nGCC\n",
		"etc/machine-id":            "abc\n",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	told, err := script.Run(t.Context(), script.Params{
		Runner: guidetest.Shell{}, Text: "P=$1 E=$2\n" + script.RunText, Args: []string{dir, filepath.Join(dir, "etc")},
	})
	run := script.RunOf(told)
	if err != nil || run.Boot != "01234567-89ab-cdef-0123-456789abcdef" || run.PID1 != "4711" || run.Driver != "550.90.07" || run.Instance == "" {
		t.Errorf("%+v %v", run, err)
	}
	told, err = script.Run(t.Context(), script.Params{Runner: guidetest.Shell{}, Text: "P=$1 E=$1\n" + script.RunText, Args: []string{t.TempDir()}})
	if run := script.RunOf(told); err != nil || run != (guide.Run{}) {
		t.Errorf("nothing to read, but %+v %v", run, err)
	}
}

func TestDriverOfTheOpenModule(t *testing.T) {
	for line, want := range map[string]string{
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build": "560.35.03",
		"NVRM version: NVIDIA UNIX aarch64 Kernel Module  580.65  x":                        "580.65",
		"garbage": "",
	} {
		told := script.Told{Records: []script.Record{{Kind: "run", Fields: []string{"no id", "1 (x", line}}}}
		if run := script.RunOf(told); run.Driver != want || run.Boot != "" || run.PID1 != "" {
			t.Errorf("%q: %+v", line, run)
		}
	}
}
