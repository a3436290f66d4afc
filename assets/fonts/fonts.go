// Package fonts holds the Chinese faces of the window: Han characters and
// full-width punctuation only, so that everything else falls through to Fyne's
// own face of the same style. See build.sh for their making and OFL.txt for
// their licence.
package fonts

import _ "embed"

//go:embed RentgenHan-Regular.otf
var regular []byte

//go:embed RentgenHan-Bold.otf
var bold []byte

//go:embed OFL.txt
var licence string

// Regular returns the regular face, OpenType with CFF outlines. The bytes must
// not be changed.
func Regular() []byte { return regular }

// Bold returns the bold face, OpenType with CFF outlines. The bytes must not be
// changed.
func Bold() []byte { return bold }

// Licence returns the licence text of both faces.
func Licence() string { return licence }
