package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// A host counts every key shown as a try and ends the connection after a few
// (6 by default), so the list is short and its order matters.
const (
	maxKeys         = 5 // leaves one try for a password
	maxAgentKeys    = 4
	keysBesidePass  = 3 // where a password is known and no key was named
	agentPatience   = 5 * time.Second
	agentSignWindow = 2 * time.Minute // a hardware key waits for a touch
)

// keyChain is the list of keys to show at one hop.
type keyChain struct {
	a       *authenticator
	signers []ssh.Signer
	seen    map[string]bool
	notices []Notice
	conn    net.Conn // to the agent; nil without
	held    []ssh.Signer
}

func loadKeys(a *authenticator) *keyChain {
	k := &keyChain{a: a, seen: make(map[string]bool)}
	k.openAgent()
	hop, home := a.s.hop, a.s.d.p.Home
	only := strings.EqualFold(hop.Option("IdentitiesOnly"), "yes")
	limit := maxKeys
	usable := false
	for _, name := range hop.Identities {
		usable = k.named(expandHome(name, home)) || usable
	}
	if !usable && !a.s.d.skipImplicit {
		if a.havePassword() && len(hop.Identities) == 0 {
			limit = keysBesidePass
		}
		if !only {
			for i := 0; i < len(k.held) && i < maxAgentKeys; i++ {
				k.add(k.held[i])
			}
		}
		if len(hop.Identities) == 0 {
			for _, name := range defaultKeys {
				k.implicit(filepath.Join(home, ".ssh", name))
			}
		}
	}
	a.s.d.shownImplicit = a.s.d.shownImplicit || !usable && len(k.signers) > 0
	if len(k.signers) > limit {
		k.signers = k.signers[:limit]
	}
	return k
}

// next returns the next key to show; nil when there is none.
func (k *keyChain) next() ssh.Signer {
	if len(k.signers) == 0 {
		return nil
	}
	s := k.signers[0]
	k.signers = k.signers[1:]
	return s
}

func (k *keyChain) close() {
	if k.conn != nil {
		_ = k.conn.Close()
	}
}

func (k *keyChain) add(s ssh.Signer) {
	id := string(s.PublicKey().Marshal())
	if !k.seen[id] {
		k.seen[id] = true
		k.signers = append(k.signers, s)
	}
}

func (k *keyChain) notice(code string, pairs ...string) {
	n := Notice{Code: code, Args: make(map[string]string)}
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Args[pairs[i]] = pairs[i+1]
	}
	k.notices = append(k.notices, n)
}

// openAgent lists what the key agent holds. An agent that does not answer
// costs nothing but its keys.
func (k *keyChain) openAgent() {
	socket := k.a.s.d.p.Agent
	if o := k.a.s.hop.Option("IdentityAgent"); o != "" && !strings.HasPrefix(o, "$") && !strings.EqualFold(o, "SSH_AUTH_SOCK") {
		socket = expandHome(o, k.a.s.d.p.Home)
	}
	if socket == "" || strings.EqualFold(socket, "none") {
		return
	}
	ctx, cancel := context.WithTimeout(k.a.s.ctx, agentPatience)
	defer cancel()
	conn, err := dialAgent(ctx, socket)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(agentPatience))
	held, err := agent.NewClient(conn).Signers()
	if err != nil {
		_ = conn.Close()
		k.notice("agent-silent", "error", Clean(err.Error()))
		return
	}
	_ = conn.SetDeadline(time.Time{})
	k.conn = conn
	for _, s := range held {
		k.held = append(k.held, &agentSigner{Signer: s, k: k})
	}
}

// inAgent returns the agent's signer for a key, so that no passphrase is needed.
func (k *keyChain) inAgent(pub ssh.PublicKey) ssh.Signer {
	if pub == nil {
		return nil
	}
	for _, s := range k.held {
		if bytes.Equal(s.PublicKey().Marshal(), pub.Marshal()) {
			return s
		}
	}
	return nil
}

