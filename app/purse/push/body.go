package push

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/assets/texts"
)

// Message is what is sent, in words.
type Message struct {
	ID, Kind, Host, GPU string
	At                  time.Time
	Title               string
	Say, Cost, Next     string
	Count               int // alerts in it
}

// Text is the message below its title.
func (m Message) Text() string {
	var lines []string
	for _, l := range []string{m.Say, m.Cost, m.Next} {
		if l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// Of says an alert.
func Of(c *texts.Catalogue, a purse.Alert) Message {
	return Message{
		ID: a.ID, Kind: string(a.Kind), Host: a.HostName, GPU: a.GPU, At: a.At, Title: c.Say(alert.Title(a)),
		Say: c.Say(a.Say), Cost: c.Say(a.Cost), Next: c.Say(a.Next), Count: 1,
	}
}

// inDigest is how many alerts a digest names.
const inDigest = 10

// Digest says several alerts in one message, oldest first; more counts those
// that were not kept.
func Digest(c *texts.Catalogue, list []purse.Alert, more int) Message {
	if len(list) == 1 && more == 0 {
		return Of(c, list[0])
	}
	n := len(list) + more
	m := Message{Kind: "digest", Title: c.T("alert.push.digest", "n", n), Count: n}
	var lines []string
	if drop := len(list) - inDigest; drop > 0 { // the newest matter most
		list, more = list[drop:], more+drop
	}
	for _, a := range list {
		m.At = a.At
		lines = append(lines, c.T("alert.push.digest.line", "at", texts.DateTime(c, a.At), "title", c.Say(alert.Title(a)), "say", c.Say(a.Say)))
	}
	if more > 0 {
		lines = append(lines, c.T("alert.push.digest.more", "n", more))
	}
	m.Say = strings.Join(lines, "\n")
	return m
}

// Test is a message that shows that the way is open.
func Test(c *texts.Catalogue, now time.Time) Message {
	return Message{
		ID: "test", Kind: "test", At: now, Title: c.T("alert.push.test.title"), Say: c.T("alert.push.test.text"), Count: 1,
	}
}

// signed are the parts of a request that prove who sends it.
type signed struct{ timestamp, sign string }

func (s Secret) sign(secret string, now time.Time) signed {
	mac := func(key, text string) string {
		h := hmac.New(sha256.New, []byte(key))
		h.Write([]byte(text))
		return base64.StdEncoding.EncodeToString(h.Sum(nil))
	}
	if secret == "" {
		return signed{}
	}
	switch s {
	case SecretFeishu:
		at := strconv.FormatInt(now.Unix(), 10)
		return signed{at, mac(at+"\n"+secret, "")}
	case SecretDingTalk:
		at := strconv.FormatInt(now.UnixMilli(), 10)
		return signed{at, mac(secret, at+"\n"+secret)}
	}
	return signed{}
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// body fills the form's tree and encodes it. A text that is a placeholder alone
// and has nothing is left out. Values are put into the tree, never into JSON.
func (f *Form) body(m Message, key string, s signed) ([]byte, error) {
	values := map[string]string{
		"{id}": m.ID, "{kind}": m.Kind, "{host}": m.Host, "{gpu}": m.GPU, "{title}": m.Title, "{say}": m.Say, "{cost}": m.Cost,
		"{next}": m.Next, "{text}": m.Text(), "{key}": key, "{timestamp}": s.timestamp, "{sign}": s.sign,
	}
	if !m.At.IsZero() {
		values["{at}"] = m.At.UTC().Format(time.RFC3339)
	}
	if m.Count > 0 {
		values["{count}"] = strconv.Itoa(m.Count)
	}
	for _, long := range []string{"{say}", "{text}"} {
		values[long] = short(values[long], f.LimitBytes-len(m.Title)-1)
	}
	tree, _ := fillTree(f.Body, values)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(tree); err != nil {
		return nil, fmt.Errorf("encode a push: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// fillTree returns a copy with placeholders filled; keep is false for what has
// nothing.
func fillTree(v any, values map[string]string) (filled any, keep bool) {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			if y, ok := fillTree(x, values); ok {
				out[k] = y
			}
		}
		return out, true
	case []any:
		out := []any{}
		for _, x := range v {
			if y, ok := fillTree(x, values); ok {
				out = append(out, y)
			}
		}
		return out, true
	case string:
		if alone := placeholder.FindString(v); alone == v && v != "" {
			if v == "{count}" {
				n, err := strconv.Atoi(values[v])
				return n, err == nil
			}
			return values[v], values[v] != ""
		}
		return placeholder.ReplaceAllStringFunc(v, func(p string) string { return values[p] }), true
	}
	return v, true
}

// short cuts a text to at most so many bytes, between characters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := max(most-len("…"), 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
