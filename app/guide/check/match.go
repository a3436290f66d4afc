package check

import (
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.CUDAMatch] = judgeMatch }

var (
	// detectedCUDA is what the build of an extension says of nvcc and the wheel.
	detectedCUDA = guide.Regexp(`The detected CUDA version \((\d+\.\d+)\) mismatches the version that was used to compile PyTorch \((\d+\.\d+)\)`)
	bareDriver   = guide.Regexp(`^\s*(\d{3}\.\d{2,3}(?:\.\d{2})?)\s*$`)
)

// judgeMatch holds driver, toolkit and wheel against each other. The driver's
// CUDA is an upper bound, and inside a major a newer wheel runs.
func judgeMatch(l *look) {
	s := readSMI(l.lines, l.command)
	if s.driver == "" && strings.Contains(l.command, "driver_version") {
		if m := l.line(bareDriver); m != nil {
			s.driver = m[1]
		}
	}
	n, toolkit := l.readNvcc()
	t := readTorch(withoutNvcc(l.lines), l.command)
	if m := detectedCUDA.FindStringSubmatch(strings.Join(strings.Fields(l.all()), " ")); m != nil {
		l.says("detected cuda version")
		l.set("nvcc_release", m[1])
		n, toolkit, t.cuda = nvcc{release: m[1]}, true, m[2]
	}
	l.smiEvidence()
	l.driverFacts(s)
	l.torchFacts(t)
	driverCUDA := numeric(s.cuda)
	if driverCUDA == "" {
		driverCUDA = nativeCUDA(s.driver)
	}
	noNvcc, noTorch := !toolkit && l.missing("nvcc"), l.says("no module named 'torch'", "no module named torch")
	if noNvcc && l.facts["nvcc_release"] == nil {
		l.set("nvcc_release", nil)
	}
	hasTorch := t.version != "" || t.available != nil
	if !hasTorch && !toolkit {
		l.noneToMatch(s, noNvcc, noTorch)
		return
	}
	wheel, tool := wheelAbove(t.cuda, driverCUDA), toolkit && driverCUDA != "" && newer(n.release, driverCUDA) > 0
	if driverCUDA != "" && (toolkit || t.cuda != "") {
		l.set("version_mismatch", wheel || tool)
		l.set("minor_version_compat", t.cuda != "" && !wheel && newer(t.cuda, driverCUDA) > 0 && compatible(s.driver, t.cuda))
	}
	l.judgeTorchMatch(s, t, hasTorch, wheel, driverCUDA)
	if tool {
		l.find(guide.Warn, "toolkit-above", "toolkit", n.release, "driver", driverCUDA)
	}
	if a, ok := major(n.release); ok && toolkit {
		if b, ok := major(t.cuda); ok && a != b {
			l.find(guide.Warn, "toolkit-major", "toolkit", n.release, "torch", t.cuda)
		}
	}
	if !hasTorch && !noTorch && l.asksTorch() {
		l.find(guide.Warn, "no-torch-line")
	}
	if !hasTorch && driverCUDA == "" && len(l.found) == 0 {
		l.find(guide.Warn, "no-driver-line")
	}
	if len(l.found) == 0 {
		l.matchPass(n, t, driverCUDA, hasTorch)
	}
}

// noneToMatch says why there is nothing to hold against the driver.
func (l *look) noneToMatch(s smi, noNvcc, noTorch bool) {
	asked := l.asksTorch() && !noTorch && !l.missing("python") && !l.missing("python3")
	if f, ok := l.faultOf(); ok {
		l.faultFacts(f)
	}
	if (s.driver != "" || noNvcc || noTorch) && !asked {
		l.skipped = true
		l.find(guide.Skip, "nothing")
	} else if s.driver != "" {
		l.find(guide.Warn, "no-torch-line")
	}
}

func (l *look) judgeTorchMatch(s smi, t torch, hasTorch, wheel bool, driverCUDA string) {
	switch {
	case !hasTorch:
	case t.noCUDA && t.cuda == "":
		l.find(guide.Fail, "cpu-build", "torch", t.version)
	case t.available == nil:
		l.find(guide.Warn, "not-asked")
	case *t.available:
	case wheel:
		l.find(guide.Fail, "wheel-above", "torch", t.cuda, "driver", driverCUDA)
	case driverCUDA == "" || t.cuda == "":
		l.find(guide.Fail, "not-available")
	default:
		code := "elsewhere-cause"
		if s.driver == "" {
			code = "not-available"
		}
		l.find(guide.Fail, code, "torch", t.cuda, "driver", driverCUDA)
	}
}

func (l *look) matchPass(n nvcc, t torch, driverCUDA string, hasTorch bool) {
	switch {
	case hasTorch && l.facts["minor_version_compat"] == true:
		l.find(guide.Pass, "ok-minor", "torch", t.cuda, "driver", driverCUDA)
	case hasTorch:
		l.find(guide.Pass, "ok", "torch", t.cuda, "driver", driverCUDA)
	default:
		l.find(guide.Pass, "ok-toolkit", "toolkit", n.release, "driver", driverCUDA)
	}
}

// asksTorch reports whether the command asks Python too, so that its silence is
// no answer.
func (l *look) asksTorch() bool {
	return strings.Contains(l.command, "python") || strings.Contains(l.command, "torch")
}

// wheelAbove reports whether a wheel needs a newer CUDA major than the driver's.
func wheelAbove(wheel, driver string) bool {
	a, ok := major(wheel)
	b, ok2 := major(driver)
	return ok && ok2 && a > b
}

// compatible reports whether a driver runs a newer wheel of its own major.
func compatible(driver, cuda string) bool {
	m, ok := major(cuda)
	return ok && minorCompat(driver, m)
}

// withoutNvcc leaves out the toolkit's own lines, whose numbers are not torch's.
func withoutNvcc(lines []string) []string {
	var rest []string
	for _, s := range lines {
		if !nvccRelease.MatchString(s) && !strings.HasPrefix(strings.TrimSpace(s), "Build cuda_") {
			rest = append(rest, s)
		}
	}
	return rest
}
