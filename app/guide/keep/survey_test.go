package keep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/script"
)

// host is a fake instance in a folder: a process file system, settings, disks.
type host struct {
	t         *testing.T
	dir       string
	proc, etc string
	home      string
	shell     guidetest.Shell
	mounts    []string
}

func newHost(t *testing.T, sh guidetest.Shell) *host {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, dir: dir, proc: filepath.Join(dir, "proc"), etc: filepath.Join(dir, "etc"), home: filepath.Join(dir, "root")}
	h.shell = sh
	h.shell.Env = []string{guidetest.Path(), "HOME=" + h.home, "SHELL=/bin/sh", "HF_ENDPOINT=https://hf-mirror.com"}
	h.write("proc/sys/kernel/random/boot_id", "01234567-89ab-cdef-0123-456789abcdef\n")
	h.write("proc/sys/kernel/hostname", "box\n")
	h.write("proc/1/stat", "1 (sh) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 100 1 1\n")
	h.write("proc/1/environ", "RUNPOD_POD_ID=abc\x00AutoDLContainerUUID=x\x00PATH=/bin\x00")
	h.write("etc/machine-id", "m\n")
	h.mkdir("root")
	h.mount("/", "overlay", "overlay")
	return h
}

func (h *host) path(name string) string { return filepath.Join(h.dir, name) }

