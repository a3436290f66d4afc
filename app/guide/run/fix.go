package run

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Fix mends what a check found, where that is safe: doing it twice is the same as
// doing it once, nothing is deleted, and Dry says what would be changed without
// changing it. Only the user starts it.
type Fix struct {
	ID    string
	Check guide.CheckID
	Says  texts.Phrase // what it does
	Shown string       // the exact text that Apply runs
	// Dry tells what would change; Apply changes it.
	Dry, Apply guide.Exec
}

// Fixes returns what can be mended of an outcome. p and v say where things shall
// lie; without a directory there is no fix that needs one.
func Fixes(o guide.Outcome, p provider.Profile, v Values) []Fix {
	v, err := v.clean()
	if err != nil {
		return nil
	}
	if v[ValueDir] == "" {
		for _, d := range p.Dirs {
			if d.Holds == provider.HoldsData {
				v[ValueDir] = path.Clean(d.Path)
				break
			}
		}
	}
	has := func(codes ...string) bool {
		return slices.ContainsFunc(o.Findings, func(f guide.Finding) bool { return slices.Contains(codes, f.Code) })
	}
	var list []Fix
	add := func(f Fix, ok bool) {
		if ok {
			f.Check = o.Check
			list = append(list, f)
		}
	}
	switch o.Check {
	case guide.CachePersist:
		if has("unset", "layer", "on-root", "home-tilde", "ram", "read-only") {
			add(cacheFix(v))
		}
		if has("yml") {
			add(ymlFix(v))
		}
		if has("tilde") {
			add(tildeFix(v))
		}
	case guide.CPUCgroup:
		if has("shown", "omp") {
			add(threadsFix(o))
		}
	case guide.NetHF:
		if has("mirror-ignored", "dns", "refused", "connect-timeout", "no-route", "unreachable", "metadata") {
			add(mirrorFix(v))
		}
	}
	return list
}

// caches are the variables of downloads and their folders on the data disk.
var caches = [][2]string{{"HF_HOME", "huggingface"}, {"TORCH_HOME", "torch"}, {"PIP_CACHE_DIR", "pip"}}

// cacheFix puts downloads onto the disk that lasts.
func cacheFix(v Values) (Fix, bool) {
	dir := v[ValueDir]
	if dir == "" || dir == "/" {
		return Fix{}, false
	}
	var make, lines, dirs []string
	for _, c := range caches {
		d := path.Join(dir, "cache", c[1])
		dirs = append(dirs, d)
		make = append(make, word(d))
		lines = append(lines, "export "+c[0]+"="+word(d))
	}
	apply := "mkdir -p " + strings.Join(make, " ") + " &&\n" + addLines(lines)
	var dry strings.Builder
	for _, d := range dirs {
		dry.WriteString("if [ -d " + word(d) + " ]; then echo " + quote("is there: "+d) + "; else echo " + quote("would be made: "+d) + "; fi\n")
	}
	dry.WriteString(wouldAdd(lines))
	return fix("cache", texts.P("fix.cache", "dir", path.Join(dir, "cache")), dry.String(), apply), true
}

// threadsFix tells programs how many cores are really theirs.
func threadsFix(o guide.Outcome) (Fix, bool) {
	if cores := math.Floor(guide.Figure(o.Facts["effective_cores"])); cores >= 1 && cores < 1<<16 {
		n := int(cores)
		lines := []string{"export OMP_NUM_THREADS=" + strconv.Itoa(n)}
		return fix("threads", texts.P("fix.threads", "n", n), wouldAdd(lines), addLines(lines)), true
	}
	return Fix{}, false
}

// mirrorFix sets the mirror that the user named for this instance.
func mirrorFix(v Values) (Fix, bool) {
	if v[ValueHFEndpoint] == "" {
		return Fix{}, false
	}
	lines := []string{"export HF_ENDPOINT=" + word(v[ValueHFEndpoint])}
	return fix("mirror", texts.P("fix.mirror", "url", v[ValueHFEndpoint]), wouldAdd(lines), addLines(lines)), true
}

// ymlFix gives the list of search paths the name that ComfyUI reads.
func ymlFix(v Values) (Fix, bool) {
	if v[ValueUIDir] == "" {
		return Fix{}, false
	}
	from, to := path.Join(v[ValueUIDir], "extra_model_paths.yml"), path.Join(v[ValueUIDir], "extra_model_paths.yaml")
	apply := "[ -e " + word(to) + " ] || cp -p " + word(from) + " " + word(to)
	dry := "if [ -e " + word(to) + " ]; then echo " + quote("is there: "+to) + "; else ls -l " + word(from) +
		" && echo " + quote("would be copied to: "+to) + "; fi"
	return fix("yml", texts.P("fix.yml", "file", to), dry, apply), true
}

// untilde writes the login's home for "~" at the beginning of a path, in a list of
// search paths.
const untilde = `sed "s|^\( *[A-Za-z_]*: *[\"']\{0,1\}\)~/|\1$HOME/|; s|^\( *\)~/|\1$HOME/|"`

// tildeFix writes whole paths, and keeps the file as it was beside it.
func tildeFix(v Values) (Fix, bool) {
	if v[ValueUIDir] == "" {
		return Fix{}, false
	}
	file := path.Join(v[ValueUIDir], "extra_model_paths.yaml")
	old, fresh := word(file+".before"), word(file+".new")
	f := word(file)
	apply := "[ -e " + old + " ] || cp -p " + f + " " + old + "\n" +
		untilde + " " + f + " >" + fresh + " && cat " + fresh + " >" + f + " && rm -f " + fresh
	dry := "[ -f " + f + " ] || { ls -l " + f + "; exit 1; }\n" + untilde + " " + f + " | while IFS= read -r l; do\n" +
		"  grep -qxF -e \"$l\" " + f + " || printf 'would be: %s\\n' \"$l\"\ndone"
	return fix("tilde", texts.P("fix.tilde", "file", file), dry, apply), true
}

func fix(id string, says texts.Phrase, dry, apply string) Fix {
	return Fix{
		ID: id, Says: says, Shown: apply,
		Dry: guide.Exec{Script: dry, Timeout: fixTime}, Apply: guide.Exec{Script: apply, Timeout: fixTime},
	}
}

const fixTime = 30 * time.Second

// addLines is shell text that puts lines at the end of ~/.bashrc, each once. The
// last line of the file may lack its end.
func addLines(lines []string) string {
	var b strings.Builder
	b.WriteString("touch ~/.bashrc && { [ -z \"$(tail -c 1 ~/.bashrc)\" ] || echo >>~/.bashrc; }")
	for _, l := range lines {
		b.WriteString(" &&\n{ " + isLast(l) + " || echo " + quote(l) + " >>~/.bashrc; }")
	}
	return b.String()
}

// isLast is shell text that succeeds where the line is the last one for its
// variable: that one holds.
func isLast(line string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
	return "[ \"$(sed -n '/^ *export *" + name + "=/p' ~/.bashrc | tail -n 1)\" = " + quote(line) + " ]"
}

// wouldAdd tells which lines addLines would add.
func wouldAdd(lines []string) string {
	var b strings.Builder
	b.WriteString("[ -e ~/.bashrc ] || echo 'would be made: ~/.bashrc'\n")
	for _, l := range lines {
		b.WriteString("if " + strings.Replace(isLast(l), "~/.bashrc |", "~/.bashrc 2>/dev/null |", 1) + "; then echo " +
			quote("is there: "+l) + "; else echo " + quote("would be added to ~/.bashrc: "+l) + "; fi\n")
	}
	return b.String()
}
