//go:build linux

package reach_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
	"rentgen/app/guide/run"
	"rentgen/assets/texts"
)

// healthy are the tools of an instance on which nothing is wrong.
func healthy(t *testing.T, track guide.Track) map[string]string {
	t.Helper()
	smi := caseOf(t, "010")
	if track == guide.Shared {
		smi = caseOf(t, "005")
	}
	return map[string]string{
		"nvidia-smi": `case "$*" in *timestamp*)
	echo "timestamp, utilization.gpu [%], memory.used [MiB]"
	for s in 1 1 2 2 3 3 4 4 5 5 6 6; do echo "2026/11/30 10:00:0$s.000, 0 %, 1 MiB"; done ;;
*) cat ` + smi + ` ;;
esac`,
		"lspci": "cat " + caseOf(t, "039"),
		"nvcc":  "cat " + caseOf(t, "049"),
		"python": `case "$*" in
*find_spec*) exit 0 ;;
*flash_attn*) printf 'torch 2.6.0+cu124 capability 8.0\nsdpa: ok\nxformers: ok\nflash-attn: not installed\n' ;;
*json*)
	echo '{"python": "/opt/conda/bin/python", "torch": "2.6.0+cu124", "torch_version": "2.6.0+cu124", "torch_cuda": "12.4", "cuda_available": true, "device_count": 1, "arch_list": ["sm_70", "sm_80", "sm_90"], "devices": [{"name": "NVIDIA A800 80GB PCIe", "capability": "8.0", "total_memory": 84987740160}]}'
	echo "torch.ones(1, device=\"cuda\") + 1 = tensor([2.], device='cuda:0')" ;;
*) printf 'torch 2.6.0+cu124\ntorch.version.cuda 12.4\ntorch.cuda.is_available() True\n' ;;
esac`,
		"docker": "cat " + caseOf(t, "083"),
		"df": `case "$1" in
-iP) echo "Filesystem Inodes IUsed IFree IUse% Mounted on"; echo "/dev/vda1 6553600 500000 6053600 8% /"; echo "/dev/md0 6553600 5000 6548600 1% $DISK" ;;
-Pk) echo "Filesystem 1024-blocks Used Available Capacity Mounted on"; echo "/dev/md0 524288000 1048576 523239424 1% $DISK" ;;
-h) echo "Filesystem Size Used Avail Use% Mounted on"; echo "/dev/vda1 100G 40G 60G 40% /" ;;
*) echo "Filesystem Type Size Used Avail Use% Mounted on"; echo "/dev/vda1 ext4 100G 40G 60G 40% /"; echo "tmpfs tmpfs 64G 0 64G 0% /dev/shm"; echo "/dev/md0 xfs 500G 1G 499G 1% $DISK" ;;
esac`,
		"findmnt": `h=yes; for a in "$@"; do [ "$a" != -n ] || h=no; done
[ $h = no ] || echo "TARGET SOURCE FSTYPE OPTIONS"
echo "$DISK /dev/md0[/volumes/x] xfs rw,relatime,prjquota"`,
		"nproc": "echo 16",
		"lscpu": "echo 'Architecture: x86_64'; echo 'CPU(s): 16'",
		"free":  "echo '               total        used        free      shared  buff/cache   available'; echo 'Mem:    137438953472 1203283968 121474836480    70254592 7476752384 130000000000'",
		"head": `case "$*" in
*memory*) printf '==> /dev/null <==\n\n==> /sys/fs/cgroup/memory.max <==\n137438953472\n\n==> /sys/fs/cgroup/memory.events <==\nlow 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n' ;;
*"-n 30 /dev/null"*) printf '==> /dev/null <==\n\n==> /sys/fs/cgroup/cpu.max <==\n1600000 100000\n' ;;
*) exec /usr/bin/head "$@" ;;
esac`,
		"dd":     "echo '1024+0 records in' >&2; echo '1024+0 records out' >&2; echo '1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.1 s, 511 MB/s' >&2",
		"ss":     "cat " + caseOf(t, "148"),
		"ufw":    "echo 'Status: active'",
		"tmux":   `case "$1" in -V) echo tmux 3.3a ;; *) echo 'no server running on /tmp/tmux-0/default' >&2; exit 1 ;; esac`,
		"ping":   "cat " + caseOf(t, "114"),
		"curl":   `case "$*" in *" -I "*) echo "200 0 0 0.010 0.020 0.100 0.120" ;; *) echo "206 104857600 48902000 0.010 0.020 0.100 2.144" ;; esac`,
		"iperf3": `echo '{"start": {}, "end": {"sum_sent": {"bytes": 11770000000, "bits_per_second": 9.42e9, "retransmits": 12}, "sum_received": {"bytes": 11770000000, "bits_per_second": 9.41e9}}}'`,
	}
}

