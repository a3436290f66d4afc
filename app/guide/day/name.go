package day

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds one part of a local path, in bytes: file systems take 255, and
// endings of ours come on top.
const maxName = 160

// reserved are names that Windows keeps for devices, whatever their ending.
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true}

func init() {
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"} {
		reserved["com"+n], reserved["lpt"+n] = true, true
	}
}

// LocalName returns where a file of the host's, by its path below the folder that
// is copied, goes below the local folder: a path with "/" whose parts every
// system can write, that stays below the folder, and that differs for
// names that differ once one of them had to be changed.
func LocalName(rel string) string {
	var parts []string
	changed := false
	for part := range strings.SplitSeq(rel, "/") {
		if part == "" || part == "." {
			changed = true
			continue
		}
		safe := safePart(part)
		changed = changed || safe != part
		parts = append(parts, safe)
	}
	if len(parts) == 0 {
		parts, changed = []string{"_"}, true
	}
	name := strings.Join(parts, "/")
	if changed {
		sum := sha256.Sum256([]byte(rel))
		name = tagged(name, hex.EncodeToString(sum[:4]))
	}
	return name
}

// tagged puts a tag before the ending of a name: "a~1234.png".
func tagged(name, tag string) string {
	ext := path.Ext(name)
	if ext == path.Base(name) || len(ext) > 16 {
		ext = ""
	}
	return strings.TrimSuffix(name, ext) + "~" + tag + ext
}

func safePart(s string) string {
	s = strings.ToValidUTF8(s, "_")
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"|?*\/`, r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return '_'
		}
		return r
	}, s)
	if len(s) > maxName {
		ext := path.Ext(s)
		if len(ext) > 16 {
			ext = ""
		}
		stem := s[:maxName-len(ext)]
		for len(stem) > 0 && !utf8.RuneStart(s[len(stem)]) {
			stem = stem[:len(stem)-1]
		}
		s = stem + ext
	}
	if t := strings.TrimRight(s, ". "); t != s { // Windows drops them
		s = t + "_"
	}
	if strings.HasPrefix(s, " ") {
		s = "_" + s[1:]
	}
	stem, _, _ := strings.Cut(s, ".")
	if reserved[strings.ToLower(strings.TrimRight(stem, " "))] {
		s = "_" + s
	}
	if s == "" {
		s = "_"
	}
	return s
}
