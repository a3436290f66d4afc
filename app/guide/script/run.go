package script

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"rentgen/app/guide"
)

// RunText tells which run of which instance this is. It wants the process file
// system in $P and the folder of settings in $E: "/proc" and "/etc".
const RunText = `
boot=$(head -c 100 "$P/sys/kernel/random/boot_id" 2>/dev/null)
one=$(head -c 2000 "$P/1/stat" 2>/dev/null)
driver=$(head -n 1 "$P/driver/nvidia/version" 2>/dev/null | head -c 300)
name=$(head -c 300 "$P/sys/kernel/hostname" 2>/dev/null)
machine=$(head -c 100 "$E/machine-id" 2>/dev/null)
say run "$boot" "$one" "$driver" "$name" "$machine"
`

var (
	bootID        = regexp.MustCompile(`^[0-9a-f-]{32,36}$`)
	driverVersion = regexp.MustCompile(`Kernel Module[^0-9]*(?:for \S+)?\s+(\d+\.\d+(?:\.\d+)?)`)
)

// RunOf reads what RunText told. What could not be read is "".
func RunOf(t Told) guide.Run {
	r, ok := t.One("run")
	if !ok {
		return guide.Run{}
	}
	var run guide.Run
	if b := strings.ToLower(strings.TrimSpace(r.Field(0))); bootID.MatchString(b) {
		run.Boot = b
	}
	run.PID1 = startOf(r.Field(1))
	if m := driverVersion.FindStringSubmatch(r.Field(2)); m != nil {
		run.Driver = m[1]
	}
	if name, id := strings.TrimSpace(r.Field(3)), strings.TrimSpace(r.Field(4)); name != "" || id != "" {
		sum := sha256.Sum256([]byte("rentgen\x00" + name + "\x00" + id)) // as in a run of checks
		run.Instance = hex.EncodeToString(sum[:8])
	}
	return run
}

// startOf reads field 22 of a process's stat; the name before it may hold blanks
// and brackets.
func startOf(stat string) string {
	i := strings.LastIndexByte(stat, ')')
	if i < 0 {
		return ""
	}
	f := strings.Fields(stat[i+1:])
	if len(f) < 20 || strings.Trim(f[19], "0123456789") != "" {
		return ""
	}
	return f[19]
}
