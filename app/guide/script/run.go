package script

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
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
	bootID   = guide.Regexp(`^[0-9a-f-]{8,64}$`)
	driverOf = guide.Regexp(`Kernel Module\s+(?:for \S+\s+)?(\d{3,4}(?:\.\d{1,4}){0,3})\s`)
)

// Signs are what tells runs and instances apart, as the instance said them: the id
// of the boot, /proc/1/stat, the driver's own line, the name and the machine's id.
type Signs struct{ Boot, First, Driver, Name, Machine string }

// Run is the run that the signs are of. What isn't there or can't be read is "".
func (s Signs) Run() guide.Run {
	var run guide.Run
	if b := strings.ToLower(strings.TrimSpace(s.Boot)); bootID.MatchString(b) {
		run.Boot = b
	}
	run.PID1 = startOf(s.First)
	if m := driverOf.FindStringSubmatch(s.Driver + " "); m != nil {
		run.Driver = m[1]
	}
	if name, id := strings.TrimSpace(s.Name), strings.TrimSpace(s.Machine); name != "" || id != "" {
		sum := sha256.Sum256([]byte("rentgen\x00" + name + "\x00" + id))
		run.Instance = hex.EncodeToString(sum[:8])
	}
	return run
}

// RunOf reads what RunText told. What could not be read is "".
func RunOf(t Told) guide.Run {
	r, ok := t.One("run")
	if !ok {
		return guide.Run{}
	}
	return Signs{Boot: r.Field(0), First: r.Field(1), Driver: r.Field(2), Name: r.Field(3), Machine: r.Field(4)}.Run()
}

// startOf reads field 22 of a process's stat; the name before it may hold blanks
// and brackets.
func startOf(stat string) string {
	i := strings.LastIndexByte(stat, ')')
	if i < 0 {
		return ""
	}
	f := strings.Fields(stat[i+1:])
	if len(f) < 20 {
		return ""
	}
	if _, err := strconv.ParseUint(f[19], 10, 64); err != nil {
		return ""
	}
	return f[19]
}
