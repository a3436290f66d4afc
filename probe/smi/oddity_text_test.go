package smi

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"rentgen/probe"
	"rentgen/probe/smi/smitest"
)

// rowText is a row of the tick's query as the driver prints it.
func rowText(cells map[string]string) string {
	q := all().ticks()
	if cells[colUUID] == "" {
		cells[colUUID] = "GPU-1"
	}
	return strings.Join(rowOf(q, cells), ", ") + "\n"
}

func tickCSV(text string) ([]Row, []Note) { return ParseCSV([]byte(text), len(all().ticks().cols)) }

// oddity 21: asked by the old name, the heading may say the new one; the
// cells are bound by position. Connection case 44.
func TestOddity21AliasAndHeading(t *testing.T) {
	for _, known := range [][]string{
		{"uuid", "index", "clocks_throttle_reasons.active"},
		{"uuid", "index", "clocks_event_reasons.active", "clocks_throttle_reasons.active"},
		{"uuid", "index", "clocks_event_reasons.active"},
	} {
		q := negotiate(ParseHelp([]byte(smitest.Help(known))))
		want := "clocks_throttle_reasons.active"
		if len(known) == 3 && known[2] == "clocks_event_reasons.active" {
			want = known[2]
		}
		if got := q.names[len(q.names)-1]; got != want {
			t.Errorf("of %v the name asked is %q", known, got)
		}
		text := "uuid, index, clocks_event_reasons.active\nGPU-1, 0, 0x0000000000000004\n"
		rows, notes := ParseCSV([]byte(text), len(q.cols))
		if len(rows) != 1 || len(notes) != 0 {
			t.Fatalf("rows %v, notes %v", rows, notes)
		}
		c := q.read(rows[0])
		number(t, c.gpu.Get(probe.EventReasons), 4)
		state(t, c.gpu.Get(probe.UtilGPU), probe.Unsupported, "not offered by this driver's nvidia-smi")
	}
}

// The help text is read field by field: words in quotes inside a sentence are
// none.
func TestParseHelp(t *testing.T) {
	h := ParseHelp([]byte("List of valid properties to query for the switch \"--query-gpu\":\n\n\"pci.bus_id\" or \"gpu_bus_id\"\r\nPCI bus id as \"domain:bus:device.function\", in hex.\n\n\"In \"All On\" mode\n\"name\" or nothing\n\"a;b\"\n\"one\"or \"two\"\n"))
	for name, want := range map[string]bool{
		"pci.bus_id": true, "gpu_bus_id": true, "domain:bus:device.function": false, "--query-gpu": false, "name": false, "a;b": false,
	} {
		if h.Has(name) != want {
			t.Errorf("%q: %v", name, h.Has(name))
		}
	}
}

// oddity 22: a field that is not known is dropped, or asked by its next name.
func TestOddity22InvalidField(t *testing.T) {
	f := ParseFailure([]byte("Field \"clocks_throttle_reasons.active\" is not a valid field to query.\n\n"), 2)
	if f == nil || f.Kind != FailUsage || f.Field != "clocks_throttle_reasons.active" {
		t.Fatalf("%+v", f)
	}
	q := all()
	n := len(q.cols)
	q, ok := q.without(f.Field)
	if !ok || len(q.cols) != n || !strings.Contains(strings.Join(q.names, ","), "clocks_event_reasons.active") {
		t.Errorf("%v %v", ok, q.names)
	}
	q, ok = q.without("clocks_event_reasons.active")
	if !ok || len(q.cols) != n-1 || len(q.names) != n-1 {
		t.Errorf("%v %v", ok, q.names)
	}
	if _, ok := q.without("encoder.stats.sessionCount"); ok {
		t.Error("dropped what was not asked for")
	}
}

// oddity 23: a command that a shell cut in two says so; ours reaches the tool
// whole, whatever the login shell.
func TestOddity23CommandCut(t *testing.T) {
	f := ParseFailure([]byte("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n-bash: ion.gpu,power.draw: command not found\n"), 127)
	if f == nil || f.Kind != FailUsage {
		t.Errorf("%+v", f)
	}
	if strings.ContainsAny(command, "&|;<>$'\"") || command[0] != '/' {
		t.Errorf("command %q needs a shell of a certain kind", command)
	}
	for l := range strings.SplitSeq(partQuery(all()).shell(), "\n") {
		if len(l) > 2000 {
			t.Errorf("a line of %d bytes", len(l))
		}
	}
}

