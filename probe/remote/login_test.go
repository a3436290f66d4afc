package remote

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// stable is a login without what Line leaves out.
func stable(l Login) Login {
	l.Password, l.Command, l.Notices = "", "", nil
	return l
}

func codes(ns []Notice) string {
	var cs []string
	for _, n := range ns {
		cs = append(cs, n.Code)
	}
	return strings.Join(cs, " ")
}

func TestParseLogin(t *testing.T) {
	type login = Login
	autodl := login{User: "root", Host: "region-1.example.com", Port: 38076}
	pw := autodl
	pw.Password = "Abc+1@x"
	for name, c := range map[string]struct {
		line    string
		want    Login
		notices string
	}{
		"plain":                 {"ssh -p 38076 root@region-1.example.com", autodl, ""},
		"port joined":           {"ssh root@region-1.example.com -p38076", autodl, ""},
		"prompt":                {"$ ssh -p 38076 root@region-1.example.com", autodl, ""},
		"prompt of a host":      {"me@laptop:~/x$ ssh -p 38076 root@region-1.example.com", autodl, ""},
		"PowerShell":            {`PS C:\Users\me> ssh.exe -p 38076 root@region-1.example.com`, autodl, ""},
		"full path":             {`C:\Windows\System32\OpenSSH\ssh.exe -p 38076 root@region-1.example.com`, autodl, ""},
		"full width":            {"ｓｓｈ　－ｐ　３８０７６　root＠region-1．example．com", autodl, ""},
		"no-break space":        {"ssh\u00a0-p\u200938076\u3000root@region-1.example.com\u200b", autodl, ""},
		"en dash":               {"ssh –p 38076 root@region-1.example.com", autodl, ""},
		"line breaks":           {"ssh -p\r\n38076\r\nroot@region-1.example.com\r\n", autodl, ""},
		"continuation":          {"ssh \\\n  -p 38076 \\\n  root@region-1.example.com", autodl, ""},
		"label":                 {"登录指令：ssh -p 38076 root@region-1.example.com", autodl, ""},
		"heading":               {"SSH login\nssh -p 38076 root@region-1.example.com", autodl, "text-ignored"},
		"quotes":                {`"ssh" "-p" '38076' “root@region-1.example.com”`, autodl, ""},
		"user flag":             {"ssh -l root -p 38076 region-1.example.com", autodl, ""},
		"host:port":             {"root@region-1.example.com:38076", autodl, ""},
		"ssh host:port":         {"ssh root@region-1.example.com:38076", autodl, ""},
		"URL":                   {"ssh://root@region-1.example.com:38076", autodl, ""},
		"URL after ssh":         {"ssh ssh://root@region-1.example.com:38076/", autodl, ""},
		"host and port":         {"root@region-1.example.com 38076", autodl, ""},
		"options":               {"ssh -o Port=38076 -oUser=root region-1.example.com", autodl, ""},
		"password below":        {"ssh -p 38076 root@region-1.example.com\nAbc+1@x\n", pw, ""},
		"password labelled":     {"ssh -p 38076 root@region-1.example.com\npassword: Abc+1@x", pw, ""},
		"Chinese label":         {"ssh -p 38076 root@region-1.example.com\n密码：Abc+1@x", pw, ""},
		"long Chinese label":    {"登录指令：ssh -p 38076 root@region-1.example.com\n登录密码: Abc+1@x", pw, ""},
		"labels on their lines": {"登录指令\nssh -p 38076 root@region-1.example.com\n密码\nAbc+1@x", pw, "text-ignored"},
		"password in the line":  {"ssh -p 38076 root@region-1.example.com 密码：Abc+1@x", pw, ""},
		"password in the line2": {"ssh -p 38076 root@region-1.example.com password: Abc+1@x", pw, ""},
		"sshpass":               {"sshpass -p 'Abc+1@x' ssh -p 38076 root@region-1.example.com", pw, ""},
		"sshpass joined":        {"sshpass -pAbc+1@x ssh -p 38076 root@region-1.example.com", pw, ""},
		"SSHPASS":               {"SSHPASS=Abc+1@x sshpass -e ssh -p 38076 root@region-1.example.com", pw, ""},
		"password in the URL":   {"ssh://root:Abc+1%40x@region-1.example.com:38076", pw, ""},
		"fields":                {"主机：region-1.example.com\n端口：38076\n用户名：root\n密码：Abc+1@x", pw, ""},
		"fields in English":     {"Host: region-1.example.com\nPort: 38076\nUsername: root\nPassword: Abc+1@x", pw, ""},
		"alias":                 {"gpu-box", Login{Host: "gpu-box"}, ""},
		"Chinese alias":         {"ssh 显卡机", Login{Host: "显卡机"}, ""},
		"IPv6":                  {"ssh root@2001:db8::1", Login{User: "root", Host: "2001:db8::1"}, ""},
		"IPv6 in brackets":      {"root@[2001:db8::1]:2200", Login{User: "root", Host: "2001:db8::1", Port: 2200}, ""},
		"IPv6 with zone":        {"ssh root@[fe80::1%eth0]", Login{User: "root", Host: "fe80::1%eth0"}, ""},
		"key":                   {"ssh -i ~/.ssh/id_ed25519 ubuntu@192.0.2.7", Login{User: "ubuntu", Host: "192.0.2.7", Identities: []string{"~/.ssh/id_ed25519"}}, ""},
		"Windows key":           {`ssh -i C:\Users\me\k.pem ubuntu@192.0.2.7`, Login{User: "ubuntu", Host: "192.0.2.7", Identities: []string{`C:\Users\me\k.pem`}}, ""},
		"key with a space":      {`ssh -i "/home/me/my key" ubuntu@192.0.2.7`, Login{User: "ubuntu", Host: "192.0.2.7", Identities: []string{"/home/me/my key"}}, ""},
		"jumps":                 {"ssh -J a@b:2222,[2001:db8::2]:22,c ubuntu@192.0.2.7", Login{User: "ubuntu", Host: "192.0.2.7", Jumps: []Login{{User: "a", Host: "b", Port: 2222}, {Host: "2001:db8::2", Port: 22}, {Host: "c"}}}, ""},
		"jump none":             {"ssh -J none h", Login{Host: "h"}, ""},
		"forward":               {"ssh h -L 8080:localhost:8888 -NL127.0.0.1:1:[::1]:2 -N", Login{Host: "h", Forwards: []ForwardSpec{{Port: 8080, Host: "localhost", To: 8888}, {Bind: "127.0.0.1", Port: 1, Host: "::1", To: 2}}}, ""},
		"forward to a socket":   {"ssh -L 8080:/run/x.sock h", Login{Host: "h"}, "forward-unreadable"},
		"trust":                 {"ssh -o StrictHostKeyChecking=no -o 'UserKnownHostsFile /dev/null' h", Login{Host: "h"}, "trust-option trust-option"},
		"trust kept":            {"ssh -o StrictHostKeyChecking=yes h", Login{Host: "h"}, ""},
		"agent forwarding":      {"ssh -A -oForwardAgent=yes h", Login{Host: "h"}, "agent-forwarding agent-forwarding"},
		"harmless":              {"ssh -tt -q -C -o ServerAliveInterval=30 -o LogLevel=ERROR h", Login{Host: "h"}, ""},
		"other options":         {"ssh -D 1080 -R 1:a:2 -o Whatever=1 h", Login{Host: "h"}, "option-ignored option-ignored option-ignored"},
		"kept options":          {"ssh -4 -o identitiesonly=yes -oKexAlgorithms=+diffie-hellman-group14-sha1 h", Login{Host: "h", Options: map[string]string{"AddressFamily": "inet", "IdentitiesOnly": "yes", "KexAlgorithms": "+diffie-hellman-group14-sha1"}}, ""},
		"command":               {"ssh -p 22 h nvidia-smi -l 1", Login{Host: "h", Port: 22, Command: "nvidia-smi -l 1"}, "command-ignored"},
		"proxy command":         {`ssh -o 'ProxyCommand=nc -X 5 -x 127.0.0.1:1080 %h %p' h`, Login{Host: "h", ProxyCommand: "nc -X 5 -x 127.0.0.1:1080 %h %p"}, "proxy-command"},
		"RunPod":                {"ssh a1b2c3-6441103b@ssh.runpod.io -i ~/.ssh/id_ed25519", Login{User: "a1b2c3-6441103b", Host: "ssh.runpod.io", Identities: []string{"~/.ssh/id_ed25519"}}, "terminal-only"},
		"options below":         {"ssh root@192.0.2.7\n-p 2200 -i k", Login{User: "root", Host: "192.0.2.7", Port: 2200, Identities: []string{"k"}}, ""},
		"domain user":           {`ssh CORP\me@h`, Login{User: `CORP\me`, Host: "h"}, ""},
		"user with an at":       {"ssh me@corp@h", Login{User: "me@corp", Host: "h"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseLogin(c.line)
			if err != nil {
				t.Fatal(err)
			}
			if n := codes(got.Notices); n != c.notices {
				t.Errorf("notices %q, want %q", n, c.notices)
			}
			flat := got
			flat.Notices = nil
			if !reflect.DeepEqual(flat, c.want) {
				t.Errorf("got  %+v\nwant %+v", flat, c.want)
			}
			again, err := ParseLogin(got.Line())
			if err != nil || !reflect.DeepEqual(stable(again), stable(got)) {
				t.Errorf("%s parses back to %+v, %v", got.Line(), again, err)
			}
			if got.Password != "" && strings.Contains(got.Line(), got.Password) {
				t.Error("the password is in the line")
			}
		})
	}
}

