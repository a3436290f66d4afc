package check

import (
	"testing"

	"rentgen/app/guide"
)

func TestPorts(t *testing.T) {
	const head = "State    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port   Process\nLISTEN   0        128              0.0.0.0:22              0.0.0.0:*       users:((\"sshd\",pid=712,fd=3))\n"
	runCases(t, guide.SecPorts, []netCase{
		{name: "ComfyUI to all", command: "ss -lntp", want: guide.Fail, rule: "ui-public", out: head + "LISTEN   0        128              0.0.0.0:8188            0.0.0.0:*       users:((\"python\",pid=4211,fd=11))\n", facts: `{"public_ports":[22,8188],"ui_public":[8188],"unknown_owner_ports":[],"docker_published":[]}`},
		{name: "without header", command: "ss -H -lntp", want: guide.Fail, out: "LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:((\"sshd\",pid=712,fd=3))\nLISTEN 0 2048 *:7860 *:* users:((\"python3\",pid=1,fd=2))\n", facts: `{"public_ports":[22,7860],"ui_public":[7860]}`},
		{name: "owner not shown", command: "ss -lnt", want: guide.Fail, out: "LISTEN 0 128 [::]:22 [::]:*\nLISTEN 0 2048 [::]:8888 [::]:*\n", facts: `{"ui_public":[8888],"unknown_owner_ports":[8888]}`},
		{name: "ollama by an address", command: "ss -lntp", want: guide.Fail, out: head + "LISTEN 0 128 10.0.0.4:11434 0.0.0.0:* users:((\"ollama\",pid=9,fd=3))\n"},
		{name: "tensorboard", command: "ss -lntp", want: guide.Fail, out: head + "LISTEN 0 128 [::]:6006 [::]:* users:((\"tensorboard\",pid=9,fd=3))\n"},
		{name: "docker past ufw", command: "ss -lntp; ufw status", want: guide.Fail, rule: "docker-past-ufw", out: head + "LISTEN 0 4096 0.0.0.0:9000 0.0.0.0:* users:((\"docker-proxy\",pid=900,fd=4))\nStatus: active\n\nTo                         Action      From\n--                         ------      ----\n22/tcp                     ALLOW       Anywhere\n", facts: `{"docker_published":[9000],"ufw_active":true,"public_ports":[22,9000]}`},
		{name: "docker, ufw off", command: "ss -lntp; ufw status", want: guide.Warn, rule: "other-port", out: head + "LISTEN 0 4096 0.0.0.0:9000 0.0.0.0:* users:((\"docker-proxy\",pid=900,fd=4))\nStatus: inactive\n", facts: `{"docker_published":[9000],"ufw_active":false}`},
		{name: "docker publishes ComfyUI", command: "ss -lntp; ufw status", want: guide.Fail, out: head + "LISTEN 0 4096 0.0.0.0:8188 0.0.0.0:* users:((\"docker-proxy\",pid=900,fd=4))\nLISTEN 0 4096 [::]:8188 [::]:* users:((\"docker-proxy\",pid=901,fd=4))\nStatus: active\n", facts: `{"docker_published":[8188],"ui_public":[8188]}`},
		{name: "docker ps", command: "ss -lnt; docker ps", want: guide.Fail, out: "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\nabc  comfy  \"python\"  2 days ago  Up 2 days  0.0.0.0:8188->8188/tcp, :::8188->8188/tcp  ui\n", facts: `{"docker_published":[8188]}`},
		{name: "another port", command: "ss -lntp", want: guide.Warn, rule: "other-port", out: head + "LISTEN 0 128 0.0.0.0:9100 0.0.0.0:* users:((\"node_exporter\",pid=9,fd=3))\n", facts: `{"unknown_owner_ports":[]}`},
		{name: "SSH at another port by its owner", command: "ss -lntp", want: guide.Pass, out: "LISTEN 0 128 0.0.0.0:2222 0.0.0.0:* users:((\"sshd\",pid=712,fd=3))\n", facts: `{"public_ports":[2222],"unknown_owner_ports":[]}`},
		{name: "SSH at the connection's port", command: "echo $SSH_CONNECTION; ss -lnt", want: guide.Pass, out: "203.0.113.5 51022 10.0.0.2 2024\nLISTEN 0 128 0.0.0.0:2024 0.0.0.0:*\n", facts: `{"public_ports":[2024],"unknown_owner_ports":[]}`},
		{name: "22 with no owner", command: "ss -lnt", want: guide.Pass, out: "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n", facts: `{"unknown_owner_ports":[]}`},
		{name: "loopback in every form", command: "ss -lntp", want: guide.Pass, out: head + "LISTEN 0 9 127.0.0.1:8188 0.0.0.0:*\nLISTEN 0 9 [::1]:8888 [::]:*\nLISTEN 0 9 127.0.0.53%lo:53 0.0.0.0:*\nLISTEN 0 9 [::ffff:127.0.0.1]:7860 *:*\nLISTEN 0 9 127.0.1.1:6006 0.0.0.0:*\n", facts: `{"public_ports":[22],"loopback_ports":[53,6006,7860,8188,8888]}`},
		{name: "all sockets", command: "ss -antp", want: guide.Pass, out: head + "ESTAB 0 0 10.0.0.2:22 203.0.113.5:51022 users:((\"sshd\",pid=9,fd=4))\nESTAB 0 0 10.0.0.2:8188 203.0.113.5:51023\n"},
		{name: "udp too", command: "ss -lntup", want: guide.Pass, out: "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nudp   UNCONN 0      0      0.0.0.0:8188       0.0.0.0:*\ntcp   LISTEN 0      128    0.0.0.0:22         0.0.0.0:*     users:((\"sshd\",pid=712,fd=3))\n", facts: `{"public_ports":[22]}`},
		{name: "netstat", command: "netstat -lntp", want: guide.Fail, out: "(Not all processes could be identified, non-owned process info\n will not be shown, you would have to be root to see it all.)\nActive Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name    \ntcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      -                   \ntcp        0      0 127.0.0.1:6010          0.0.0.0:*               LISTEN      -                   \ntcp6       0      0 :::8188                 :::*                    LISTEN      -                   \n", facts: `{"public_ports":[22,8188],"loopback_ports":[6010],"unknown_owner_ports":[8188]}`},
		{name: "netstat, docker", command: "netstat -lntp; ufw status", want: guide.Fail, rule: "docker-past-ufw", out: "tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      1206/sshd: /usr/sbi \ntcp        0      0 0.0.0.0:3000            0.0.0.0:*               LISTEN      2206/docker-proxy   \nStatus: active\n", facts: `{"docker_published":[3000]}`},
		{name: "lsof", command: "lsof -iTCP -sTCP:LISTEN -nP", want: guide.Fail, out: "COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME\nsshd     712 root    3u  IPv4  18222      0t0  TCP *:22 (LISTEN)\npython  4211 root   11u  IPv4  38222      0t0  TCP *:8188 (LISTEN)\npython  4212 root   11u  IPv6  38223      0t0  TCP [::1]:8888 (LISTEN)\n", facts: `{"public_ports":[22,8188],"loopback_ports":[8888]}`},
		{name: "the kernel's table", command: "cat /proc/net/tcp /proc/net/tcp6", want: guide.Fail, out: "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18222 1 0\n   1: 0100007F:1FFC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18223 1 0\n   2: 0200000A:0016 050071CB:C74E 01 00000000:00000000 00:00000000 00000000     0        0 18224 1 0\n  sl  local_address                         remote_address                        st\n   0: 00000000000000000000000000000000:1EB4 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18229 1 0\n   1: 00000000000000000000000001000000:22B8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18230 1 0\n", facts: `{"public_ports":[22,7860],"loopback_ports":[8188,8888]}`},
		{name: "names", command: "ss -ltp", want: guide.Warn, rule: "other-port", out: "LISTEN 0 128 *:ssh *:*\nLISTEN 0 128 *:http *:* users:((\"nginx\",pid=3,fd=1))\n", facts: `{"public_ports":[22,80]}`},
		{name: "a name nobody knows", command: "ss -ltp", want: guide.Warn, rule: "partial", out: "LISTEN 0 128 *:ssh *:*\nLISTEN 0 128 *:gibberish *:*\n"},
		{name: "in a container", track: guide.Shared, command: "ss -lntp", context: `{"provider":"autodl"}`, want: guide.Skip, out: head + "LISTEN 0 128 0.0.0.0:8888 0.0.0.0:* users:((\"jupyter-lab\",pid=9,fd=3))\n", facts: `{"public_ports":[22,8888]}`},
		{name: "a container with public ports", track: guide.Shared, command: "ss -lntp", context: `{"provider":"vast"}`, want: guide.Fail, out: head + "LISTEN 0 128 0.0.0.0:8188 0.0.0.0:* users:((\"python\",pid=9,fd=3))\n"},
		{name: "no SSH in it", command: "ss -lntp", want: guide.Warn, rule: "no-ssh-seen", out: "LISTEN 0 128 127.0.0.1:8188 0.0.0.0:*\n"},
		{name: "header alone", command: "ss -lntp", want: guide.Warn, rule: "unread", out: "State    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port   Process\n"},
		{name: "not there", command: "ss -lntp", exit: 127, want: guide.Warn, rule: "no-tool", out: "bash: ss: command not found\n"},
		{name: "sudo", command: "sudo ss -lntp", exit: 1, want: guide.Warn, rule: "no-sudo", out: "sudo: a password is required\n"},
		{name: "empty", want: guide.Warn, rule: "unread"},
	})
}

