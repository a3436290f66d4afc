package remote

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// How often a person may try before the host's patience ends.
const (
	maxAsk       = 3
	maxQuestions = 16
)

// authenticator walks through the ways to log in at one hop: keys that were
// named, the agent's, the default ones, then the password, and only where that
// can't be tried, keyboard-interactive.
type authenticator struct {
	s              *shake
	tried, offered []string
	failure        *Error // why the latest way could not be used

	keys   *keyChain
	loaded bool

	passwords    []knownPassword // still to be tried
	passwordInit bool
	current      *knownPassword // the one on its way
	passwordSent bool
	asked        int // passwords typed
	rounds       int // keyboard-interactive attempts
	kiPassword   bool
	kiAsked      bool
}

// knownPassword is a password and where it is from.
type knownPassword struct {
	secret   string
	from     string // "given", "asked", "remembered"
	remember bool
}

func newAuthenticator(s *shake) *authenticator { return &authenticator{s: s} }

func (a *authenticator) close() {
	if a.keys != nil {
		a.keys.close()
	}
}

// enabled reports whether the login allows a method.
func (a *authenticator) enabled(method string) bool {
	if p := a.s.hop.Option("PreferredAuthentications"); p != "" && !slices.Contains(strings.Split(p, ","), method) {
		return false
	}
	option := map[string]string{
		"publickey": "PubkeyAuthentication", "password": "PasswordAuthentication",
		"keyboard-interactive": "KbdInteractiveAuthentication",
	}[method]
	return !strings.EqualFold(a.s.hop.Option(option), "no")
}

// next chooses the next way. It is called before each attempt, so a call after
// one of ours means that it was refused or was only one part of several.
func (a *authenticator) next(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	for _, m := range c.AllowedMethods {
		if !slices.Contains(a.offered, m) {
			a.offered = append(a.offered, m)
		}
	}
	a.refused(c)
	if a.s.fail != nil {
		return nil, a.s.fail
	}
	can := func(m string) bool { return slices.Contains(c.AllowedMethods, m) && a.enabled(m) }
	if can("publickey") {
		if m := a.nextKey(); m != nil {
			return a.use("publickey", m), nil
		}
	}
	if a.s.fail != nil {
		return nil, a.s.fail
	}
	if can("password") {
		if m := a.nextPassword(); m != nil {
			return a.use("password", m), nil
		}
	}
	if a.s.fail != nil {
		return nil, a.s.fail
	}
	// Where the password was offered and went out, asking for the same in
	// another form only costs the host's patience.
	if can("keyboard-interactive") && !a.passwordSent && a.mayInteract() {
		a.rounds++
		return a.use("keyboard-interactive", ssh.KeyboardInteractive(a.interactive)), nil
	}
	a.s.fail = a.hopeless()
	return nil, a.s.fail
}

func (a *authenticator) use(name string, m ssh.AuthMethod) ssh.AuthMethod {
	if !slices.Contains(a.tried, name) {
		a.tried = append(a.tried, name)
	}
	a.s.d.p.Log.Debug("login attempt", "hop", a.s.hop.Hop(), "method", name)
	return m
}

// refused drops a remembered password that turned out wrong.
func (a *authenticator) refused(c *ssh.ClientAuthContext) {
	p := a.current
	a.current = nil
	if p == nil || len(c.PartialSuccessMethods) > 0 && len(c.TriedMethods) == 0 {
		return
	}
	delete(a.s.d.asked, SecretPassword+a.s.hop.Hop())
	if p.from == "remembered" {
		_ = a.s.d.p.Secrets.Drop(a.s.d.p.Profile, SecretPassword, a.s.hop.Hop())
	}
}

func (a *authenticator) nextKey() ssh.AuthMethod {
	if !a.loaded {
		a.loaded = true
		a.keys = loadKeys(a)
	}
	signer := a.keys.next()
	if signer == nil {
		return nil
	}
	return ssh.PublicKeys(signer)
}

// havePassword reports whether a password is known without asking.
func (a *authenticator) havePassword() bool {
	a.initPasswords()
	return len(a.passwords) > 0
}

func (a *authenticator) initPasswords() {
	if a.passwordInit {
		return
	}
	a.passwordInit = true
	add := func(secret, from string) {
		if secret != "" && !slices.ContainsFunc(a.passwords, func(p knownPassword) bool { return p.secret == secret }) {
			a.passwords = append(a.passwords, knownPassword{secret: secret, from: from})
		}
	}
	d := a.s.d
	add(d.asked[SecretPassword+a.s.hop.Hop()], "asked")
	if !a.s.jump { // what was given with the login is for the login's own host
		add(d.p.Password, "given")
		add(d.p.Login.Password, "given")
	}
	if s, ok := d.p.Secrets.Get(d.p.Profile, SecretPassword, a.s.hop.Hop()); ok {
		add(s, "remembered")
	}
}

func (a *authenticator) nextPassword() ssh.AuthMethod {
	p := a.takePassword("")
	if p == nil {
		return nil
	}
	a.current, a.passwordSent = p, true
	return ssh.Password(p.secret)
}

