package open

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"rentgen/app/guide"
)

// Socket says whether a WebSocket came about, by which pictures and progress
// arrive in the browser.
type Socket string

// What a test of a WebSocket comes to; the zero value is "not tested", which is
// right for programs that need none or one behind a login.
const (
	SocketUntested Socket = ""
	SocketWorks    Socket = "works"
	SocketFails    Socket = "fails"
)

// socket tests the WebSocket of a program that has one.
func (a asker) socket(ctx context.Context, ans *Answer) {
	path := ""
	switch {
	case ans.App == ComfyUI:
		var id [8]byte
		_, _ = rand.Read(id[:]) // never fails; a name for the queue alone
		path = "/ws?clientId=" + hex.EncodeToString(id[:])
	case ans.App == Jupyter && ans.Login == LoginNone:
		path = "/api/events/subscribe"
	case ans.App == A1111 || ans.App == Gradio:
		path = "/queue/join"
	default:
		return
	}
	conn, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(a.base, "http")+path, &websocket.DialOptions{HTTPClient: a.client})
	if err == nil {
		_ = conn.CloseNow()
		ans.Socket = SocketWorks
		return
	}
	if resp != nil && ans.App != ComfyUI && resp.StatusCode < http.StatusInternalServerError {
		return // newer ones stream by other means
	}
	if ctx.Err() != nil && ans.App != ComfyUI {
		return
	}
	ans.Socket, ans.SocketWhy = SocketFails, guide.Clean([]byte(err.Error()), 300)
	if resp != nil {
		ans.SocketWhy = fmt.Sprintf("%s, %s", guide.Clean([]byte(resp.Status), 100), ans.SocketWhy)
	}
}
