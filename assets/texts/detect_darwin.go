package texts

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// systemLocale returns the first of macOS's preferred languages, "" when it
// can't be read.
func systemLocale() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/defaults", "read", "-g", "AppleLanguages").Output()
	if err != nil {
		return ""
	}
	for _, f := range strings.FieldsFunc(string(out), func(r rune) bool { return strings.ContainsRune("() \n\",", r) }) {
		return f
	}
	return ""
}
