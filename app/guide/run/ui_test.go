//go:build linux

package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/app/guide"
)

// startUI starts something that looks like ComfyUI with an environment of its own.
func startUI(t *testing.T, dir string, env ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "main.py"), []byte("read x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Cmd{Path: "/bin/sh", Args: []string{"python", "main.py"}, Dir: dir, Env: env}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
}

// TestCachesOfARunningUI: what a program that runs was started with is what counts,
// then the login's own, then what the start file of an interactive shell says.
func TestCachesOfARunningUI(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for _, d := range []string{filepath.Join(dir, "models"), filepath.Join(dir, "user")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for f, text := range map[string]string{
		filepath.Join(home, ".bashrc"):              "[ -z \"$PS1\" ] && return\nexport HF_HOME=/of/the/start-file\nexport PIP_CACHE_DIR=\"/of/the/start file\"\nexport XDG_CACHE_HOME=~/cache # mine\nexport HF_HUB_CACHE=\"${HOME}/hub\"; true\n",
		filepath.Join(dir, "extra_model_paths.yml"): "a: 1\n",
		filepath.Join(dir, "user", "comfyui.log"):   "got prompt\nPrompt executed in 9.10 seconds\n",
	} {
		if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/srv", filepath.Join(dir, "models", "checkpoints")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/srv", filepath.Join(home, "cache")); err != nil {
		t.Fatal(err)
	}
	startUI(t, dir, "HF_HOME=/of/the/ui")
	for name, argv := range shells {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(argv[0]); err != nil {
				t.Skipf("skipped %s: no %s here", t.Name(), argv[0])
			}
			say := func(id guide.CheckID, v Values) string {
				t.Helper()
				text, err := CommandOf(id, guide.Shared, v)
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], "-c", text)...)
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TORCH_HOME=/of/the/login"}
				b, _ := cmd.CombinedOutput() // the folders are not there
				return string(b)
			}
			said := say(guide.CachePersist, nil)
			for _, want := range []string{
				"HF_HOME=/of/the/ui\n", "TORCH_HOME=/of/the/login\n", "PIP_CACHE_DIR=/of/the/start file\n", "HF_HUB_CACHE=" + home + "/hub\n", "ui: " + dir + "\n",
				"/extra_model_paths.yml\n", "/models/checkpoints -> /srv\nmodels=/srv\n", "XDG_CACHE_HOME=" + home + "/cache\n", "link: " + home + "/cache -> /srv\n",
			} {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in\n%s", want, said)
				}
			}
			if said := say(guide.FirstImage, nil); !strings.Contains(said, "Prompt executed in 9.10 seconds\n") {
				t.Errorf("the log is not found:\n%s", said)
			}
			if said := say(guide.CachePersist, Values{ValueUIDir: home}); !strings.Contains(said, "ui: "+home+"\n") {
				t.Errorf("the folder that was set is not taken:\n%s", said)
			}
		})
	}
}
