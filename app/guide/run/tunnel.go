package run

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"rentgen/app/guide"
)

// tunnel opens a forward to the user interface and asks for its first page, from
// this computer.
func (d *doing) tunnel(ctx context.Context) {
	text, _, err := d.command(guide.Tunnel)
	if err != nil {
		d.drop(guide.Tunnel)
		return
	}
	d.p.Event(Event{Check: guide.Tunnel, Kind: Started})
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, d.timeout(guide.Tunnel))
	defer cancel()
	port := d.values()[ValueUIPort]
	if port == "" {
		port = defaultUIPort
	}
	c := &sent{id: guide.Tunnel, text: text}
	code, said, err := ask(limited, d.p.Forwarder, port)
	c.took = time.Since(began)
	know := d.know
	if err != nil {
		c.exit, c.err = 1, []byte(guide.Clean([]byte(err.Error()), 4096)+"\n")
	} else {
		c.out = []byte(said)
		know.HTTPCode = &code
	}
	if ctx.Err() != nil {
		return
	}
	r := d.record(c, limited.Err() != nil)
	r.Context.HTTPCode = know.HTTPCode
	r.Laptop = true
	d.ended(r)
}

// ask opens a forward and asks for its first page once.
func ask(ctx context.Context, f guide.Forwarder, port string) (code int, said string, err error) {
	o, err := f.Forward(ctx, "", "127.0.0.1:"+port)
	if err != nil {
		return 0, "", err
	}
	defer o.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.Addr()+"/", nil)
	if err != nil {
		return 0, "", fmt.Errorf("ask for the page: %w", err)
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		if why := o.Err(); why != nil {
			err = why // what the instance said is nearer to the cause
		}
		return 0, "", err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	var b strings.Builder
	fmt.Fprintf(&b, "GET http://%s/ through the forward to 127.0.0.1:%s\n%s %s\n", o.Addr(), port, resp.Proto, guide.Clean([]byte(resp.Status), 200))
	if s := resp.Header.Get("Server"); s != "" {
		fmt.Fprintf(&b, "Server: %s\n", guide.Clean([]byte(s), 200))
	}
	return resp.StatusCode, b.String(), nil
}
