package demo

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"

	"rentgen/probe/remote"
)

// pagePort is where the demo's user interface answers.
const pagePort = "8188"

const pageText = "<!DOCTYPE html><meta charset=utf-8><title>Demo</title><p>This host is a demo: no ComfyUI runs here.</p>\n"

// dial connects to the page of the demo; nothing else listens.
func dial(addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host != "localhost" && host != "127.0.0.1" && host != "::1" || port != pagePort {
		return nil, &remote.Error{Stage: remote.StageSession, Kind: remote.KindForwardFailed, Said: "this host is a demo: nothing listens on " + remote.Clean(addr)}
	}
	near, far := net.Pipe()
	go serve(far)
	return near, nil
}

// serve answers requests until the other side is gone.
func serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
		_ = r.Body.Close()
		_, err = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nServer: demo\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(pageText), pageText)
		if err != nil || r.Close {
			return
		}
	}
}