// oddity 24: log lines of a layer between us and the driver, around, between
// and glued to rows.
func TestOddity24LibraryNoise(t *testing.T) {
	row0 := rowText(map[string]string{colUUID: "GPU-0", "index": "0"})
	row1 := rowText(map[string]string{colUUID: "GPU-1", "index": "1"})
	text := "[HAMI-core Msg(187:140077780113216:libvgpu.c:836)]: Initializing.....\n" + row0 +
		"[4pdvGPU Warn(38:1:hook.c:396)]: can't find function nvmlDeviceGetMemoryInfo_v2 in libnvidia-ml.so.1\n" +
		"[HAMI-core Info(80:1:multiprocess_memory_limit.c:260)]: get_gpu_memory_usage dev=0" + row1
	rows, notes := tickCSV(text)
	if len(rows) != 2 || rows[0][0] != "GPU-0" || rows[1][0] != "GPU-1" || rows[1][1] != "1" {
		t.Fatalf("rows %v", rows)
	}
	if len(notes) != 2 || notes[0].Soft != "hami" || notes[1].Soft != "hami" || notes[0].Kind != probe.EventNoise {
		t.Errorf("notes %+v", notes)
	}
	if f := ParseFailure([]byte("[HAMI-core Msg(1:1:libvgpu.c:836)]: Initializing.....\nNo devices were found\n"), 6); f.Kind != FailNoDevices || f.Raw != "No devices were found" {
		t.Errorf("%+v", f)
	}
}

// oddity 27: blank lines are nothing.
func TestOddity27BlankLines(t *testing.T) {
	rows, notes := tickCSV("\n\n" + rowText(map[string]string{}) + "\n  \n\r\n" + rowText(map[string]string{}) + "\n")
	if len(rows) != 2 || len(notes) != 0 {
		t.Errorf("rows %v, notes %v", rows, notes)
	}
}

// oddity 28: a lost card in every spelling is a note with its bus id; the
// other cards' rows stay. Connection case 45.
func TestOddity28LostCard(t *testing.T) {
	for line, want := range map[string]struct {
		bus   string
		index int
	}{
		"Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU": {"0000:02:00.0", -1},
		"Unable to determine the device handle for GPU 000:BA:80.0: Unknown Error":                                        {"000:BA:80.0", -1},
		"Unable to determine the device handle for GPU0000:CB:00.0: Unknown Error":                                        {"0000:CB:00.0", -1},
		"Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error":                                     {"0000:34:00.0", 1},
		"Unable to determine the device handle for GPU1: Unknown Error":                                                   {"", 1},
		"UNABLE TO DETERMINE THE DEVICE HANDLE FOR GPU0000:CB:00.0: UNKNOWN ERROR":                                        {"0000:CB:00.0", -1},
		"GPU is lost.  Reboot the system to recover this GPU":                                                             {"", -1},
	} {
		rows, notes := tickCSV(line + "\n" + rowText(map[string]string{}))
		if len(rows) != 1 || len(notes) != 1 {
			t.Fatalf("%s: rows %v, notes %v", line, rows, notes)
		}
		if n := notes[0]; n.Kind != probe.EventLost || n.BusID != want.bus || n.Index != want.index || n.Raw == "" {
			t.Errorf("%s: %+v", line, n)
		}
	}
	if busKey("0000:02:00.0") != busKey("00000000:02:00.0") || busKey("000:BA:80.0") != "00000000:ba:80.0" {
		t.Error("domains of another length are another card")
	}
	f := ParseFailure([]byte("Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error\n"), 255)
	if f.Kind != FailHandle || f.BusID != "0000:0B:00.0" || f.EventKind() != probe.EventLost {
		t.Errorf("%+v", f)
	}
}

