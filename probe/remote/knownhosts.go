package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// KnownHosts knows which key a machine showed before. Its own file is kept by
// profile and address, because rented addresses are used again by others; the
// user's known_hosts is read beside it and never written. It is safe for use
// from several goroutines and processes.
type KnownHosts struct {
	own, user string
	mu        sync.Mutex
}

// OpenKnownHosts returns the trust kept in the file own, which is created when
// something is kept, and in the user's known_hosts. Either may be "".
func OpenKnownHosts(own, user string) *KnownHosts {
	return &KnownHosts{own: own, user: user}
}

// trustEntry is a line of our own file:
//
//	key =PROFILE HOST:PORT TYPE BASE64 SINCE
//	proxy =PROFILE SHA256 SINCE
type trustEntry struct {
	kind, profile string
	addr          string        // of a key
	key           ssh.PublicKey // of a key
	sum           string        // of a proxy command
	since         string
	line          int
	raw           string // a line we can't read is kept as it is
}

// lockPatience is how long another process may hold our file.
const lockPatience = 5 * time.Second

const ownHeader = "# Machine identities by profile and address, kept by Rentgen.\n"

func (k *KnownHosts) read() ([]trustEntry, error) {
	if k.own == "" {
		return nil, nil
	}
	b, err := os.ReadFile(k.own)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read known machines: %w", err)
	}
	var all []trustEntry
	for i, l := range strings.Split(string(b), "\n") {
		if l = strings.TrimSpace(l); l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		all = append(all, parseTrust(l, i+1))
	}
	return all, nil
}

func parseTrust(l string, n int) trustEntry {
	f := strings.Fields(l)
	e := trustEntry{line: n, raw: l}
	switch {
	case len(f) == 6 && f[0] == "key":
		b, err := base64.StdEncoding.DecodeString(f[4])
		if err != nil {
			return e
		}
		key, err := ssh.ParsePublicKey(b)
		if err != nil || key.Type() != f[3] {
			return e
		}
		e.addr, e.key, e.since = f[2], key, f[5]
	case len(f) == 4 && f[0] == "proxy":
		e.sum, e.since = f[2], f[3]
	default:
		return e
	}
	profile, err := url.QueryUnescape(strings.TrimPrefix(f[1], "="))
	if err != nil {
		return e
	}
	e.kind, e.profile = f[0], profile
	return e
}

func (e trustEntry) String() string {
	switch e.kind {
	case "key":
		return strings.Join([]string{
			"key", profileField(e.profile), e.addr, e.key.Type(), base64.StdEncoding.EncodeToString(e.key.Marshal()), e.since,
		}, " ")
	case "proxy":
		return strings.Join([]string{"proxy", profileField(e.profile), e.sum, e.since}, " ")
	}
	return e.raw
}

// profileField keeps a profile one word, the empty one too.
func profileField(profile string) string { return "=" + url.QueryEscape(profile) }

