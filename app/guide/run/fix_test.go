//go:build unix

package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// tree is every file below a folder with its text.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[p] = "dir"
			return err
		}
		b, err := os.ReadFile(p)
		all[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func found(id guide.CheckID, facts guide.Facts, codes ...string) guide.Outcome {
	o := guide.Outcome{Check: id, Facts: facts}
	for _, c := range codes {
		o.Findings = append(o.Findings, guide.Finding{Verdict: guide.Warn, Code: c})
	}
	return o
}

func TestFixes(t *testing.T) {
	for name, c := range map[string]struct {
		o       guide.Outcome
		before  map[string]string // files of the home
		after   map[string]string
		dry     string // said by the dry run
		twice   string // said by a dry run afterwards
		profile provider.Profile
	}{
		"caches": {
			o:      found(guide.CachePersist, nil, "unset"),
			before: map[string]string{".bashrc": "alias ll='ls -l'\nexport HF_HOME=/old\nno line end"},
			after: map[string]string{".bashrc": "alias ll='ls -l'\nexport HF_HOME=/old\nno line end\nexport HF_HOME='HOME/it'\\''s data/cache/huggingface'\n" +
				"export TORCH_HOME='HOME/it'\\''s data/cache/torch'\nexport PIP_CACHE_DIR='HOME/it'\\''s data/cache/pip'\n"},
			dry: "would be made: HOME/it's data/cache/huggingface", twice: "is there: export HF_HOME='HOME/it'\\''s data/cache/huggingface'",
		},
		"threads": {
			o:     found(guide.CPUCgroup, guide.Facts{"effective_cores": 18.5}, "shown"),
			after: map[string]string{".bashrc": "export OMP_NUM_THREADS=18\n"},
			dry:   "would be made: ~/.bashrc", twice: "is there: export OMP_NUM_THREADS=18",
		},
		"mirror": {
			o:      found(guide.NetHF, nil, "mirror-ignored"),
			before: map[string]string{".bashrc": "export HF_ENDPOINT=https://hf-mirror.com\nexport HF_ENDPOINT=https://huggingface.co\n"},
			after:  map[string]string{".bashrc": "export HF_ENDPOINT=https://hf-mirror.com\nexport HF_ENDPOINT=https://huggingface.co\nexport HF_ENDPOINT=https://hf-mirror.com\n"},
			dry:    "would be added to ~/.bashrc: export HF_ENDPOINT=https://hf-mirror.com", twice: "is there: export HF_ENDPOINT=https://hf-mirror.com",
		},
		"name of the list": {
			o:      found(guide.CachePersist, nil, "yml"),
			before: map[string]string{"ui/extra_model_paths.yml": "a: 1\n"},
			after:  map[string]string{"ui/extra_model_paths.yml": "a: 1\n", "ui/extra_model_paths.yaml": "a: 1\n"},
			dry:    "would be copied to: HOME/ui/extra_model_paths.yaml", twice: "is there: HOME/ui/extra_model_paths.yaml",
		},
		"tilde": {
			o:      found(guide.CachePersist, nil, "tilde"),
			before: map[string]string{"ui/extra_model_paths.yaml": "comfyui:\n  base_path: ~/models\n  loras: |\n    ~/loras\n    /a/~b\n  vae: \"~/vae\"\n# a ~ b\n"},
			after: map[string]string{
				"ui/extra_model_paths.yaml":        "comfyui:\n  base_path: HOME/models\n  loras: |\n    HOME/loras\n    /a/~b\n  vae: \"HOME/vae\"\n# a ~ b\n",
				"ui/extra_model_paths.yaml.before": "comfyui:\n  base_path: ~/models\n  loras: |\n    ~/loras\n    /a/~b\n  vae: \"~/vae\"\n# a ~ b\n",
			},
			dry: "would be:   base_path: HOME/models", twice: "",
		},
	} {
		for sh, argv := range shells {
			t.Run(name+" "+sh, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(argv[0]); err != nil {
					t.Skipf("skipped %s: no %s here", t.Name(), argv[0])
				}
				home := filepath.Join(t.TempDir(), "home")
				here := func(s string) string { return strings.ReplaceAll(s, "HOME/", home+"/") }
				if err := os.MkdirAll(filepath.Join(home, "ui"), 0o755); err != nil {
					t.Fatal(err)
				}
				for f, text := range c.before {
					if err := os.WriteFile(filepath.Join(home, f), []byte(text), 0o640); err != nil {
						t.Fatal(err)
					}
				}
				list := Fixes(c.o, c.profile, Values{ValueDir: home + "/it's data", ValueUIDir: home + "/ui", ValueHFEndpoint: "https://hf-mirror.com"})
				if len(list) != 1 || list[0].Check != c.o.Check || list[0].Shown != list[0].Apply.Script {
					t.Fatalf("%+v", list)
				}
				f := list[0]
				for _, l := range texts.Langs() {
					if s := texts.For(l).Say(f.Says); strings.Contains(s, "{") || !texts.For(l).Has(f.Says.Key) {
						t.Errorf("%s: %s", l, s)
					}
				}
				run := func(script string) string {
					cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], "-c", script)...)
					cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
					b, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%v: %s\n%s", err, b, script)
					}
					return string(b)
				}
				before := tree(t, home)
				if said := run(f.Dry.Script); !strings.Contains(said, here(c.dry)) {
					t.Errorf("the dry run says %q", said)
				}
				if !same(before, tree(t, home)) {
					t.Error("the dry run changed something")
				}
				run(f.Apply.Script)
				once := tree(t, home)
				for name, text := range c.after {
					if got := once[filepath.Join(home, name)]; got != here(text) {
						t.Errorf("%s is\n%s\nwant\n%s", name, got, here(text))
					}
				}
				run(f.Apply.Script)
				if !same(once, tree(t, home)) {
					t.Errorf("doing it twice is not doing it once: %v", tree(t, home))
				}
				if said := run(f.Dry.Script); c.twice == "" && said != "" || !strings.Contains(said, here(c.twice)) || strings.Contains(said, "would") {
					t.Errorf("afterwards the dry run says %q", said)
				}
			})
		}
	}
}

func TestNoFixWithoutAPlace(t *testing.T) {
	for _, o := range []guide.Outcome{
		found(guide.CachePersist, nil, "unset", "yml", "tilde"), found(guide.NetHF, nil, "dns"), found(guide.CPUCgroup, nil, "shown"),
		found(guide.CPUCgroup, guide.Facts{"effective_cores": 0.5}, "shown"), found(guide.GPUSMI, nil, "driver-not-loaded"),
	} {
		if l := Fixes(o, provider.Profile{}, nil); len(l) != 0 {
			t.Errorf("%s: %+v", o.Check, l)
		}
		if l := Fixes(o, provider.Profile{}, Values{ValueDir: "$(id)", ValueUIDir: "../x"}); len(l) != 0 {
			t.Errorf("%s: %+v", o.Check, l)
		}
	}
	p, ok := provider.ProfileOf("autodl")
	if !ok {
		t.Fatal("no profile")
	}
	l := Fixes(found(guide.CachePersist, nil, "layer"), p, nil)
	if len(l) != 1 || !strings.Contains(l[0].Shown, "export HF_HOME=/root/autodl-tmp/cache/huggingface") {
		t.Errorf("%+v", l)
	}
}