// oddities 29 to 33: why there are no readings, by words first, by code second.
func TestOddity29Failures(t *testing.T) {
	curly := "NVIDIA-SMI has failed because it couldn‘t communicate with the NVIDIA driver.\nMake sure that the latest NVIDIA driver is installed and running.\n"
	for _, c := range []struct {
		text  string
		exit  int
		kind  FailureKind
		event string
	}{
		{"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n", 18, FailMismatch, probe.EventDriverMismatch},
		{"Failed to initialize NVML: Unknown Error\n", 255, FailAccess, probe.EventAccess},
		{"Failed to initialize NVML: GPU access blocked by the operating system\n", 17, FailAccess, probe.EventAccess},
		{"Failed to initialize NVML: Insufficient Permissions\n", 4, FailPermission, probe.EventAccess},
		{"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n", 9, FailDriver, probe.EventSource},
		{curly, 9, FailDriver, probe.EventSource},
		{"No devices were found\n", 6, FailNoDevices, probe.EventNoGPU},
		{"No devices were found\n", 0, FailNoDevices, probe.EventNoGPU},
		{"Failed to initialize NVML: No supported GPUs were found\n", 255, FailUnsupported, probe.EventNoGPU},
		{"Failed to initialize NVML: No supported GPUs were found\n", 0, FailUnsupported, probe.EventNoGPU},
		{"NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.\n", 12, FailLibrary, probe.EventSource},
		{"bash: line 1: nvidia-smi: command not found\n", 127, FailNotFound, probe.EventNoGPU},
		{"/bin/sh: 12: nvidia-smi: not found\n", 127, FailNotFound, probe.EventNoGPU},
		{"", 127, FailNotFound, probe.EventNoGPU},
		{"", 9, FailDriver, probe.EventSource},
		{"", 15, FailLost, probe.EventLost},
		{"", 137, FailSignal, probe.EventSource},
		{"Failed to initialize NVML: Something new\n", 77, FailOther, probe.EventSource},
		{"", 77, FailOther, probe.EventSource},
	} {
		f := ParseFailure([]byte(c.text), c.exit)
		if f == nil || f.Kind != c.kind || f.EventKind() != c.event || f.Exit != c.exit {
			t.Errorf("%q %d: %+v", c.text, c.exit, f)
			continue
		}
		if c.text != "" && !strings.HasPrefix(c.text, f.Raw[:10]) {
			t.Errorf("%q: kept %q", c.text, f.Raw)
		}
	}
	if f := ParseFailure([]byte("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n"), 18); f.Library != "550.144" {
		t.Errorf("%+v", f)
	}
	if f := ParseFailure([]byte("some rows\n"), 0); f != nil {
		t.Errorf("a good end is a failure: %+v", f)
	}
	if (&Failure{Kind: FailPermission}).state() != probe.Denied || (&Failure{Kind: FailAccess}).state() != probe.Error {
		t.Error("states of a failure")
	}
}

// The captures of the case collection that are failures are read as such.
func TestFailureCaptures(t *testing.T) {
	dir := os.Getenv("RENTGEN_CASES")
	if dir == "" {
		t.Skip("needs RENTGEN_CASES")
	}
	for file, kind := range map[string]FailureKind{
		"015-smi-cannot-communicate.txt": FailDriver, "016-smi-cannot-communicate-curly-quote.txt": FailDriver,
		"018-smi-nvml-mismatch-old.txt": FailMismatch, "020-smi-no-devices.txt": FailNoDevices,
		"021-smi-not-found-bash.txt": FailNotFound, "023-smi-device-handle-unknown.txt": FailHandle,
	} {
		b, err := os.ReadFile(filepath.Join(dir, "checks", file))
		if err != nil {
			t.Fatal(err)
		}
		if f := ParseFailure(b, -1); f == nil || f.Kind != kind {
			t.Errorf("%s: %+v", file, f)
		}
	}
}

// oddity 35: a warning about the infoROM is an event beside good readings.
func TestOddity35InfoROM(t *testing.T) {
	rows, notes := tickCSV(rowText(map[string]string{}) + "WARNING: infoROM is corrupted at gpu 0000:B3:00.0\n")
	if len(rows) != 1 || len(notes) != 1 || notes[0].Kind != probe.EventNoise || notes[0].BusID != "0000:B3:00.0" {
		t.Errorf("rows %v, notes %+v", rows, notes)
	}
	if f := ParseFailure([]byte("WARNING: infoROM is corrupted at gpu 0000:B3:00.0\n"), 14); f != nil {
		t.Errorf("%+v", f)
	}
}

// oddity 37: lines of events between the rows are events.
func TestOddity37EventLines(t *testing.T) {
	for line, want := range map[string]Note{
		"GPU 00000000:3B:00.0: Xid 79": {Kind: probe.EventXid, Code: 79, BusID: "00000000:3B:00.0"},
		"NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', GPU has fallen off the bus.": {Kind: probe.EventXid, Code: 79, BusID: "0000:3b:00"},
		"[12.5] NVRM: Xid (PCI:0000:3b:00.0): 31, pid=12, Ch 00000010":                 {Kind: probe.EventXid, Code: 31, BusID: "0000:3b:00.0"},
		"GPU 00000000:3B:00.0: Double bit ECC error":                                   {Kind: probe.EventNoise, BusID: "00000000:3B:00.0"},
		"Xid happened": {Kind: probe.EventNoise},
	} {
		rows, notes := tickCSV(rowText(map[string]string{}) + line + "\n" + rowText(map[string]string{}))
		if len(rows) != 2 || len(notes) != 1 {
			t.Fatalf("%s: rows %v, notes %v", line, rows, notes)
		}
		n := notes[0]
		if n.Kind != want.Kind || n.Code != want.Code || n.BusID != want.BusID || n.Raw != line {
			t.Errorf("%s: %+v", line, n)
		}
	}
	if busKey("0000:3b:00") != busKey("00000000:3B:00.0") {
		t.Error("a bus id without its function is another card")
	}
}