var persistent = map[string]string{
	"HF_HOME": "$DISK/hf", "TORCH_HOME": "$DISK/torch", "PIP_CACHE_DIR": "$DISK/pip", "XDG_CACHE_HOME": "$DISK/cache", "HF_ENDPOINT": "https://hf-mirror.example",
}

// comfy puts a user interface with a log on the disk.
func (i *instance) comfy() string {
	i.t.Helper()
	dir := filepath.Join(i.disk, "ComfyUI")
	for _, d := range []string{"models", "user"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			i.t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"extra_model_paths.yaml": "comfyui:\n  base_path: " + i.disk + "/models\n  checkpoints: checkpoints\n",
		"user/comfyui.log":       "got prompt\nPrompt executed in 9.10 seconds\ngot prompt\nPrompt executed in 3.00 seconds\ngot prompt\nPrompt executed in 3.10 seconds\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			i.t.Fatal(err)
		}
	}
	return dir
}

func TestSetUpAllGreen(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer web.Close()
	for _, track := range guide.Tracks() {
		t.Run(string(track), func(t *testing.T) {
			t.Parallel()
			tools := healthy(t, track)
			i := newInstance(t, tools, persistent)
			ids := slices.DeleteFunc(run.For(track, guide.Thorough), func(id guide.CheckID) bool {
				return id == guide.SecSSHD || id == guide.Tunnel // this machine's own sshd; a server that ends too soon
			})
			var b book
			p := i.params(track, ids, &b)
			p.Values[run.ValueUIDir] = i.comfy()
			yes := true
			p.Known.SameRegion = &yes
			r, err := run.Do(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if told := b.ended(); len(told) != len(ids) {
				t.Errorf("told of %v, want %v", told, ids)
			}
			for _, id := range ids {
				rec := b.record(id)
				if rec == nil {
					t.Errorf("%s was not told of", id)
					continue
				}
				if o := check.Judge(rec.Input); o.Verdict != guide.Pass {
					t.Errorf("%s: %s %s: %s\n%s\n%s\n%s", id, o.Verdict, o.Rule, texts.For(texts.English).Say(o.Worst().Says), rec.Command, rec.Stdout, rec.Stderr)
				}
				if rec.Run != r && rec.Run.Driver != "" {
					t.Errorf("%s was run in %+v, not %+v", id, rec.Run, r)
				}
			}
			if d := b.record(guide.DockerGPU); d != nil && !strings.Contains(d.Command, " nvidia/cuda:13.0") {
				t.Errorf("the system image is not chosen by the driver: %s", d.Command)
			}
			if s := b.record(guide.DiskSpeed); s != nil {
				if files, _ := filepath.Glob(filepath.Join(i.disk, ".rentgen*")); len(files) != 0 {
					t.Errorf("left behind: %v", files)
				}
			}
			if h := b.record(guide.NetHF); h != nil && guide.Known(h.Context.HFEndpoint, "") != "https://hf-mirror.example" {
				t.Errorf("%+v", h.Context)
			}
		})
	}
}

func TestSetUpFailures(t *testing.T) {
	t.Parallel()
	i := newInstance(t, healthy(t, guide.Dedicated), persistent)
	dir := i.comfy()
	for _, c := range []struct {
		name    string
		id      guide.CheckID
		track   guide.Track
		tool    string
		text    string
		verdict guide.Verdict
		rule    string
		timeout time.Duration
	}{
		{"no driver", guide.GPUSMI, guide.Shared, "nvidia-smi", "cat " + caseOf(t, "015") + "; exit 9", guide.Fail, "", 0},
		{"no tool", guide.GPUSMI, guide.Shared, "nvidia-smi", "exec /nonexistent/nvidia-smi", guide.Fail, "", 0},
		{"a slice", guide.GPUSMI, guide.Shared, "nvidia-smi", "cat " + caseOf(t, "008"), guide.Warn, "", 0},
		{"hangs", guide.GPUSMI, guide.Shared, "nvidia-smi", "exec sleep 1000.0413", guide.Warn, "", 300 * time.Millisecond},
		{"other tenants", guide.GPUQuery, guide.Shared, "nvidia-smi", "cat " + caseOf(t, "035"), guide.Warn, "", 0},
		{"no card on the bus", guide.GPULspci, guide.Dedicated, "lspci", "echo '00:00.0 Host bridge [0600]: Intel Corporation 440FX [8086:1237]'", guide.Fail, "", 0},
		{"no toolkit", guide.CUDANvcc, guide.Dedicated, "nvcc", "echo 'nvcc: command not found' >&2; exit 127", guide.Warn, "", 0},
		{"toolkit of another major", guide.CUDAMatch, guide.Dedicated, "nvcc", "cat " + caseOf(t, "051"), guide.Warn, "", 0},
		{"no PyTorch", guide.TorchCUDA, guide.Shared, "python", "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 3", guide.Warn, "", 0},
		{"no kernel for the card", guide.TorchCUDA, guide.Shared, "python", "case \"$*\" in *find_spec*) exit 0 ;; esac; cat " + caseOf(t, "061") + " >&2; exit 1", guide.Fail, "", 0},
		{"attention raises", guide.Attn, guide.Shared, "python", "case \"$*\" in *find_spec*) exit 0 ;; esac; echo 'sdpa: RuntimeError: no kernel image is available'; echo 'xformers: not installed'; echo 'flash-attn: not installed'", guide.Fail, "", 0},
		{"no toolkit in Docker", guide.DockerGPU, guide.Dedicated, "docker", "cat " + caseOf(t, "069") + " >&2; exit 125", guide.Fail, "", 0},
		{"disk full", guide.DiskDf, guide.Shared, "df", "cat " + caseOf(t, "091"), guide.Fail, "", 0},
		{"read only", guide.DiskMount, guide.Shared, "touch", "echo \"touch: cannot touch '$1': Read-only file system\" >&2; exit 1", guide.Fail, "", 0},
		{"slow disk", guide.DiskSpeed, guide.Shared, "dd", "echo '1073741824 bytes (1.1 GB, 1.0 GiB) copied, 42.1 s, 25.5 MB/s' >&2", guide.Fail, "", 0},
		{"few cores", guide.CPUCgroup, guide.Shared, "nproc", "echo 2", guide.Warn, "", 0},
		{"killed for RAM", guide.MemCgroup, guide.Shared, "head", "printf '==> /sys/fs/cgroup/memory.max <==\\n137438953472\\n\\n==> /sys/fs/cgroup/memory.events <==\\noom 3\\noom_kill 2\\n'", guide.Fail, "", 0},
		{"no such name", guide.NetPing, guide.Network, "ping", "cat " + caseOf(t, "124") + " >&2; exit 2", guide.Fail, "", 0},
		{"slow download", guide.NetCurl, guide.Network, "curl", "echo '206 104857600 902000 0.010 0.020 0.100 60.0'", guide.Warn, "", 0},
		{"mirror ignored", guide.NetHF, guide.Network, "curl", "echo 'curl: (7) Failed to connect to huggingface.co port 443' >&2; exit 7", guide.Fail, "", 0},
		{"no peer there", guide.NetIperf3, guide.Network, "iperf3", "cat " + caseOf(t, "133") + "; exit 1", guide.Warn, "", 0},
		{"a UI in the open", guide.SecPorts, guide.Dedicated, "ss", "echo 'LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:((\"sshd\",pid=1,fd=3))'; echo 'LISTEN 0 128 0.0.0.0:8188 0.0.0.0:* users:((\"python\",pid=9,fd=3))'", guide.Fail, "", 0},
		{"no tmux", guide.SessionTmux, guide.Dedicated, "tmux", "echo 'sh: tmux: not found' >&2; exit 1", guide.Warn, "", 0},
		{"cache on the container", guide.CachePersist, guide.Shared, "findmnt", "echo '/ overlay overlay rw,relatime'", guide.Fail, "", 0},
		{"an exception", guide.FirstImage, guide.Shared, "tail", "echo got prompt; echo '!!! Exception during processing !!! out of memory'; echo 'Prompt executed in 3.00 seconds'", guide.Fail, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, err := os.ReadFile(filepath.Join(i.tools, c.tool))
			restore := func() {
				if err != nil {
					_ = os.Remove(filepath.Join(i.tools, c.tool))
				} else if err := os.WriteFile(filepath.Join(i.tools, c.tool), old, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			defer restore()
			i.t = t
			if c.tool == "nvidia-smi" { // what is watched meanwhile goes on
				c.text = "case \"$*\" in \"\" | -L | *timestamp,utilization.gpu,memory.used*)\n" + c.text + "\n;; *) exit 0 ;; esac"
			}
			i.program(c.tool, c.text)
			var b book
			p := i.params(c.track, []guide.CheckID{c.id}, &b)
			p.Values[run.ValueUIDir] = dir
			if c.timeout > 0 {
				p.Timeouts = map[guide.CheckID]time.Duration{c.id: c.timeout}
			}
			if _, err := run.Do(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			rec := b.record(c.id)
			if rec == nil {
				t.Fatalf("told of %v", b.ended())
			}
			o := check.Judge(rec.Input)
			if o.Verdict != c.verdict {
				t.Errorf("%s %s, want %s: %s\n%s\n%s", o.Verdict, o.Rule, c.verdict, texts.For(texts.English).Say(o.Worst().Says), rec.Stdout, rec.Stderr)
			}
			if c.timeout > 0 != rec.TimedOut {
				t.Errorf("timed out: %v", rec.TimedOut)
			}
		})
	}
}

// TestSetUpBlocks holds for what rests on a check that failed.
func TestSetUpBlocks(t *testing.T) {
	t.Parallel()
	tools := healthy(t, guide.Dedicated)
	tools["nvidia-smi"] = "cat " + caseOf(t, "015") + "; exit 9"
	tools["docker"] = "echo started >>" + filepath.Join(t.TempDir(), "must not be")
	tools["python"] = tools["docker"]
	i := newInstance(t, tools, nil)
	var b book
	ids := []guide.CheckID{guide.Attn, guide.TorchCUDA, guide.DockerGPU, guide.GPUSMI, guide.SessionTmux}
	if _, err := run.Do(t.Context(), i.params(guide.Dedicated, ids, &b)); err != nil {
		t.Fatal(err)
	}
	if told := b.ended(); len(told) != len(ids) {
		t.Errorf("told of %v", told)
	}
	for _, id := range []guide.CheckID{guide.Attn, guide.TorchCUDA, guide.DockerGPU} {
		if r := b.record(id); r == nil || r.BlockedBy != guide.GPUSMI || len(r.Stdout) != 0 {
			t.Errorf("%s: %+v", id, r)
		}
	}
	if r := b.record(guide.SessionTmux); r == nil || r.BlockedBy != "" || r.Exit != 1 {
		t.Errorf("%+v", r)
	}
	// The same when the parent failed in an earlier run.
	var later book
	p := i.params(guide.Dedicated, []guide.CheckID{guide.TorchCUDA}, &later)
	p.Failed = map[guide.CheckID]bool{guide.GPUSMI: true}
	if _, err := run.Do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if r := later.record(guide.TorchCUDA); r == nil || r.BlockedBy != guide.GPUSMI {
		t.Errorf("%+v", r)
	}
}
