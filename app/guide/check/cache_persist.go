package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.CachePersist] = judgeCache }

// cacheNames are the variables that say where downloads are kept.
var cacheNames = []string{
	"HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "TORCH_HOME", "PIP_CACHE_DIR", "XDG_CACHE_HOME", "DIFFUSERS_CACHE", "MODELSCOPE_CACHE",
}

var (
	namedPath  = guide.Regexp(`^\s*(?:export |declare -x )?([A-Za-z_]\w*)=["']?([^"']*?)["']?\s*$`)
	linkLine   = guide.Regexp(`(\S+) -> (/\S.*)$`)
	uiLine     = guide.Regexp(`^ui: (/\S.*)$`)
	duLine     = guide.Regexp(`^(\d[\d.,]*[KMGTP]?i?B?)\s+(/\S.*)$`)
	searchPath = guide.Regexp(`Adding extra search path \S+ (\S.*)$`)
	yamlTilde  = guide.Regexp(`^\s*[\w-]+\s*:\s*(?:\|\s*)?["']?~(?:/|\s*$)|^\s+~/\S`)
	yamlPath   = guide.Regexp(`^\s*(?:base_path|checkpoints|loras|vae|controlnet|diffusion_models|unet|clip|text_encoders|upscale_models|embeddings|clip_vision)\s*:`)
	yamlFile   = guide.Regexp(`(?:^|[\s/'"])extra_model_paths\.(ya?ml)['"]?\s*$`)
	yamlBad    = []string{"yaml.scanner.scannererror", "yaml.parser.parsererror", "mapping values are not allowed here", "cannot start any token", "could not find expected ':'"}
	noSuchFile = []string{"no such file or directory", "没有那个文件或目录", "没有该文件或目录", "cannot access", "无法访问"}
)

// maxDirs bounds the directories that are looked at.
const maxDirs = 64

// kept is a directory that was named, and what it was found to lie on.
type kept struct {
	name, path string
	rows       []volume // printed right behind it
	on         volume
	known      bool
}

// variable reports whether the name is one of those that programs read.
func (k kept) variable() bool { return slices.Contains(cacheNames, k.name) }

func judgeCache(l *look) {
	if _, _, empty := l.echoedDir(); len(l.lines) == 0 && !empty {
		l.unread(nil)
		return
	}
	dirs, rows, links := l.keptDirs()
	l.cutShort()
	l.askedRows(dirs, rows)
	for i := range dirs {
		dirs[i].find(l, rows, links)
	}
	l.searchPaths()
	l.cacheSize()
	l.judgeKept(dirs, rows)
	if l.leftOut(dirs) && !slices.ContainsFunc(l.found, func(f guide.Finding) bool { return f.Code == "not-enough" }) {
		l.find(guide.Warn, "not-enough")
		return
	}
	home := slices.IndexFunc(dirs, func(k kept) bool { return k.name == "HF_HOME" })
	if len(l.found) > 0 {
		return
	}
	if home < 0 || l.yamlUnanswered(dirs) {
		if home < 0 && len(dirs) == 0 && len(rows) == 0 && l.facts["config_found"] == nil && l.facts["cache_gib"] == nil {
			l.unread(nil)
			return
		}
		l.find(guide.Warn, "not-enough")
		return
	}
	l.find(guide.Pass, "ok", "dir", dirText(dirs[home].path), "mount", dirText(dirs[home].on.mount))
}