// oddity 39: the versions' names changed with the 610 series.
func TestOddity39Versions(t *testing.T) {
	for text, want := range map[string]Versions{
		smitest.Version550: {"550.54.15", "550.54.15", "12.4"},
		smitest.Version610: {"610.57.04", "610.57.04", "13.3"},
		"| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     |\n":    {"610.57.04", "610.57.04", "13.3"},
		"| NVIDIA-SMI 470.161.03   Driver Version: 470.161.03   CUDA Version: 11.4     |\n":                {"470.161.03", "470.161.03", "11.4"},
		"| NVIDIA-SMI 470.256.02   Driver Version: 470.256.02   CUDA Version: N/A       |\n":               {"470.256.02", "470.256.02", ""},
		"Driver Version : 610.57.04 [Deprecated; will be removed in CUDA 14.0. Use KMD Version instead]\n": {"", "610.57.04", ""},
		"Driver Version                            : N/A\nCUDA Version       : ERR!\n":                     {},
	} {
		if got := ParseVersions([]byte(text)); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	c := readCells(map[string]string{colDriver: "610.57.04 [Deprecated; will be removed in CUDA 14.0. Use KMD Version instead]"})
	if c.driver != "610.57.04" {
		t.Errorf("driver %q", c.driver)
	}
}

// oddity 43: an empty list is no proof that nobody is there, and no trouble.
func TestOddity43HiddenOrNone(t *testing.T) {
	for _, text := range []string{"", "\n\n", "gpu_uuid, pid, used_gpu_memory [MiB], process_name\n\n"} {
		apps, notes := ParseApps([]byte(text))
		if len(apps) != 0 || len(notes) != 0 {
			t.Errorf("%q: %v %v", text, apps, notes)
		}
	}
}

// oddity 44: a process id that is not ours belongs outside this container; a
// name that is a token is no name. Connection case 39.
func TestOddity44HostPIDs(t *testing.T) {
	apps, notes := ParseApps([]byte("GPU-1, 56752, 33115, No Such Process\nGPU-1, 524, 100, [Insufficient Permissions]\nGPU-1, 77, 512, /opt/app, with a comma\nGPU-2, 99, 1, [Not Found]\nGPU-1, [N/A], 5, x\nGPU-1, 4294967295, 5, x\nnoise\n"))
	if len(apps) != 4 || len(notes) != 1 {
		t.Fatalf("%+v %+v", apps, notes)
	}
	p := processes(apps, map[int]string{77: "python3", 524: "other"})
	if l := p["GPU-1"].List; len(l) != 3 || l[0].Own || l[0].Name != "" || l[1].Own || l[1].Name != "" || !l[2].Own || l[2].Name != "/opt/app, with a comma" {
		t.Errorf("%+v", l)
	}
	number(t, p["GPU-1"].List[0].Mem, 33115)
	if l := p["GPU-2"].List; len(l) != 1 || l[0].Own {
		t.Errorf("%+v", l)
	}
}

// oddity 70: whatever the login's locale, ours is C; a decimal comma would be
// one cell too many and no row. Connection case 49.
func TestOddity70Locale(t *testing.T) {
	row := strings.Replace(rowText(map[string]string{"power_w": "266.25"}), "266.25", "266,25", 1)
	if rows, _ := tickCSV(row); len(rows) != 0 {
		t.Errorf("rows %v", rows)
	}
	if runtime.GOOS == "windows" {
		t.Skip("needs /bin/sh")
	}
	cmd := exec.Command("/bin/sh", "-s")
	cmd.Env = append(os.Environ(), "LC_ALL=de_DE.UTF-8", "LD_BIND_NOW=1")
	cmd.Stdin = strings.NewReader(once("rn=/usr/bin/env\n", "0123456789abcdef", []part{partTable}) + "# the life line\n")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	go func() { _, _ = w.WriteString(once("rn=/usr/bin/env\n", "0123456789abcdef", []part{partTable})) }()
	cmd.Stdin = r
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]answer, 1)
	split(out, "0123456789abcdef", parts)
	if parts[0].exit != 0 || !bytes.Contains(parts[0].out, []byte("LC_ALL=C\n")) || bytes.Contains(parts[0].out, []byte("LD_BIND_NOW")) {
		t.Errorf("%d %s", parts[0].exit, parts[0].out)
	}
}

