package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.DockerGPU] = judgeDocker }

// requiredCUDA matches the condition of an image, however many layers of quotes
// old versions wrap it in.
var requiredCUDA = guide.Regexp(`cuda\s*>=\s*(\d+\.\d+)`)

// judgeDocker judges whether containers get the card: nvidia-smi's table out of
// one is the proof. The banner of the maker's pictures that no driver was
// detected is none of the contrary.
func judgeDocker(l *look) {
	s := readSMI(l.lines, "")
	l.dockerFacts(s)
	l.smiEvidence()
	code, err := l.dockerFault()
	if err != "" {
		l.set("error", err)
	}
	if _, own := l.faultOf(); own && (code == "card" || code == "host-driver") && !l.says("nvidia-container-cli") {
		l.set("gpu_tested", true) // nvidia-smi ran there and failed
	}
	if l.in.Track == guide.Shared {
		l.skipped = true
		l.find(guide.Skip, "container")
		return
	}
	switch {
	case code == "pull-limit", code == "pull-unreachable", code == "pull-failed":
		l.set("gpu_tested", false)
		l.find(guide.Warn, code)
	case code == "requirement":
		l.find(guide.Fail, code, "cuda", l.required())
	case code != "":
		l.find(guide.Fail, code)
	case l.in.TimedOut:
		l.find(guide.Warn, "hung")
	case len(s.cards) == 0 || s.driver == "":
		if s.header || l.facts["banner_no_driver"] == true || l.facts["image_pulled"] == true {
			l.find(guide.Warn, "no-table")
		}
	case l.in.Exit != 0 && !l.piped():
		l.find(guide.Warn, "exit", "exit", l.in.Exit)
	case !s.complete():
		l.find(guide.Warn, "no-table")
	default:
		l.find(guide.Pass, "ok", "n", len(s.cards), "name", s.name())
	}
}

// complete reports whether every card of a table was seen whole.
func (s smi) complete() bool {
	return !slices.ContainsFunc(s.cards, func(c card) bool { return !c.second && !c.memoryRow })
}

func (l *look) dockerFacts(s smi) {
	tested := len(s.cards) > 0 && s.driver != ""
	if len(l.lines) > 0 || l.in.Exit != 0 {
		l.set("gpu_tested", tested)
	}
	if len(s.cards) > 0 {
		l.cardFacts(s)
	}
	if s.driver != "" {
		l.driverFacts(s)
	}
	pulled := false
	for _, line := range l.lines {
		if strings.Contains(line, "Pull complete") || strings.Contains(line, "Downloaded newer image") || strings.Contains(line, "Pulling fs layer") || strings.Contains(line, "Download complete") {
			pulled = true
		}
	}
	if len(l.lines) > 0 {
		l.set("image_pulled", pulled)
		l.set("banner_no_driver", l.says("the nvidia driver was not detected"))
	}
}

// dockerFault returns what kept the card out of the container, and its code of
// the closed list.
func (l *look) dockerFault() (code, err string) {
	switch {
	case l.says("toomanyrequests", "pull rate limit", "too many requests"):
		return "pull-limit", "registry_rate_limit"
	case l.says("permission denied while trying to connect to the docker", "dial unix /var/run/docker.sock: connect: permission denied"):
		return "socket", "socket_permission"
	case l.says("cannot connect to the docker daemon", "is the docker daemon running", "failed to connect to the docker api", "error during connect:"):
		return l.dockerInDocker("no-daemon", "no_daemon")
	case l.missing("docker"):
		return l.dockerInDocker("no-docker", "no_daemon")
	case l.says("could not select device driver", "unknown or invalid runtime name: nvidia", "unknown runtime specified nvidia", "unresolvable cdi devices", "failed to inject cdi devices",
		`"nvidia-container-runtime": executable file not found`, `"nvidia-container-runtime-hook": executable file not found`, `"nvidia-container-cli": executable file not found`, "nvidia-container-cli: executable file not found"):
		return "toolkit", "toolkit_missing"
	case l.says("unsatisfied condition"):
		if l.required() != "" {
			l.set("required_cuda", l.required())
		}
		return "requirement", "cuda_requirement"
	case l.says("libnvidia-ml.so", "load library failed", "nvml error: driver not loaded", "driver/library version mismatch", "driver rpc error", "wsl environment detected but no adapters were found"):
		if l.says("couldn't find libnvidia-ml.so") && !l.gpusAsked() {
			return "gpus-flag", "gpus_flag_missing"
		}
		return "host-driver", "host_driver_missing"
	case l.nested():
		return "nested", "docker_in_docker"
	case l.missing("nvidia-smi"), l.says(`"nvidia-smi": executable file not found`):
		if l.gpusAsked() {
			return "no-smi", ""
		}
		return "gpus-flag", "gpus_flag_missing"
	case l.pullFailed():
		if l.says("manifest unknown", "pull access denied", "repository does not exist", "not found: manifest", "no space left on device", "invalid reference format", "no matching manifest") {
			return "pull-failed", ""
		}
		return "pull-unreachable", "registry_unreachable"
	}
	if f, ok := l.faultOf(); ok { // nvidia-smi itself, in the container
		if f.err == "driver_not_loaded" || f.err == "nvml_version_mismatch" {
			return "host-driver", "host_driver_missing"
		}
		return "card", ""
	}
	if l.says("nvidia-container-cli:", "oci runtime create failed", "permission denied", "error response from daemon") {
		return "not-started", ""
	}
	return "", ""
}

// nested are the ways in which a container keeps Docker from giving cards on.
func (l *look) nested() bool {
	return l.says("bpf_prog_query(bpf_cgroup_device) failed", "stat failed: /proc/driver/nvidia/gpus",
		"operation not permitted", "devices cgroup isn't mounted", "permission denied (you must be root)", "system has not been booted with systemd", "failed to add device rules",
		"mount operation failed") ||
		l.says("nvidia-container-cli: mount error") && l.says("permission denied")
}

// dockerInDocker tells a daemon that can't run inside a container from one that
// was not started.
func (l *look) dockerInDocker(code, err string) (string, string) {
	if l.nested() {
		return "nested", "docker_in_docker"
	}
	return code, err
}

func (l *look) pullFailed() bool {
	return l.says("manifest unknown", "pull access denied", "repository does not exist", "no space left on device", "invalid reference format", "no matching manifest") ||
		l.says("registry-1.docker.io", "auth.docker.io", "registry", "failed to resolve reference", "error pulling image", "failed to copy", "/v2/") &&
			l.says("timeout", "deadline exceeded", "no such host", "connection refused", "connection reset", "eof", "network is unreachable", "temporary failure in name resolution", "request canceled", "server misbehaving",
				"no route to host", "proxyconnect", "denied", "service unavailable", "bad gateway")
}

// gpusAsked reports whether the command asked for the card.
func (l *look) gpusAsked() bool {
	return strings.Contains(l.command, "--gpus") || strings.Contains(l.command, "runtime=nvidia") || strings.Contains(l.command, "runtime nvidia") || strings.Contains(l.command, "nvidia.com/gpu") ||
		strings.HasPrefix(l.command, "nvidia-docker")
}

func (l *look) required() string {
	if m := requiredCUDA.FindStringSubmatch(l.all()); m != nil {
		return m[1]
	}
	return ""
}
