package settings

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// secretKeys are attribute names whose values never reach the log.
var secretKeys = []string{"password", "passphrase", "secret", "token", "otp"}

// blobs are shapes of secrets that may stand in text from elsewhere.
var blobs = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|(?i)\b(?:password|passphrase|token|secret)\s*[=:]\s*\S+`)

// addresses are what a name was looked up to; errors of the network hold them.
var addresses = regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b`)

// Redactor masks what must not be read by others: secrets always, and the
// names of users and hosts it was told. The zero Redactor is ready and safe
// for use from several goroutines.
type Redactor struct {
	mu    sync.RWMutex
	words map[string]string
	order []string // longest first, so that a part never hides the whole
}

// Secret masks every later occurrence of a secret. An empty one is ignored.
func (r *Redactor) Secret(s string) { r.Hide(s, "***") }

// Host masks the name of a host as host-1, host-2 and so on; the same name
// keeps its number, so that a reader can still follow it.
func (r *Redactor) Host(s string) { r.numbered(s, "host") }

// User masks the name of a login as user-1 and so on. "root" says nothing
// about a person and stays.
func (r *Redactor) User(s string) {
	if s != "root" {
		r.numbered(s, "user")
	}
}

func (r *Redactor) numbered(s, kind string) {
	if s == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.words[s]; ok {
		return
	}
	n := 1
	for _, as := range r.words {
		if strings.HasPrefix(as, kind+"-") {
			n++
		}
	}
	r.hide(s, fmt.Sprintf("%s-%d", kind, n))
}

// Hide masks every later occurrence of s by as. An empty s is ignored.
func (r *Redactor) Hide(s, as string) {
	if s == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide(s, as)
}

func (r *Redactor) hide(s, as string) {
	if r.words == nil {
		r.words = make(map[string]string)
	}
	if _, ok := r.words[s]; !ok {
		r.order = append(r.order, s)
		sort.SliceStable(r.order, func(i, j int) bool { return len(r.order[i]) > len(r.order[j]) })
	}
	r.words[s] = as
}

// Text returns s with everything masked.
func (r *Redactor) Text(s string) string {
	s = blobs.ReplaceAllString(s, "***")
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, w := range r.order {
		s = replaceWord(s, w, r.words[w])
	}
	return addresses.ReplaceAllString(s, "address")
}

// replaceWord replaces w where it does not stand inside a longer word: the
// user "a" must not turn every a of a sentence.
func replaceWord(s, w, as string) string {
	var b strings.Builder
	from := 0
	for at := 0; ; {
		i := strings.Index(s[at:], w)
		if i < 0 {
			b.WriteString(s[from:])
			return b.String()
		}
		start, end := at+i, at+i+len(w)
		at = end
		if as != "***" && (start > 0 && wordByte(s[start-1]) && wordByte(w[0]) ||
			end < len(s) && wordByte(s[end]) && wordByte(w[len(w)-1])) {
			continue
		}
		b.WriteString(s[from:start])
		b.WriteString(as)
		from = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Handler returns a log handler that masks messages and attributes before they
// reach next.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return &redacting{r: r, next: next} }

type redacting struct {
	r    *Redactor
	next slog.Handler
}

func (h *redacting) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h *redacting) Handle(ctx context.Context, rec slog.Record) error {
	out := slog.NewRecord(rec.Time, rec.Level, h.r.Text(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

func (h *redacting) WithAttrs(as []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(as))
	for i, a := range as {
		masked[i] = h.attr(a)
	}
	return &redacting{r: h.r, next: h.next.WithAttrs(masked)}
}

func (h *redacting) WithGroup(name string) slog.Handler {
	return &redacting{r: h.r, next: h.next.WithGroup(name)}
}

func (h *redacting) attr(a slog.Attr) slog.Attr {
	low := strings.ToLower(a.Key)
	for _, k := range secretKeys {
		if strings.Contains(low, k) {
			return slog.String(a.Key, "***")
		}
	}
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.r.Text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		masked := make([]any, len(group))
		for i, g := range group {
			masked[i] = h.attr(g)
		}
		return slog.Group(a.Key, masked...)
	case slog.KindAny:
		return slog.String(a.Key, h.r.Text(fmt.Sprint(v.Any())))
	}
	return a
}
