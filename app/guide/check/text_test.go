package check

import (
	"math"
	"testing"

	"rentgen/app/guide"
)

func TestSizes(t *testing.T) {
	for in, want := range map[string]float64{
		"30G": 30 << 30, "34Gi": 34 << 30, "0": 0, "64M": 64 << 20, "8151MiB": 8151 << 20, "8151 MiB": 8151 << 20, "9.8G": 9.8 * (1 << 30),
		"1,5G": 1.5 * (1 << 30), "6.9 GB": 6.9e9, "512B": 512, "1.2P": 1.2 * (1 << 50),
	} {
		if got, ok := bytesOf(in); !ok || math.Abs(got-want) > 1 {
			t.Errorf("%q is %v (%t), want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-", "N/A", "G", "1e5G", "NaN", "Inf", "-3G", "3X", "0x10"} {
		if got, ok := bytesOf(in); ok {
			t.Errorf("%q was read as %v", in, got)
		}
	}
	if got, ok := mibOf("24564"); !ok || got != 24564 {
		t.Errorf("a bare number is MiB: %v", got)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"570.124.04", "570.26", 1}, {"525.60.13", "525.125.06", -1}, {"12.4", "12.4.1", 0}, {"12.10", "12.9", 1}, {"2.8.0+cu128", "2.8", 0}, {"13.2 U2", "13.2", 0},
	} {
		got := newer(c.a, c.b)
		if got > 0 != (c.want > 0) || got < 0 != (c.want < 0) {
			t.Errorf("%s against %s is %d", c.a, c.b, got)
		}
	}
}

func TestPastedPromptsAreTakenOut(t *testing.T) {
	for _, in := range []string{
		"root@autodl-container-9d3a:~# nvidia-smi -L\nGPU 0: A\nroot@autodl-container-9d3a:~# ",
		"(base) root@h:~/autodl-tmp# nvidia-smi -L\nGPU 0: A",
		"[root@h ~]# nvidia-smi -L\nGPU 0: A\n[root@h ~]#",
		"$ nvidia-smi -L\nGPU 0: A",
		"nvidia-smi -L\nGPU 0: A",
		"/workspace # nvidia-smi -L\nGPU 0: A",
		"me@mac ~ % nvidia-smi -L\nGPU 0: A",
		"bash-5.1# nvidia-smi -L\nGPU 0: A",
		"➜  ~ nvidia-smi -L\nGPU 0: A",
	} {
		rest, _, _ := unpasted(in, "nvidia-smi -L")
		if rest != "GPU 0: A" && rest != "GPU 0: A\n" {
			t.Errorf("%q leaves %q", in, rest)
		}
	}
	for _, keep := range []string{
		"me@host:/data  100G   50G   50G  50% /mnt/data",
		"bash: line 1: nvidia-smi: command not found",
		"# HELP something",
		"root@192.0.2.1: Permission denied (publickey).",
	} {
		if rest, _, taken := unpasted(keep, "df -h"); rest != keep {
			t.Errorf("%q leaves %q, took %q", keep, rest, taken)
		}
	}
}

func TestSaysAcrossLinesAndQuotes(t *testing.T) {
	l := newLook(guide.Input{Check: guide.GPUSMI, Stdout: []byte("first\nNVIDIA-SMI has failed because it couldn‘t\n  communicate with the NVIDIA driver.\nlast")})
	if !l.says("couldn't communicate with the nvidia driver") {
		t.Fatal("a wrapped message with a typographic quote isn't found")
	}
	if len(l.used) != 2 || l.used[1] != "  communicate with the NVIDIA driver." {
		t.Errorf("evidence is %q", l.used)
	}
	if l.says("no devices were found") {
		t.Error("a message is found that isn't there")
	}
}

func TestTranslated(t *testing.T) {
	for in, want := range map[string]bool{
		"文件系统        容量  已用  可用 已用% 挂载点": true, "bash: nvidia-smi：未找到命令": true, "/dev/vdb1 493G 12G 456G 3% /data/模型": false,
		"记录了1024+0 的读入": true, "": false,
	} {
		if got := translated(in); got != want {
			t.Errorf("%q: %t", in, got)
		}
	}
}

func TestMissingTool(t *testing.T) {
	for _, s := range []string{
		"bash: line 1: nvidia-smi: command not found", "sh: 1: nvidia-smi: not found", "zsh: command not found: nvidia-smi", "/bin/sh: nvidia-smi: not found",
		"bash: nvidia-smi：未找到命令", "-bash: nvidia-smi: 未找到命令", "Command 'nvidia-smi' not found, but can be installed with:", "Command ‘nvidia-smi’ not found",
		"timeout: failed to run command ‘nvidia-smi’: No such file or directory", "fish: Unknown command: nvidia-smi", `exec: "nvidia-smi": executable file not found in $PATH`,
		"bash: /usr/bin/nvidia-smi: No such file or directory", "which: no nvidia-smi in (/usr/bin:/bin)",
	} {
		if l := newLook(guide.Input{Stderr: []byte(s)}); !l.missing("nvidia-smi") {
			t.Errorf("%q isn't seen", s)
		}
	}
	for _, s := range []string{"bash: my-nvidia-smi: command not found", "nvidia-smi", "No devices were found", "python: command not found"} {
		if l := newLook(guide.Input{Stdout: []byte(s)}); l.missing("nvidia-smi") {
			t.Errorf("%q is taken for a missing tool", s)
		}
	}
}
