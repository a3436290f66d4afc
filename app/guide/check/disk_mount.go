package check

import (
	"path"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.DiskMount] = judgeMount }

var (
	probeSaid    = guide.Regexp(`^(?:touch|mkdir|dd|cp|tee|mktemp|bash|-bash|sh|zsh|ash|/bin/\w+)\b.*[:：]\s*(.+?)\s*$`)
	noRightSaid  = []string{"permission denied", "权限不够", "拒绝访问", "operation not permitted", "不允许的操作", "操作不允许", "拒絕不符權限的操作"}
	brokenSaid   = []string{"input/output error", "输入/输出错误", "transport endpoint is not connected", "传输端点尚未连接", "stale file handle", "stale nfs file handle", "过旧的文件控柄", "host is down"}
	noDirSaid    = []string{"no such file or directory", "没有那个文件或目录", "没有该文件或目录", "沒有此一檔案或目錄", "not a directory", "不是目录"}
	shmSize      = guide.Regexp(`^size=(\d+[kKmMgG]?)$`)
	notMountSaid = guide.Regexp(`^(\S.*) is not a mountpoint`)
)

// mountAsk is what was asked of the mounts.
type mountAsk struct {
	dir    string // the directory asked about, "" for none
	target bool   // findmnt answered for that directory alone
	name   string // a name was sought in the list, "" for none
	echo   string // what is printed after a probe file could be written
	silent bool   // the last command writes a probe file and prints nothing
}

func (l *look) mountAsked() mountAsk {
	var a mountAsk
	all := calls(l.asked("mount", "findmnt", "touch", "grep", "mountpoint"))
	wrote := false
	for i, c := range all {
		if c.op == ";" || c.op == "||" {
			wrote = false
		}
		switch c.name {
		case "findmnt", "mountpoint":
			if dir := c.option("target"); dir != "" {
				a.dir, a.target = dir, true
			} else if at := slices.IndexFunc(c.args, func(s string) bool {
				return strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && strings.HasSuffix(s, "T")
			}); at >= 0 && at+1 < len(c.args) {
				a.dir, a.target = c.args[at+1], true
			} else if p := c.paths(); c.name == "mountpoint" && len(p) > 0 {
				a.dir = p[0]
			}
		case "grep", "egrep", "fgrep":
			if p := c.paths(); c.op == "|" && len(p) > 0 {
				a.name = p[0]
			}
		case "touch":
			wrote = true
			if p := c.paths(); a.dir == "" && len(p) > 0 {
				a.dir = path.Dir(p[0])
			}
		case "echo", "printf":
			if wrote && c.op == "&&" {
				a.echo = strings.TrimSpace(strings.TrimSuffix(strings.Join(c.args, " "), `\n`))
			}
		}
		a.silent = wrote && i == len(all)-1 && (c.name == "touch" || c.name == "rm")
	}
	if dir := guide.Known(l.ctx.Dir, ""); dir != "" {
		a.dir = dir
	}
	if !strings.HasPrefix(a.dir, "/") || strings.Contains(a.dir, "$") {
		a.dir = ""
	}
	return a
}

// probe says whether a probe file could be written: nil where that isn't known.
// It notes what refused it.
func (l *look) probe(a mountAsk) *bool {
	no, yes := false, true
	switch {
	case l.says(quotaSaid...):
		l.set("error", "quota_exceeded")
		l.find(guide.Fail, "quota")
		return &no
	case l.says(readOnlySaid...):
		l.set("error", "read_only")
		l.find(guide.Fail, "read-only", "dir", dirText(a.dir))
		return &no
	case l.says(fullSaid...):
		l.find(guide.Fail, "no-space", "dir", dirText(a.dir))
		return &no
	}
	for _, s := range l.lines {
		m := probeSaid.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		for _, r := range []struct {
			said []string
			v    guide.Verdict
			code string
		}{{noRightSaid, guide.Fail, "no-right"}, {brokenSaid, guide.Fail, "broken"}, {noDirSaid, guide.Warn, "no-dir"}} {
			if slices.Contains(r.said, flat(m[1])) {
				l.use(s)
				if f := l.find(r.v, r.code, "dir", dirText(a.dir)); r.code == "broken" {
					l.ofHost(f)
				}
				return &no
			}
		}
	}
	if p := l.ctx.ProbeOK; p != nil {
		if !*p {
			l.find(guide.Fail, "no-write", "dir", dirText(a.dir))
		}
		return p
	}
	if a.echo != "" && !strings.Contains(a.echo, "$") && slices.ContainsFunc(l.lines, func(s string) bool { return strings.TrimSpace(s) == a.echo }) {
		l.use(a.echo)
		return &yes
	}
	if a.silent && l.in.Exit == 0 && !l.in.TimedOut {
		return &yes
	}
	return nil
}

