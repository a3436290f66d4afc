package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rentgen/app/guide"
)

// torch is what a Python said of PyTorch, in whichever form: our own lines and
// JSON, collect_env, a session typed by hand, a start-up log, a traceback. A nil
// or empty field was not said.
type torch struct {
	version    string
	cuda       string // "12.8"
	noCUDA     bool   // a build without CUDA
	available  *bool
	count      *int
	names      []string
	totals     []float64 // MiB
	capability string    // "8.9"
	archs      []string  // sm_89, compute_90
	kernel     bool      // a result computed on the GPU is shown
}

var (
	torchVersion = guide.Regexp(`(?i)(?:\btorch\.__version__|\b(?:py)?torch[ _]version|\bversion torch is|\btorch==|^["'\s]*torch\b)["')]*\s*(?:[:=]+|is)?\s*v?["']?(\d+\.\d+(?:\.\d+)?[\w.]*(?:\+[\w.]+)?)`)
	torchCUDA    = guide.Regexp(`(?i)(?:\btorch\.version\.cuda|CUDA used to build PyTorch|\btorch[ _]cuda\b|\bpytorch cuda\b(?: version)?|^\s*cuda(?: version)?)["')]*\s*(?:[:=]+|is)?\s*["']?(\d+\.\d+|None\b|Could not collect|N/A)`)
	torchAvail   = guide.Regexp(`(?i)(?:\bis_available|\bis cuda available|\bcuda[ _.](?:is[ _])?available|\bgpu available|^\s*available|\bcuda \d+\.\d+[,;]? available)\b(?:\(\))?["')]*\s*(?:[:=]+|is|->)?\s*["']?(True\b|False\b|(?:Yes|No)\s*$)`)
	torchCount   = guide.Regexp(`(?i)\b(?:device_count|gpu_count|number of gpus)\b(?:\(\))?["')]*\s*(?:[:=]+|is|->)?\s*(\d+)\b`)
	torchDevice  = guide.Regexp(`^\s*(\d+)[:\s]\s*((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|GRID) .*?)\s+(\d{9,13})\b`)
	torchName    = guide.Regexp(`(?i)(?:get_device_name\([^)]*\)|\bdevice(?: name)?|\bGPU \d+|\bgpu name)["')]*\s*[:=]?\s*["']?(?:cuda:\d+ )?((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|GRID) [^"'(:]+)`)
	torchNamed   = guide.Regexp(`((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|GRID) [^:.]{1,60}?) (?:with CUDA capability sm_|which is of cuda capability)`)
	torchTotal   = guide.Regexp(`^Total VRAM (\d+) MB`)
	torchLocal   = guide.Regexp(`\+cu(\d{2,3})\b`)
	torchTensor  = guide.Regexp(`(?:^|[^.\w])tensor\([^()]*device='cuda:\d+'`)
	archToken    = guide.Regexp(`\b(?:sm|compute)_\d{2,3}[af]?\b`)
	archSupports = guide.Regexp(`(?i)supports CUDA capabilities((?: (?:sm|compute)_\d{2,3}[af]?)+)`)
	archIs       = guide.Regexp(`(?i)with CUDA capability (sm_\d{2,3})[af]? is not compatible`)
	capabilityOf = guide.Regexp(`(?i)which is of cuda capability (\d{1,2}\.\d)`)
	capabilityIs = guide.Regexp(`(?i)(?:\bget_device_capability(?:\([^)]*\))?|\bcapability)["')]*\s*(?:[:=]+|is)?\s*(?:\((\d{1,2}), ?(\d)\)|["']?(\d{1,2})\.(\d)\b|sm_(\d{1,2})(\d)\b)`)
	archListIs   = guide.Regexp(`(?i)\barch[_ ]list\b|_arch_list\b`)
	bareVersion  = guide.Regexp(`^\d\.\d+\.\d+[\w.]*(?:\+[\w.]+)?$`)
	bareCUDA     = guide.Regexp(`^\d{1,2}\.\d$`)
	repl         = guide.Regexp(`^\s*(?:>>>|In \[\d+\]:)\s*(.+)$`)
	replOut      = guide.Regexp(`^\s*Out\[\d+\]:\s*`)
)

// readTorch reads every form.
func readTorch(lines []string, command string) torch {
	var t torch
	t.readJSON(lines)
	asked := ""
	for _, s := range lines {
		if m := repl.FindStringSubmatch(s); m != nil {
			asked = m[1]
			continue
		}
		s = replOut.ReplaceAllString(s, "")
		if strings.HasPrefix(strings.TrimSpace(s), "{") || smiVersion.MatchString(s) || strings.HasPrefix(s, "|") {
			continue
		}
		if asked != "" {
			s = asked + " " + strings.Trim(s, `'"`)
			asked = ""
		}
		t.readLine(s)
		t.readBare(s, command)
	}
	t.readMessages(strings.Join(strings.Fields(strings.Join(lines, " ")), " "))
	if m := torchLocal.FindStringSubmatch(t.version); m != nil && t.cuda == "" {
		t.cuda = m[1][:len(m[1])-1] + "." + m[1][len(m[1])-1:]
	}
	if strings.Contains(t.version, "+cpu") {
		t.noCUDA = true
	}
	return t
}

