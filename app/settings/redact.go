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

// masked stands for a secret.
const masked = "***"

// secretKeys are attribute names whose values never reach the log.
var secretKeys = []string{"password", "passphrase", "secret", "token", "otp"}

// blobs are shapes of secrets that may stand in text from elsewhere.
var blobs = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|(?i)\b(?:password|passphrase|token|secret)\s*[=:]\s*\S+`)

// Redactor masks what must not be read by others: secrets always, and the
// names of users and hosts it was told, addresses and the names of home
// folders. The zero Redactor is ready and safe
// for use from several goroutines.
type Redactor struct {
	mu    sync.RWMutex
	words map[string]string
	order []string // longest first, so that a part never hides the whole
}

// Secret masks every later occurrence of a secret. An empty one is ignored.
func (r *Redactor) Secret(s string) { r.Hide(s, masked) }

// Host masks the name of a host as host-1, host-2 and so on; the same name
// keeps its number, so that a reader can still follow it.
func (r *Redactor) Host(s string) { r.numbered(s, "host") }

// Self masks who sits at this computer: the home folder becomes ~, the name of
// the account is masked like that of a login. Windows writes the latter behind
// its domain.
func (r *Redactor) Self(home, account string) {
	if home = strings.TrimRight(home, `/\`); len(home) > 3 {
		r.Hide(home, "~")
		if strings.Contains(home, `\`) {
			r.Hide(strings.ReplaceAll(home, `\`, `\\`), "~") // as Go quotes it
			r.Hide(strings.ReplaceAll(home, `\`, "/"), "~")
		}
	}
	r.User(account[strings.LastIndexByte(account, '\\')+1:])
}

// User masks the name of a login as user-1 and so on. "root" says nothing
// about a person and stays.
func (r *Redactor) User(s string) {
	if s != "root" {
		r.numbered(s, "user")
	}
}

func (r *Redactor) numbered(s, kind string) {
	if s == "" || s == kind { // what is masked would be masked again
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
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, w := range r.order { // before anything else could take a part of one
		if r.words[w] == masked {
			s = strings.ReplaceAll(s, w, masked)
		}
	}
	s = blobs.ReplaceAllString(s, masked)
	for _, w := range r.order {
		if as := r.words[w]; as != masked {
			s = replaceWord(s, w, as)
		}
	}
	return maskAddresses(maskHomes(s))
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
	out := make([]slog.Attr, len(as))
	for i, a := range as {
		out[i] = h.attr(a)
	}
	return &redacting{r: h.r, next: h.next.WithAttrs(out)}
}

func (h *redacting) WithGroup(name string) slog.Handler {
	return &redacting{r: h.r, next: h.next.WithGroup(name)}
}

func (h *redacting) attr(a slog.Attr) slog.Attr {
	low := strings.ToLower(a.Key)
	for _, k := range secretKeys {
		if strings.Contains(low, k) {
			return slog.String(a.Key, masked)
		}
	}
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.r.Text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		out := make([]any, len(group))
		for i, g := range group {
			out[i] = h.attr(g)
		}
		return slog.Group(a.Key, out...)
	case slog.KindAny:
		return slog.String(a.Key, h.r.Text(fmt.Sprint(v.Any())))
	}
	return a
}
