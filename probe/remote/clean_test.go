package remote

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n":                          "plain",
		"\x1b[31mred\x1b[0m":               "red",
		"\x1b]0;title\x07after":            "after",
		"\x1b]8;;http://x\x1b\\link":       "link",
		"a\x00b\x07c\x7f\u009bd":           "abcd",
		"\u202eevil\u2066":                 "evil",
		"bad \xff utf8":                    "bad \ufffd utf8",
		strings.Repeat("x", 9000) + " end": strings.Repeat("x", maxSaid-4) + " end",
		"two\r\nlines":                     "two\nlines",
		"\x1b":                             "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q -> %q, want %q", in, got, want)
		}
	}
}

// What a host says must never reach a screen with a control character in it.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"\x1b[31m", "\x1b]0;x", "\x9b1m", "\u202e", "\xf0\x28", strings.Repeat("é", 3000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if len(got) > maxSaid || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || isBidi(r) {
				t.Fatalf("%q lets %U through", s, r)
			}
		}
	})
}

// A line of our own file that can't be read is kept, never taken for a key.
func FuzzTrust(f *testing.F) {
	key, err := ssh.NewPublicKey(ed25519.NewKeyFromSeed(make([]byte, 32)).Public())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("key =p 192.0.2.7:22 ssh-ed25519 " + base64.StdEncoding.EncodeToString(key.Marshal()) + " 2026-01-02T03:04:05Z")
	f.Add("proxy =p%20q abc 2026-01-02T03:04:05Z\nkey = a b c d e f\n# x")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "known")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		k := OpenKnownHosts(path, "")
		before, err := k.read()
		if err != nil {
			t.Fatal(err)
		}
		if err := k.put("p 2", "x:22", key); err != nil {
			t.Fatal(err)
		}
		after, err := k.read()
		if err != nil || len(after) < 1 {
			t.Fatalf("%d entries, %v", len(after), err)
		}
		last := after[len(after)-1]
		if last.kind != "key" || last.profile != "p 2" || !bytes.Equal(last.key.Marshal(), key.Marshal()) {
			t.Fatalf("kept %+v", last)
		}
		for i, e := range before {
			if e.profile == "p 2" {
				return // replaced
			}
			if after[i].String() != e.String() {
				t.Fatalf("%q became %q", e, after[i])
			}
		}
	})
}
