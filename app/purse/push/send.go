package push

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

const (
	// sendTimeout bounds one try, from dialling to the last byte of the answer.
	sendTimeout = 15 * time.Second
	// maxAnswer is how much of an answer is read.
	maxAnswer = 64 << 10
	// maxSaid is how many characters of the service's own words are kept.
	maxSaid = 200
)

// Once sends one message. The address holds the key as the service gave it;
// secret is what the form uses beside it, "" for none. A nil client is ours. The
// error is an *Error, or that of ctx.
func Once(ctx context.Context, client *http.Client, f Form, address, secret string, m Message, now time.Time) error {
	t, err := f.parse(address)
	if err != nil {
		return err
	}
	secret = strings.TrimSpace(secret)
	if len(secret) > maxAddress || controls(secret) {
		return &Error{Form: f.ID, Reason: ReasonSecret, Host: t.host}
	}
	s := f.Secret.sign(secret, now)
	body, err := f.body(m, t.key, s)
	if err != nil {
		return err
	}
	send := t.send
	if f.Secret == SecretDingTalk && s.sign != "" {
		u, err := url.Parse(send)
		if err != nil {
			return &Error{Form: f.ID, Reason: ReasonAddress, Host: t.host}
		}
		q := u.Query()
		q.Set("timestamp", s.timestamp)
		q.Set("sign", s.sign)
		u.RawQuery = q.Encode()
		send = u.String()
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, f.Method, send, bytes.NewReader(body))
	if err != nil {
		return &Error{Form: f.ID, Reason: ReasonAddress, Host: t.host}
	}
	for k, v := range f.Headers {
		req.Header.Set(k, v)
	}
	req.Header.Set("User-Agent", "rentgen")
	if f.Secret == SecretBearer && secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	if client == nil {
		client = ownClient
	}
	hide := func(said string) string { return clean(said, append(t.hide, secret, s.sign)...) }
	answer, err := client.Do(req)
	if err != nil {
		return f.notSent(ctx, t.host, err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return f.notSent(ctx, t.host, err)
	}
	return f.judge(t.host, answer.StatusCode, got, hide)
}

var errElsewhere = errors.New("redirected to another server")

// ownClient asks the proxy of the environment and follows a redirect only where
// it keeps the message and the server.
var ownClient = &http.Client{
	CheckRedirect: sameServer,
	Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  10 * time.Second,
		MaxResponseHeaderBytes: maxAnswer,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConns:           4,
		ForceAttemptHTTP2:      true,
	},
}

func sameServer(req *http.Request, via []*http.Request) error {
	first := via[0]
	if req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme || req.Method != first.Method || len(via) > 3 {
		return errElsewhere
	}
	return nil
}

// notSent says why there is no answer. The error of the client holds the whole
// address, so nothing of it is kept.
func (f *Form) notSent(ctx context.Context, host string, err error) error {
	e := &Error{Form: f.ID, Host: host, Reason: ReasonAway}
	var timeout net.Error
	var cert *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fmt.Errorf("push by %s: %w", f.ID, context.Canceled)
	case errors.Is(err, errElsewhere):
		e.Reason = ReasonRedirect
	case errors.As(err, &cert), errors.As(err, &authority):
		e.Reason = ReasonTLS
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Reason = ReasonTimeout
	}
	return e
}

// judge reads an answer; nil is that it was taken.
func (f *Form) judge(host string, status int, body []byte, hide func(string) string) error {
	e := &Error{Form: f.ID, Host: host, Status: status}
	fields := map[string]json.RawMessage{}
	isObject := json.Unmarshal(body, &fields) == nil
	e.Said = hide(text(fields[f.Success.Says]))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Reason = ReasonLogin
	case status == http.StatusNotFound || status == http.StatusGone:
		e.Reason = ReasonAddress
	case status == http.StatusTooManyRequests:
		e.Reason = ReasonOften
	case status >= 500:
		e.Reason = ReasonService
	case status >= 300 && status < 400:
		e.Reason = ReasonRedirect
	case status < 200 || status >= 300:
		e.Reason = ReasonStatus
	}
	if f.Success.Field != "" && isObject {
		if code := text(fields[f.Success.Field]); code != "" {
			if code == f.Success.Is && e.Reason == "" {
				return nil
			}
			e.Code = hide(code)
			if r, ok := f.Refusals[code]; ok {
				e.Reason = r
			} else if e.Reason == "" || e.Reason == ReasonStatus {
				e.Reason = ReasonRefused
			}
			return e
		}
	}
	if e.Reason != "" {
		return e
	}
	if f.Success.Field != "" {
		e.Reason, e.Said = ReasonAnswer, ""
		return e
	}
	return nil
}

// text is a field of an answer as text, "" for anything else than a text or a
// number.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// clean makes a service's words short and fit to be shown, without what must not
// be seen.
func clean(s string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= secretLength {
			s = strings.ReplaceAll(s, secret, "…")
			s = strings.ReplaceAll(s, url.QueryEscape(secret), "…")
		}
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
	}), " ")
	if rs := []rune(s); len(rs) > maxSaid {
		s = string(rs[:maxSaid]) + "…"
	}
	return s
}
