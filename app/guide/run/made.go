package run

import (
	"net/url"
	"strconv"
	"strings"
)

// defaultUIPort is ComfyUI's.
const defaultUIPort = "8188"

// defaultHub is where models come from when no mirror is set.
const defaultHub = "https://huggingface.co"

// made are the parts of commands that are put together from values.
func (v Values) made(name string) (string, bool) {
	switch name {
	case "python":
		return v.python(), true
	case "sudo":
		if v[ValueSudo] == "yes" {
			return "sudo -n ", true
		}
		return "", true
	case "docker_image":
		return DockerImage(v[ValueDriver]), true
	case ValueUIPort:
		if v[name] == "" {
			return defaultUIPort, true
		}
	case ValueHFEndpoint:
		if v[name] == "" {
			return defaultHub, true
		}
	case ValueHost:
		if v[name] == "" {
			return word(v.farHost()), true
		}
	}
	return "", false
}

// farHost is the host that models come from.
func (v Values) farHost() string {
	for _, s := range []string{v[ValueURL], v[ValueHFEndpoint], defaultHub} {
		if u, err := url.Parse(s); err == nil && u.Hostname() != "" {
			return u.Hostname()
		}
	}
	return ""
}

// python is shell text that ends in the Python to ask: the one the user named, or
// the first that has torch.
func (v Values) python() string {
	if v[ValuePython] != "" {
		return word(v[ValuePython])
	}
	return "python3"
}

// images are the smallest system images for Docker that a driver can run, newest first. A
// driver runs what asks for its own CUDA or an older one.
var images = []struct {
	driver int // the branch from which on
	tag    string
}{
	{580, "13.0.0-base-ubuntu22.04"},
	{570, "12.8.0-base-ubuntu22.04"},
	{550, "12.4.0-base-ubuntu22.04"},
	{535, "12.2.0-base-ubuntu22.04"},
	{525, "12.0.0-base-ubuntu22.04"},
	{470, "11.4.3-base-ubuntu20.04"},
}

// DockerImage returns the name of the system image for docker.gpu that a driver
// ("550.90.07") can run. For a driver that is not known or older than all it is the one that asks least.
func DockerImage(driver string) string {
	branch, _, _ := strings.Cut(driver, ".")
	n, err := strconv.Atoi(branch)
	if err == nil {
		for _, i := range images {
			if n >= i.driver {
				return "nvidia/cuda:" + i.tag
			}
		}
	}
	return "nvidia/cuda:" + images[len(images)-1].tag
}
