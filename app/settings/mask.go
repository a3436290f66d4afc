package settings

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// address stands for an address of the network.
const address = "address"

// homes are folders that are called like their person, as the three systems
// name them, also with the backslashes that quoting doubles.
var homes = regexp.MustCompile(`((?i:/home/|/users/|[a-z]:[\\/]+users[\\/]+))([^\s/\\:;,"'<>|()\[\]]+)`)

func maskHomes(s string) string { return homes.ReplaceAllString(s, "${1}user") }

// Addresses are what a name was looked up to; errors of the network hold them.
var (
	fours = regexp.MustCompile(`\d{1,3}(\.\d{1,3}){3}`)
	// sixes may hold an IPv6 address; so do times, bus numbers and fingerprints.
	sixes = regexp.MustCompile(`[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[0-9A-Za-z_.-]+)?`)
)

func maskAddresses(s string) string {
	var b strings.Builder
	from := 0
	for _, at := range sixes.FindAllStringIndex(s, -1) {
		b.WriteString(s[from:at[0]])
		maskSix(&b, s, at[0], at[1])
		from = at[1]
	}
	b.WriteString(s[from:])
	return fours.ReplaceAllString(b.String(), address)
}

// longestSix is "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255".
const longestSix = 45

// maskSix writes s[start:end] with every address in it masked, the longest
// first: a port, a time or the end of a sentence may touch it.
func maskSix(b *strings.Builder, s string, start, end int) {
	digits, zone := s[start:end], ""
	if i := strings.IndexByte(digits, '%'); i >= 0 {
		digits, zone = digits[:i], digits[i:]
	}
	last := start + len(digits)
	for i := start; i < last; {
		n := 0
		if i == start || s[i-1] == ':' || s[i-1] == '.' {
			n = sixAt(s, i, min(last, i+longestSix))
		}
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteString(address)
		if i += n; i == last {
			zone = ""
		}
	}
	b.WriteString(zone)
}

// sixAt returns the length of the longest address that begins at start and
// ends before limit, 0 for none. One of two groups within longer words, as
// std::bad or a::b::c have it, is none.
func sixAt(s string, start, limit int) int {
	for end := limit; end > start+2; end-- {
		a, err := netip.ParseAddr(s[start:end])
		if err != nil || a.IsUnspecified() {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		groups := strings.FieldsFunc(s[start:end], func(r rune) bool { return r == ':' })
		if len(groups) < 3 && (wordRune(before) || wordRune(after) ||
			strings.HasSuffix(s[:start], "::") || strings.HasPrefix(s[end:], "::")) {
			continue
		}
		return end - start
	}
	return 0
}

// replaceWord replaces w where it does not stand inside a longer word: the
// user "a" must not turn every a of a sentence.
func replaceWord(s, w, as string) string {
	var b strings.Builder
	first, _ := utf8.DecodeRuneInString(w)
	last, _ := utf8.DecodeLastRuneInString(w)
	from := 0
	for at := 0; ; {
		i := strings.Index(s[at:], w)
		if i < 0 {
			b.WriteString(s[from:])
			return b.String()
		}
		start, end := at+i, at+i+len(w)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if wordRune(before) && wordRune(first) || wordRune(after) && wordRune(last) {
			at = start + 1
			continue
		}
		b.WriteString(s[from:start])
		b.WriteString(as)
		from, at = end, end
	}
}

// wordRune reports what goes on with a word. Chinese has no spaces between
// words, so its characters end one.
func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsDigit(r) || unicode.IsLetter(r)) && !unicode.Is(unicode.Han, r)
}
