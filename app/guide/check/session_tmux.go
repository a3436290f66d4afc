package check

import (
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.SessionTmux] = judgeTmux }

var (
	tmuxVersion = guide.Regexp(`^\s*tmux (\d[\w.+-]*|next-[\w.]+|openbsd-[\w.]+|master)\s*$`)
	tmuxSession = guide.Regexp(`^([^:]+): (\d+) windows? \(created [^()]*\)(.*)$`)
	tmuxPath    = guide.Regexp(`^(?:tmux (?:is|是) )?(/\S*/tmux)\s*$`)
	tmuxBroken  = []string{"tmux: error while loading shared libraries", "tmux: symbol lookup error", "server version is too old", "protocol version mismatch", "cannot execute binary file"}
)

func judgeTmux(l *look) {
	if l.missing("tmux") {
		l.set("error", "command_not_found")
		l.find(guide.Warn, "missing")
		return
	}
	found := false
	if m := l.line(tmuxVersion); m != nil {
		l.set("tmux_version", m[1])
		found = true
	}
	found = l.line(tmuxPath) != nil || found
	names, attached := []string{}, 0
	for _, m := range l.each(tmuxSession) {
		names = append(names, m[1])
		if strings.Contains(m[3], "(attached)") {
			attached++
		}
	}
	code := "ok"
	switch {
	case len(names) > 0:
		l.set("server_running", true)
		l.sessions(names, attached)
		found, code = true, "ok-sessions"
	case l.says("no server running on", "error connecting to", "failed to connect to server", "no current session"), l.says("no sessions"):
		l.set("server_running", false)
		l.sessions(names, 0)
		found, code = true, "ok-none"
	}
	l.cutShort()
	if l.says(tmuxBroken...) {
		l.find(guide.Warn, "broken")
	}
	if l.says("tmux: need utf-8 locale", "tmux: invalid lc_all") {
		found = true
		l.find(guide.Warn, "locale")
	}
	if l.says("open terminal failed", "missing or unsuitable terminal") {
		found = true
		l.find(guide.Warn, "terminal")
	}
	if !found && len(l.found) == 0 {
		if c := calls(l.asked("tmux", "which", "command")); len(l.lines) == 0 && l.in.Exit == 1 && len(c) > 0 && strings.HasSuffix(l.command, "tmux") {
			l.set("error", "command_not_found") // which and command -v say nothing
			l.find(guide.Warn, "missing")
			return
		}
		l.unread(nil)
		return
	}
	if len(l.found) == 0 {
		l.find(guide.Pass, code, "n", len(names), "names", clipped(strings.Join(names, ", ")))
	}
}

func (l *look) sessions(names []string, attached int) {
	l.set("sessions", len(names))
	l.set("session_names", names)
	l.set("attached", attached)
}
