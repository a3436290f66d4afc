package check

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// netCase is an output as a terminal may show it, with what it means. facts is
// JSON; a fact that isn't named is not looked at.
type netCase struct {
	name, command string
	exit          int
	context, out  string
	track         guide.Track
	want          guide.Verdict
	rule, facts   string
}

func (c netCase) input(t *testing.T, id guide.CheckID) guide.Input {
	t.Helper()
	known, err := guide.ReadContext([]byte(c.context))
	if err != nil {
		t.Fatal(err)
	}
	if c.track == "" {
		c.track = guide.Dedicated
	}
	return guide.Input{Check: id, Track: c.track, Command: c.command, Exit: c.exit, Stdout: []byte(c.out), Context: known}
}

func runCases(t *testing.T, id guide.CheckID, cases []netCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, form := range []string{c.out, strings.ReplaceAll(c.out, "\n", "\r\n")} {
				in := c.input(t, id)
				in.Stdout = []byte(form)
				o := Judge(in)
				if o.Verdict != c.want || c.rule != "" && o.Rule != c.rule {
					t.Errorf("verdict %s (%s), want %s (%s)", o.Verdict, o.Rule, c.want, c.rule)
				}
				wantFacts(t, o.Facts, c.facts)
				wantTexts(t, o)
			}
		})
	}
	mutate(t, id, cases)
}

func wantFacts(t *testing.T, got guide.Facts, want string) {
	t.Helper()
	if want == "" {
		return
	}
	var facts map[string]any
	if err := json.Unmarshal([]byte(want), &facts); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(b, &plain); err != nil {
		t.Fatal(err)
	}
	for k, w := range facts {
		g, ok := plain[k]
		a, _ := json.Marshal(g)
		b, _ := json.Marshal(w)
		x, isX := g.(float64)
		y, isY := w.(float64)
		if !ok || string(a) != string(b) && (!isX || !isY || math.Abs(x-y) > 0.005*math.Abs(y)) {
			t.Errorf("%s = %s (read: %t), want %s", k, a, ok, b)
		}
	}
}

// wantTexts holds that every finding can be said in both languages and that what
// is wrong comes with what to do.
func wantTexts(t *testing.T, o guide.Outcome) {
	t.Helper()
	for _, lang := range texts.Langs() {
		c := texts.For(lang)
		for _, f := range o.Findings {
			if !c.Has(f.Says.Key) || !f.Do.IsZero() && !c.Has(f.Do.Key) {
				t.Errorf("no text for %s (%s, %s) in %s", f.Code, f.Says.Key, f.Do.Key, lang)
			}
			if f.Verdict != guide.Pass && f.Do.IsZero() {
				t.Errorf("%s says nothing to do", f.Code)
			}
			if s := c.Say(f.Says) + c.Say(f.Do); strings.Contains(s, "{port") || strings.Contains(s, "%!") {
				t.Errorf("not filled: %s", s)
			}
		}
	}
}

// mutate cuts every failing output anywhere and takes lines out: it never turns
// into a pass. Where the lines are a list, a line that is gone can't be missed; a
// list that was cut inside a line can.
func mutate(t *testing.T, id guide.CheckID, cases []netCase) {
	t.Helper()
	for _, c := range cases {
		if c.want != guide.Fail {
			continue
		}
		in := c.input(t, id)
		try := func(out, how string) {
			t.Helper()
			in.Stdout = []byte(out)
			if o := Judge(in); o.Verdict == guide.Pass {
				t.Errorf("%s: %s passes:\n%s", c.name, how, out)
			}
		}
		list := id == guide.SecPorts
		for n := range len(c.out) {
			// At the end of a row, or before its owner, a list is whole as far as it goes.
			if list && (strings.HasSuffix(c.out[:n], "\n") || strings.HasPrefix(c.out[n:], "\n") || rowEnd.MatchString(c.out[:n])) {
				continue
			}
			try(c.out[:n], "a cut")
		}
		if list {
			continue
		}
		lines := strings.Split(c.out, "\n")
		for i := range lines {
			try(strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "\n"), "a line less")
			try(strings.Join(lines[i:], "\n"), "a tail")
		}
	}
}