func (t *torch) readLine(s string) {
	if m := torchVersion.FindStringSubmatch(s); m != nil && t.version == "" {
		t.version = m[1]
	}
	if m := torchCUDA.FindStringSubmatch(s); m != nil && t.cuda == "" {
		switch {
		case startsWithDigit(m[1]):
			t.cuda = m[1]
		case strings.EqualFold(m[1], "None"):
			t.noCUDA = true
		}
	}
	if m := torchAvail.FindStringSubmatch(s); m != nil {
		said := strings.ToLower(strings.TrimSpace(m[1]))
		t.isAvailable(said == "true" || said == "yes")
	}
	if m := torchCount.FindStringSubmatch(s); m != nil {
		if v, ok := whole(m[1]); ok {
			t.count = &v
		}
	}
	if m := torchDevice.FindStringSubmatch(s); m != nil {
		t.names = append(t.names, m[2])
		if v, ok := number(m[3]); ok {
			t.totals = append(t.totals, v/mib)
		}
	} else if m := torchName.FindStringSubmatch(s); m != nil {
		t.names = append(t.names, strings.TrimSpace(m[1]))
	}
	if m := torchTotal.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		if v, ok := number(m[1]); ok {
			t.totals = append(t.totals, v)
		}
	}
	if archListIs.MatchString(s) && len(t.archs) == 0 {
		t.archs = archToken.FindAllString(s, -1)
	}
	if m := capabilityIs.FindStringSubmatch(s); m != nil && t.capability == "" {
		for i := 1; i+1 < len(m); i += 2 {
			if m[i] != "" {
				t.capability = m[i] + "." + m[i+1]
			}
		}
	}
}

// isAvailable keeps the worse of two answers.
func (t *torch) isAvailable(v bool) {
	if t.available == nil || !v {
		t.available = &v
	}
}

