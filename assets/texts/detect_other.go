//go:build !windows && !darwin

package texts

// systemLocale returns "": here the environment has said it all.
func systemLocale() string { return "" }