func TestSSHD(t *testing.T) {
	const good = "port 22\npermitrootlogin without-password\npubkeyauthentication yes\npasswordauthentication no\nkbdinteractiveauthentication no\nusepam yes\nallowtcpforwarding yes\n"
	runCases(t, guide.SecSSHD, []netCase{
		{name: "good", command: "sudo sshd -T", want: guide.Pass, out: good, facts: `{"password_auth":false,"kbd_interactive":false,"pubkey":true,"usepam":true,"tcp_forwarding":true,"root_login":"without-password"}`},
		{name: "good, no root", want: guide.Pass, out: "permitrootlogin no\npasswordauthentication no\nkbdinteractiveauthentication no\nallowtcpforwarding no\n", facts: `{"tcp_forwarding":false,"root_login":"no"}`},
		{name: "prohibit-password", want: guide.Pass, out: "permitrootlogin prohibit-password\npasswordauthentication no\nkbdinteractiveauthentication no\n", facts: `{"root_login":"prohibit-password"}`},
		{name: "forced commands", want: guide.Pass, out: "permitrootlogin forced-commands-only\npasswordauthentication no\nchallengeresponseauthentication no\n"},
		{name: "keyboard-interactive", want: guide.Warn, rule: "kbdint", out: "permitrootlogin no\npasswordauthentication no\nkbdinteractiveauthentication yes\nusepam yes\n", facts: `{"password_auth":false,"kbd_interactive":true}`},
		{name: "old name", want: guide.Warn, rule: "kbdint", out: "permitrootlogin no\npasswordauthentication no\nchallengeresponseauthentication yes\n", facts: `{"kbd_interactive":true}`},
		{name: "root with keys", want: guide.Warn, rule: "root", out: "permitrootlogin yes\npasswordauthentication no\nkbdinteractiveauthentication no\npubkeyauthentication yes\n", facts: `{"root_login":"yes"}`},
		{name: "password", want: guide.Fail, rule: "password", out: "permitrootlogin no\npasswordauthentication yes\nkbdinteractiveauthentication no\n"},
		{name: "password, all else bad", want: guide.Fail, rule: "password", out: "permitrootlogin yes\npasswordauthentication yes\nkbdinteractiveauthentication yes\nusepam yes\n"},
		{name: "password missing", want: guide.Warn, rule: "partial", out: "permitrootlogin no\nkbdinteractiveauthentication no\n"},
		{name: "cut value", want: guide.Warn, rule: "partial", out: "passwordauthentication no\nkbdinteractiveauthentication no\npermitrootlogin without-pass"},
		{name: "keys off", want: guide.Warn, rule: "no-keys", out: "permitrootlogin no\npasswordauthentication no\nkbdinteractiveauthentication no\npubkeyauthentication no\n"},
		{name: "drop-in first", command: "grep -ri passwordauthentication /etc/ssh/", want: guide.Fail, rule: "password-file", out: "/etc/ssh/sshd_config.d/60-x.conf:PasswordAuthentication no\n/etc/ssh/sshd_config.d/50-cloud-init.conf:PasswordAuthentication yes\n/etc/ssh/sshd_config:PasswordAuthentication no\n", facts: `{"password_auth":true,"effective_from":"50-cloud-init.conf"}`},
		{name: "drop-in turns it off", command: "grep -r PasswordAuthentication /etc/ssh/", want: guide.Warn, rule: "files", out: "/etc/ssh/sshd_config:PasswordAuthentication yes\n/etc/ssh/sshd_config.d/10-hard.conf:PasswordAuthentication no\n", facts: `{"password_auth":false,"effective_from":"10-hard.conf"}`},
		{name: "comments and the client's file", command: "grep -ri passwordauthentication /etc/ssh/", want: guide.Fail, out: "/etc/ssh/ssh_config:#   PasswordAuthentication no\n/etc/ssh/ssh_config:PasswordAuthentication no\n/etc/ssh/sshd_config:#PasswordAuthentication no\n/etc/ssh/sshd_config:# PasswordAuthentication.  Depending on your PAM configuration,\n/etc/ssh/sshd_config:PasswordAuthentication yes\n", facts: `{"password_auth":true,"effective_from":"sshd_config"}`},
		{name: "comments alone", command: "grep -ri passwordauthentication /etc/ssh/", want: guide.Warn, out: "/etc/ssh/sshd_config:#PasswordAuthentication no\n"},
		{name: "a backup is not read", command: "grep -ri passwordauthentication /etc/ssh/", want: guide.Fail, out: "/etc/ssh/sshd_config.d/10-x.conf.bak:PasswordAuthentication no\n/etc/ssh/sshd_config:PasswordAuthentication yes\n", facts: `{"effective_from":"sshd_config"}`},
		{name: "the main file alone", command: "cat /etc/ssh/sshd_config", want: guide.Warn, rule: "files", facts: `{"password_auth":false,"effective_from":"sshd_config"}`, out: "Include /etc/ssh/sshd_config.d/*.conf\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nX11Forwarding yes\n"},
		{name: "main file first, the other files behind it", command: "cat /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*.conf", want: guide.Fail, rule: "password", out: "Include /etc/ssh/sshd_config.d/*.conf\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPasswordAuthentication yes\n"},
		{name: "all of the files", command: "cat /etc/ssh/sshd_config.d/*.conf /etc/ssh/sshd_config", want: guide.Pass, out: "Include /etc/ssh/sshd_config.d/*.conf\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nX11Forwarding yes\n"},
		{name: "a match block", command: "cat /etc/ssh/sshd_config", want: guide.Warn, rule: "match", out: "PermitRootLogin no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nMatch User guest\n    PasswordAuthentication yes\n"},
		{name: "in a container", track: guide.Shared, want: guide.Skip, rule: "platform", out: "passwordauthentication yes\n"},
		{name: "no sudo", exit: 1, want: guide.Skip, rule: "no-sudo", out: "sudo: a password is required\n"},
		{name: "no terminal", exit: 1, want: guide.Skip, rule: "no-sudo", out: "sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\n"},
		{name: "not in sudoers", exit: 1, want: guide.Skip, out: "me is not in the sudoers file.  This incident will be reported.\n"},
		{name: "no root", exit: 1, want: guide.Skip, rule: "no-root", out: "sshd: no hostkeys available -- exiting.\n"},
		{name: "file closed", exit: 1, want: guide.Skip, rule: "no-root", out: "/etc/ssh/sshd_config.d/50-cloud-init.conf: Permission denied\n"},
		{name: "not found after retries", exit: 127, context: `{"retries_done":true}`, want: guide.Skip, rule: "no-sshd", out: "sudo: /usr/sbin/sshd: command not found\n", facts: `{"error":"command_not_found"}`},
		{name: "not found once", exit: 127, want: guide.Warn, rule: "not-found", out: "bash: sshd: command not found\n", facts: `{"error":"command_not_found"}`},
		{name: "no folder", exit: 255, want: guide.Warn, rule: "privsep", out: "Missing privilege separation directory: /run/sshd\n"},
		{name: "broken", exit: 255, want: guide.Warn, rule: "broken-config", out: "/etc/ssh/sshd_config: line 12: Bad configuration option: Foo\n/etc/ssh/sshd_config: terminating, 1 bad configuration options\n"},
		{name: "pasted", want: guide.Fail, out: "root@h:~# sudo sshd -T | grep -E 'password|root|kbd'\npermitrootlogin yes\npasswordauthentication yes\nkbdinteractiveauthentication no\npermitemptypasswords no\nroot@h:~#\n"},
		{name: "empty", want: guide.Warn, rule: "unread"},
	})
}

