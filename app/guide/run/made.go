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
	case "hub":
		return defaultHub, true
	case "sample_file":
		return sampleFile, true
	case "ui_dirs":
		return strings.Join(uiDirs, " "), true
	case ValueUIDir:
		return word(v[name]), true // not needed where it runs
	case "docker_image":
		return DockerImage(v[ValueDriver]), true
	case ValueUIPort:
		if v[name] == "" {
			return defaultUIPort, true
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

// sampleFile is a model that everybody may load, of more than 100 MB.
const sampleFile = "stabilityai/sd-vae-ft-mse/resolve/main/diffusion_pytorch_model.safetensors"

// uiDirs are where ComfyUI and A1111 usually lie.
var uiDirs = []string{
	"~/ComfyUI", "/root/autodl-tmp/ComfyUI", "/workspace/ComfyUI", "/opt/ComfyUI", "~/stable-diffusion-webui",
	"/root/autodl-tmp/stable-diffusion-webui", "/workspace/stable-diffusion-webui",
}

// pythons are asked for torch in this order.
var pythons = []string{"python", "python3", "/root/miniconda3/bin/python", "/opt/conda/bin/python", "/venv/main/bin/python", "/workspace/venv/bin/python"}

// python is a word of shell text that names the Python to ask: the one the user
// named, or the first that has torch.
func (v Values) python() string {
	if v[ValuePython] != "" {
		return word(v[ValuePython])
	}
	return "p=python3; for c in " + strings.Join(pythons, " ") + "; do\n" +
		`  "$c" -c 'import sys, importlib.util as u; sys.exit(u.find_spec("torch") is None)' 2>/dev/null && p=$c && break` + "\ndone\n" + `"$p"`
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
