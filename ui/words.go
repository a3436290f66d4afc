package ui

import (
	"os"
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"rentgen/assets/texts"
)

// fyneWords makes Fyne's own words (those of its file dialog) follow the
// window's language. Fyne asks the system for the language whenever texts are
// added and has no other way to be told, so the environment says it for that
// moment. On Windows and macOS the system's language stays.
func fyneWords(l texts.Lang) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return
	}
	locale := "en_US.UTF-8"
	if l == texts.Chinese {
		locale = "zh_CN.UTF-8"
	}
	for name, value := range map[string]string{"LC_ALL": locale, "LANGUAGE": ""} {
		old, was := os.LookupEnv(name)
		os.Setenv(name, value)
		defer func() {
			if was {
				os.Setenv(name, old)
			} else {
				os.Unsetenv(name)
			}
		}()
	}
	// Nothing is added: the call alone makes Fyne look again.
	if err := lang.AddTranslations(fyne.NewStaticResource("en.json", []byte("{}"))); err != nil {
		fyne.LogError("Fyne's words keep their language", err)
	}
}
