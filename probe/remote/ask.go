package remote

import (
	"context"

	"golang.org/x/crypto/ssh"
)

// KeyInfo is a host key as it is shown.
type KeyInfo struct {
	Type        string // "ssh-ed25519"
	Fingerprint string // "SHA256:..."
	Where       string // file and line it is known from, "" for a key just seen
}

// KeyChange is what was known of a host and what it shows now. Only Dial makes
// one, so a replacement can't be written without both having been seen.
type KeyChange struct {
	Profile string
	Addr    string // host:port as it is looked up
	Old     []KeyInfo
	New     KeyInfo

	key ssh.PublicKey
}

// HostKeyQuestion asks whether a machine seen for the first time is the right
// one. No secret has been sent when it is asked.
type HostKeyQuestion struct {
	Profile string
	Hop     string // "user@host:port"
	Addr    string // host:port as it is looked up
	Key     KeyInfo
	Jump    bool // a jump host on the way
}

// HostKeyAnswer is the answer; trust is remembered for the profile.
type HostKeyAnswer struct{ Trust bool }

// The kinds of secrets, also the kinds in Secrets.
const (
	SecretPassword    = "password"    // of the login
	SecretPassphrase  = "passphrase"  // of a key file
	SecretInteractive = "interactive" // anything else the host asks, for example a code; never remembered
)

// SecretQuestion asks for a secret.
type SecretQuestion struct {
	Profile string
	Hop     string // "user@host:port"
	Kind    string // SecretPassword, SecretPassphrase or SecretInteractive
	// Prompt and Instruction are the host's own words, cleaned; they are shown
	// as a quotation.
	Prompt, Instruction string
	File                string // the key file for a passphrase
	Attempt             int    // 1 for the first time; more: the last one was wrong
	Echo                bool   // the answer may be shown while it is typed
	CanRemember         bool   // it makes sense to offer remembering
}

// SecretAnswer is the answer. With Remember it is kept in Secrets for good,
// without it until the program ends, so that a broken link mends by itself.
type SecretAnswer struct {
	Secret   string
	Remember bool
}

// Prompter asks the person. Each call may take as long as it takes; deadlines
// are suspended meanwhile. An error means that the person declined, and ends
// the attempt as KindCancelled.
type Prompter interface {
	HostKey(ctx context.Context, q HostKeyQuestion) (HostKeyAnswer, error)
	Secret(ctx context.Context, q SecretQuestion) (SecretAnswer, error)
	// ProxyCommand asks whether a command line of this computer may be run to
	// reach hop. It is asked once a profile and command.
	ProxyCommand(ctx context.Context, hop, command string) (bool, error)
}