func (h *host) mkdir(name string) {
	if err := os.MkdirAll(h.path(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) write(name, text string) {
	h.t.Helper()
	h.mkdir(filepath.Dir(name))
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) link(to, name string) {
	h.t.Helper()
	h.mkdir(filepath.Dir(name))
	if err := os.Symlink(to, h.path(name)); err != nil {
		h.t.Fatal(err)
	}
}

// mount notes a mount on a path of the real machine.
func (h *host) mount(point, fs, source string) {
	h.mounts = append(h.mounts, fmt.Sprintf("%d 1 8:1 / %s rw,relatime - %s %s rw", 30+len(h.mounts), strings.ReplaceAll(point, " ", `\040`), fs, source))
	h.write("proc/self/mountinfo", strings.Join(h.mounts, "\n")+"\n")
}

func (h *host) process(pid int, cwd, environ string, args ...string) {
	p := fmt.Sprintf("proc/%d/", pid)
	h.write(p+"cmdline", strings.Join(args, "\x00")+"\x00")
	h.write(p+"environ", environ)
	h.link(cwd, p+"cwd")
}

func (h *host) comfy(root string) {
	h.mkdir(root + "/comfy")
	h.mkdir(root + "/comfy_extras")
	h.write(root+"/main.py", "")
	for _, d := range []string{"models/checkpoints", "custom_nodes", "output", "input", "user/default/workflows"} {
		h.mkdir(root + "/" + d)
	}
}

func (h *host) look(bases ...string) Survey {
	h.t.Helper()
	s, err := system{proc: h.proc, etc: h.etc, bases: bases}.look(h.t.Context(), h.shell)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (s Survey) find(k Kind, suffix string) Place {
	for _, p := range s.Places {
		if p.Kind == k && (strings.HasSuffix(p.Path, suffix) || p.Name == suffix) {
			return p
		}
	}
	return Place{}
}

func TestSurvey(t *testing.T) {
	for _, sh := range guidetest.Shells() {
		h := newHost(t, sh)
		data := h.path("disk two") // with a blank, as cheap as any other name
		h.mkdir("disk two/hf")
		h.mount(data, "ext4", "/dev/md127")
		h.comfy("root/ComfyUI")
		h.write("root/ComfyUI/models/checkpoints/sdxl.safetensors", strings.Repeat("x", 1000))
		h.write("root/ComfyUI/output/a.png", "1234")
		h.write("root/ComfyUI/output/b\nc.png", "not counted: its name has a newline")
		old := time.Unix(1_600_000_000, 0)
		if err := os.Chtimes(h.path("root/ComfyUI/output/a.png"), old, old); err != nil {
			t.Fatal(err)
		}
		h.mkdir("disk two/loras")
		h.link(data+"/loras", "root/ComfyUI/models/loras")
		h.write("root/ComfyUI/extra_model_paths.yaml", "comfyui:\n  base_path: "+data+"\n  checkpoints: ckpt\n  loras: |\n    loras\n    ~/loras\n")
		h.write("root/ComfyUI/extra_model_paths.yml", "comfyui:\n  base_path: /x\n  vae: y\n")
		h.process(77, h.path("root/ComfyUI"), "HF_HOME="+data+"/hf\x00SECRET=1\x00",
			"python3", "main.py", "--listen", "--output-directory", "../pictures", "--extra-model-paths-config", "more.yaml")
		h.write("root/ComfyUI/more.yaml", "[not: a: map")
		h.process(78, "/", "", "python3", "train.py")
		h.write("root/pictures/new.png", "12345678")
		s := h.look(h.home, h.path("nowhere"))
		name := fmt.Sprint(sh.Command)

		if !s.Whole || s.Run.PID1 != "4711" || s.Home != h.home || s.Host.IsZero() || !slices.Equal(s.Marks, []string{"AutoDLContainerUUID", "RUNPOD_POD_ID"}) {
			t.Errorf("%s: %+v", name, s)
		}
		if len(s.UIs) != 1 || !s.UIs[0].Running || s.UIs[0].Kind != ComfyUI {
			t.Errorf("%s: %+v", name, s.UIs)
		}
		if v := s.Vars["HF_HOME"]; v.Value != data+"/hf" || v.From != h.path("root/ComfyUI") {
			t.Errorf("%s: %+v", name, s.Vars)
		}
		if v := s.Vars["HF_ENDPOINT"]; v.Value != "https://hf-mirror.com" {
			t.Errorf("%s: %+v", name, s.Vars)
		}
		if p := s.find(Cache, "HF_HOME"); p.Default || p.Mount.Point != data || p.State != Seen || *p.Bytes != 0 {
			t.Errorf("%s: %+v", name, p)
		}
		if p := s.find(Cache, "PIP_CACHE_DIR"); !p.Default || p.State != None || p.Mount.Point != "/" || p.Path != h.home+"/.cache/pip" {
			t.Errorf("%s: %+v", name, p)
		}
		m := s.find(Models, "/models")
		if m.Bytes == nil || *m.Bytes != 1000 || *m.Files != 1 || !strings.HasSuffix(m.Newest.Path, "sdxl.safetensors") || m.Mount.FS != "overlay" {
			t.Errorf("%s: %+v", name, m)
		}
		if len(m.Links) != 1 || m.Links[0].To != data+"/loras" {
			t.Errorf("%s: links %+v", name, m.Links)
		}
		if p := s.find(Pictures, "/root/pictures"); p.Bytes == nil || *p.Bytes != 8 {
			t.Errorf("%s: %+v", name, s.Places)
		}
		if p := s.find(Extra, "/loras"); p.Mount.FS != "ext4" || p.State != Seen {
			t.Errorf("%s: %+v", name, p)
		}
		if p := s.find(Extra, "/ckpt"); p.State != None || p.Mount.FS != "ext4" {
			t.Errorf("%s: %+v", name, p)
		}
		var ignored, bad, tilde int
		for _, c := range s.Configs {
			if c.Ignored {
				ignored++
			}
			if c.Bad {
				bad++
			}
			for _, x := range c.Paths {
				if x.Tilde {
					tilde++
				}
			}
		}
		if len(s.Configs) != 3 || ignored != 1 || bad != 1 || tilde != 1 {
			t.Errorf("%s: %+v", name, s.Configs)
		}
	}
}

func TestSurveyOfLoginShell(t *testing.T) {
	h := newHost(t, guidetest.Shell{})
	h.write("root/.profile", "echo welcome\nexport HF_HOME=/data/hf\nexport XDG_CACHE_HOME=/data/c\n")
	s := h.look()
	if v := s.Vars["HF_HOME"]; v != (Var{"/data/hf", "login"}) {
		t.Errorf("%+v", s.Vars)
	}
	if p := s.find(Cache, "TORCH_HOME"); p.Path != "/data/c/torch" || !p.Default {
		t.Errorf("%+v", p)
	}
}

func TestSurveyOfA1111AndDenied(t *testing.T) {
	h := newHost(t, guidetest.Shell{})
	h.mkdir("opt/forge/modules")
	h.write("opt/forge/webui.py", "")
	h.write("opt/forge/outputs/txt2img/1.png", "x")
	h.write("opt/forge/models", "a file where a folder should be")
	h.process(9, h.path("opt"), "", "python", "-u", h.path("opt/forge/launch.py"), "--lora-dir=/mnt/loras")
	s := h.look(h.path("opt"))
	if len(s.UIs) != 1 || s.UIs[0].Kind != A1111 || !s.UIs[0].Running {
		t.Fatalf("%+v", s.UIs)
	}
	if p := s.find(Models, "/forge/models"); p.State != NoDir || p.Bytes != nil {
		t.Errorf("%+v", p)
	}
	if p := s.find(Extra, "--lora-dir"); p.Path != "/mnt/loras" || p.State != None {
		t.Errorf("%+v", p)
	}
	if p := s.find(Pictures, "/outputs"); *p.Files != 1 {
		t.Errorf("%+v", p)
	}
}

// TestCutOffSurvey proves that what was not counted is unknown, not nothing.
func TestCutOffSurvey(t *testing.T) {
	h := newHost(t, guidetest.Shell{})
	h.comfy("root/ComfyUI")
	s := read(script.Told{Records: []script.Record{{Kind: "ui", Fields: []string{ComfyUI, "/a", "", "", ""}}}})
	s.weigh(script.Told{Records: []script.Record{
		{Kind: "dir", Fields: []string{"1", "ok", "/a/models", "500 3 1700000000 124", "/a/models/x"}},
		{Kind: "dir", Fields: []string{"2", "ok", "/a/n", "500 3", ""}},
		{Kind: "dir", Fields: []string{"99", "ok", "/a/n", "500 3 1 0", ""}},
		{Kind: "dir", Fields: []string{"3", "ok", "/a/n", "-5 3 1 0", ""}},
	}})
	if s.Whole || s.Places[0].Bytes != nil || s.Places[0].Newest.Path == "" || s.Places[1].Bytes != nil || s.Places[2].Files != nil {
		t.Errorf("%+v", s)
	}
	if _, ok := MountOf(nil, "/a"); ok {
		t.Error("a mount was made up")
	}
}

func TestMounts(t *testing.T) {
	l := readMounts([]string{
		"22 1 0:20 / / rw - overlay overlay rw",
		`36 22 8:1 /a /mnt/my\040models rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw`,
		"37 22 0:50 / /dev/shm rw - tmpfs shm rw,size=65536k",
		"38 22 0:51 / /data rw - nfs4 10.0.0.1:/x rw",
		"39 22 0:51 / /data rw - fuse.juicefs JuiceFS:x ro",
		"garbage", "40 22 0:1 / relative rw - ext4 x", "- -",
	})
	if len(l) != 5 {
		t.Fatalf("%+v", l)
	}
	for file, want := range map[string]string{
		"/mnt/my models/x": "/mnt/my models", "/mnt/my modelsx": "/", "/": "/", "/dev/shm": "/dev/shm", "/data/a": "/data",
	} {
		if m, ok := MountOf(l, file); !ok || m.Point != want {
			t.Errorf("%s: %+v", file, m)
		}
	}
	if m, _ := MountOf(l, "/data"); m.FS != "fuse.juicefs" || !m.ReadOnly || !m.Network() {
		t.Errorf("the mount on top counts: %+v", m)
	}
	if m, _ := MountOf(l, "/dev/shm/a"); !m.InRAM() || m.Network() {
		t.Errorf("%+v", m)
	}
}

func TestConfig(t *testing.T) {
	c := readConfig("/ui/extra_model_paths.yaml", []byte("a111:\n  base_path: path/to/webui/\n  checkpoints: models/SD\n  loras: |\n    models/Lora\n    /abs/x\nother:\n  vae: v\n  is_default: true\nempty:\n"))
	var got []string
	for _, p := range c.Paths {
		got = append(got, p.Section+"."+p.Key+"="+p.Path)
	}
	want := []string{"a111.checkpoints=/ui/path/to/webui/models/SD", "a111.loras=/ui/path/to/webui/models/Lora", "a111.loras=/abs/x", "other.vae=/ui/v"}
	if c.Bad || !slices.Equal(got, want) {
		t.Errorf("%v %v", c.Bad, got)
	}
	for text, bad := range map[string]bool{
		"": false, "# only remarks\n": false, "a: [": true, "- a\n- b\n": true, "a: b\n": true, "a:\n  loras: [x]\n": true,
		"a: &x {b: *x}\n": true, "\tx: 1\n": true,
	} {
		if c := readConfig("/f.yaml", []byte(text)); c.Bad != bad {
			t.Errorf("%q: bad is %v", text, c.Bad)
		}
	}
	if c := readConfig("/u/f.yaml", []byte("a:\n  base_path: ~/models\n  loras: l\n")); !c.Paths[0].Tilde {
		t.Errorf("%+v", c)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("a111:\n  base_path: ~/x\n  loras: |\n    a\n    b\n"))
	f.Add([]byte("a: &b\n  c: *b\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := readConfig("/ui/e.yaml", b)
		if len(c.Paths) > maxPaths {
			t.Fatal(len(c.Paths))
		}
		for _, p := range c.Paths {
			if !filepath.IsAbs(p.Path) {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// FuzzSurvey reads whatever a host may tell, in both scripts.
func FuzzSurvey(f *testing.F) {
	f.Add([]byte("tok ui 636f6d66797569 2f61 37 2f 2d2d6f75747075742d6469726563746f7279\ntok dir 31 6f6b 2f61 3120312031 -\ntok var 6c6f67696e 48465f484f4d45 2f78\ntok done\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		told := script.Parse("tok", b, 1<<16)
		s := read(told)
		s.weigh(told)
		for _, p := range s.Places {
			if absolute(p.Path) != p.Path || p.Bytes != nil && *p.Bytes < 0 {
				t.Fatalf("%+v", p)
			}
		}
		if len(s.Places) > maxPlaces {
			t.Fatal(len(s.Places))
		}
	})
}
