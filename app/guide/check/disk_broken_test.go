package check

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rentgen/app/guide"
)

// ofDisks are the checks of disks, of what a container may use and of programs on
// the instance.
var ofDisks = []guide.CheckID{
	guide.DiskDf, guide.DiskMount, guide.DiskSpeed, guide.CPUCgroup, guide.MemCgroup, guide.CachePersist, guide.FirstImage, guide.SessionTmux, guide.Tunnel,
}

// recorded are the recorded cases of these checks.
func recorded(t testing.TB) (list []guide.Input, verdicts []guide.Verdict) {
	t.Helper()
	for _, c := range recordedCases(t) {
		if slices.Contains(ofDisks, c.In.Check) {
			list, verdicts = append(list, c.In), append(verdicts, c.Want)
		}
	}
	if len(list) < 20 {
		t.Fatalf("%d cases", len(list))
	}
	return list, verdicts
}

// What fails never passes when it is cut, short of a line, in another order, or
// pasted without its command.
func TestRecordedFailuresNeverPass(t *testing.T) {
	list, verdicts := recorded(t)
	theirs := len(list)
	for _, c := range ownCases(t) {
		if slices.Contains(ofDisks, c.Check) || c.Check == guide.NetPing || c.Check == guide.SecSSHD {
			list, verdicts = append(list, c.input), append(verdicts, c.Verdict)
		}
	}
	random := rand.New(rand.NewPCG(4, 20261130))
	for i, in := range list {
		if verdicts[i] != guide.Fail {
			continue
		}
		try := func(how, out, command string) {
			t.Helper()
			in := in
			in.Stdout, in.Command = []byte(out), command
			if o := Judge(in); o.Verdict == guide.Pass {
				t.Errorf("%s (%s): %s passes:\n%s", in.Check, in.Command, how, out)
			}
		}
		out := string(in.Stdout)
		for n := range len(out) {
			try("cut", out[:n], in.Command)
			if i < theirs { // of several outputs, whole ones may be left of which nobody knows the rest
				try("cut and without its command", out[:n], "")
			}
			if in.Check != guide.FirstImage || strings.Contains(out[n:], "Error") { // pictures after a crash are good ones
				try("a tail", out[n:], in.Command)
			}
		}
		lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
		for n := range lines {
			try("a line less", strings.Join(slices.Concat(lines[:n:n], lines[n+1:]), "\n"), in.Command)
		}
		for range 30 {
			mixed := slices.Clone(lines)
			random.Shuffle(len(mixed), func(a, b int) { mixed[a], mixed[b] = mixed[b], mixed[a] })
			try("in another order", strings.Join(mixed, "\n"), in.Command)
		}
		try("indented", "  "+strings.Join(lines, "\n  "), in.Command)
	}
}

// Errors on their own stream, before or behind the rest, give the same verdict.
func TestStreamsApart(t *testing.T) {
	for _, c := range []struct {
		id            guide.CheckID
		command       string
		exit          int
		out, err      string
		want          guide.Verdict
		rule, context string
	}{
		{guide.DiskMount, "findmnt -T /data; touch /data/.probe", 1, "TARGET SOURCE FSTYPE OPTIONS\n/data /dev/vdb1 ext4 rw,relatime\n", "touch: cannot touch '/data/.probe': Read-only file system\n", guide.Fail, "read-only", ""},
		{guide.DiskDf, "df -h; touch /data/a", 1, "Filesystem Size Used Avail Use% Mounted on\n/dev/vda1 252G 12G 80G 14% /\n", "touch: cannot touch '/data/a': Disk quota exceeded\n", guide.Fail, "quota", ""},
		{guide.DiskSpeed, "dd if=/dev/zero of=t bs=1M count=1024 conv=fdatasync", 0, "", "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.36067 s, 200 MB/s\n", guide.Pass, "ok-write", ""},
		{guide.CPUCgroup, "nproc; cat /sys/fs/cgroup/cpu.max; cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us", 0, "64\n800000\n100000\n", "cat: /sys/fs/cgroup/cpu.max: No such file or directory\n", guide.Warn, "shown", ""},
		{guide.SessionTmux, "tmux -V; tmux ls", 1, "tmux 3.3a\n", "no server running on /tmp/tmux-0/default\n", guide.Pass, "ok-none", ""},
		{guide.Tunnel, "ssh -N -L 8188:127.0.0.1:8188 host", 0, "", "channel 3: open failed: administratively prohibited: open failed\n", guide.Fail, "prohibited", ""},
		{guide.MemCgroup, "free -b; cat /sys/fs/cgroup/memory.max", 1, "Mem:    810154872832 61203283968 21474836480    70254592 727476752384 740000000000\n", "cat: /sys/fs/cgroup/memory.max: No such file or directory\n", guide.Warn, "no-limit", ""},
	} {
		known, err := guide.ReadContext([]byte(c.context))
		if err != nil {
			t.Fatal(err)
		}
		in := guide.Input{Check: c.id, Track: guide.Dedicated, Command: c.command, Exit: c.exit, Context: known}
		for _, streams := range [][2]string{{c.out, c.err}, {c.out + c.err, ""}, {c.err + c.out, ""}} {
			in.Stdout, in.Stderr = []byte(streams[0]), []byte(streams[1])
			if o := Judge(in); o.Verdict != c.want || o.Rule != c.rule {
				t.Errorf("%s: %s (%s), want %s (%s) for %q", c.id, o.Verdict, o.Rule, c.want, c.rule, streams)
			}
		}
	}
}

