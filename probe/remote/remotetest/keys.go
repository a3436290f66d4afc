package remotetest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
)

// private makes a key: "ed25519", "ecdsa" or "rsa".
func private(t testing.TB, kind string) crypto.PrivateKey {
	t.Helper()
	var key crypto.PrivateKey
	var err error
	switch kind {
	case "ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case "ecdsa":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "rsa":
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	default:
		t.Fatalf("unknown kind of key %q", kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Signer makes a key in memory: "ed25519", "ecdsa" or "rsa".
func Signer(t testing.TB, kind string) ssh.Signer {
	t.Helper()
	s, err := ssh.NewSignerFromKey(private(t, kind))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Key makes a private key file in OpenSSH's form, encrypted unless passphrase
// is "", with its public half beside it.
func Key(t testing.TB, dir, name, kind, passphrase string) (path string, signer ssh.Signer) {
	t.Helper()
	key := private(t, kind)
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(key, "test")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "test", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	if signer, err = ssh.NewSignerFromKey(key); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, name)
	write(t, path, pem.EncodeToMemory(block), 0o600)
	write(t, path+".pub", ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o644)
	return path, signer
}

func write(t testing.TB, path string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, b, mode); err != nil {
		t.Fatal(err)
	}
}

// Certify signs key as an authority: for a user of the given name, or for a
// host.
func Certify(t testing.TB, authority ssh.Signer, key ssh.PublicKey, certType uint32, principal string) *ssh.Certificate {
	t.Helper()
	c := &ssh.Certificate{
		Key: key, CertType: certType, KeyId: "test", ValidPrincipals: []string{principal},
		ValidBefore: ssh.CertTimeInfinity,
	}
	if certType == ssh.UserCert {
		c.Permissions.Extensions = map[string]string{"permit-port-forwarding": "", "permit-pty": ""}
	}
	if err := c.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	return c
}
