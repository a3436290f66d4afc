package remote

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/crypto/ssh"
)

// maxKeyFile bounds a key file in bytes.
const maxKeyFile = 64 << 10

// The forms of key files that need another tool first; codes of the Subject of
// a KindKeyFormat error and of notices.
const (
	formPPK     = "ppk"     // PuTTY's own form
	formPKCS8   = "pkcs8"   // encrypted PKCS#8
	formPublic  = "public"  // the public half
	formUnknown = "unknown" // nothing we know
)

// keyFile is a private key as it lies in a file, maybe still encrypted.
type keyFile struct {
	name    string
	pub     ssh.PublicKey // nil where only the decrypted key would tell
	signer  ssh.Signer    // nil while encrypted
	pem     []byte        // the encrypted form
	cert    *ssh.Certificate
	tooOpen bool // others may read the file
}

// keyError says why a key file can't be used.
type keyError struct {
	kind Kind   // KindKeyMissing or KindKeyFormat
	form string // one of the forms for KindKeyFormat
	name string
	err  error
}

func (e *keyError) Error() string { return fmt.Sprintf("key file %s: %v", e.name, e.err) }
func (e *keyError) Unwrap() error { return e.err }

// readKey reads a key file.
func readKey(name string) (*keyFile, error) {
	b, info, err := readBounded(name)
	if err != nil {
		return nil, &keyError{kind: KindKeyMissing, name: name, err: err}
	}
	bad := func(form, why string) (*keyFile, error) {
		return nil, &keyError{kind: KindKeyFormat, form: form, name: name, err: errors.New(why)}
	}
	k := &keyFile{name: name, tooOpen: runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0}
	trimmed := bytes.TrimSpace(b)
	switch {
	case bytes.HasPrefix(trimmed, []byte("PuTTY-User-Key-File-")):
		return bad(formPPK, "PuTTY's own form")
	case bytes.HasPrefix(trimmed, []byte("---- BEGIN SSH2")), bytes.HasPrefix(trimmed, []byte("ssh-")), bytes.HasPrefix(trimmed, []byte("ecdsa-")):
		return bad(formPublic, "a public key, not the private one")
	}
	block, _ := pem.Decode(tidy(b))
	if block == nil {
		return bad(formUnknown, "no private key in it")
	}
	if block.Type == "ENCRYPTED PRIVATE KEY" {
		return bad(formPKCS8, "encrypted PKCS#8")
	}
	one := pem.EncodeToMemory(block)
	signer, err := ssh.ParsePrivateKey(one)
	var missing *ssh.PassphraseMissingError
	switch {
	case err == nil:
		k.signer, k.pub = signer, signer.PublicKey()
	case errors.As(err, &missing):
		k.pem, k.pub = one, missing.PublicKey
		if k.pub == nil {
			k.pub = readPublic(name + ".pub")
		}
	default:
		return bad(formUnknown, Clean(err.Error()))
	}
	return k, nil
}

// tidy mends what copying does to a key: Windows line ends and blanks around
// the lines.
func tidy(b []byte) []byte {
	lines := strings.Split(strings.ReplaceAll(string(b), "\r", "\n"), "\n")
	kept := lines[:0]
	for _, l := range lines {
		l = strings.Trim(l, " \t\ufeff")
		if l != "" || len(kept) > 0 && strings.Contains(kept[len(kept)-1], ":") { // the blank line after PEM headers
			kept = append(kept, l)
		}
	}
	return []byte(strings.Join(kept, "\n") + "\n")
}

func readBounded(name string) ([]byte, os.FileInfo, error) {
	return readRegular(name, maxKeyFile)
}

// readRegular reads at most limit bytes of a regular file. Anything else, a
// pipe for example, could keep its opener waiting for ever.
func readRegular(name string, limit int64) ([]byte, os.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return b, info, err
}

// readPublic reads a public key or certificate file; nil when there is none.
func readPublic(name string) ssh.PublicKey {
	b, _, err := readBounded(name)
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(b)
	if err != nil {
		return nil
	}
	return key
}

// readCertificate reads a certificate file; nil when there is none in it.
func readCertificate(name string) *ssh.Certificate {
	cert, _ := readPublic(name).(*ssh.Certificate)
	return cert
}

// certify finds the certificate for the key: one of the named files, or the
// one beside the key.
func (k *keyFile) certify(certificates []string) {
	if k.pub == nil {
		return
	}
	for _, name := range append(append([]string(nil), certificates...), k.name+"-cert.pub") {
		if c := readCertificate(name); c != nil && c.CertType == ssh.UserCert && bytes.Equal(c.Key.Marshal(), k.pub.Marshal()) {
			k.cert = c
			return
		}
	}
}

// decrypt opens an encrypted key.
func (k *keyFile) decrypt(passphrase string) error {
	signer, err := ssh.ParsePrivateKeyWithPassphrase(k.pem, []byte(passphrase))
	if err != nil {
		return err
	}
	k.signer, k.pub = signer, signer.PublicKey()
	return nil
}

// defaultKeys are the names ssh looks for, the better ones first.
var defaultKeys = []string{"id_ed25519", "id_ecdsa", "id_rsa"}

// expandHome replaces a leading ~ by the home directory.
func expandHome(name, home string) string {
	if name == "~" {
		return home
	}
	if strings.HasPrefix(name, "~/") || runtime.GOOS == "windows" && strings.HasPrefix(name, `~\`) {
		return filepath.Join(home, name[2:])
	}
	return name
}
