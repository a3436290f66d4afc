package texts

import (
	"os"
	"strings"
)

// Detect returns the language of the user's system: Chinese for any Chinese
// locale, English for every other.
func Detect() Lang {
	return detect(os.Getenv, systemLocale)
}

// detect follows the order of POSIX; an environment that says nothing (C,
// POSIX, unset) leaves the word to the system.
func detect(getenv func(string) string, system func() string) Lang {
	for _, key := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(key)
		if v == "" {
			continue
		}
		if l, ok := ofLocale(v); ok {
			return l
		}
		break // C or POSIX: a locale, but no language
	}
	if l, ok := ofLocale(system()); ok {
		return l
	}
	return English
}

// ofLocale reads zh_CN.UTF-8, zh-Hans-CN and their like; ok is false where the
// name tells no language.
func ofLocale(name string) (Lang, bool) {
	name, _, _ = strings.Cut(name, ".")
	name = strings.ToLower(name)
	switch {
	case name == "" || name == "c" || name == "posix":
		return English, false
	case name == "zh" || strings.HasPrefix(name, "zh_") || strings.HasPrefix(name, "zh-"):
		return Chinese, true
	}
	return English, true
}
