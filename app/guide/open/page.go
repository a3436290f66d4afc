package open

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"rentgen/app/guide"
)

// maxPage bounds what is read of a page.
const maxPage = 128 << 10

// page is an answer of a server, as far as it is looked at. Everything in it is
// foreign.
type page struct {
	code     int
	status   string // "HTTP/1.1 200 OK"
	server   string
	location string
	body     string
}

// asker asks a server at one address, whatever names stand in its answers: it
// follows no redirect and uses no proxy.
type asker struct {
	base   string // "http://host:port"
	client *http.Client
}

// dial connects to an address; nil is the system's.
type dial func(ctx context.Context, network, addr string) (net.Conn, error)

func newAsker(addr string, d dial) asker {
	return asker{"http://" + addr, &http.Client{
		Transport:     &http.Transport{DialContext: d, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get asks for a path.
func (a asker) get(ctx context.Context, path string) (page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return page{}, fmt.Errorf("asking for %s: %w", path, err)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return page{}, fmt.Errorf("asking for %s: %w", path, err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxPage)) // a page that breaks off says enough
	return page{
		code: resp.StatusCode, status: guide.Clean([]byte(resp.Proto+" "+resp.Status), 200), server: guide.Clean([]byte(resp.Header.Get("Server")), 200),
		location: guide.Clean([]byte(resp.Header.Get("Location")), 500), body: string(body),
	}, nil
}

// Login says whether a program asks who one is.
type Login string

// What is known of a login; the zero value is nothing.
const (
	LoginUnknown Login = ""
	LoginAsked   Login = "asked"
	LoginNone    Login = "none"
)

// Answer is what answered at a port.
type Answer struct {
	App     App
	Version string // as the program says it, "" where it doesn't
	Code    int    // HTTP status of its first page
	Status  string // its first line
	Server  string
	Login   Login
	Socket  Socket
	// SocketWhy is what came in place of a WebSocket, raw.
	SocketWhy string
}

var (
	title    = guide.Regexp(`(?is)<title[^>]*>\s*(.{0,200}?)\s*</title>`)
	password = guide.Regexp(`(?i)<input[^>]*type=["']?password`)
	loginWay = guide.Regexp(`(?i)(?:^|[/?])(?:login|signin|sign-in|auth|oauth2?|sso|hub)\b`)
)

// identify asks a server who it is. The error is that of the first page.
func (a asker) identify(ctx context.Context) (Answer, error) {
	root, err := a.get(ctx, "/")
	if err != nil {
		return Answer{}, err
	}
	ans := Answer{App: Other, Code: root.code, Status: root.status, Server: root.server, Login: root.login()}
	name := ""
	if m := title.FindStringSubmatch(root.body); m != nil {
		name = strings.ToLower(m[1])
	}
	switch {
	case strings.HasPrefix(strings.TrimSpace(root.body), "Ollama is running"):
		ans.App, ans.Login = Ollama, LoginNone
	case a.comfy(ctx, &ans):
	case strings.Contains(root.body, "gradio_config") || strings.Contains(name, "stable diffusion"):
		ans.App = Gradio
		if strings.Contains(root.body, "Stable Diffusion") || strings.Contains(root.body, "sd_model_checkpoint") {
			ans.App = A1111
		}
		if strings.Contains(root.body, `"auth_required":true`) || strings.Contains(root.body, `"auth_required": true`) {
			ans.Login = LoginAsked
		} else if root.code == http.StatusOK && ans.Login == LoginUnknown {
			ans.Login = LoginNone
		}
	case a.jupyter(ctx, root, &ans):
	case strings.Contains(name, "tensorboard"):
		ans.App, ans.Login = TensorBoard, LoginNone
	case strings.HasPrefix(name, "invoke"):
		ans.App = Invoke
	}
	return ans, nil
}

// login says what a first page tells of a login.
func (p page) login() Login {
	switch {
	case p.code == http.StatusUnauthorized, p.code == http.StatusForbidden, p.code == http.StatusProxyAuthRequired:
		return LoginAsked
	case p.code >= 300 && p.code < 400 && loginWay.MatchString(p.location), password.MatchString(p.body):
		return LoginAsked
	}
	return LoginUnknown
}

// comfy asks for what only ComfyUI answers.
func (a asker) comfy(ctx context.Context, ans *Answer) bool {
	p, err := a.get(ctx, "/system_stats")
	if err != nil || p.code != http.StatusOK {
		return false
	}
	var stats struct {
		System *struct {
			Version string `json:"comfyui_version"`
			Python  string `json:"python_version"`
		} `json:"system"`
		Devices *[]json.RawMessage `json:"devices"`
	}
	if json.Unmarshal([]byte(p.body), &stats) != nil || stats.System == nil || stats.Devices == nil {
		return false
	}
	ans.App, ans.Login, ans.Version = ComfyUI, LoginNone, guide.Clean([]byte(stats.System.Version), 40)
	return true
}

// jupyter asks for the version, which it tells everyone, and for its kernels,
// which it tells only who is logged in.
func (a asker) jupyter(ctx context.Context, root page, ans *Answer) bool {
	if root.code == http.StatusOK && !strings.Contains(strings.ToLower(root.body), "jupyter") {
		return false
	}
	p, err := a.get(ctx, "/api")
	if err != nil || p.code != http.StatusOK {
		return false
	}
	var said struct {
		Version string `json:"version"`
	}
	if json.Unmarshal([]byte(p.body), &said) != nil || said.Version == "" {
		return false
	}
	ans.App, ans.Version = Jupyter, guide.Clean([]byte(said.Version), 40)
	if k, err := a.get(ctx, "/api/kernels"); err == nil {
		switch {
		case k.code == http.StatusOK && strings.HasPrefix(strings.TrimSpace(k.body), "["):
			ans.Login = LoginNone
		case k.login() == LoginAsked:
			ans.Login = LoginAsked
		}
	}
	return true
}
