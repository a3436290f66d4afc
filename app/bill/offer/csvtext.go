package offer

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// bom stands before a UTF-8 file of Excel.
const bom = "\xef\xbb\xbf"

var errEncoding = errors.New("neither UTF-8, UTF-16 nor GB18030")

// PlainText returns the text of a file as Excel saves it: UTF-8 with or without
// its mark, UTF-16 with its mark, or GB18030, which Excel writes in China. What
// is none of these is an error, for a wrong guess would change names unseen.
func PlainText(b []byte) (string, error) {
	switch {
	case bytes.HasPrefix(b, []byte(bom)):
		b = b[len(bom):]
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return decoded(b, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM))
	}
	if utf8.Valid(b) {
		return string(b), nil
	}
	if !chinese(b) {
		return "", errEncoding
	}
	return decoded(b, simplifiedchinese.GB18030)
}

// decoded fails when anything is replaced.
func decoded(b []byte, e encoding.Encoding) (string, error) {
	out, err := e.NewDecoder().Bytes(b)
	if err != nil || bytes.ContainsRune(out, utf8.RuneError) {
		return "", errEncoding
	}
	return string(out), nil
}

// chinese reports whether the bytes beyond ASCII look like Chinese: most of
// them come in pairs of the common set, GB2312. In a Western text a letter with
// an accent is followed by a plain one.
func chinese(b []byte) bool {
	common, other := 0, 0
	for i := 0; i < len(b); i++ {
		if b[i] < 0x80 {
			continue
		}
		if i+1 < len(b) && b[i] >= 0xa1 && b[i] <= 0xf7 && b[i+1] >= 0xa1 {
			common++
		} else {
			other++
		}
		i++
	}
	return common > other
}

// SeparatorOf returns what stands between the cells, as the first line shows:
// comma, semicolon or tab.
func SeparatorOf(text string) rune {
	line, _, _ := strings.Cut(text, "\n")
	best, most := ',', 0
	for _, sep := range []rune{',', ';', '\t'} {
		if n := strings.Count(line, string(sep)); n > most {
			best, most = sep, n
		}
	}
	return best
}