// What the time limit cut is never a pass.
func TestCutByTimeNeverPasses(t *testing.T) {
	list, verdicts := recorded(t)
	for i, in := range list {
		in.TimedOut, in.Exit = true, -1
		if o := Judge(in); o.Verdict == guide.Pass {
			t.Errorf("%s passes", in.Check)
		} else if verdicts[i] == guide.Fail && o.Verdict != guide.Fail {
			t.Errorf("%s: %s, and it failed", in.Check, o.Verdict)
		}
	}
}

// No output passes without anything read.
func TestNothingNeverPasses(t *testing.T) {
	for _, id := range ofDisks {
		for _, track := range guide.Tracks() {
			for _, out := range []string{"", "\n", "ok\n", "0\n", "Welcome to Ubuntu 22.04.4 LTS\n", "bash: line 1: x: command not found\n", "{}", "[]", strings.Repeat("a ", 4000)} {
				for _, exit := range []int{0, 1, 127} {
					if o := Judge(guide.Input{Check: id, Track: track, Exit: exit, Stdout: []byte(out)}); o.Verdict == guide.Pass {
						t.Errorf("%s on %s passes %q", id, track, out[:min(len(out), 40)])
					}
				}
			}
		}
	}
}

func TestCalls(t *testing.T) {
	for text, want := range map[string]string{
		"df -hPT; df -iP":                               "df|-hPT / df|-iP",
		"mount | grep -i 'my disk'":                     "mount / grep|-i|my disk",
		"sudo LC_ALL=C timeout 15s /usr/bin/df -h 2>&1": "df|-h",
		`if command -v fio; then fio --rw=read; else dd if=/dev/zero of="$f" >/dev/null 2>&1 && rm -f "$f"; fi`: "-v|fio / fio|--rw=read / dd|if=/dev/zero|of=$f / rm|-f|$f",
		"cat a \\\n  b": "cat|a|b",
		"( nproc )&":    "nproc",
		"'":             "",
	} {
		var list []string
		for _, c := range calls(text) {
			list = append(list, strings.Join(append([]string{c.name}, c.args...), "|"))
		}
		if got := strings.Join(list, " / "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`/mnt/my\040models`: "/mnt/my models", `/mnt/my\x20models`: "/mnt/my models", `/a\134b`: `/a\b`, `/a\012b`: `/a\012b`, `/a\9b`: `/a\9b`, `/plain`: "/plain",
	} {
		if got := unescaped(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// FuzzDisks holds that no output makes one of these judges panic, say nothing, or
// pass what names an error.
func FuzzDisks(f *testing.F) {
	list, _ := recorded(f)
	for _, in := range list {
		f.Add(uint8(slices.Index(ofDisks, in.Check)), in.Track == guide.Shared, in.Command, string(in.Stdout), in.Exit)
	}
	f.Fuzz(func(t *testing.T, which uint8, shared bool, command, out string, exit int) {
		in := guide.Input{Check: ofDisks[int(which)%len(ofDisks)], Track: guide.Dedicated, Command: command, Stdout: []byte(out), Exit: exit}
		if shared {
			in.Track = guide.Shared
		}
		o := Judge(in)
		if len(o.Findings) == 0 || o.Verdict == guide.NotRun {
			t.Fatal("nothing found")
		}
		if e, ok := o.Facts["error"]; ok && o.Verdict == guide.Pass {
			t.Errorf("%v passes", e)
		}
		if again := Judge(in); again.Rule != o.Rule || len(again.Findings) != len(o.Findings) {
			t.Errorf("%s, then %s", o.Rule, again.Rule)
		}
		wantTexts(t, o)
	})
}

// TestHugeOfDisks holds that a flood of lines is judged, too.
func TestHugeOfDisks(t *testing.T) {
	for _, shape := range []string{
		"/dev/sda1 30G 1G 29G 5% /a\n", "/dev/sda1 on /a type ext4 (rw)\n", "a b\n", "HF_HOME=/a\n", "Traceback (most recent call last):\n", "got prompt\nPrompt executed in 2.00 seconds\n",
		"1024\n", "x: 1 windows (created a)\n", "1 bytes (1 B) copied, 1 s, 1 B/s\n", "==> /sys/fs/cgroup/cpu.max <==\n1 1\n", "  read: bw=1B/s\n", "{", "a ", "cat: /sys/x: y\n",
	} {
		in := guide.Input{Stdout: []byte(strings.Repeat(shape, guide.MaxOutput/32/len(shape))), Track: guide.Shared, Command: "df -h; mount; cat /sys/x; echo $HF_HOME"}
		for _, id := range ofDisks {
			in.Check = id
			if o := Judge(in); o.Verdict == guide.NotRun || o.Verdict == guide.Pass && shape != "got prompt\nPrompt executed in 2.00 seconds\n" && id != guide.SessionTmux {
				t.Errorf("%s: %s for %q", id, o.Verdict, shape)
			}
		}
	}
}