// keptDirs reads the directories that are named, the mounts shown, and symbolic
// links.
func (l *look) keptDirs() (dirs []kept, rows []volume, links map[string]string) {
	links = map[string]string{}
	t := l.dfTables()
	df := map[string]volume{}
	for _, r := range t.rows {
		df[r.line] = r.volume
	}
	open := false // rows are those of the latest directory
	heading := ""
	if k, line, ok := l.echoedDir(); ok {
		l.use(line)
		dirs, open = append(dirs, k), true
	}
	for _, s := range l.lines {
		if findHeading.MatchString(s) {
			heading = s
			continue
		}
		v, ok := mountOf(s)
		if !ok && heading != "" {
			v, ok = columnsOf(heading, s)
		}
		mine := ok
		if !ok {
			v, ok = df[s]
			mine = ok && (v.mount != "/" || l.dfAsked())
		}
		if ok {
			l.use(s)
			rows = append(rows, v)
			if n := len(dirs); mine && open && n > 0 {
				dirs[n-1].rows = append(dirs[n-1].rows, v)
			}
			continue
		}
		open = open && (dfHead(s) || linkLine.MatchString(s))
		if m := uiLine.FindStringSubmatch(s); m != nil {
			l.use(s)
			dirs, open = append(dirs, kept{name: "ui", path: strings.TrimRight(m[1], "/ ") + "/models"}), true
			continue
		}
		if m := linkLine.FindStringSubmatch(s); m != nil {
			l.use(s)
			links[m[1]] = m[2]
			continue
		}
		m := namedPath.FindStringSubmatch(s)
		if m == nil || m[2] != "" && m[2][0] != '/' && m[2][0] != '~' && m[2][0] != '$' && !slices.Contains(cacheNames, m[1]) {
			continue
		}
		k := kept{name: m[1], path: strings.TrimSpace(m[2])}
		if k.path == "" && !k.variable() || len(dirs) >= maxDirs {
			continue
		}
		l.use(s)
		dirs, open = append(dirs, k), true
	}
	return dirs, rows, links
}

// find looks up what the directory lies on. A name alone proves nothing.
func (k *kept) find(l *look, rows []volume, links map[string]string) {
	if !strings.HasPrefix(k.path, "/") {
		return
	}
	real := k.path
	longest := 0
	for from, to := range links {
		if rest, ok := strings.CutPrefix(k.path+"/", strings.TrimSuffix(from, "/")+"/"); ok && len(from) > longest {
			longest, real = len(from), strings.TrimSuffix(strings.TrimSuffix(to, "/")+"/"+rest, "/")
		}
	}
	if l.wholeList(rows) {
		k.on, k.known = of(rows, real)
		return
	}
	if len(k.rows) == 0 && l.soughtInVain(real, rows) {
		k.on, k.known = volume{mount: "/", source: "overlay"}, true
		return
	}
	if len(k.rows) != 1 {
		return
	}
	v := k.rows[0]
	switch {
	case v.mount == "/":
		k.on, k.known = v, l.askedOf(k.path)
	case under(real, v.mount):
		k.on, k.known = v, true
	}
}

// wholeList reports whether the mounts shown are all there are: the command lists
// them without a question, and the root is among them.
func (l *look) wholeList(rows []volume) bool {
	if !slices.ContainsFunc(rows, func(v volume) bool { return v.mount == "/" }) {
		return false
	}
	all := calls(l.asked("df", "findmnt", "mount"))
	for i, c := range all {
		piped := i+1 < len(all) && all[i+1].op == "|"
		lists := c.name == "df" && len(c.paths()) == 0 || c.name == "mount" && len(c.args) == 0 || c.name == "findmnt" && !c.short('T') && c.option("target") == "" ||
			c.name == "cat" && (c.has("/proc/mounts") || c.has("/proc/self/mount"))
		if lists && !piped {
			return true
		}
	}
	return len(all) == 0 && len(rows) > 3
}