func TestParseLoginRefuses(t *testing.T) {
	for line, field := range map[string]string{
		"":                                   "line",
		"   \n ":                             "line",
		"ssh":                                "host",
		"ssh -p 38076":                       "host",
		"ssh -p":                             "option",
		"ssh -p 99999 root@h":                "port",
		"ssh -p abc root@h":                  "port",
		"root@h:0":                           "port",
		"ssh -o foo root@h":                  "option",
		"ssh -z root@h":                      "option",
		"ssh --port 22 root@h":               "option",
		"ssh root@":                          "host",
		"ssh @h":                             "user",
		"ssh 'ro;ot@h'":                      "user",
		"ssh '-l x'@h":                       "user",
		"ssh root@'h;id'":                    "host",
		"ssh -J 'a;b' h":                     "jump",
		"ssh -o ConnectTimeout=0h":           "option",
		"scp -P 22 a root@h:b":               "line",
		"https://example.com":                "line",
		"ssh root@[::1":                      "host",
		"ssh -J a,b,c,d,e,f,g,h,i root@host": "jump",
	} {
		_, err := ParseLogin(line)
		var in *InputError
		if !errors.As(err, &in) {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if in.Field != field || in.Allowed == "" {
			t.Errorf("%q: field %q (%v), want %q", line, in.Field, in, field)
		}
	}
	if _, err := ParseLogin(strings.Repeat("x", maxLine+1)); err == nil {
		t.Error("a text of any length is taken")
	}
}

// Line of a login must read back as the same login, whatever was pasted.
func FuzzParseLogin(f *testing.F) {
	for _, s := range []string{
		"ssh -p 38076 root@region-1.example.com\n密码：x", "ssh -J a@b:1,c -i 'a b' -o A=b [::1]:22 -L 1:[::1]:2",
		"sshpass -p x ssh h cmd", "ssh://a:b@h:1/", "Host: h\nport: 1", `ssh -i C:\a\b\ "x'y"`, "ssh -o ProxyCommand='a \"b\" %h' h",
		"password\nssh h", "$ ssh h # x", "ssh -i 'password: x' h", "ssh h -o IdentityFile=\"x y\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLogin(s)
		if err != nil {
			var in *InputError
			if !errors.As(err, &in) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		line := l.Line()
		again, err := ParseLogin(line)
		if err != nil {
			t.Fatalf("%q -> %q: %v", s, line, err)
		}
		if !reflect.DeepEqual(stable(l), stable(again)) {
			t.Fatalf("%q -> %q:\n%#v\n%#v", s, line, stable(l), stable(again))
		}
		if again.Password != "" || !slices.Contains([]string{line}, again.Line()) {
			t.Fatalf("%q -> %q: password %q, line %q", s, line, again.Password, again.Line())
		}
	})
}
