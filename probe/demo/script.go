package demo

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"rentgen/probe/remote"
)

//go:embed answers/*.txt
var answerFiles embed.FS

// madeUp stands on stderr of every script, so that no output can be taken for a
// real one wherever it is shown.
const madeUp = "demo: this output is made up"

// script is what was sent to the shell beside our own program's bootstrap.
type script struct {
	marker, text string
	size         int  // bytes of input behind it
	feed         bool // lines of input follow until the marker says that they end
}

var inputSize = regexp.MustCompile(`\[ (\d+) -gt 0 \]; then\n\t\thead -c`)

func readScript(marker, text string) script {
	s := script{marker: marker, text: text, feed: strings.Contains(text, "[ yes = yes ]")}
	if m := inputSize.FindStringSubmatch(text); m != nil {
		s.size, _ = strconv.Atoi(m[1]) // a test with a number too large
	}
	return s
}

// checksText is how the script begins that takes checks line by line.
const checksText = "$1: folders that are looked in after the login"

// script answers a script: checks by what they ask, everything else not at all.
func (c *conn) script(p *proc, in *bufio.Reader, s script) {
	both := func(format string, args ...any) {
		for _, w := range []io.Writer{p.stdoutW, p.stderrW} {
			_, _ = fmt.Fprintf(w, format, args...)
		}
	}
	both("\n%s begin\n", s.marker)
	code := 0
	if strings.Contains(s.text, checksText) {
		c.checks(p, &input{in: in, left: s.size, feed: s.feed, marker: s.marker}, both)
	} else {
		code = 127
		_, _ = io.WriteString(p.stderrW, "this host is a demo: it runs no commands\n")
	}
	_, _ = fmt.Fprintf(p.stdoutW, "\n%s end %d\n", s.marker, code)
	_, _ = fmt.Fprintf(p.stderrW, "\n%s end\n", s.marker)
}

// input is a script's standard input.
type input struct {
	in     *bufio.Reader
	left   int
	feed   bool
	marker string
}

// line returns the next line without its end, false where the input is over.
func (i *input) line() (string, bool) {
	if !i.feed && i.left <= 0 {
		return "", false
	}
	l, err := i.in.ReadString('\n')
	i.left -= len(l)
	l = strings.TrimSuffix(l, "\n")
	return l, err == nil && !(i.feed && l == i.marker+" eof")
}

// checks runs what the lines say: a marker, then for each check a head whose
// second word counts the lines of its text.
func (c *conn) checks(p *proc, in *input, both func(string, ...any)) {
	m, ok := in.line()
	if !ok {
		return
	}
	both("\n%s 0 begin;", m)
	inv := c.world.inventory()
	if inv.Driver != "" {
		_, _ = fmt.Fprintf(p.stdoutW, "driver NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  Tue\n", inv.Driver)
	}
	_, _ = fmt.Fprintf(p.stdoutW, "boot %s\nname %s\nuid 0\nomp \nhub \ncgroup 0::/\nlooked\n", inv.Run.BootID, inv.System.Hostname)
	both("\n%s 0 end 0;", m)
	for {
		head, ok := in.line()
		words := strings.Fields(head)
		if !ok || len(words) < 2 {
			return
		}
		lines, err := strconv.Atoi(words[1])
		if err != nil {
			return
		}
		var text []string
		for range lines {
			l, ok := in.line()
			if !ok {
				return
			}
			text = append(text, l)
		}
		both("\n%s %s begin;", m, words[0])
		out, errs, code := c.answer(strings.Join(text, "\n"))
		_, _ = io.WriteString(p.stdoutW, out)
		_, _ = io.WriteString(p.stderrW, errs)
		both("\n%s %s end %d;", m, words[0], code)
	}
}

// answers are told apart by a part of the command; the first that holds counts.
var answers = []struct{ part, file string }{
	{"get_arch_list", "torch"},
	{"torch.version.cuda", "match"},
	{"scaled_dot_product", "attn"},
	{"--query-gpu=timestamp", "query"},
	{"docker run", "smi"},
	{"nvcc --version", "cuda.nvcc"},
	{"lspci", "lspci"},
	{"df -hPT", "disk.df"},
	{"findmnt -T /data ", "disk.mount"},
	{"memory.max", "mem.cgroup"},
	{"nproc", "cpu.cgroup"},
	{"HF_HUB_CACHE", "cache.persist"},
	{"sshd -T", "sec.sshd"},
	{"ss -H", "sec.ports"},
	{"tmux ls", "session.tmux"},
	{"tail -n 400", "first.image"},
	{"ping -c", "net.ping"},
	{"connecting to", "net.hf"},
	{"%{speed_download}", "net.curl"},
	{"fio --name", "disk.speed"},
}