// rowEnd is the end of a row of listeners as far as a tool without owners prints
// it, or the beginning of another kind of line.
var rowEnd = regexp.MustCompile(`(?:00000000\s+\d+\s+\d+\s+\d+[^\n]*|:\*|LISTEN|-|\d+/[^\n]*)\s*$|\n(?:Stat|abc|COMMAND|p|\s*\d*:?)[^:\n]*$`)

const iputils = `PING example.com (192.0.2.7) 56(84) bytes of data.
64 bytes from 192.0.2.7: icmp_seq=1 ttl=52 time=28.6 ms

--- example.com ping statistics ---
`

func TestPing(t *testing.T) {
	runCases(t, guide.NetPing, []netCase{
		{name: "busybox", command: "ping -c 3 192.0.2.10", want: guide.Pass, out: "PING 192.0.2.10 (192.0.2.10): 56 data bytes\n64 bytes from 192.0.2.10: seq=0 ttl=64 time=0.051 ms\n\n--- 192.0.2.10 ping statistics ---\n3 packets transmitted, 3 packets received, 0% packet loss\nround-trip min/avg/max = 0.051/0.070/0.082 ms\n", facts: `{"sent":3,"received":3,"loss_pct":0,"rtt_avg_ms":0.07,"rtt_mdev_ms":null,"flavour":"busybox"}`},
		{name: "busybox lost all", exit: 1, want: guide.Warn, rule: "silent", out: "PING 192.0.2.10 (192.0.2.10): 56 data bytes\n\n--- 192.0.2.10 ping statistics ---\n3 packets transmitted, 0 packets received, 100% packet loss\n", facts: `{"received":0,"loss_pct":100,"rtt_avg_ms":null,"rtt_mdev_ms":null,"flavour":"busybox"}`},
		{name: "busybox duplicates", want: guide.Warn, rule: "duplicates", out: "--- a ping statistics ---\n3 packets transmitted, 3 packets received, 2 duplicates, 0% packet loss\nround-trip min/avg/max = 0.051/0.070/0.082 ms\n", facts: `{"duplicates":2,"flavour":"busybox"}`},
		{name: "busybox bad address", exit: 1, want: guide.Fail, out: "ping: bad address 'hub.example'\n", facts: `{"error":"dns_unknown_name"}`},
		{name: "busybox no right", exit: 1, want: guide.Skip, out: "PING 192.0.2.10 (192.0.2.10): 56 data bytes\nping: permission denied (are you root?)\n", facts: `{"error":"permission_denied"}`},
		{name: "inetutils", want: guide.Pass, out: "PING a (192.0.2.1): 56 data bytes\n--- a ping statistics ---\n3 packets transmitted, 3 packets received, 0% packet loss\nround-trip min/avg/max/stddev = 0.050/0.066/0.095/0.021 ms\n", facts: `{"flavour":"bsd","rtt_mdev_ms":0.021}`},
		{name: "blocked ping", command: "ping -c 5 -W 2 192.0.2.10", exit: 1, want: guide.Warn, rule: "silent", out: "PING 192.0.2.10 (192.0.2.10) 56(84) bytes of data.\n\n--- 192.0.2.10 ping statistics ---\n5 packets transmitted, 0 received, 100% packet loss, time 4100ms\n\n", facts: `{"sent":5,"received":0,"loss_pct":100,"rtt_avg_ms":null,"flavour":"iputils"}`},
		{name: "blocked ping, many packets", exit: 1, want: guide.Warn, out: "60 packets transmitted, 0 received, 100% packet loss, time 59100ms\n"},
		{name: "blocked ping, TCP works", exit: 0, want: guide.Warn, rule: "icmp-dropped", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\nConnection to 192.0.2.10 443 port [tcp/https] succeeded!\n"},
		{name: "blocked ping, our TCP line", exit: 0, want: guide.Warn, rule: "icmp-dropped", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\ntcp 0.031245\n"},
		{name: "blocked ping, TCP fails", exit: 28, want: guide.Fail, rule: "tcp-fails", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\ncurl: (28) Connection timed out after 5001 milliseconds\ntcp 0.000000\n"},
		{name: "blocked ping, nc fails", exit: 1, want: guide.Fail, rule: "tcp-fails", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\nnc: connect to 192.0.2.10 port 443 (tcp) failed: Connection refused\n"},
		{name: "blocked ping, curl says nothing", command: "ping -c 5 h; curl -s -o /dev/null --max-time 5 -w '%{time_connect}\\n' https://h/", exit: 28, want: guide.Fail, rule: "tcp-fails", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\n0.000000\n"},
		{name: "blocked ping, curl's time", command: "ping -c 5 h; curl -s -o /dev/null -w '%{time_connect}\\n' https://h/", exit: 0, want: guide.Warn, rule: "icmp-dropped", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\n0.031245\n"},
		{name: "blocked ping, shell's TCP", command: "ping -c 5 h; timeout 3 bash -c '</dev/tcp/h/443'", exit: 124, want: guide.Fail, out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\n"},
		{name: "blocked ping, nc takes too long", exit: 1, want: guide.Fail, out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\nnc: connect to h port 443 (tcp) timed out: Operation now in progress\n"},
		{name: "blocked ping, written by hand", exit: 0, want: guide.Fail, out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\ntcp 443 failed\n"},
		{name: "blocked ping, written by hand, works", exit: 0, want: guide.Warn, rule: "icmp-dropped", out: "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\ntcp 443 ok 0.031\n"},
		{name: "not permitted", exit: 2, want: guide.Skip, out: "ping: socket: Operation not permitted\n", facts: `{"error":"permission_denied"}`},
		{name: "capability", exit: 2, want: guide.Skip, out: "ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\nping: => missing cap_net_raw+p capability or setuid?\n", facts: `{"error":"permission_denied"}`},
		{name: "no execution", exit: 126, want: guide.Skip, out: "bash: /usr/bin/ping: Permission denied\n", facts: `{"error":"permission_denied"}`},
		{name: "sh not found", exit: 127, want: guide.Skip, out: "sh: 1: ping: not found\n", facts: `{"error":"command_not_found"}`},
		{name: "not found in Chinese", exit: 127, want: guide.Skip, out: "bash: ping：未找到命令\n", facts: `{"error":"command_not_found"}`},
		{name: "name not known", exit: 2, want: guide.Fail, out: "ping: hub.example: Name or service not known\n", facts: `{"error":"dns_unknown_name"}`},
		{name: "old unknown host", exit: 2, want: guide.Fail, out: "ping: unknown host hub.example\n", facts: `{"error":"dns_unknown_name"}`},
		{name: "mac unknown host", exit: 68, want: guide.Fail, out: "ping: cannot resolve hub.example: Unknown host\n", facts: `{"error":"dns_unknown_name"}`},
		{name: "no address", exit: 2, want: guide.Fail, out: "ping: hub.example: No address associated with hostname\n", facts: `{"error":"dns_unknown_name"}`},
		{name: "DNS in Chinese", exit: 2, want: guide.Fail, out: "ping: huggingface.co: 域名解析暂时失败\n", facts: `{"error":"dns_temporary","locale":"zh"}`},
		{name: "name in Chinese", exit: 2, want: guide.Fail, out: "ping: hub.example: 未知的名称或服务\n", facts: `{"error":"dns_unknown_name","locale":"zh"}`},
		{name: "network unreachable", exit: 2, want: guide.Fail, out: "ping: connect: Network is unreachable\n", facts: `{"error":"host_unreachable"}`},
		{name: "net unreachable by a router", exit: 1, want: guide.Fail, out: "PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.\nFrom 10.0.0.1 icmp_seq=1 Destination Net Unreachable\n\n--- 10.0.0.9 ping statistics ---\n4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 3052ms\n", facts: `{"error":"host_unreachable","icmp_errors":4}`},
		{name: "time to live", exit: 1, want: guide.Fail, out: "From 10.0.0.1 icmp_seq=1 Time to live exceeded\n\n4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 3052ms\n", facts: `{"error":"host_unreachable"}`},
		{name: "mac no route", exit: 2, want: guide.Fail, out: "PING 10.0.0.9 (10.0.0.9): 56 data bytes\nping: sendto: No route to host\nRequest timeout for icmp_seq 0\n\n--- 10.0.0.9 ping statistics ---\n3 packets transmitted, 0 packets received, 100.0% packet loss\n", facts: `{"error":"host_unreachable","flavour":"bsd"}`},
		{name: "filtered", exit: 1, want: guide.Warn, rule: "filtered", out: "From 10.0.0.1 icmp_seq=1 Packet filtered\n\n4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 3052ms\n", facts: `{"icmp_errors":4}`},
		{name: "filtered, TCP works", exit: 0, want: guide.Warn, rule: "icmp-dropped", out: "From 10.0.0.1 icmp_seq=1 Packet filtered\n\n4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 3052ms\ntcp 0.012000\n"},
		{name: "unreachable by the firewall, TCP works", exit: 0, want: guide.Warn, rule: "icmp-dropped", out: "From 10.0.0.1 icmp_seq=1 Destination Host Unreachable\n\n4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 3052ms\ntcp 0.012000\n"},
		{name: "half of it", exit: 0, want: guide.Warn, rule: "loss-some", out: "10 packets transmitted, 5 received, 50% packet loss, time 9100ms\nrtt min/avg/max/mdev = 2.020/2.039/2.077/0.019 ms\n", facts: `{"loss_pct":50}`},
		{name: "some errors", exit: 0, want: guide.Warn, out: "From 10.0.0.1 icmp_seq=1 Destination Host Unreachable\n10 packets transmitted, 8 received, +2 errors, 20% packet loss, time 9100ms\nrtt min/avg/max/mdev = 2.020/2.039/2.077/0.019 ms\n"},
		{name: "loss of many", exit: 0, want: guide.Fail, rule: "loss", out: iputils + "100 packets transmitted, 93 received, 7% packet loss, time 99100ms\nrtt min/avg/max/mdev = 2.020/2.039/2.077/0.019 ms\n", facts: `{"loss_pct":7}`},
		{name: "loss of many, 5", exit: 0, want: guide.Fail, out: iputils + "60 packets transmitted, 57 received, 5% packet loss, time 99100ms\nrtt min/avg/max/mdev = 2.020/2.039/2.077/0.019 ms\n"},
		{name: "little loss of many", exit: 0, want: guide.Warn, out: iputils + "100 packets transmitted, 99 received, 1% packet loss, time 99100ms\nrtt min/avg/max/mdev = 2.020/2.039/2.077/0.019 ms\n"},
		{name: "decimal loss", exit: 0, want: guide.Fail, out: iputils + "57 packets transmitted, 54 received, 5.26316% packet loss, time 99100ms\nrtt min/avg/max/mdev = 2.020/2.039/2.077/0.019 ms\n", facts: `{"loss_pct":5.26316}`},
		{name: "same region near", want: guide.Pass, context: `{"same_region":true}`, out: iputils + "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\n"},
		{name: "same region far", want: guide.Warn, rule: "slow-region", context: `{"same_region":true}`, out: iputils + "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 28.1/28.4/28.7/0.2 ms\n"},
		{name: "region not known", want: guide.Pass, out: iputils + "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 28.1/28.4/28.7/0.2 ms\n"},
		{name: "50 is far", want: guide.Warn, rule: "far", out: iputils + "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 49/50/51/0.2 ms\n"},
		{name: "Chinese iputils", want: guide.Pass, out: "PING baidu.com (192.0.2.10) 56(84) 字节的数据。\n64 字节，来自 192.0.2.10: icmp_seq=1 ttl=52 时间=28.6 毫秒\n\n--- baidu.com ping 统计 ---\n已发送 4 个包， 已接收 4 个包, 0% packet loss, time 3005ms\nrtt min/avg/max/mdev = 28.519/28.634/28.770/0.102 ms\n", facts: `{"sent":4,"received":4,"loss_pct":0,"rtt_avg_ms":28.634,"flavour":"iputils","locale":"zh"}`},
		{name: "Chinese iputils, all translated", want: guide.Warn, out: "--- baidu.com ping 统计 ---\n已发送 10 个包， 已接收 8 个包, +1 错误, 20% 包丢失, 耗时 9005 毫秒\nrtt min/avg/max/mdev = 28.519/28.634/28.770/0.102 毫秒\n", facts: `{"icmp_errors":1,"loss_pct":20,"locale":"zh"}`},
		{name: "Windows", want: guide.Pass, out: "\nPinging 192.0.2.10 with 32 bytes of data:\nReply from 192.0.2.10: bytes=32 time=31ms TTL=52\n\nPing statistics for 192.0.2.10:\n    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 30ms, Maximum = 33ms, Average = 31ms\n", facts: `{"os":"windows","sent":4,"received":4,"rtt_avg_ms":31,"rtt_mdev_ms":null}`},
		{name: "Chinese Windows", want: guide.Pass, out: "\n正在 Ping 192.0.2.10 具有 32 字节的数据:\n来自 192.0.2.10 的回复: 字节=32 时间=31ms TTL=52\n\n192.0.2.10 的 Ping 统计信息:\n    数据包: 已发送 = 4，已接收 = 4，丢失 = 0 (0% 丢失)，\n往返行程的估计时间(以毫秒为单位):\n    最短 = 30ms，最长 = 33ms，平均 = 31ms\n", facts: `{"os":"windows","locale":"zh","rtt_avg_ms":31}`},
		{name: "Windows unreachable", want: guide.Fail, out: "Pinging 10.0.0.9 with 32 bytes of data:\nReply from 10.0.0.5: Destination host unreachable.\n\nPing statistics for 10.0.0.9:\n    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\n", facts: `{"error":"host_unreachable"}`},
		{name: "Windows name", exit: 1, want: guide.Fail, out: "Ping request could not find host hub.example. Please check the name and try again.\n", facts: `{"error":"dns_unknown_name"}`},
		{name: "cut before the summary", want: guide.Warn, rule: "partial", out: "PING 192.0.2.10 (192.0.2.10) 56(84) bytes of data.\n64 bytes from 192.0.2.10: icmp_seq=1 ttl=60 time=2.08 ms\n"},
		{name: "cut in the times", want: guide.Warn, rule: "partial", out: "5 packets transmitted, 5 received, 0% packet loss, time 0ms\nrtt min/avg/max/mdev = 2.020/2.0"},
		{name: "pasted", want: guide.Pass, out: "root@h:~# ping -c 5 a\n" + iputils + "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\nroot@h:~# "},
		{name: "nonsense", want: guide.Warn, rule: "unread", out: "hello\n"},
		{name: "empty", want: guide.Warn, rule: "unread"},
		{name: "silent", exit: 2, want: guide.Skip, rule: "no-output"},
		{name: "contradiction", want: guide.Warn, out: "5 packets transmitted, 9 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\n"},
		{name: "share against count", want: guide.Warn, out: "5 packets transmitted, 3 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\n"},
		{name: "times that contradict", want: guide.Warn, rule: "partial", out: "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 99/12.4/12.7/0.2 ms\n"},
	})
}

const iperfHead = "Connecting to host 10.0.0.5, port 5201\n[  5] local 10.0.0.6 port 51700 connected to 10.0.0.5 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n"

func TestIperf3(t *testing.T) {
	runCases(t, guide.NetIperf3, []netCase{
		{name: "JSON", want: guide.Pass, out: `{"start":{"test_start":{"protocol":"TCP","num_streams":1}},"intervals":[],"end":{"streams":[{}],"sum_sent":{"bytes":11759779840,"bits_per_second":9407823872,"retransmits":12},"sum_received":{"bytes":11750000000,"bits_per_second":9390000000}}}`, facts: `{"recv_mbps":9390,"sent_mbps":9407.82,"retransmits":12,"retransmits_implausible":false,"parallel":false}`},
		{name: "JSON, streams", want: guide.Pass, out: `{"start":{"test_start":{"num_streams":4}},"end":{"streams":[{},{},{},{}],"sum_sent":{"bytes":1e9,"bits_per_second":2e9,"retransmits":0},"sum_received":{"bits_per_second":1.9e9}}}`, facts: `{"parallel":true,"retransmits":0}`},
		{name: "JSON refused", exit: 1, want: guide.Warn, out: "{\n\t\"start\":\t{\n\t},\n\t\"intervals\":\t[],\n\t\"end\":\t{\n\t},\n\t\"error\":\t\"error - unable to connect to server: Connection refused\"\n}\n", facts: `{"error":"no_server","recv_mbps":null}`},
		{name: "JSON no net", exit: 1, want: guide.Fail, out: "{\n\"start\":{},\n\"end\":{},\n\"error\":\"error - unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Network is unreachable\"\n}\n", facts: `{"error":"network_unreachable"}`},
		{name: "both ways JSON", want: guide.Warn, rule: "slow", out: `{"end":{"sum_sent":{"bytes":1e9,"bits_per_second":5e9},"sum_received":{"bits_per_second":5e9}}}` + "\n" + `{"end":{"sum_sent":{"bytes":1e8,"bits_per_second":5e8},"sum_received":{"bits_per_second":4e8}}}`, facts: `{"recv_mbps":400}`},
		{name: "no route", exit: 1, want: guide.Fail, out: "iperf3: error - unable to connect to server: No route to host\n", facts: `{"error":"no_route"}`},
		{name: "no net", exit: 1, want: guide.Fail, out: "iperf3: error - unable to connect to server: Network is unreachable\n", facts: `{"error":"network_unreachable"}`},
		{name: "time out", exit: 1, want: guide.Warn, out: "iperf3: error - unable to connect to server: Connection timed out\n", facts: `{"error":"no_server"}`},
		{name: "busy", exit: 1, want: guide.Warn, rule: "busy", out: "iperf3: error - the server is busy running a test. try again later\n"},
		{name: "no name", exit: 1, want: guide.Fail, out: "iperf3: error - unable to connect to server: Name or service not known\n"},
		{name: "no peer", command: "iperf3", exit: 1, want: guide.Skip, rule: "no-peer", out: "iperf3: parameter error - must either be a client (-c) or server (-s)\n\nUsage: iperf3 [-s|-c host] [options]\n       iperf3 [-h|--help] [-v|--version]\n"},
		{name: "no address behind -c", exit: 1, want: guide.Skip, out: "iperf3: option requires an argument -- 'c'\nUsage: iperf3 [-s|-c host] [options]\n"},
		{name: "not there", exit: 127, want: guide.Skip, rule: "no-iperf3", out: "bash: line 1: iperf3: command not found\n"},
		{name: "parallel", want: guide.Pass, command: "iperf3 -c 10.0.0.5 -P 4", out: iperfHead + "[  5]   0.00-10.00  sec  2.71 GBytes  2.33 Gbits/sec   20             sender\n[  5]   0.00-10.04  sec  2.71 GBytes  2.32 Gbits/sec                  receiver\n[  7]   0.00-10.00  sec  2.71 GBytes  2.33 Gbits/sec   22             sender\n[  7]   0.00-10.04  sec  2.71 GBytes  2.32 Gbits/sec                  receiver\n[SUM]   0.00-10.00  sec  5.42 GBytes  4.66 Gbits/sec   42             sender\n[SUM]   0.00-10.04  sec  5.42 GBytes  4.64 Gbits/sec                  receiver\n\niperf Done.\n", facts: `{"recv_mbps":4640,"sent_mbps":4660,"retransmits":42,"parallel":true}`},
		{name: "parallel without sums", want: guide.Pass, out: "[  5]   0.00-10.04  sec  2.71 GBytes  0.60 Gbits/sec                  receiver\n[  7]   0.00-10.04  sec  2.71 GBytes  0.60 Gbits/sec                  receiver\n", facts: `{"recv_mbps":1200,"sent_mbps":null,"parallel":true}`},
		{name: "reverse", want: guide.Warn, rule: "slow", out: "Connecting to host 10.0.0.5, port 5201\nReverse mode, remote host 10.0.0.5 is sending\n[  5]   0.00-10.04  sec   120 MBytes   100 Mbits/sec    0             sender\n[  5]   0.00-10.00  sec   118 MBytes  99.1 Mbits/sec                  receiver\n", facts: `{"recv_mbps":99.1,"sent_mbps":100,"retransmits":0}`},
		{name: "slow", want: guide.Warn, out: iperfHead + "[  5]   0.00-10.00  sec  1.10 GBytes   945 Mbits/sec    0             sender\n[  5]   0.00-10.04  sec  1.10 GBytes   941 Mbits/sec                  receiver\n", facts: `{"recv_mbps":941}`},
		{name: "sender alone", want: guide.Warn, rule: "partial", out: iperfHead + "[  5]   0.00-10.00  sec  9.85 GBytes  8.46 Gbits/sec  162             sender\n", facts: `{"recv_mbps":null,"sent_mbps":8460}`},
		{name: "intervals alone", want: guide.Warn, rule: "partial", out: iperfHead + "[  5]   0.00-1.00   sec  1001 MBytes  8.40 Gbits/sec  162    192 KBytes\n"},
		{name: "server at -R", want: guide.Warn, rule: "partial", out: "Server listening on 5201\n[  5]   0.00-10.04  sec  9.85 GBytes  8.42 Gbits/sec    0             sender\n[  5]   0.00-10.04  sec  0.00 Bytes  0.00 bits/sec                  receiver\n", facts: `{"recv_mbps":null}`},
		{name: "both at once", want: guide.Warn, out: "[  5][TX-C]   0.00-10.00  sec  5.42 GBytes  4.66 Gbits/sec   42             sender\n[  5][TX-C]   0.00-10.04  sec  5.42 GBytes  4.64 Gbits/sec                  receiver\n[  7][RX-C]   0.00-10.00  sec   420 MBytes   350 Mbits/sec   42             sender\n[  7][RX-C]   0.00-10.04  sec   420 MBytes   350 Mbits/sec                  receiver\n", facts: `{"recv_mbps":350}`},
		{name: "bytes", want: guide.Pass, out: "[  5]   0.00-10.00  sec  9.85 GBytes  1010 MBytes/sec  3             sender\n[  5]   0.00-10.04  sec  9.85 GBytes  1000 MBytes/sec                  receiver\n", facts: `{"recv_mbps":8388.6,"retransmits":3}`},
		{name: "cut JSON", want: guide.Warn, out: `{"start":{},"end":{"sum_received":{"bits_per_second":9390000000`},
		{name: "broke off", exit: 1, want: guide.Warn, rule: "broke-off", out: "iperf3: error - control socket has closed unexpectedly\n"},
		{name: "empty", want: guide.Warn, rule: "unread"},
	})
}

// TestHung holds that what our own limit cut off never passes.
func TestHung(t *testing.T) {
	for id, out := range map[guide.CheckID]string{
		guide.NetPing:   "PING a (192.0.2.1) 56(84) bytes of data.\n64 bytes from 192.0.2.1: icmp_seq=1 ttl=60 time=2.08 ms\n",
		guide.NetIperf3: `{"end":{"sum_sent":{"bytes":1e9,"bits_per_second":5e9},"sum_received":{"bits_per_second":5e9}}}`,
		guide.NetCurl:   "", guide.NetHF: "HTTP/2 200\n", guide.SecPorts: "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n",
		guide.SecSSHD: "permitrootlogin no\npasswordauthentication no\nkbdinteractiveauthentication no\n",
	} {
		o := Judge(guide.Input{Check: id, Track: guide.Dedicated, Exit: -1, TimedOut: true, Stdout: []byte(out)})
		if o.Verdict != guide.Warn || o.Rule != "hung" {
			t.Errorf("%s: %s (%s)", id, o.Verdict, o.Rule)
		}
		wantTexts(t, o)
	}
}
