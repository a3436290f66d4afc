package check

import (
	"strconv"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.TorchCUDA] = judgeTorch }

var (
	foundVersion = guide.Regexp(`found version (\d{4,5})\b`)
	supportRange = guide.Regexp(`(?i)Minimum and Maximum cuda capability supported by this version of PyTorch is \(?(\d{1,2}\.\d)\)? - \(?(\d{1,2}\.\d)\)?`)
)

// torchFacts notes what was said of PyTorch.
func (l *look) torchFacts(t torch) {
	if t.version != "" {
		l.set("torch_version", t.version)
	}
	if t.cuda != "" || t.noCUDA {
		l.set("torch_cuda", orNil(t.cuda, t.cuda != ""))
	}
	if t.available != nil {
		l.set("cuda_available", *t.available)
	} else if t.kernel {
		l.set("cuda_available", true)
	}
}

// judgeTorch judges whether PyTorch computes on the card. That it sees the card
// is no proof: a wheel without code for it sees it too.
func judgeTorch(l *look) {
	t := readTorch(l.lines, l.command)
	l.torchFacts(t)
	l.torchMore(t)
	l.torchEvidence()
	l.torchBroken(t)
	ok, known := runsOn(t.archs, t.capability)
	notCompatible := l.says("is not compatible with the current pytorch installation", "pytorch no longer supports this gpu because it is too old")
	if min, max := l.supported(); min != "" && t.capability != "" && newer(t.capability, min) < 0 {
		notCompatible = true
	} else if max != "" && !known { // newer than the newest: its own major still runs
		a, _ := major(t.capability)
		b, _ := major(max)
		ok, known = a == b, t.capability != ""
	}
	if notCompatible {
		ok, known = false, true
	}
	if known || t.kernel { // a result on the card proves it
		l.set("arch_ok", ok || !known)
	}
	if known && !ok {
		l.find(guide.Fail, "arch", "capability", t.capability, "torch", t.version)
	}
	failed := len(l.found) > 0
	switch {
	case failed:
	case t.kernel && t.available == nil:
		l.find(guide.Pass, "ok", "torch", t.version) // a result on the card says it too
	case t.kernel:
		l.find(guide.Pass, "ok", "torch", t.version)
	case l.noInterpreter():
	case t.available != nil || t.version != "":
		l.find(guide.Warn, "no-kernel")
	}
	l.torchDoubts()
}

// torchDoubts spoils a pass that came with an error.
func (l *look) torchDoubts() {
	switch {
	case l.says("out of memory"):
		l.find(guide.Warn, "out-of-vram")
	case l.says("cuda error:", "runtimeerror:", "cudnn_status", "cublas_status", "undefined symbol", "cannot open shared object file"):
		l.find(guide.Warn, "error")
	case l.in.TimedOut:
		l.find(guide.Warn, "hung")
	case l.in.Exit != 0 && !l.piped() && len(l.found) > 0 && l.found[0].Verdict == guide.Pass:
		l.find(guide.Warn, "exit", "exit", l.in.Exit)
	}
}

// torchBroken finds the ways in which PyTorch says that it can't use the card.
func (l *look) torchBroken(t torch) {
	if m := l.line(foundVersion); m != nil || l.says("driver on your system is too old", "cuda driver version is insufficient for cuda runtime version") {
		l.set("error", "driver_too_old")
		l.setFalse()
		cuda := "?"
		if m != nil {
			if v, err := strconv.Atoi(m[1]); err == nil {
				cuda = strconv.Itoa(v/1000) + "." + strconv.Itoa(v%1000/10)
				l.set("cuda_max", cuda)
			}
		}
		l.ofHost(l.find(guide.Fail, "driver-old", "cuda", cuda))
	}
	if l.says("no kernel image is available") {
		l.set("no_kernel_image", true)
		l.find(guide.Fail, "no-kernel-image")
	}
	switch {
	case t.noCUDA && t.cuda == "" || l.says("not compiled with cuda enabled", "not linked with support for cuda", "no cuda runtime is found"):
		l.set("cpu_build", true)
		l.setFalse()
		l.find(guide.Fail, "cpu-build", "torch", t.version)
	case l.says("cuda unknown error"):
		l.set("error", "cuda_unknown_error")
		l.setFalse()
		l.ofHost(l.find(guide.Fail, "unknown-error"))
	case l.says("error 803", "system has unsupported display driver"):
		l.setFalse()
		l.ofHost(l.find(guide.Fail, "libraries"))
	case l.says("error 804", "forward compatibility was attempted on non supported hw"):
		l.setFalse()
		l.find(guide.Fail, "compat-libraries")
	case l.says("no cuda gpus are available", "found no nvidia driver", "no cuda-capable device is detected", "cuda driver initialization failed", "can't initialize nvml", "torch is not able to use gpu", "all cuda-capable devices are busy or unavailable", "cuda-capable device(s) is/are busy or unavailable"):
		l.setFalse()
		l.ofHost(l.find(guide.Fail, "no-card"))
	case len(l.found) == 0 && t.available != nil && !*t.available, t.count != nil && *t.count == 0 && t.available != nil:
		l.find(guide.Fail, "not-available")
	}
}

// setFalse notes that CUDA can't be used where the output did not say it.
func (l *look) setFalse() {
	if _, ok := l.facts["cuda_available"]; !ok {
		l.set("cuda_available", false)
	}
}

// noInterpreter finds a Python without torch, or none at all.
func (l *look) noInterpreter() bool {
	switch {
	case l.says("no module named 'torch'", "no module named torch"):
		l.set("error", "module_not_found")
		l.find(guide.Warn, "module")
	case l.missing("python"), l.missing("python3"), l.in.Exit == 127 && len(l.lines) == 0:
		l.find(guide.Warn, "python")
	default:
		return false
	}
	return true
}

// supported is the range of capabilities that newer versions name when a card
// lies outside it.
func (l *look) supported() (min, max string) {
	all := strings.Join(strings.Fields(l.all()), " ")
	if m := supportRange.FindStringSubmatch(all); m != nil {
		l.says("minimum and maximum cuda capability supported")
		return m[1], m[2]
	}
	return "", ""
}

func (l *look) torchMore(t torch) {
	if t.count != nil {
		l.set("gpu_count", *t.count)
	}
	if len(t.names) > 0 {
		l.set("names", t.names)
	}
	if len(t.totals) > 0 {
		l.set("mem_total_mib", t.totals)
	}
	if t.capability != "" {
		l.set("capability", t.capability)
	}
	var sm []string
	for _, a := range t.archs {
		if strings.HasPrefix(a, "sm_") {
			sm = append(sm, a)
		}
	}
	if len(sm) > 0 {
		l.set("arch_list", sm)
	}
	if t.kernel || t.version != "" || t.available != nil {
		l.set("kernel_ran", t.kernel)
		l.set("no_kernel_image", false)
	}
	if t.version != "" || t.cuda != "" {
		l.set("cpu_build", t.noCUDA && t.cuda == "")
	}
}

func (l *look) torchEvidence() {
	for _, s := range l.lines {
		if torchVersion.MatchString(s) || torchCUDA.MatchString(s) || torchAvail.MatchString(s) || torchDevice.MatchString(s) || strings.Contains(s, "tensor(") || strings.HasPrefix(strings.TrimSpace(s), "{") {
			l.use(s)
		}
	}
}
