package report

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"rentgen/app/guide"
)

// masked stands for a secret.
const masked = "***"

// Known are names that a Mask hides wherever they stand.
type Known struct {
	Hosts []string // login hosts, host names, addresses
	Users []string // of logins and of this computer
	// More masks what the caller knows of besides, after the rules here; nil is
	// nothing more.
	More func(string) string
}

// Mask hides in text what other people must not read: secrets, addresses, names
// of hosts and people, and most of every identifier. An address keeps its number
// throughout, so that a reader can still follow it. It is safe for use from
// several goroutines.
type Mask struct {
	more func(string) string

	mu    sync.Mutex
	ips   map[string]int
	words map[string]string // name -> what stands for it
}

// NewMask returns a mask that knows these names.
func NewMask(k Known) *Mask {
	m := &Mask{more: k.More, ips: map[string]int{}, words: map[string]string{}}
	for _, h := range k.Hosts {
		if _, err := netip.ParseAddr(h); err != nil && h != "localhost" && len(h) > 2 {
			m.words[h] = "host"
		}
	}
	for _, u := range k.Users {
		if len(u) > 2 {
			m.learn(u, "user")
		}
	}
	return m
}

// ordinary are logins that say nothing about a person.
var ordinary = []string{"root", "admin", "user", "ubuntu", "debian", "centos", "ec2-user", "azureuser", "git", "nobody", "jovyan"}

// programs may stand where a name stands in a path: hiding them everywhere would
// spoil what is said of them.
var programs = []string{"comfyui", "stable-diffusion-webui", "stable-diffusion-webui-forge", "forge", "a1111", "jupyter", "invokeai", "ollama", "models", "workspace"}

func (m *Mask) learn(word, as string) {
	if word == as || slices.Contains(ordinary, word) || slices.Contains(programs, strings.ToLower(word)) {
		return
	}
	m.words[word] = as
}

