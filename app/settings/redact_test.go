package settings

import (
	"strings"
	"testing"
)

func TestAddressesAreMasked(t *testing.T) {
	var r Redactor
	for in, want := range map[string]string{
		"dial 203.0.113.9:22: refused":               "dial address:22: refused",
		"dial tcp [2001:db8::1]:22: refused":         "dial tcp [address]:22: refused",
		"2001:db8::1: refused":                       "address: refused",
		"at 2001:db8::1.":                            "at address.",
		"at fe80::1%eth0, then":                      "at address, then",
		"[fe80::ab%en0]:22":                          "[address]:22",
		"::ffff:192.0.2.7 said":                      "address said",
		"2001:0db8:0000:0000:0000:0000:0000:0001":    "address",
		"2001:db8:1:2:3:4:5:6/64":                    "address/64",
		"连接2001:DB8::1失败":                            "连接address失败",
		"took2001:db8::1ms":                          "tookaddressms",
		"::1 and [::]:22":                            "address and [::]:22",
		"12:30:45 and 2026-11-29T12:30:45.123Z":      "12:30:45 and 2026-11-29T12:30:45.123Z",
		"took 01:02:03:04":                           "took 01:02:03:04",
		"version 1:2.3, driver 550.54.15":            "version 1:2.3, driver 550.54.15",
		"card 00000000:01:00.0":                      "card 00000000:01:00.0",
		"std::bad_alloc, a::b::c in std::dead":       "std::bad_alloc, a::b::c in std::dead",
		"mac aa:bb:cc:dd:ee:ff, a:b, 1::, x::y, ::":  "mac aa:bb:cc:dd:ee:ff, a:b, address, x::y, ::",
		"key SHA256:Zm9vOmJhcjo6YmF6 of ssh-ed25519": "key SHA256:Zm9vOmJhcjo6YmF6 of ssh-ed25519",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestSelfIsMasked(t *testing.T) {
	for _, c := range []struct{ home, account, in, want string }{
		{"/home/alice", "alice", "open /home/alice/.ssh/id: alice may not", "open ~/.ssh/id: user-1 may not"},
		{"/home/alice/", "alice", "用户alice登录，/home/alice", "用户user-1登录，~"},
		{"/home/alice", "alice", "/home/alice2/x and /home/bob: no", "/home/user/x and /home/user: no"},
		{"/Users/alice", "alice", "/Users/alice/Library", "~/Library"},
		{`C:\Users\Alice Smith`, `PC\asmith`, `open C:\Users\Alice Smith\x as PC\asmith`, `open ~\x as PC\user-1`},
		{`C:\Users\Alice Smith`, "", `"C:\\Users\\Alice Smith\\x" C:/Users/Alice Smith/y`, `"~\\x" ~/y`},
		{"", "", `/home/carol/a /Users/carol c:\users\carol\b D:\\Users\\carol`, `/home/user/a /Users/user c:\users\user\b D:\\Users\\user`},
		{"/root", "root", "/root/x of root", "~/x of root"},
		{"/", "user", "/ of user", "/ of user"},
	} {
		var r Redactor
		r.Self(c.home, c.account)
		got := r.Text(c.in)
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
		if again := r.Text(got); again != got {
			t.Errorf("%q masked again is %q", got, again)
		}
	}
}

// FuzzNothingSurvives puts what must never be read into any text.
func FuzzNothingSurvives(f *testing.F) {
	f.Add("dial tcp [", "]:22: refused", uint8(1))
	f.Add("password=", "; token: x", uint8(0))
	f.Add("12:30:45 ::", ":1::2%eth0", uint8(2))
	f.Add("-----BEGIN PRIVATE KEY-----", "/home/", uint8(3))
	canaries := []string{"2001:db8:c0de::ca9a", "198.51.100.77", "2001:db8:0:0:1:2:c0de:ca9a", "alicecanary", "boxcanary"}
	const secret = "s3cret=canary x"
	f.Fuzz(func(t *testing.T, before, after string, sep uint8) {
		var r Redactor
		r.Self("/home/alicecanary", `DOM\alicecanary`)
		r.Host("boxcanary")
		r.Secret(secret)
		s := string(" @[](=/,;\n\"'"[int(sep)%12])
		for _, c := range canaries {
			if got := r.Text(before + s + c + s + after); strings.Contains(got, c) {
				t.Fatalf("%q stands in %q", c, got)
			}
		}
		if got := r.Text(before + secret + after); strings.Contains(got, secret) || strings.Contains(got, "canary") && !strings.Contains(before+after, "canary") {
			t.Fatalf("the secret stands in %q", got)
		}
	})
}
