package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.SecSSHD] = judgeSSHD }

// sshdKeys are the settings that are read, by the names of sshd -T.
var sshdKeys = map[string]string{
	"passwordauthentication": "passwordauthentication", "kbdinteractiveauthentication": "kbdinteractiveauthentication",
	"challengeresponseauthentication": "kbdinteractiveauthentication", "skeyauthentication": "kbdinteractiveauthentication",
	"pubkeyauthentication": "pubkeyauthentication", "usepam": "usepam", "allowtcpforwarding": "allowtcpforwarding", "permitrootlogin": "permitrootlogin",
}

// sshdSet is one setting as it was read: from sshd -T (no file) or from a file.
type sshdSet struct {
	key, value, file, line string
	match                  bool // holds for some logins only
}

func judgeSSHD(l *look) {
	if l.in.Track == guide.Shared { // the platform's own server
		effective, _, _ := l.sshdSettings()
		l.sshdFacts(effective)
		if len(effective) == 0 && (l.in.Exit == 127 || l.missing("sshd")) {
			l.set("error", "command_not_found")
		}
		l.leave("platform")
		return
	}
	l.hung()
	effective, files, some := l.sshdSettings()
	l.sshdFacts(effective)
	if len(effective) == 0 {
		l.sshdNothing()
		return
	}
	password, root, kbd := effective["passwordauthentication"], effective["permitrootlogin"], effective["kbdinteractiveauthentication"]
	for _, k := range []string{"passwordauthentication", "permitrootlogin", "kbdinteractiveauthentication"} {
		l.use(effective[k].line)
	}
	if password.value == "yes" {
		if password.file != "" {
			l.find(guide.Fail, "password-file", "file", password.file)
		} else {
			l.find(guide.Fail, "password")
		}
	}
	if some {
		l.find(guide.Warn, "match")
	}
	if kbd.value == "yes" {
		l.find(guide.Warn, "kbdint")
	}
	if root.value == "yes" && password.value != "yes" {
		l.find(guide.Warn, "root")
	}
	if effective["pubkeyauthentication"].value == "no" {
		l.find(guide.Warn, "no-keys")
	}
	if password.value == "" || password.value == "no" && (root.value == "" || kbd.value == "") {
		if files {
			l.find(guide.Warn, "files")
		} else {
			l.find(guide.Warn, "partial")
		}
	}
	if len(l.found) == 0 {
		if files && !l.included(effective) {
			l.find(guide.Warn, "files")
			return
		}
		l.find(guide.Pass, "good")
	}
}

// included reports whether what the files of sshd_config.d say is before us: it
// holds before sshd_config. That none of their lines is there proves nothing.
func (l *look) included(effective map[string]sshdSet) bool {
	for _, s := range effective {
		if strings.Contains(s.file, "sshd_config.d/") {
			return true
		}
	}
	named := slices.ContainsFunc(l.lines, func(s string) bool { return sshdFile.MatchString(s) || sshdTitle.MatchString(s) })
	return strings.Contains(l.command, "sshd_config.d") && !l.mainFirst() && !named
}

// mainConfig is the one file that the command reads, where that is sshd_config.
func (l *look) mainConfig() string {
	m := mainFile.FindAllString(l.command, -1)
	if len(m) != 1 || strings.Contains(l.command, "sshd_config.d") || strings.Contains(l.command, "sshd -") {
		return ""
	}
	return m[0]
}

// mainFirst reports whether the command prints sshd_config before the files that
// count before it.
func (l *look) mainFirst() bool {
	d := strings.Index(l.command, "sshd_config.d")
	m := mainFile.FindStringIndex(l.command)
	return d >= 0 && m != nil && m[0] < d
}

var mainFile = guide.Regexp(`/\S*/sshd_config\b(?:$|[^.\w])`)

// sshdNothing judges an output without a setting.
func (l *look) sshdNothing() {
	switch {
	case l.says("password is required", "a terminal is required", "not in the sudoers", "may not run sudo", "no tty present", "需要密码", "不在 sudoers", "no new privileges"):
		l.leave("no-sudo")
	case l.says("missing privilege separation directory"):
		l.find(guide.Warn, "privsep")
	case l.says("bad configuration option", "terminating,"):
		l.find(guide.Warn, "broken-config")
	case l.says("permission denied", "no hostkeys available", "could not load host key", "unable to load host key", "权限不够"):
		l.leave("no-root")
	case l.in.Exit == 127 || l.missing("sshd"):
		l.set("error", "command_not_found")
		if guide.Known(l.ctx.RetriesDone, false) {
			l.leave("no-sshd")
			return
		}
		l.find(guide.Warn, "not-found")
	}
}