// change rewrites our own file under its lock.
func (k *KnownHosts) change(f func([]trustEntry) []trustEntry) error {
	if k.own == "" {
		return errors.New("no file for known machines")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(k.own), 0o700); err != nil {
		return fmt.Errorf("keep known machines: %w", err)
	}
	lock := flock.New(k.own + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("lock known machines: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	all, err := k.read()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(ownHeader)
	for _, e := range f(all) {
		b.WriteString(e.String())
		b.WriteByte('\n')
	}
	if err := writeFile(k.own, b.Bytes()); err != nil {
		return fmt.Errorf("keep known machines: %w", err)
	}
	return nil
}

// writeFile replaces a file whole, readable by its owner only.
func writeFile(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}

// Replace makes the new key of a change the known one: "this instance was
// re-created". Nothing else overrides a key that was known.
func (k *KnownHosts) Replace(c *KeyChange) error {
	if c == nil || c.key == nil {
		return errors.New("replace a machine's key: no key was seen")
	}
	return k.put(c.Profile, c.Addr, c.key)
}

// put makes key the only known one of an address.
func (k *KnownHosts) put(profile, addr string, key ssh.PublicKey) error {
	return k.change(func(all []trustEntry) []trustEntry {
		all = slices.DeleteFunc(all, func(e trustEntry) bool {
			return e.kind == "key" && e.profile == profile && e.addr == addr
		})
		return append(all, trustEntry{kind: "key", profile: profile, addr: addr, key: key, since: stamp()})
	})
}

func stamp() string { return time.Now().UTC().Format(time.RFC3339) }

// Forget removes everything our own file holds of a profile.
func (k *KnownHosts) Forget(profile string) error {
	if all, err := k.read(); err == nil && !slices.ContainsFunc(all, func(e trustEntry) bool { return e.profile == profile }) {
		return nil
	}
	return k.change(func(all []trustEntry) []trustEntry {
		return slices.DeleteFunc(all, func(e trustEntry) bool { return e.kind != "" && e.profile == profile })
	})
}

// Keys returns what our own file knows of a profile, by address.
func (k *KnownHosts) Keys(profile string) (map[string][]KeyInfo, error) {
	all, err := k.read()
	m := make(map[string][]KeyInfo)
	for _, e := range all {
		if e.kind == "key" && e.profile == profile {
			m[e.addr] = append(m[e.addr], keyInfo(e.key, fmt.Sprintf("%s:%d", k.own, e.line)))
		}
	}
	return m, err
}

func keyInfo(key ssh.PublicKey, where string) KeyInfo {
	return KeyInfo{Type: key.Type(), Fingerprint: ssh.FingerprintSHA256(key), Where: where}
}

// hostTrust is what is known of one machine at the start of a handshake.
type hostTrust struct {
	profile, addr string
	own           []trustEntry
	db            *knownhosts.HostKeyDB // the user's file; nil without one
}

// lookup gathers what is known of an address. A user's file that can't be read
// is a notice: it must not stand in the way of our own.
func (k *KnownHosts) lookup(profile, addr string) (*hostTrust, []Notice, error) {
	t := &hostTrust{profile: profile, addr: addr}
	all, err := k.read()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range all {
		if e.kind == "key" && e.profile == profile && e.addr == addr {
			t.own = append(t.own, e)
		}
	}
	if k.user == "" {
		return t, nil, nil
	}
	t.db, err = knownhosts.NewDB(k.user)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return t, nil, nil
	}
	return t, []Notice{{Code: "known-hosts-unreadable", Args: map[string]string{"file": k.user, "error": Clean(err.Error())}}}, nil
}

// algorithms orders what we accept so that a server with several keys shows
// the one we know. The rest stays at the end: a machine that lost the known
// kind of key is a changed one, not one we can't talk to.
func (t *hostTrust) algorithms(accepted []string) []string {
	var known []string
	for _, e := range t.own {
		switch typ := e.key.Type(); typ {
		case ssh.KeyAlgoRSA:
			known = append(known, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA)
		default:
			known = append(known, typ)
		}
	}
	if len(known) == 0 && t.db != nil {
		known = t.db.HostKeyAlgorithms(t.addr)
	}
	var list []string
	for _, a := range known {
		if slices.Contains(accepted, a) && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for _, a := range accepted {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// anywhere stands in for the network address: keys are known by name.
var anywhere = &net.TCPAddr{IP: net.IPv4zero}

// check judges a key: nil when it is the known one, else an error with its
// kind and the change.
func (t *hostTrust) check(key ssh.PublicKey) *Error {
	c := &KeyChange{Profile: t.profile, Addr: t.addr, New: keyInfo(key, ""), key: key}
	fail := func(kind Kind, err error) *Error {
		return &Error{Stage: StageHostKey, Kind: kind, Change: c, Err: err}
	}
	var userErr error
	if t.db != nil {
		userErr = t.db.HostKeyCallback()(t.addr, anywhere, key)
		var revoked *xknownhosts.RevokedError
		if errors.As(userErr, &revoked) || isRevokedCert(userErr) {
			return fail(KindHostKeyRevoked, userErr)
		}
	}
	if len(t.own) > 0 {
		for _, e := range t.own {
			if bytes.Equal(e.key.Marshal(), key.Marshal()) {
				return nil
			}
			c.Old = append(c.Old, keyInfo(e.key, "profile"))
		}
		return fail(KindHostKeyChanged, nil)
	}
	if t.db == nil {
		return fail(KindHostKeyUnknown, nil)
	}
	if userErr == nil {
		return nil
	}
	var keyErr *xknownhosts.KeyError
	if errors.As(userErr, &keyErr) {
		for _, w := range keyErr.Want {
			if !t.isAuthority(w.Key) { // an authority's line is no key of the machine
				c.Old = append(c.Old, keyInfo(w.Key, fmt.Sprintf("%s:%d", w.Filename, w.Line)))
			}
		}
		if len(c.Old) > 0 {
			return fail(KindHostKeyChanged, userErr)
		}
	}
	return fail(KindHostKeyUnknown, userErr)
}

// isRevokedCert recognises the one error of the certificate check that has no
// type of its own.
func isRevokedCert(err error) bool {
	return err != nil && strings.Contains(err.Error(), "certificate serial") && strings.Contains(err.Error(), "revoked")
}

func (t *hostTrust) isAuthority(key ssh.PublicKey) bool {
	for _, k := range t.db.HostKeys(t.addr) {
		if k.Cert && bytes.Equal(k.Marshal(), key.Marshal()) {
			return true
		}
	}
	return false
}

// trustAddr is the name a machine's key is kept under.
func trustAddr(l Login) string {
	if alias := l.Option("HostKeyAlias"); alias != "" {
		return net.JoinHostPort(alias, "22")
	}
	return strings.ToLower(dialAddr(l))
}