// named adds a key that the login names and reports whether it can be used.
func (k *keyChain) named(name string) bool {
	f, err := readKey(name)
	if err != nil {
		var ke *keyError
		errors.As(err, &ke)
		// The private half may live in the agent, with only the public one on
		// disk.
		pub := readPublic(name)
		if pub == nil {
			pub = readPublic(name + ".pub")
		}
		if s := k.inAgent(pub); s != nil {
			k.addKey(&keyFile{name: strings.TrimSuffix(name, ".pub"), pub: pub, signer: s})
			return true
		}
		subject := ke.name
		if ke.kind == KindKeyFormat {
			k.notice("key-format-"+ke.form, "file", name)
			k.a.fails(ke.kind, subject, ke)
			return false
		}
		k.notice("key-missing", "file", name, "error", Clean(ke.err.Error()))
		k.a.fails(ke.kind, subject, ke)
		return false
	}
	if f.tooOpen {
		k.notice("key-permissions", "file", name)
	}
	if f.pub == nil { // an old form that hides even its public half
		if _, err := k.unlock(f); err != nil {
			return false
		}
	}
	k.addKey(f)
	return true
}

// implicit adds a default key. One that is broken, or would need its
// passphrase just to be shown, is left out without a word.
func (k *keyChain) implicit(name string) {
	f, err := readKey(name)
	if err != nil || f.pub == nil {
		return
	}
	k.addKey(f)
}

func (k *keyChain) addKey(f *keyFile) {
	f.certify(k.certificates())
	signer := f.signer
	if s := k.inAgent(f.pub); s != nil {
		signer = s
	}
	if signer == nil {
		signer = &lazySigner{k: k, f: f}
	}
	if f.cert != nil {
		if c, err := ssh.NewCertSigner(f.cert, signer); err == nil {
			k.add(c)
		}
	}
	k.add(signer)
}

func (k *keyChain) certificates() []string {
	var all []string
	for _, c := range k.a.s.hop.Certificates {
		all = append(all, expandHome(c, k.a.s.d.p.Home))
	}
	return all
}

// unlock decrypts a key with a remembered passphrase or one the person types.
func (k *keyChain) unlock(f *keyFile) (ssh.Signer, error) {
	d := k.a.s.d
	if f.signer != nil {
		return f.signer, nil
	}
	if s, ok := d.asked[SecretPassphrase+f.name]; ok && f.decrypt(s) == nil {
		return f.signer, nil
	}
	wrong := 0
	if s, ok := d.p.Secrets.Get(d.p.Profile, SecretPassphrase, f.name); ok {
		if f.decrypt(s) == nil {
			return f.signer, nil
		}
		wrong++
		_ = d.p.Secrets.Drop(d.p.Profile, SecretPassphrase, f.name)
	}
	if d.p.Prompt == nil {
		kind := KindNoOneToAsk
		if wrong > 0 {
			kind = KindPassphrase
		}
		err := errors.New("the key is encrypted")
		k.a.fails(kind, f.name, err)
		return nil, err
	}
	var last error
	for attempt := 1; attempt <= maxAsk; attempt++ {
		answer, err := k.a.ask(SecretQuestion{Kind: SecretPassphrase, File: f.name, Attempt: attempt + wrong, CanRemember: true})
		if err != nil {
			return nil, err
		}
		if last = f.decrypt(answer.Secret); last == nil {
			d.asked[SecretPassphrase+f.name] = answer.Secret
			k.a.keep(SecretPassphrase, f.name, answer.Secret, answer.Remember)
			return f.signer, nil
		}
	}
	k.a.fails(KindPassphrase, f.name, last)
	return nil, last
}

// lazySigner asks for the passphrase only once the host has said that it takes
// the key.
type lazySigner struct {
	k *keyChain
	f *keyFile
}

// PublicKey implements ssh.Signer.
func (s *lazySigner) PublicKey() ssh.PublicKey { return s.f.pub }

// Sign implements ssh.Signer.
func (s *lazySigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements ssh.AlgorithmSigner.
func (s *lazySigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signer, err := s.k.unlock(s.f)
	if err != nil {
		return nil, err
	}
	return signWith(signer, rand, data, algorithm)
}

func signWith(signer ssh.Signer, rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	if as, ok := signer.(ssh.AlgorithmSigner); ok && algorithm != "" {
		return as.SignWithAlgorithm(rand, data, algorithm)
	}
	return signer.Sign(rand, data)
}

// agentSigner lets the handshake's deadline stand still while the agent signs:
// it may ask the person or wait for a touch of a hardware key.
type agentSigner struct {
	ssh.Signer
	k *keyChain
}

// Sign implements ssh.Signer.
func (s *agentSigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements ssh.AlgorithmSigner.
func (s *agentSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	_ = s.k.conn.SetDeadline(time.Now().Add(agentSignWindow))
	return ask(s.k.a.s, func() (*ssh.Signature, error) { return signWith(s.Signer, rand, data, algorithm) })
}
