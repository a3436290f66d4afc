package check

import (
	"strconv"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.CUDANvcc] = judgeNvcc }

// nvccRelease matches the line of nvcc --version that counts; the date line
// above it has other forms every few years.
var nvccRelease = guide.Regexp(`\brelease (\d+\.\d+)(?:, V(\d[\d.]*\d))?`)

// nvcc is the toolkit as it said itself.
type nvcc struct{ release, version string }

func (l *look) readNvcc() (nvcc, bool) {
	for _, s := range l.lines {
		if !strings.Contains(s, "Cuda compilation") && !strings.Contains(s, "cuda") && !strings.Contains(s, ", V") {
			continue
		}
		if m := nvccRelease.FindStringSubmatch(s); m != nil {
			l.use(s)
			l.set("nvcc_release", m[1])
			if m[2] != "" {
				l.set("nvcc_version", m[2])
			}
			return nvcc{m[1], m[2]}, true
		}
	}
	return nvcc{}, false
}

// nvccWanted reports whether a build says that it needs a toolkit and finds none.
func (l *look) nvccWanted() bool {
	return l.says("no such file or directory: '/usr/local/cuda/bin/nvcc'", "nvcc was not found", "could not find nvcc", "cannot find nvcc", "failed to find nvcc", "nvcc executable not found", "nvcc not found in path",
		"no cmake_cuda_compiler could be found", "cuda_home environment variable is not set", "cuda_home does not exist", "unable to find cuda", "bin/nvcc' failed: no such file or directory", "nvcc failed: no such file",
		"bin/nvcc: no such file or directory", "nvcc: not found", "nvcc: command not found") && !l.nvccAsked()
}

// nvccAsked reports whether the command was nvcc itself and not a build.
func (l *look) nvccAsked() bool {
	for _, w := range strings.Fields(l.command) {
		if w == "nvcc" || strings.HasSuffix(w, "/nvcc") {
			return true
		}
	}
	build := l.says("traceback", "error:", "cmake", "setup.py", "requested, but", "ninja")
	return l.command == "" && !build
}

func judgeNvcc(l *look) {
	n, ok := l.readNvcc()
	if ok {
		if newer(n.release, oldestToolkit()) < 0 {
			l.find(guide.Warn, "old", "release", n.release, "oldest", oldestToolkit())
			return
		}
		l.find(guide.Pass, "ok", "release", n.release)
		return
	}
	switch {
	case l.nvccWanted():
		l.set("error", "nvcc_missing")
		l.set("nvcc_release", nil)
		l.find(guide.Warn, "wanted")
	case l.missing("nvcc") || l.in.Exit == 127 && len(l.lines) == 0:
		l.set("error", "command_not_found")
		l.set("nvcc_release", nil)
		if l.in.Track == guide.Shared {
			l.skipped = true
			l.find(guide.Skip, "not-needed")
			return
		}
		l.find(guide.Warn, "missing")
	}
}

func oldestToolkit() string {
	return strconv.FormatFloat(guide.Threshold("cuda.nvcc.oldest"), 'f', 1, 64)
}