// FuzzNet holds that no output makes a judge of the network panic or pass what
// names an error.
func FuzzNet(f *testing.F) {
	ids := []guide.CheckID{guide.NetPing, guide.NetIperf3, guide.NetCurl, guide.NetHF, guide.SecPorts, guide.SecSSHD}
	for i, s := range []string{
		iputils + "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\n",
		`{"end":{"sum_sent":{"bytes":1e9,"bits_per_second":5e9},"sum_received":{"bits_per_second":5e9}}}`,
		"206 104857600 48902225 0.004112 0.011873 0.052114 2.144231\n",
		"HTTP/2 200\n", "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n", "passwordauthentication no\nkbdinteractiveauthentication no\npermitrootlogin no\n",
	} {
		f.Add(uint8(i), oursCurl, s, 0)
	}
	f.Fuzz(func(t *testing.T, which uint8, command, out string, exit int) {
		id := ids[int(which)%len(ids)]
		o := Judge(guide.Input{Check: id, Track: guide.Dedicated, Command: command, Stdout: []byte(out), Exit: exit})
		if len(o.Findings) == 0 || o.Verdict == guide.NotRun {
			t.Fatal("nothing found")
		}
		if e, ok := o.Facts["error"]; ok && o.Verdict == guide.Pass {
			t.Errorf("%v passes", e)
		}
		wantTexts(t, o)
		if again := Judge(guide.Input{Check: id, Track: guide.Dedicated, Command: command, Stdout: []byte(out), Exit: exit}); again.Rule != o.Rule {
			t.Errorf("%s, then %s", o.Rule, again.Rule)
		}
	})
}