// answer is the made-up output of a command.
func (c *conn) answer(text string) (out, errs string, code int) {
	errs = madeUp + "\n"
	if text == "mount" {
		return c.file("mount"), errs, 0
	}
	if text == "nvidia-smi" {
		return c.table(), errs, 0
	}
	for _, a := range answers {
		if !strings.Contains(text, a.part) {
			continue
		}
		switch a.file {
		case "smi":
			return c.table(), errs, 0
		case "match":
			return c.table() + c.file("cuda.nvcc") + c.file("cuda.torch"), errs, 0
		case "torch":
			return c.torch(), errs, 0
		case "query":
			return c.query(), errs, 0
		case "lspci":
			return c.lspci(), errs, 0
		}
		return c.file(a.file), errs, 0
	}
	return "", errs + "this host is a demo: it runs no commands\n", 127
}

func (c *conn) file(name string) string {
	b, err := answerFiles.ReadFile("answers/" + name + ".txt")
	if err != nil {
		panic(err) // embedded
	}
	return string(b)
}

// table is what nvidia-smi shows of the cards at rest.
func (c *conn) table() string {
	if len(c.world.cards) == 0 {
		return "No devices were found\n"
	}
	var b strings.Builder
	rule := "+-----------------------------------------+------------------------+----------------------+\n"
	b.WriteString("Mon Nov 30 10:41:00 2026\n+-----------------------------------------------------------------------------------------+\n")
	fmt.Fprintf(&b, "| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: 12.4     |\n", driver, driver)
	b.WriteString("|-----------------------------------------+------------------------+----------------------+\n")
	b.WriteString("| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n")
	b.WriteString("| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n")
	b.WriteString("|                                         |                        |               MIG M. |\n")
	b.WriteString("|=========================================+========================+======================|\n")
	for _, k := range c.world.cards {
		fmt.Fprintf(&b, "| %3d  %-27s On  |   %s Off |                  Off |\n", k.index, k.name, k.bus)
		fmt.Fprintf(&b, "|  0%%   31C    P8             %3.0fW / %4.0fW |       1MiB / %6.0fMiB |      0%%      Default |\n", k.idleW, k.cap, k.product.mem)
		b.WriteString("|                                         |                        |                  N/A |\n" + rule)
	}
	b.WriteString("\n+-----------------------------------------------------------------------------------------+\n")
	b.WriteString("| Processes:                                                                              |\n")
	b.WriteString("|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |\n")
	b.WriteString("|        ID   ID                                                               Usage      |\n")
	b.WriteString("|=========================================================================================|\n")
	b.WriteString("|  No running processes found                                                             |\n")
	b.WriteString("+-----------------------------------------------------------------------------------------+\n")
	return b.String()
}

// capability of the demo's cards.
func (k *card) capability() string {
	if k.name == rtx3090.name {
		return "8.6"
	}
	return "8.9"
}

func (c *conn) torch() string {
	var devices []string
	for _, k := range c.world.cards {
		devices = append(devices, fmt.Sprintf(`{"name": %q, "capability": %q, "total_memory": %.0f}`, k.name, k.capability(), (k.product.mem-k.reserved)*(1<<20)))
	}
	return fmt.Sprintf(`{"python": "/root/miniconda3/bin/python", "torch": "2.5.1+cu124", "torch_version": "2.5.1+cu124", "torch_cuda": "12.4", `+
		`"cuda_available": true, "device_count": %d, "arch_list": ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"], "devices": [%s]}`+
		"\ntorch.ones(1, device=\"cuda\") + 1 = tensor([2.], device='cuda:0')\n", len(devices), strings.Join(devices, ", "))
}

// query is half a minute of the cards at rest.
func (c *conn) query() string {
	var b strings.Builder
	b.WriteString("timestamp, utilization.gpu [%], memory.used [MiB]\n")
	for s := range 30 {
		for range c.world.cards {
			fmt.Fprintf(&b, "2026/11/30 10:41:%02d.120, 0 %%, 1 MiB\n", s)
		}
	}
	return b.String()
}

func (c *conn) lspci() string {
	var b strings.Builder
	for _, k := range c.world.cards {
		id := "AD102 [GeForce RTX 4090] [10de:2684] (rev a1)"
		if k.name == rtx3090.name {
			id = "GA102 [GeForce RTX 3090] [10de:2204] (rev a1)"
		}
		fmt.Fprintf(&b, "%s VGA compatible controller [0300]: NVIDIA Corporation %s\n", strings.ToLower(strings.TrimPrefix(k.bus, "00000000:")), id)
	}
	return b.String()
}

// noCommand is how a login answers that takes no commands.
func noCommand(p *proc) error {
	go func() { _, _ = io.Copy(io.Discard, p.stdinR) }()
	_, _ = io.WriteString(p.stdoutW, "Welcome to the demo terminal.\r\n")
	_, _ = io.WriteString(p.stderrW, "Error: Your SSH client doesn't support PTY\r\n")
	return &remote.ExitError{Code: 1}
}
