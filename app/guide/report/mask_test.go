package report

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	m := NewMask(Known{Hosts: []string{"region-9.example.com", "203.0.113.50"}, Users: []string{"lihua", "root"}})
	m.Learn("root@gpu-node7:~# nvidia-smi")
	m.Learn("root@gpu:~# ls")
	m.Learn("/mnt/home/ComfyUI/models")
	for in, want := range map[string]string{
		"":    "",
		"ok":  "ok",
		"gpu": "gpu",
		"GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1a2b3c4d-1111-2222-3333-444455556666)": "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1a2b…)",
		"MIG-1a2b3c4d-1111-2222-3333-444455556666":                                        "MIG-1a2b…",
		"export HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWxYz":                                   "export HF_TOKEN=***",
		"use hf_AbCdEfGh1234, not hf_endpoint or hf_transfer":                             "use ***, not hf_endpoint or hf_transfer",
		"OPENAI sk-proj-Abc123Def456Ghi789":                                               "OPENAI ***",
		"disk-speed and task-queue1":                                                      "disk-speed and task-queue1",
		"Authorization: Bearer abc.def.ghi":                                               "Authorization: ***",
		"curl -H 'X: Bearer abcdef123456' x":                                              "curl -H 'X: Bearer ***' x",
		"https://alice:pa55@repo.example.org/x?sig=abc&e=1 ok":                            "https://***@host/x?*** ok",
		"https://hf-mirror.com/a/b.safetensors":                                           "https://hf-mirror.com/a/b.safetensors",
		"password: hunter2, next":                                                         "password: ***, next",
		"passwordauthentication yes":                                                      "passwordauthentication yes",
		"sshpass -p hunter2 ssh":                                                          "sshpass -p *** ssh",
		"jupyter --token=abc123 --port 8888":                                              "jupyter --token=*** --port 8888",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJabcdefghijklmnop li@laptop":                "ssh-ed25519 ***",
		"ED25519 SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDFTQCHgVGHgTQHyxs ok":                   "ED25519 SHA256:*** ok",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----x":    "***x",
		"AKIAABCDEFGHIJKLMNOP":                                                            "***",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc":                                        "***",
		"write to li.hua@corp.example.com now":                                            "write to user@host now",
		"root@gpu:~# ls":                                                                  "root@host:~# ls",
		"ssh root@region-9.example.com":                                                   "ssh root@host",
		"connect to region-9.example.com:2222":                                            "connect to host:2222",
		"on gpu-node7, lihua and lihuang":                                                 "on host, user and lihuang",
		"/home/wang/models and C:\\Users\\Wang Li":                                        "/home/user/models and C:\\Users\\user Li",
		"/root/autodl-tmp/models":                                                         "/root/autodl-tmp/models",
		"no log of ComfyUI":                                                               "no log of ComfyUI",
		"/root/.local/share":                                                              "/root/.local/share",
		"uid=1000(wang) gid=1000(wang)":                                                   "uid=1000(user) gid=1000(user)",
		"Linux box7 5.15.0-91 x86_64":                                                     "Linux host 5.15.0-91 x86_64",
		"nas01:/export/models 1.0T":                                                       "host:/export/models 1.0T",
		"PATH=/usr/bin:/usr/local/bin":                                                    "PATH=/usr/bin:/usr/local/bin",
		"bash: /root/x: No such file":                                                     "bash: /root/x: No such file",
		"autodl-container-8f7c11a3d2-1 up":                                                "host up",
		"connect.westb.seetacloud.com and ip-10-1-2-3":                                    "host and host",
		"00:1a:2b:3c:4d:5e":                                                               "mac",
		"Serial Number : 1652323012345":                                                   "Serial Number : ***",
		"0123456789abcdef0123456789abcdef":                                                "012345…",
		"LISTEN 0.0.0.0:8188 127.0.0.1:22 [::]:80 [::1]:6":                                "LISTEN 0.0.0.0:8188 127.0.0.1:22 [::]:80 [::1]:6",
		"driver 550.54.15, 570.124.06; nvidia-cudnn-cu12==8.9.2.26":                       "driver 550.54.15, 570.124.06; nvidia-cudnn-cu12==8.9.2.26",
		"00000000:01:00.0 at 12:30:45, std::bad_alloc":                                    "00000000:01:00.0 at 12:30:45, std::bad_alloc",
		"2 lines of 255.255.255.0":                                                        "2 lines of 255.255.255.0",
	} {
		if got := m.Text(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
	a := m.Text("from 198.51.100.7 to 10.0.0.9: 198.51.100.7:443, [2001:db8::1]:22, fe80::1%eth0, 2001:db8::1: refused")
	if want := "from ip-2 to ip-3: ip-2:443, [ip-1]:22, ip-4, ip-1: refused"; !sameShape(a, want) {
		t.Errorf("%q", a)
	}
	if strings.Contains(m.Text("203.0.113.50"), "203") {
		t.Error("the login's address is shown")
	}
	if got := NewMask(Known{More: func(s string) string { return strings.ReplaceAll(s, "own", "***") }}).Text("own"); got != masked {
		t.Errorf("%q", got)
	}
	// Whoever masks the rest may know less about addresses.
	all := NewMask(Known{More: func(s string) string { return four.ReplaceAllString(s, "address") }})
	if got := all.Text("0.0.0.0:8188 127.0.0.1:22 cudnn==8.9.2.26 198.51.100.7"); got != "0.0.0.0:8188 127.0.0.1:22 cudnn==8.9.2.26 ip-1" {
		t.Errorf("%q", got)
	}
	var none *Mask
	if none.Text("10.0.0.9") != "10.0.0.9" {
		t.Error("a nil mask hides")
	}
}

// sameShape compares texts whose numbers of addresses may differ, if they differ
// in the same way throughout.
func sameShape(a, b string) bool {
	fa, fb := strings.Split(a, "ip-"), strings.Split(b, "ip-")
	if len(fa) != len(fb) || fa[0] != fb[0] {
		return false
	}
	pairs := map[byte]byte{}
	for i := 1; i < len(fa); i++ {
		if fa[i][1:] != fb[i][1:] || pairs[fa[i][0]] != 0 && pairs[fa[i][0]] != fb[i][0] {
			return false
		}
		pairs[fa[i][0]] = fb[i][0]
	}
	return true
}

// FuzzMask: whatever comes, it comes to an end, and no address stays.
func FuzzMask(f *testing.F) {
	f.Add("root@box 10.2.3.4 GPU-1a2b3c4d-1111-2222-3333-444455556666 token=x")
	f.Add("::2%10::")
	f.Add("::ffff:10.2.3.4 [2001:db8::1%lo] \x00\xff -----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, s string) {
		m := NewMask(Known{Hosts: []string{"box.example.com"}, Users: []string{"wang"}})
		m.Learn(s)
		out := m.Text(s + " 10.9.8.7 hf_AbCdEfGhIjKlMnOpQrStUvWxYz box.example.com")
		for _, bad := range []string{" 10.9.8.7 ", "hf_AbCdEfGhIjKlMnOpQrStUvWxYz"} {
			if strings.Contains(out, bad) {
				t.Errorf("%q stays in %q", bad, out)
			}
		}
	})
}