// readBare reads a line that holds nothing but values: "2.8.0+cu128 12.8 True".
func (t *torch) readBare(s, command string) {
	rest, name := strings.TrimSpace(s), ""
	for _, maker := range []string{"NVIDIA ", "Tesla ", "GeForce ", "Quadro "} {
		if at := strings.Index(rest, maker); at > 0 && startsWithDigit(rest) {
			rest, name = rest[:at], strings.Trim(strings.TrimSpace(rest[at:]), `'")`)
			break
		}
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	var version, cuda string
	var avail *bool
	none := false
	for _, w := range words {
		w = strings.Trim(w, `'"()`)
		switch {
		case w == "True" || w == "False":
			avail = ref(w == "True")
		case w == "None":
			none = true
		case bareVersion.MatchString(w):
			version = w
		case bareCUDA.MatchString(w):
			cuda = w
		default:
			if v, ok := whole(w); !ok || v > 64 {
				return
			} else if strings.Contains(command, "device_count") && t.count == nil {
				t.count = &v
			}
		}
	}
	if version != "" && t.version == "" {
		t.version = version
	}
	if name != "" && (version != "" || avail != nil) {
		t.names = append(t.names, name)
	}
	if cuda != "" && t.cuda == "" && (version != "" || avail != nil || strings.Contains(command, "version.cuda")) {
		t.cuda = cuda
	}
	if none && (version != "" || strings.Contains(command, "version.cuda")) {
		t.noCUDA = true
	}
	if avail != nil {
		t.isAvailable(*avail)
	}
}

// readMessages reads what may be wrapped over lines.
func (t *torch) readMessages(all string) {
	if m := archSupports.FindStringSubmatch(all); m != nil {
		t.archs = strings.Fields(m[1])
	}
	if m := archIs.FindStringSubmatch(all); m != nil {
		t.capability = dotted(strings.TrimPrefix(m[1], "sm_"))
	} else if m := capabilityOf.FindStringSubmatch(all); m != nil {
		t.capability = m[1]
	}
	if m := torchNamed.FindStringSubmatch(all); m != nil && len(t.names) == 0 {
		t.names = append(t.names, m[1])
	}
	if torchTensor.MatchString(all) {
		t.kernel = true
	}
}

// dotted is "120" as "12.0".
func dotted(s string) string {
	if len(s) < 2 {
		return s
	}
	return s[:len(s)-1] + "." + s[len(s)-1:]
}

// maxObjects bounds how many beginnings of an object are tried.
const maxObjects = 8

// readJSON reads an object on a line of its own, or over several.
func (t *torch) readJSON(lines []string) {
	tried := 0
	for i, s := range lines {
		if !strings.HasPrefix(strings.TrimSpace(s), "{") {
			continue
		}
		if tried++; tried > maxObjects {
			return
		}
		d := json.NewDecoder(strings.NewReader(strings.Join(lines[i:], "\n")))
		var m map[string]any
		if d.Decode(&m) == nil {
			t.fromJSON(m)
			return
		}
	}
}

func (t *torch) fromJSON(m map[string]any) {
	get := func(keys ...string) any {
		for _, k := range keys {
			if v, ok := m[k]; ok && v != nil {
				return v
			}
		}
		return nil
	}
	if v, ok := get("torch_version", "torch", "version", "torch.__version__").(string); ok {
		t.version = v
	}
	for _, k := range []string{"torch_cuda", "cuda_version", "version_cuda", "torch.version.cuda", "cuda"} {
		if v, ok := m[k]; ok {
			if text, ok := v.(string); ok && startsWithDigit(text) {
				t.cuda = text
			} else if v == nil {
				t.noCUDA = true
			}
			break
		}
	}
	if v, ok := get("cuda_available", "is_available", "available", "torch.cuda.is_available").(bool); ok {
		t.isAvailable(v)
	}
	if v, ok := get("device_count", "gpu_count", "count").(float64); ok && v >= 0 && v < 1000 {
		t.count = ref(int(v))
	}
	for _, d := range anyList(get("devices", "gpus")) {
		if o, ok := d.(map[string]any); ok {
			t.oneJSON(o)
		}
	}
	if v, ok := get("name", "device_name").(string); ok {
		t.names = append(t.names, v)
	}
	for _, v := range anyList(get("names")) {
		if s, ok := v.(string); ok {
			t.names = append(t.names, s)
		}
	}
	t.totalJSON(get("total_memory", "total_memory_bytes"))
	t.capabilityJSON(get("capability", "capabilities"))
	for _, v := range anyList(get("arch_list", "archs")) {
		if s, ok := v.(string); ok && archToken.MatchString(s) && len(t.archs) < 64 {
			t.archs = append(t.archs, s)
		}
	}
	switch v := get("kernel", "kernel_ran", "result").(type) {
	case bool:
		t.kernel = v
	case string:
		t.kernel = torchTensor.MatchString(v)
	}
}

func (t *torch) oneJSON(o map[string]any) {
	if s, ok := o["name"].(string); ok {
		t.names = append(t.names, s)
	}
	t.totalJSON(o["total_memory"])
	if t.capability == "" {
		t.capabilityJSON(o["capability"])
	}
}

func (t *torch) totalJSON(v any) {
	for _, x := range anyList(v) {
		if n, ok := x.(float64); ok && n > 0 && n < 1e15 && len(t.totals) < 64 {
			t.totals = append(t.totals, n/mib)
		}
	}
}

// capabilityJSON takes "8.9", [8, 9] and [[8, 9], ...].
func (t *torch) capabilityJSON(v any) {
	switch v := v.(type) {
	case string:
		if bareCUDA.MatchString(v) {
			t.capability = v
		}
	case []any:
		if len(v) == 2 {
			a, ok := v[0].(float64)
			b, ok2 := v[1].(float64)
			if ok && ok2 && a > 0 && a < 100 && b >= 0 && b < 10 {
				t.capability = fmt.Sprintf("%d.%d", int(a), int(b))
				return
			}
		}
		if len(v) > 0 {
			if inner, ok := v[0].([]any); ok && len(inner) == 2 {
				t.capabilityJSON(inner)
			}
		}
	}
}

// anyList is a JSON list, or the one value that stands for it.
func anyList(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// runsOn reports whether a build for these architectures runs on a card: code
// for the same major and no newer minor, or code that the driver still compiles
// for newer cards. known is false where either is not said.
func runsOn(archs []string, capability string) (ok, known bool) {
	p := parts(capability)
	if len(p) != 2 || len(archs) == 0 {
		return false, false
	}
	for _, a := range archs {
		kind, digits, _ := strings.Cut(a, "_")
		exact := strings.HasSuffix(digits, "a")
		q := parts(dotted(strings.TrimRight(digits, "af")))
		if len(q) != 2 {
			continue
		}
		switch {
		case kind == "compute" && !exact:
			if q[0] < p[0] || q[0] == p[0] && q[1] <= p[1] {
				return true, true
			}
		case exact:
			if slices.Equal(p, q) {
				return true, true
			}
		case q[0] == p[0] && q[1] <= p[1]:
			return true, true
		}
	}
	return false, true
}