// soughtInVain reports whether all mounts were searched for the first folder of a
// path, and none has it: then the path lies on the root.
func (l *look) soughtInVain(path string, rows []volume) bool {
	if l.in.Track == guide.Dedicated || slices.ContainsFunc(rows, func(v volume) bool { return v.mount != "/" }) {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	all := calls(l.asked("df", "findmnt", "mount"))
	for i, c := range all {
		if c.name != "grep" || c.op != "|" || i == 0 {
			continue
		}
		before, words := all[i-1], c.paths()
		if (before.name == "mount" || before.name == "df") && len(before.paths()) == 0 && len(words) == 1 && len(words[0]) > 2 && strings.Contains(first, strings.Trim(words[0], "/")) {
			return !l.in.TimedOut
		}
	}
	return false
}

// askedOf reports whether df or findmnt was asked about a directory, and not
// about the root in general.
func (l *look) askedOf(path string) bool {
	all := calling(l.asked("df", "findmnt"), "df", "findmnt")
	for _, c := range all {
		for _, a := range c.args {
			if strings.Contains(a, "$") || path != "" && strings.HasPrefix(a, "/") && a != "/" && (under(path, a) || under(a, path)) {
				return true
			}
		}
	}
	return len(all) == 0
}

// dfAsked reports whether df was asked about something else than the root.
func (l *look) dfAsked() bool {
	for _, c := range calling(l.asked("df", "findmnt"), "df") {
		if p := c.paths(); len(p) != 1 || p[0] != "/" {
			return true
		}
	}
	return l.command == ""
}

// lasts reports whether what lies on a volume outlives the container.
func (l *look) lasts(v volume) bool {
	if v.inRAM() || v.readOnly() {
		return false
	}
	switch v.kind() {
	case kindData:
		return true
	case kindRoot:
		return l.in.Track == guide.Dedicated && !v.layer()
	}
	return false
}

func (l *look) judgeKept(dirs []kept, rows []volume) {
	var unset []string
	persistent, known := true, false
	fallback := slices.IndexFunc(dirs, func(k kept) bool {
		return !k.variable() && strings.Contains(k.path+"/", "/.cache/") && k.known && l.lasts(k.on) && k.on.kind() == kindData
	})
	for _, k := range dirs {
		if k.name == "HF_HOME" {
			l.set("hf_home", orNil(k.path, k.path != ""))
			if k.known {
				l.set("hf_home_mount", orNil(k.on.mount, k.on.mount != "/"))
			}
		}
		switch {
		case k.path == "":
			if !covered(k.name, dirs) && fallback < 0 {
				unset = append(unset, k.name)
			}
		case k.path[0] != '/':
			l.find(guide.Warn, "home-tilde", "name", k.name, "dir", k.path)
		case !k.known && k.variable():
			l.find(guide.Warn, "no-mount", "name", k.name, "dir", k.path)
		case !k.known:
			l.find(guide.Warn, "not-enough")
		default:
			known = true
			if !l.lasts(k.on) {
				persistent = false
				l.judgeLost(k)
			}
		}
	}
	if len(unset) > 0 {
		code := "unset"
		if v, ok := of(rows, "/root/.cache"); ok && slices.Contains(unset, "HF_HOME") {
			known = true
			persistent = persistent && l.lasts(v)
			if persistent {
				code = "unset-lasts"
			}
		}
		l.find(guide.Warn, code, "names", texts.List(unset))
	}
	if known {
		l.set("cache_persistent", persistent)
	}
}

// covered reports whether an unset variable needs no value: its default hangs on
// another one that is set.
func covered(name string, dirs []kept) bool {
	set := func(names ...string) bool {
		return slices.ContainsFunc(dirs, func(k kept) bool { return k.path != "" && slices.Contains(names, k.name) })
	}
	switch name {
	case "HF_HOME", "TORCH_HOME", "PIP_CACHE_DIR":
		return set("XDG_CACHE_HOME")
	}
	return set("XDG_CACHE_HOME", "HF_HOME") || slices.ContainsFunc(dirs, func(k kept) bool { return k.name == "HF_HOME" })
}

// judgeLost notes a directory whose content doesn't last.
func (l *look) judgeLost(k kept) {
	verdict, code := guide.Fail, "layer"
	switch {
	case k.on.inRAM():
		code = "ram"
	case k.on.readOnly() || k.on.kind() == kindPublic:
		code = "read-only"
	case k.on.kind() == kindRoot && !k.on.layer():
		verdict, code = guide.Warn, "on-root"
	case k.on.kind() != kindRoot:
		verdict, code = guide.Warn, "no-mount"
	}
	if !k.variable() {
		if k.name == "ui" && (l.facts["config_found"] == true || l.line(linkLine) != nil) {
			return // its models are read from elsewhere
		}
		verdict, code = guide.Warn, "dir-lost"
	}
	l.find(verdict, code, "name", k.name, "dir", k.path)
}

// searchPaths reads extra_model_paths.yaml: whether it is there, under the right
// name, and what it says of paths.
func (l *look) searchPaths() {
	tildes, paths, yes, wrong, asked := 0, 0, false, false, false
	for _, s := range l.lines {
		if m := searchPath.FindStringSubmatch(s); m != nil {
			l.use(s)
			paths, yes = paths+1, true
			if strings.HasPrefix(m[1], "~") {
				tildes++
			}
			continue
		}
		if yamlTilde.MatchString(s) || yamlPath.MatchString(s) {
			l.use(s)
			paths, yes = paths+1, true
			if yamlTilde.MatchString(s) {
				tildes++
			}
			continue
		}
		left, _, _ := strings.Cut(s, " -> ")
		m := yamlFile.FindStringSubmatch(left)
		missing := strings.Contains(s, "extra_model_paths") && slices.ContainsFunc(noSuchFile, func(p string) bool { return strings.Contains(strings.ToLower(s), p) })
		switch {
		case missing:
			asked = true
		case strings.HasSuffix(strings.TrimSpace(s), "extra_model_paths.yaml.example") && !strings.Contains(l.command, ".example"):
			l.use(s)
			asked = true // a list in which the file itself would stand
		case m != nil && m[1] == "yaml":
			l.use(s)
			yes = true
		case m != nil && !strings.Contains(s, "--extra-model-paths-config"):
			l.use(s)
			wrong = true
		}
	}
	if l.says(yamlBad...) {
		yes = true
		l.find(guide.Warn, "yaml-broken")
	}
	if paths > 0 {
		l.set("paths_with_tilde", tildes)
	}
	if yes || wrong || asked {
		l.set("config_found", yes)
		l.set("wrong_extension", wrong && !yes)
	}
	if wrong && !yes {
		l.find(guide.Fail, "yml")
	}
	if tildes > 0 {
		l.find(guide.Warn, "tilde", "n", tildes)
	}
}

// leftOut reports whether a variable was asked for and isn't answered: the output
// was cut. "env" prints those that are set alone.
func (l *look) leftOut(dirs []kept) bool {
	if printsSet.MatchString(l.command) {
		return false
	}
	last := l.lines[max(len(l.lines)-1, 0):]
	return slices.ContainsFunc(cacheNames, func(name string) bool {
		if len(last) > 0 && last[0] != "" && strings.HasPrefix(name, last[0]) {
			return true
		}
		at := strings.Index(l.command, name)
		return at >= 0 && !slices.ContainsFunc(dirs, func(k kept) bool { return k.name == name })
	})
}

var printsSet = guide.Regexp(`(?:^|[;&|]\s*)(?:env|printenv|export -p|set)\s*(?:\||$)`)

// yamlUnanswered reports whether a list was asked in which the file would stand,
// and nothing of it is there.
func (l *look) yamlUnanswered(dirs []kept) bool {
	if !strings.Contains(l.command, "extra_model_paths") || l.facts["config_found"] != nil {
		return false
	}
	// Our own command looks for the file where a user interface was found.
	return !strings.Contains(l.command, "ui: ") || strings.Contains(l.command, "ui: none") && !l.says("ui: none") || slices.ContainsFunc(dirs, func(k kept) bool { return k.name == "ui" })
}

// cacheSize reads what du says of the cache.
func (l *look) cacheSize() {
	scale := float64(kib)
	for _, c := range calling(l.asked("du"), "du") {
		if c.short('b') || c.has("--bytes") {
			scale = 1
		} else if c.short('m') {
			scale = mib
		}
	}
	for _, s := range l.lines {
		m := duLine.FindStringSubmatch(s)
		if m == nil || dfLine.MatchString(s) {
			continue
		}
		v, ok := bytesOf(m[1])
		if last := m[1][len(m[1])-1]; last >= '0' && last <= '9' && m[1] != "0" {
			v *= scale
		}
		if ok {
			l.use(s)
			l.set("cache_gib", v/gib)
			return
		}
	}
}
