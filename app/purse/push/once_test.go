package push

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/assets/texts"
)

var (
	en  = texts.For(texts.English)
	now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// nasty would break JSON that is put together as text.
const nasty = `a "quoted" \ back, {text}
new line, {"errcode":1} 显存 <b>&`

var message = Message{
	ID: "idle-1", Kind: "idle", Host: nasty, At: now, Title: "AutoDL 4090: idle", Say: nasty, Cost: "Each further hour costs ¥1.88.", Next: "Stop it.", Count: 1,
}

const (
	canaryKey    = "canary-key-7f3a"
	canarySecret = "SECcanary-secret-91bd"
)

// service is a loopback server that answers as it is told.
type service struct {
	*httptest.Server
	status int
	answer string
	got    []*http.Request
	bodies []map[string]any
}

func newService(t *testing.T, status int, answer string) *service {
	s := &service{status: status, answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Errorf("no JSON: %v: %s", err, b)
		}
		s.got, s.bodies = append(s.got, r), append(s.bodies, m)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// ways says for each form where it posts and what it answers.
var ways = map[string]struct {
	address string // after the server's own
	path    string
	ok      string
	text    func(body map[string]any) any
}{
	"json":     {"/hook/" + canaryKey, "/hook/" + canaryKey, `whatever`, func(b map[string]any) any { return b["text"] }},
	"ntfy":     {"/" + canaryKey, "/", `{"id":"x","event":"message"}`, func(b map[string]any) any { return b["message"] }},
	"wecom":    {"/cgi-bin/webhook/send?key=" + canaryKey, "/cgi-bin/webhook/send", `{"errcode":0,"errmsg":"ok"}`, content},
	"feishu":   {"/open-apis/bot/v2/hook/" + canaryKey, "/open-apis/bot/v2/hook/" + canaryKey, `{"code":0,"msg":"success","data":{}}`, content},
	"dingtalk": {"/robot/send?access_token=" + canaryKey, "/robot/send", `{"errcode":0,"errmsg":"ok"}`, content},
	"bark":     {"/" + canaryKey + "/推送内容", "/push", `{"code":200,"message":"success","timestamp":1}`, func(b map[string]any) any { return b["body"] }},
}

// content is the text of a group robot's message.
func content(b map[string]any) any {
	for _, v := range b {
		if m, ok := v.(map[string]any); ok {
			for _, s := range m {
				return s
			}
		}
	}
	return nil
}

func TestEachForm(t *testing.T) {
	var ids []string
	for _, f := range Forms() {
		ids = append(ids, f.ID)
		way, ok := ways[f.ID]
		if !ok {
			t.Errorf("%s isn't tried", f.ID)
			continue
		}
		t.Run(f.ID, func(t *testing.T) {
			s := newService(t, 200, way.ok)
			if err := Once(t.Context(), nil, f, s.URL+way.address, canarySecret, message, now); err != nil {
				t.Fatal(err)
			}
			r, body := s.got[0], s.bodies[0]
			if r.Method != f.Method || r.URL.Path != way.path || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
				t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
			}
			if text, _ := way.text(body).(string); !strings.Contains(text, nasty) {
				t.Errorf("the text came as %q", text)
			}
			if got := r.Header.Get("Authorization"); got != map[Secret]string{SecretBearer: "Bearer " + canarySecret}[f.Secret] {
				t.Errorf("authorization %q", got)
			}
			switch f.ID {
			case "json":
				want := []string{"at", "cost", "count", "host", "id", "kind", "next", "source", "text", "title"}
				if keys := slices.Sorted(maps.Keys(body)); !slices.Equal(keys, want) || body["count"] != 1.0 || body["at"] != "2026-11-30T12:00:00Z" {
					t.Errorf("%v", body)
				}
			case "ntfy":
				if body["topic"] != canaryKey || body["title"] != message.Title {
					t.Errorf("%v", body)
				}
			case "wecom":
				if r.URL.Query().Get("key") != canaryKey || body["msgtype"] != "text" {
					t.Errorf("%s %v", r.URL, body)
				}
			case "feishu":
				at, _ := body["timestamp"].(string)
				if at != strconv.FormatInt(now.Unix(), 10) || body["sign"] != mac(at+"\n"+canarySecret, "") || body["msg_type"] != "text" {
					t.Errorf("%v", body)
				}
			case "dingtalk":
				q := r.URL.Query()
				at := strconv.FormatInt(now.UnixMilli(), 10)
				if q.Get("access_token") != canaryKey || q.Get("timestamp") != at || q.Get("sign") != mac(canarySecret, at+"\n"+canarySecret) {
					t.Errorf("%v", q)
				}
			case "bark":
				if body["device_key"] != canaryKey || body["title"] != message.Title {
					t.Errorf("%v", body)
				}
			}
			if err := Once(t.Context(), nil, f, s.URL+way.address, "", message, now); err != nil {
				t.Fatal(err)
			}
			if _, signed := s.bodies[1]["sign"]; signed || s.got[1].URL.Query().Has("sign") || s.got[1].Header.Get("Authorization") != "" {
				t.Error("proves itself without a secret")
			}
		})
	}
	if want := []string{"json", "ntfy", "wecom", "feishu", "dingtalk", "bark"}; !slices.Equal(ids, want) {
		t.Errorf("forms %v, want %v", ids, want)
	}
}

func mac(key, text string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// TestSignatures compares with values worked out by openssl.
func TestSignatures(t *testing.T) {
	at := time.UnixMilli(1577262236757)
	if got := SecretDingTalk.sign("this is secret", at); got.timestamp != "1577262236757" || got.sign != "hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM=" {
		t.Errorf("%+v", got)
	}
	if got := SecretFeishu.sign("demo", time.Unix(1599360473, 0)); got.timestamp != "1599360473" || got.sign != "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=" {
		t.Errorf("%+v", got)
	}
}

// TestRefusals: each service's way to say no is a plain sentence, and what it
// echoes of the secret isn't shown.
func TestRefusals(t *testing.T) {
	echo := canaryKey + " " + canarySecret + " " + url.QueryEscape(canarySecret)
	for _, c := range []struct {
		form, answer string
		status       int
		want         Reason
		again        bool
		see          string
	}{
		{"json", ``, 500, ReasonService, true, "a fault of its own"},
		{"json", `{"error":"no ` + echo + `"}`, 401, ReasonLogin, false, "refused the secret"},
		{"json", ``, 404, ReasonAddress, false, "Copy it again"},
		{"json", ``, 418, ReasonStatus, false, "status 418"},
		{"ntfy", `{"code":42901,"http":429,"error":"limit reached"}`, 429, ReasonOften, true, "limit reached"},
		{"ntfy", `{"code":40301,"http":403,"error":"forbidden"}`, 403, ReasonLogin, false, "forbidden"},
		{"wecom", `{"errcode":93000,"errmsg":"invalid webhook url ` + echo + `"}`, 200, ReasonRefused, false, "code 93000"},
		{"wecom", `<html>`, 200, ReasonAnswer, true, "not as this service does"},
		{"wecom", `{}`, 200, ReasonAnswer, true, "not as this service does"},
		{"feishu", `{"code":19021,"data":{},"msg":"sign match fail"}`, 200, ReasonSign, false, "sign match fail"},
		{"feishu", `{"code":19022,"msg":"Ip Not Allowed"}`, 200, ReasonNetwork, false, "this network"},
		{"feishu", `{"code":19024,"msg":"Key Words Not Found"}`, 200, ReasonKeyword, false, "keyword"},
		{"feishu", `{"code":9499,"msg":"Bad Request","data":{}}`, 400, ReasonForm, false, "couldn't read"},
		{"dingtalk", `{"errcode":310000,"errmsg":"sign not match\u001b[31m\u202e"}`, 200, ReasonRefused, false, "sign not match [31m"},
		{"bark", `{"code":400,"message":"failed to get device token","timestamp":1}`, 400, ReasonRefused, false, "device token"},
		{"bark", `{"code":"200x","message":"` + strings.Repeat("长", 5000) + `"}`, 200, ReasonRefused, false, "长长…"},
	} {
		f, _ := Find(c.form)
		s := newService(t, c.status, c.answer)
		err := Once(t.Context(), nil, f, s.URL+ways[c.form].address, canarySecret, message, now)
		var e *Error
		if !errors.As(err, &e) || e.Reason != c.want || e.Again() != c.again {
			t.Errorf("%s %s: %v", c.form, c.answer, err)
			continue
		}
		said := en.Say(e.Phrase())
		if !strings.Contains(said, c.see) || strings.Contains(said, "alert.push") {
			t.Errorf("%s: %q, want %q in it", c.form, said, c.see)
		}
		for _, where := range []string{said, err.Error(), asJSON(t, e), texts.For(texts.Chinese).Say(e.Phrase())} {
			noCanary(t, where)
			if len(where) > 1500 || strings.ContainsAny(where, "\x1b\u202e") {
				t.Errorf("%s: %q", c.form, where)
			}
		}
	}
}

func asJSON(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func noCanary(t *testing.T, s string) {
	t.Helper()
	if strings.Contains(s, "canary") {
		t.Errorf("holds a secret: %q", s)
	}
}

// TestAddresses: https, or this computer; and no error says the address.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		form, address string
		want          Reason
	}{
		{"json", "http://example.com/" + canaryKey, ReasonPlain},
		{"json", "http://10.0.0.1/" + canaryKey, ReasonPlain},
		{"json", "ftp://127.0.0.1/" + canaryKey, ReasonPlain},
		{"json", "https://user:" + canaryKey + "@example.com/", ReasonAddress},
		{"json", "canary", ReasonAddress},
		{"json", "", ReasonAddress},
		{"json", "https://example.com/" + canaryKey + "\x00", ReasonAddress},
		{"json", "https://exa mple.com/" + canaryKey, ReasonAddress},
		{"json", "https://example.com/" + strings.Repeat(canaryKey, 200), ReasonAddress},
		{"ntfy", "https://ntfy.sh/", ReasonAddress},
		{"wecom", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send", ReasonAddress},
		{"dingtalk", "https://oapi.dingtalk.com/robot/send?access_token=", ReasonAddress},
		{"bark", "https://api.day.app", ReasonAddress},
	} {
		f, _ := Find(c.form)
		err := Once(t.Context(), nil, f, c.address, canarySecret, message, now)
		var e *Error
		if !errors.As(err, &e) || e.Reason != c.want {
			t.Errorf("%s %q: %v", c.form, c.address, err)
			continue
		}
		noCanary(t, err.Error()+en.Say(e.Phrase()))
	}
	f, _ := Find("json")
	if err := Once(t.Context(), nil, f, "https://example.com/x", "a\r\nX-Evil: 1", message, now); err == nil {
		t.Error("a secret of two lines was taken")
	}
	for address, key := range map[string]string{
		"https://qyapi.weixin.qq.com/cgi-bin/webhook/send": "wecom", "https://api.day.app": "bark",
		"https://open.feishu.cn/open-apis/bot/v2/hook": "feishu", "https://ntfy.example.com/": "ntfy",
	} {
		f, _ := Find(key)
		joined := f.Join(address, canaryKey)
		if got, err := f.parse(joined); err != nil || got.key != canaryKey || f.HasKey(address) || !f.HasKey(joined) {
			t.Errorf("%s with a key is %s: %+v, %v", address, joined, got, err)
		}
	}
}

// TestRedirects are followed on the same server only, and the secret goes
// nowhere else.
func TestRedirects(t *testing.T) {
	other := newService(t, 200, `{}`)
	var to string
	var hops int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hops++
		if r.URL.Path == "/there" {
			if r.Header.Get("Authorization") == "" || r.Method != "POST" {
				t.Errorf("%s %v", r.Method, r.Header)
			}
			return
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	f, _ := Find("json")
	to = s.URL + "/there"
	if err := Once(t.Context(), nil, f, s.URL+"/"+canaryKey, canarySecret, message, now); err != nil || hops != 2 {
		t.Errorf("on the same server: %v after %d", err, hops)
	}
	for _, to = range []string{other.URL + "/" + canaryKey, s.URL + "/loop"} {
		err := Once(t.Context(), nil, f, s.URL+"/"+canaryKey, canarySecret, message, now)
		var e *Error
		if !errors.As(err, &e) || e.Reason != ReasonRedirect {
			t.Errorf("to %s: %v", to, err)
		}
		noCanary(t, err.Error())
	}
	if len(other.got) > 0 {
		t.Error("went to another server")
	}
}

// TestNoAnswer: a server that isn't there, whose certificate isn't trusted, that
// never ends its answer.
func TestNoAnswer(t *testing.T) {
	f, _ := Find("wecom")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for address, want := range map[string]Reason{gone.URL: ReasonAway, secure.URL: ReasonTLS} {
		err := Once(t.Context(), nil, f, address+ways["wecom"].address, "", message, now)
		var e *Error
		if !errors.As(err, &e) || e.Reason != want {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
		noCanary(t, err.Error())
	}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 1<<16)
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	var e *Error
	if err := Once(t.Context(), nil, f, endless.URL+ways["wecom"].address, "", message, now); !errors.As(err, &e) || e.Reason != ReasonAnswer {
		t.Errorf("an endless answer: %v", err)
	}
	slow := &http.Client{Transport: failing{&net.DNSError{IsTimeout: true, Name: canaryKey}}}
	if err := Once(t.Context(), slow, f, "https://example.com"+ways["wecom"].address, "", message, now); !errors.As(err, &e) || e.Reason != ReasonTimeout {
		t.Errorf("no answer in time: %v", err)
	}
	noCanary(t, e.Error())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Once(ctx, nil, f, endless.URL+ways["wecom"].address, "", message, now); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// failing is a way on which nothing comes through.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestLongMessagesAreCut(t *testing.T) {
	m := message
	m.Say = strings.Repeat("显存", 20000)
	for _, f := range Forms() {
		b, err := f.body(m, "k", signed{})
		if err != nil || len(b) > f.LimitBytes+1200 || !json.Valid(b) || !strings.Contains(string(b), "…") {
			t.Errorf("%s: %d bytes, %v", f.ID, len(b), err)
		}
	}
}