// takePassword returns the next password to try: a known one, else one that
// the person types. Nil sets failure or ends the attempt.
func (a *authenticator) takePassword(prompt string) *knownPassword {
	a.initPasswords()
	if len(a.passwords) > 0 {
		p := a.passwords[0]
		a.passwords = a.passwords[1:]
		return &p
	}
	wrong := a.passwordSent || a.kiPassword
	if a.s.d.p.Prompt == nil {
		if !wrong {
			a.fails(KindNoOneToAsk, SecretPassword, nil)
		}
		return nil
	}
	if a.asked >= maxAsk {
		return nil
	}
	a.asked++
	attempt := a.asked
	if wrong && attempt == 1 {
		attempt = 2 // a known one was wrong
	}
	answer, err := a.ask(SecretQuestion{Kind: SecretPassword, Prompt: prompt, Attempt: attempt, CanRemember: true})
	if err != nil {
		return nil
	}
	a.s.d.asked[SecretPassword+a.s.hop.Hop()] = answer.Secret
	return &knownPassword{secret: answer.Secret, from: "asked", remember: answer.Remember}
}

// ask asks the person; an error ends the whole attempt as cancelled.
func (a *authenticator) ask(q SecretQuestion) (SecretAnswer, error) {
	q.Profile, q.Hop = a.s.d.p.Profile, a.s.hop.Hop()
	answer, err := ask(a.s, func() (SecretAnswer, error) { return a.s.d.p.Prompt.Secret(a.s.ctx, q) })
	if err != nil {
		a.s.fail = a.error(KindCancelled, "", err)
	}
	return answer, err
}

func (a *authenticator) error(kind Kind, subject string, err error) *Error {
	return &Error{
		Stage: StageAuth, Kind: kind, Hop: a.s.hop.Hop(), Subject: subject, Err: err,
		Tried: a.tried, Offered: a.offered,
	}
}

// fails remembers why one way could not be used; another may still work.
func (a *authenticator) fails(kind Kind, subject string, err error) {
	a.failure = a.error(kind, subject, err)
}

// hopeless is the reason when no way is left.
func (a *authenticator) hopeless() *Error {
	switch {
	case a.passwordSent || a.kiPassword || a.kiAsked:
		return a.error(KindPasswordWrong, "", errors.New("the password was refused"))
	case a.failure != nil:
		return a.error(a.failure.Kind, a.failure.Subject, a.failure.Err)
	}
	return a.error(KindAuth, "", fmt.Errorf("no way to log in was accepted"))
}

// mayInteract reports whether another keyboard-interactive attempt can differ
// from the last.
func (a *authenticator) mayInteract() bool {
	if a.rounds == 0 {
		return true
	}
	return a.rounds < maxAsk && (a.havePassword() || a.s.d.p.Prompt != nil && a.kiAsked || a.s.d.p.Prompt != nil && a.kiPassword)
}

var rePasswordPrompt = regexp.MustCompile(`(?i)password|passwort|密码|口令|パスワード`)

// interactive answers the host's questions. One that hides its answer and asks
// for a password gets the password; everything else goes to the person.
func (a *authenticator) interactive(_, instruction string, questions []string, echos []bool) ([]string, error) {
	if len(questions) > maxQuestions {
		return nil, fmt.Errorf("the host asks %d questions at once", len(questions))
	}
	answers := make([]string, len(questions))
	for i, q := range questions {
		q = Clean(q)
		if !echos[i] && rePasswordPrompt.MatchString(q) && !strings.Contains(strings.ToLower(q), "one-time") {
			p := a.takePassword(q)
			if p == nil {
				return nil, errors.New("no password to answer with")
			}
			a.current, a.kiPassword = p, true
			answers[i] = p.secret
			continue
		}
		if a.s.d.p.Prompt == nil {
			a.fails(KindNoOneToAsk, SecretInteractive, nil)
			a.failure.Said = q
			return nil, errors.New("nobody to answer the host's question")
		}
		a.kiAsked = true
		answer, err := a.ask(SecretQuestion{
			Kind: SecretInteractive, Prompt: q, Instruction: Clean(instruction), Attempt: a.rounds, Echo: echos[i],
		})
		if err != nil {
			return nil, err
		}
		answers[i] = answer.Secret
	}
	return answers, nil
}

// succeeded keeps what was asked to be remembered.
func (a *authenticator) succeeded() {
	if p := a.current; p != nil {
		a.keep(SecretPassword, a.s.hop.Hop(), p.secret, p.remember)
	}
	if a.keys != nil {
		for _, n := range a.keys.notices {
			a.s.d.notice(n)
		}
	}
}

// keep keeps a secret that was right: for good when the person asked for it,
// else until the program ends.
func (a *authenticator) keep(kind, name, secret string, remember bool) {
	if !remember {
		if h, ok := a.s.d.p.Secrets.(holder); ok {
			if old, known := a.s.d.p.Secrets.Get(a.s.d.p.Profile, kind, name); !known || old != secret {
				h.hold(a.s.d.p.Profile, kind, name, secret)
			}
		}
		return
	}
	err := a.s.d.p.Secrets.Set(a.s.d.p.Profile, kind, name, secret)
	switch {
	case errors.Is(err, ErrMemoryOnly):
		a.s.d.notice(Notice{Code: "keyring-missing"})
	case err != nil:
		a.s.d.notice(Notice{Code: "not-remembered", Args: map[string]string{"error": Clean(err.Error())}})
	}
}