// dirText is a directory as a text names it.
func dirText(dir string) string {
	if dir == "" {
		return "?"
	}
	return dir
}

func judgeMount(l *look) {
	a := l.mountAsked()
	m := l.mounts()
	probe := l.probe(a)
	if len(m.list) > 0 {
		l.noteVolumes(m.list)
	}
	if a.name != "" {
		l.set("matches", len(m.list))
	}
	for _, v := range m.list {
		if v.mount == "/dev/shm" {
			for _, o := range v.options {
				if f := shmSize.FindStringSubmatch(o); f != nil {
					if b, ok := bytesOf(strings.ToUpper(f[1])); ok {
						l.set("shm_mib", b/mib)
					}
				}
			}
		}
	}
	l.cutShort()
	if len(m.cut) > 0 {
		l.unread(m.cut)
	}
	v, has := l.mountAbout(a, m)
	whole := a.name == "" && slices.ContainsFunc(m.list, func(v volume) bool { return v.mount == "/" }) && (len(m.list) > 1 || !a.target && l.command != "")
	if probe != nil && !*probe {
		l.set("writable", false)
	}
	if has {
		l.use(v.line)
		l.set("mount_point", v.mount)
		l.set("fstype", v.fstype)
		if v.readOnly() {
			l.set("writable", false)
		} else if v.rw() && (probe == nil || *probe) {
			l.set("writable", true)
		}
	}
	none := whole && !slices.ContainsFunc(m.list, func(v volume) bool { return v.kind() == kindData })
	if root, ok := of(m.list, "/"); none && (l.in.Track != guide.Dedicated || !ok || root.layer()) {
		l.use(root.line)
		l.find(guide.Fail, "none")
		return
	}
	l.judgeVolume(a, m, v, has, probe)
}

// mountAbout returns the volume that the question is about.
func (l *look) mountAbout(a mountAsk, m mountList) (volume, bool) {
	if a.target && len(m.list) == 1 {
		return m.list[0], true
	}
	if a.name != "" && a.dir == "" {
		for _, v := range m.list {
			if v.kind() == kindData {
				return v, true
			}
		}
		if len(m.list) > 0 {
			return m.list[0], true
		}
		return volume{}, false
	}
	if a.dir == "" {
		if len(m.list) == 1 && m.list[0].mount != "/" {
			return m.list[0], true
		}
		return volume{}, false
	}
	if !a.target && !slices.ContainsFunc(m.list, func(v volume) bool { return v.mount == "/" }) {
		v, ok := of(m.list, a.dir) // without the root the list is not whole
		return v, ok && v.mount != "/"
	}
	return of(m.list, a.dir)
}

func (l *look) judgeVolume(a mountAsk, m mountList, v volume, has bool, probe *bool) {
	dir := dirText(a.dir)
	if a.dir == "" && has {
		dir = v.mount
	}
	switch {
	case !has && a.name != "" && len(m.list) == 0 && len(l.found) == 0:
		l.find(guide.Warn, "not-found", "name", a.name)
		return
	case !has && len(m.list) > 0 && len(l.found) == 0:
		if names := mountsOf(m.list, func(v volume) bool { return v.kind() == kindData }); len(names) > 0 {
			l.find(guide.Warn, "no-probe", "dir", texts.List(names[:min(len(names), 4)]))
		}
		return
	case !has:
		if f := l.line(notMountSaid); f != nil {
			l.find(guide.Warn, "on-root", "dir", f[1])
		}
		return
	}
	root := v.kind() == kindRoot
	switch {
	case v.readOnly() || v.kind() == kindPublic:
		if _, told := l.facts["error"]; v.readOnly() && !told {
			l.set("error", "read_only")
		}
		if !slices.ContainsFunc(l.found, func(f guide.Finding) bool { return f.Code == "read-only" }) {
			l.find(guide.Fail, "read-only", "dir", dir)
		}
	case v.inRAM():
		l.find(guide.Fail, "ram", "dir", dir)
	case root && v.layer():
		l.find(guide.Fail, "layer", "dir", dir)
	case root && l.in.Track != guide.Dedicated:
		l.find(guide.Warn, "on-root", "dir", dir)
	case !root && v.kind() != kindData:
		l.find(guide.Warn, "system", "dir", dir, "mount", v.mount)
	case !v.rw():
		l.unread([]string{v.line})
	}
	if v.network() {
		l.find(guide.Warn, "network", "dir", dir, "type", v.fstype)
	}
	if probe == nil && v.rw() {
		l.find(guide.Warn, "no-probe", "dir", dir)
	}
	if len(l.found) == 0 && probe != nil && *probe {
		code := "ok"
		switch {
		case root:
			code = "ok-root"
		case strings.Contains(dir, " "):
			code = "ok-blank"
		}
		l.find(guide.Pass, code, "dir", dir, "type", v.fstype)
	}
}