func TestParseList(t *testing.T) {
	all, notes := ParseList([]byte(smitest.H100MIG().List + "GPU 1: NVIDIA A10 (UUID: GPU-a)\nUnable to determine the device handle for GPU 0000:02:00.0: GPU is lost.\n  MIG-GPU-x\n"))
	if len(all) != 6 || len(notes) != 2 {
		t.Fatalf("%+v %+v", all, notes)
	}
	want := Listed{Index: 2, UUID: "MIG-00000002-0000-0000-0000-000000000002", Profile: "1g.10gb", Parent: smitest.UUID(0)}
	if !reflect.DeepEqual(all[3], want) {
		t.Errorf("%+v", all[3])
	}
	if all[5].Name != "NVIDIA A10" || all[5].Index != 1 {
		t.Errorf("%+v", all[5])
	}
	if s := ParseSlices([]byte(smitest.H100MIG().Table)); len(s) != 4 || s[0].Used.Num != 11091 || s[3].Total.Num != 9984 || s[3].Device != 3 {
		t.Errorf("%+v", s)
	}
}

func TestGroup(t *testing.T) {
	c := func(k string) card { return card{key: k} }
	keys := func(cs []card) string {
		s := ""
		for _, c := range cs {
			s += c.key
		}
		return s
	}
	g := group{want: 2}
	var got []string
	for _, k := range strings.Split("a b a b a a b a b c a b c a b c", " ") {
		if done := g.add(c(k)); done != nil {
			got = append(got, keys(done))
		}
	}
	if rest := g.flush(); rest != nil {
		got = append(got, keys(rest))
	}
	// A card that fails to come leaves its tick open to the next one; a card
	// too many stands alone.
	if s := strings.Join(got, " "); s != "ab ab a ab ab ca bc ab c" {
		t.Errorf("ticks %q", s)
	}
}

func TestPathMayHoldNoShellText(t *testing.T) {
	for _, p := range []string{"nvidia-smi", "/usr/bin/nvidia smi", "/x;rm", "/x$(id)", "/x'", "/x\n", "rel/smi"} {
		if _, err := locate(p); err == nil {
			t.Errorf("%q is accepted", p)
		}
	}
	if s, err := locate("/usr/lib/wsl/lib/nvidia-smi"); err != nil || s != "rn=/usr/lib/wsl/lib/nvidia-smi\n" {
		t.Errorf("%q %v", s, err)
	}
}

func TestMarks(t *testing.T) {
	for m, want := range map[string]bool{"0123abcdEF": true, "short": false, "has space in": false, "dollar$(id)aaa": false} {
		if markOK(m) != want {
			t.Errorf("%q: %v", m, !want)
		}
	}
	parts := make([]answer, 2)
	before := split([]byte("motd\nMARKMARK 0\nab\nMARKMARK x\ncd\nMARKMARK 7\nbetween\nMARKMARK 1\nno newline"), "MARKMARK", parts)
	if before != "motd\nbetween\n" || string(parts[0].out) != "ab\nMARKMARK x\ncd\n" && string(parts[0].out) != "ab\nMARKMARK x\ncd" || parts[0].exit != 7 {
		t.Errorf("%q %q %d", before, parts[0].out, parts[0].exit)
	}
	if string(parts[1].out) != "no newline\n" {
		t.Errorf("%q", parts[1].out)
	}
}

// oddity 68: a card can fall off the bus with or without an Xid; newer drivers
// say so on several lines.
func TestOddity68FallenOffTheBus(t *testing.T) {
	for line, want := range map[string]Note{
		"NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: 10de:26b5) installed in this system has fallen off the bus and is not responding to commands.": {Kind: probe.EventLost, BusID: "0000:b3:00.0"},
		"NVRM: fallen off the bus and is not responding to commands.":                                                                              {Kind: probe.EventLost},
		"NVRM: Xid (PCI:0000:44:00): 79, GPU has fallen off the bus.":                                                                              {Kind: probe.EventXid, Code: 79, BusID: "0000:44:00"},
	} {
		n, ok := readNote(line)
		if !ok || n.Kind != want.Kind || n.BusID != want.BusID || n.Code != want.Code {
			t.Errorf("%s: %+v", line, n)
		}
	}
}
