package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rentgen/probe/remote"
)

// ours is the shape of the names of our own files; nothing else is touched.
// Twelve hexadecimal digits, spelled out because a shell pattern can't count.
var ours = "agent-" + strings.Repeat("[0-9a-f]", shortSHA)

// eachDir runs body in every directory where our program may lie.
func (h *Host) eachDir(body string) string {
	dirs := h.dirs
	if dirs == nil {
		dirs = defaultDirs
	}
	return "u=$(id -u)\nfor d in " + strings.Join(dirs, " ") + "; do\n[ -d \"$d\" ] && [ ! -L \"$d\" ] && cd \"$d\" || continue\n" + body + "\ndone\n"
}

// prune removes old versions after an upload, except the newest one.
func (h *Host) prune(ctx context.Context, conn remote.Conn, sha string) {
	if len(sha) < shortSHA {
		return
	}
	body := `n=0
for f in $(ls -t 2>/dev/null); do
case $f in "$1") ;; ` + ours + `) n=$((n+1)); [ "$n" -gt 1 ] && rm -f "./$f" ;; esac
done`
	_, err := h.runOn(ctx, conn, Command{
		Script: h.eachDir(body), Args: []string{"agent-" + sha[:shortSHA]}, Timeout: 30 * time.Second,
	})
	if err != nil {
		h.log.Debug("old versions not removed", "error", err)
	}
}

// RemoveHelper deletes our program and its directory from the host, and the
// recorder with all that it kept, if one was left there. Readings
// stop before and don't start again until Start or Retry.
func (h *Host) RemoveHelper(ctx context.Context) error {
	conn, err := h.connection()
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.held = true
	h.mu.Unlock()
	return h.removeOver(ctx, conn)
}

// RemoveHelperOnce is RemoveHelper for a host that is Off: it connects for the
// removal alone and puts nothing on the host before.
func (h *Host) RemoveHelperOnce(ctx context.Context) error {
	conn, err := h.p.Dial(ctx, h.stage)
	if err != nil {
		return err
	}
	return h.removeOver(ctx, conn)
}

// removeOver deletes our program over a connection, which it closes.
func (h *Host) removeOver(ctx context.Context, conn remote.Conn) error {
	// Who asked to be rid of it must hear of what stays: rm is not believed.
	body := `for f in ` + ours + `; do
[ -d resident ] && [ ! -L resident ] && [ -f "$f" ] && [ ! -L "$f" ] && [ -x "$f" ] && "./$f" resident remove >/dev/null
done
[ -d resident ] && left=1
for f in ` + ours + ` .[0-9a-f]*.part .[0-9a-f]*.try; do
[ -f "$f" ] || continue
rm -f "./$f"
[ -f "$f" ] && left=1
done
cd / && rmdir "$d" 2>/dev/null`
	res, err := h.runOn(ctx, conn, Command{Script: "left=0\n" + h.eachDir(body) + "exit $left", Timeout: residentTime})
	// The program that runs from the deleted file ends with its connection.
	_ = conn.Close()
	if err != nil {
		return fmt.Errorf("remove our program from the host: %w", err)
	}
	if res.Exit != 0 {
		return &Error{Kind: KindBootstrap, Said: clip(clean(string(res.Stderr)), saidLimit), Err: errors.New("not everything could be removed")}
	}
	return nil
}