var (
	sshdFile  = guide.Regexp(`^(/?[\w./+-]*(?:sshd_config|\.conf)[\w./+-]*)(?::\d+)?:\s*(.*)$`)
	sshdRow   = guide.Regexp(`^\s*([A-Za-z]+)(?:\s*=\s*|\s+)"?([\w-]+)"?\s*(?:#.*)?$`)
	sshdMatch = guide.Regexp(`(?i)^\s*match\s+(\S+)`)
	sshdTitle = guide.Regexp(`^==> (\S+) <==$|^#+\s*(/etc/ssh/\S+)\s*$`)
)

// sshdSettings reads what holds. sshd -T says it itself; of files the first value
// counts, sshd_config.d before sshd_config. files says that it was read from
// files, some that a Match block turns passwords on for some logins.
func (l *look) sshdSettings() (effective map[string]sshdSet, files, some bool) {
	var told, written []sshdSet
	file, match := l.mainConfig(), false
	for _, s := range l.lines {
		if m := sshdTitle.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
			file, match = cmp.Or(m[1], m[2]), false
			continue
		}
		name, rest := file, s
		if m := sshdFile.FindStringSubmatch(s); m != nil {
			name, rest = m[1], m[2]
			if !server(name) {
				continue
			}
		}
		if m := sshdMatch.FindStringSubmatch(rest); m != nil {
			match = !strings.EqualFold(m[1], "all")
			continue
		}
		m := sshdRow.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		key, ok := sshdKeys[strings.ToLower(m[1])]
		value := strings.ToLower(m[2])
		if !ok || !sshdValue(key, value) {
			continue
		}
		set := sshdSet{key, value, name, strings.TrimSpace(s), match}
		if name == "" && m[1] == strings.ToLower(m[1]) && !match {
			told = append(told, set)
		} else {
			written = append(written, set)
		}
	}
	effective = map[string]sshdSet{}
	for _, s := range told { // each stands there once; where not, the laxer is believed
		if old, ok := effective[s.key]; !ok || s.value == "yes" && old.value != "yes" {
			effective[s.key] = s
		}
	}
	if len(effective) > 0 {
		return effective, false, false
	}
	slices.SortStableFunc(written, func(a, b sshdSet) int {
		if c := cmp.Compare(rankOf(a.file), rankOf(b.file)); c != 0 {
			return c
		}
		return cmp.Compare(a.file, b.file)
	})
	for _, s := range written {
		if s.match {
			some = some || s.key == "passwordauthentication" && s.value == "yes"
			continue
		}
		// Without the names of files, in another order than sshd's, the laxer is believed.
		if old, ok := effective[s.key]; !ok || s.file == "" && old.file == "" && s.value == "yes" && l.mainFirst() {
			effective[s.key] = s
		}
	}
	return effective, true, some
}

// server reports whether a file is of the server: ssh_config is the client's, and
// only .conf files of the folder are included.
func server(name string) bool {
	if strings.Contains(name, "sshd_config.d/") {
		return strings.HasSuffix(name, ".conf")
	}
	return strings.HasSuffix(name, "sshd_config") || name == ""
}

// rankOf orders files as sshd reads them.
func rankOf(name string) int {
	if strings.Contains(name, "sshd_config.d/") {
		return 0
	}
	return 1
}

// sshdValue reports whether a key may have that value; a cut one has none.
func sshdValue(key, value string) bool {
	switch key {
	case "permitrootlogin":
		return slices.Contains([]string{"yes", "no", "without-password", "prohibit-password", "forced-commands-only"}, value)
	case "allowtcpforwarding":
		return slices.Contains([]string{"yes", "no", "all", "local", "remote"}, value)
	}
	return value == "yes" || value == "no"
}

func (l *look) sshdFacts(effective map[string]sshdSet) {
	for key, fact := range map[string]string{
		"passwordauthentication": "password_auth", "kbdinteractiveauthentication": "kbd_interactive", "pubkeyauthentication": "pubkey", "usepam": "usepam",
	} {
		if s, ok := effective[key]; ok {
			l.set(fact, s.value == "yes")
		}
	}
	if s, ok := effective["allowtcpforwarding"]; ok {
		l.set("tcp_forwarding", s.value == "yes" || s.value == "all" || s.value == "local")
	}
	if s, ok := effective["permitrootlogin"]; ok {
		l.set("root_login", s.value)
	}
	if s := effective["passwordauthentication"]; s.file != "" {
		l.set("effective_from", path.Base(s.file))
	}
}
