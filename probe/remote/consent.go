package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// A ProxyCommand is a program of this computer named by a pasted text or a
// config file. That a person allowed it is kept by profile and exact command,
// so that it is asked once and asked again when the command changes.

func commandSum(command string) string {
	sum := sha256.Sum256([]byte(command))
	return hex.EncodeToString(sum[:])
}

// allowed reports whether the command was allowed for the profile before.
func (k *KnownHosts) allowed(profile, command string) bool {
	all, err := k.read()
	sum := commandSum(command)
	return err == nil && slices.ContainsFunc(all, func(e trustEntry) bool {
		return e.kind == "proxy" && e.profile == profile && e.sum == sum
	})
}

// allow keeps the consent.
func (k *KnownHosts) allow(profile, command string) error {
	return k.change(func(all []trustEntry) []trustEntry {
		return append(all, trustEntry{kind: "proxy", profile: profile, sum: commandSum(command), since: stamp()})
	})
}