var (
	privateKey = guide.Regexp(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`)
	urlLogin   = guide.Regexp(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@]+@[A-Za-z0-9.-]+`)
	urlQuery   = guide.Regexp(`([A-Za-z][A-Za-z0-9+.-]*://[^\s?"'<>]*)\?[^\s"'<>]+`)
	header     = guide.Regexp(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*)[^\r\n]+`)
	bearer     = guide.Regexp(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{6,}`)
	named      = guide.Regexp(`(?i)([A-Z0-9_.-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|_pass|_pwd)[A-Z0-9_.-]*)(["']?\s*[=:]\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;&]+)`)
	option     = guide.Regexp(`(?i)(--?(?:password|passwd|token|api-key|secret|key)|\bsshpass\s+-p)([ =]+)("[^"\n]*"|'[^'\n]*'|[^\s-]\S*)`)
	publicKey  = guide.Regexp(`\b((?:ssh|sk-ssh|ecdsa|sk-ecdsa)-[a-z0-9@.-]+)\s+[A-Za-z0-9+/=]{20,}(?:[ \t]+[^\s@]+@\S+)?`)
	keyPrint   = guide.Regexp(`\b(SHA256|MD5):[A-Za-z0-9+/=:]{20,}`)
	shaped     = guide.Regexp(`\b(?:hf_|sk-|rpa_|r8_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abprs]-|LTAI|AKID|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{5,}`)
	wordy      = guide.Regexp(`[A-Za-z0-9+=]{40,}`)
	serial     = guide.Regexp(`(?i)\b(serial(?:[ _]?(?:number|no\.?))?)(\s*[:=]\s*)([A-Za-z0-9-]{5,})`)
	uuid       = guide.Regexp(`(?i)\b([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	longHex    = guide.Regexp(`(?i)\b([0-9a-f]{6})[0-9a-f]{26,}\b`)
	mac        = guide.Regexp(`(?i)\b[0-9a-f]{2}([:-][0-9a-f]{2}){5}\b`)
	at         = guide.Regexp(`([A-Za-z0-9._%+-]+)@([A-Za-z0-9][A-Za-z0-9.-]*)`)
	home       = guide.Regexp(`((?i:/home/|/users/|[a-z]:[\\/]+users[\\/]+))([^\s/\\:;,"'<>|()\[\]]+)`)
	account    = guide.Regexp(`\b((?:uid|gid|euid)=\d+\(|(?:USER|LOGNAME|USERNAME|SUDO_USER)=)([A-Za-z0-9._-]+)`)
	hostName   = guide.Regexp(`(?i)(\bhost_?name\s*[:=]\s*|\bnodename\s*[:=]\s*)([A-Za-z0-9][A-Za-z0-9.-]*)`)
	uname      = guide.Regexp(`\b(Linux )([A-Za-z0-9][A-Za-z0-9.-]*)( \d+\.\d+)`)
	export     = guide.Regexp(`(?m)(^|\s)([A-Za-z0-9][A-Za-z0-9.-]+)(:/[A-Za-z0-9])`)
	ownHost    = guide.Regexp(`\b(?:autodl-container-[0-9A-Za-z-]+|ip(?:-\d{1,3}){4}|(?:connect|region|ssh\d*)[A-Za-z0-9.-]*\.(?:seetacloud\.com|gpuhub\.com|autodl\.(?:com|pro)|vast\.ai)|[A-Za-z0-9-]+\.proxy\.runpod\.net|[A-Za-z0-9][A-Za-z0-9.-]*\.(?:internal|local|lan|corp|intranet|localdomain))\b`)
	four       = guide.Regexp(`\d{1,3}(?:\.\d{1,3}){3}`)
	six        = guide.Regexp(`[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}`)
)

// Learn notes the names of hosts and people that a text shows at telling places,
// such as a prompt, so that Text hides them everywhere.
func (m *Mask) Learn(s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range at.FindAllStringSubmatch(s, -1) {
		if g[1] == "git" {
			continue
		}
		if len(g[1]) > 3 {
			m.learn(g[1], "user")
		}
		m.learnHost(g[2])
	}
	for _, g := range hostName.FindAllStringSubmatch(s, -1) {
		m.learnHost(g[2])
	}
	for _, g := range uname.FindAllStringSubmatch(s, -1) {
		m.learnHost(g[2])
	}
	for _, re := range []*guide.Pattern{home, account} {
		for _, g := range re.FindAllStringSubmatch(s, -1) {
			if len(g[2]) > 3 {
				m.learn(g[2], "user")
			}
		}
	}
}

// learnHost takes a name that can be no ordinary word.
func (m *Mask) learnHost(name string) {
	name = strings.TrimRight(name, ".-")
	if _, err := netip.ParseAddr(name); err != nil && len(name) > 4 && strings.ContainsAny(name, "0123456789-.") {
		m.learn(name, "host")
	}
}

// Text returns s with everything hidden. A nil Mask hides nothing.
func (m *Mask) Text(s string) string {
	if m == nil || s == "" {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// Most texts hold nothing of the kind: a look for a word is much cheaper than an
	// expression.
	low := strings.ToLower(s)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
	}
	if has("-----begin") {
		s = privateKey.ReplaceAllString(s, masked)
	}
	if has("://") {
		s = urlLogin.ReplaceAllString(s, "${1}"+masked+"@host")
		s = urlQuery.ReplaceAllString(s, "${1}?"+masked)
	}
	if has("authorization", "cookie", "bearer", "basic") {
		s = header.ReplaceAllString(s, "${1}${2}"+masked)
		s = bearer.ReplaceAllString(s, "${1}${2}"+masked)
	}
	if has("ssh-", "ecdsa-") {
		s = publicKey.ReplaceAllString(s, "${1} "+masked)
	}
	if has("sha256:", "md5:") {
		s = keyPrint.ReplaceAllString(s, "${1}:"+masked)
	}
	if has("pass", "secret", "token", "key", "credential", "_pwd") {
		s = named.ReplaceAllString(s, "${1}${2}"+masked)
		s = option.ReplaceAllString(s, "${1}${2}"+masked)
	}
	s = shaped.ReplaceAllStringFunc(s, token)
	if has("serial") {
		s = serial.ReplaceAllString(s, "${1}${2}"+masked)
	}
	s = uuid.ReplaceAllString(s, "${1}…")
	s = longHex.ReplaceAllString(s, "${1}…")
	s = wordy.ReplaceAllStringFunc(s, blob)
	s = mac.ReplaceAllString(s, "mac")
	for _, w := range m.order() {
		s = replaceWord(s, w, m.words[w])
	}
	s = ownHost.ReplaceAllString(s, "host")
	if has("@") {
		s = at.ReplaceAllStringFunc(s, login)
	}
	if has("home", "users") {
		s = home.ReplaceAllString(s, "${1}user")
	}
	if has("id=", "user=", "logname=", "username=") {
		s = account.ReplaceAllString(s, "${1}user")
	}
	if has("host", "nodename") {
		s = hostName.ReplaceAllString(s, "${1}host")
	}
	if has("linux ") {
		s = uname.ReplaceAllString(s, "${1}host${3}")
	}
	if has(":/") {
		s = export.ReplaceAllString(s, "${1}host${3}")
	}
	s = m.addresses(s, six, sixAt)
	s = m.addresses(s, four, fourAt)
	return m.further(s)
}

// shown are addresses that were left in on purpose: of this computer itself, of
// every address, and versions that look like one.
var shown = guide.Regexp(`\d{1,3}(?:\.\d{1,3}){3}|::1`)

// further has the rest masked by whoever knows more, who need not know which
// addresses are evidence.
func (m *Mask) further(s string) string {
	if m.more == nil {
		return s
	}
	var kept []string
	s = shown.ReplaceAllStringFunc(s, func(a string) string {
		kept = append(kept, a)
		return fmt.Sprintf("\x00%d\x00", len(kept)-1)
	})
	s = m.more(s)
	for i, a := range kept {
		s = strings.Replace(s, fmt.Sprintf("\x00%d\x00", i), a, 1)
	}
	return s
}

// order is the longest first, so that a part never hides the whole.
func (m *Mask) order() []string {
	list := make([]string, 0, len(m.words))
	for w := range m.words {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return list
}

// varied says whether a word holds digits, and letters of both cases.
func varied(w string) (digit, mixed bool) {
	return strings.ContainsAny(w, "0123456789"), strings.ToLower(w) != w && strings.ToUpper(w) != w
}

// token hides what begins as a token does; "hf_endpoint" stays.
func token(w string) string {
	if digit, mixed := varied(w); len(w) < 20 && !digit && !mixed {
		return w
	}
	return masked
}

// blob hides a long word that no language has.
func blob(w string) string {
	if digit, mixed := varied(w); !digit || !mixed {
		return w
	}
	return masked
}

// login hides "alice@box"; a login that says nothing about a person stays.
func login(s string) string {
	name, host, _ := strings.Cut(s, "@")
	if !slices.Contains(ordinary, name) && name != masked {
		name = "user"
	}
	tail := host[len(strings.TrimRight(host, ".-")):]
	return name + "@host" + tail
}

// addresses hides the addresses that find sees at the places of re.
func (m *Mask) addresses(s string, re *guide.Pattern, find func(s string, from, to int) (netip.Addr, int)) string {
	var b strings.Builder
	done := 0
	for _, place := range re.FindAllStringIndex(s, -1) {
		if place[0] < done { // a zone that looks like an address itself
			continue
		}
		a, end := find(s, place[0], place[1])
		if !a.IsValid() || a.IsLoopback() || a.IsUnspecified() {
			continue
		}
		n, ok := m.ips[a.String()]
		if !ok {
			n = len(m.ips) + 1
			m.ips[a.String()] = n
		}
		b.WriteString(s[done:place[0]])
		fmt.Fprintf(&b, "ip-%d", n)
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// fourAt reads the address at s[from:to]. A longer row of numbers and a version
// behind "==" are none.
func fourAt(s string, from, to int) (netip.Addr, int) {
	before, after := s[:from], s[to:]
	row := strings.HasSuffix(before, ".") || strings.HasPrefix(after, ".") && len(after) > 1 && after[1] >= '0' && after[1] <= '9'
	if row || strings.HasSuffix(before, "==") || strings.HasPrefix(s[from:to], "255.255.") {
		return netip.Addr{}, to
	}
	if r, _ := utf8.DecodeLastRuneInString(before); unicode.IsDigit(r) {
		return netip.Addr{}, to
	}
	if r, _ := utf8.DecodeRuneInString(after); unicode.IsDigit(r) {
		return netip.Addr{}, to
	}
	a, err := netip.ParseAddr(s[from:to])
	if err != nil {
		return netip.Addr{}, to
	}
	return a, to
}

// sixAt reads the address at s[from:to] and its zone; times, bus numbers and
// names of C++ look like one.
func sixAt(s string, from, to int) (netip.Addr, int) {
	if r, _ := utf8.DecodeLastRuneInString(s[:from]); word(r) || r == ':' {
		return netip.Addr{}, to
	}
	for _, end := range []int{to, to - 1} {
		a, err := netip.ParseAddr(s[from:end])
		if err != nil {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s[end:]); word(r) {
			return netip.Addr{}, to
		}
		if zone, ok := strings.CutPrefix(s[end:], "%"); ok {
			end += 1 + len(zone) - len(strings.TrimLeftFunc(zone, word))
		}
		return a, end
	}
	return netip.Addr{}, to
}

// word reports whether a character goes on with a word; Chinese ones end it.
func word(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsDigit(r) || unicode.IsLetter(r)) && !unicode.Is(unicode.Han, r)
}

// replaceWord replaces w where it does not stand inside a longer word.
func replaceWord(s, w, as string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, w)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if i == 0 {
			before, _ = utf8.DecodeLastRuneInString(b.String())
		}
		after, _ := utf8.DecodeRuneInString(s[i+len(w):])
		b.WriteString(s[:i])
		if word(before) || word(after) {
			b.WriteString(w)
		} else {
			b.WriteString(as)
		}
		s = s[i+len(w):]
	}
}
