package texts

import (
	"syscall"
	"unsafe"
)

var userLocale = syscall.NewLazyDLL("kernel32.dll").NewProc("GetUserDefaultLocaleName")

// systemLocale returns the locale set in Windows, "" when it can't be read.
func systemLocale() string {
	buf := make([]uint16, 85) // LOCALE_NAME_MAX_LENGTH
	if userLocale.Find() != nil {
		return ""
	}
	n, _, _ := userLocale.Call(uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if n == 0 {
		return ""
	}
	return syscall.UTF16ToString(buf)
}
