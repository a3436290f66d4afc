package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.Attn] = judgeAttn }

var (
	// attnLine is a line of our own: "xformers: ok", "flash-attn: not installed",
	// "sdpa: RuntimeError: ...".
	attnLine = guide.Regexp(`(?i)^\s*(sdpa|xformers|flash[-_ ]?attn|flash[-_ ]?attention|sage[-_ ]?attn|sage[-_ ]?attention)\s*[:=]\s*(\S.*)$`)
	// attnBare is such a line without a colon, where nothing but the answer follows.
	attnBare     = guide.Regexp(`(?i)^\s*(sdpa|xformers|flash[-_ ]?attn|flash[-_ ]?attention|sage[-_ ]?attn|sage[-_ ]?attention)((?: +v?\d[\w.+-]*)? +(?:ok|works|missing|not installed|not found|failed|error)\b.{0,60})$`)
	attnVersion  = guide.Regexp(`^v?\d+\.\d[\w.+-]*\s*`)
	attnUsing    = guide.Regexp(`(?i)\b(?:using|applying attention optimization:)\s+(pytorch|sdp|sdpa|xformers|sage|flash)\b`)
	attnTooNew   = guide.Regexp(`capability <= \((\d+), (\d+)\)`)
	attnHas      = guide.Regexp(`your GPU has capability \((\d+), (\d+)\)`)
	attnInfo     = guide.Regexp(`(?i)^\s*memory_efficient_attention\.\S+:\s+(available|unavailable)`)
	attnInfoCap  = guide.Regexp(`^\s*gpu\.compute_capability:\s+(\d+\.\d)`)
	attnInfoCUDA = guide.Regexp(`^\s*build\.cuda_version:\s+(\d+|None)`)
	attnDone     = guide.Regexp(`(?i)\bPrompt executed in\b`)
)

// attnBackends are the ways to compute attention, by the names of the facts.
var attnBackends = map[string]string{
	"sdpa": "sdpa", "sdp": "sdpa", "pytorch": "sdpa", "xformers": "xformers", "flash-attn": "flash-attn", "flashattn": "flash-attn", "flash": "flash-attn",
	"flash-attention": "flash-attn", "flashattention": "flash-attn", "sage": "sage", "sageattn": "sage", "sage-attn": "sage", "sageattention": "sage", "sage-attention": "sage",
}

func backendOf(s string) string {
	return attnBackends[strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(s))]
}

// judgeAttn judges what PyTorch can compute attention with. sdpa is built in;
// xformers and flash-attn have to be built for the card.
func judgeAttn(l *look) {
	l.attnFacts()
	tried := l.attnTried()
	raised := l.attnRaised()
	if raised != "" {
		l.set("backend", raised)
	}
	switch {
	case len(tried) > 0:
		l.judgeTried(tried)
	case raised != "":
		l.attnFail(raised)
	case l.noInterpreter():
	default:
		l.judgeAttnLog()
	}
}

// attnFail says what to do about a backend that raises.
func (l *look) attnFail(backend string) {
	capability, _ := l.facts["capability"].(string)
	most, _ := l.facts["max_capability"].(string)
	switch {
	case l.facts["built_with_cuda"] == false:
		l.find(guide.Fail, "no-cuda-build", "backend", backend)
	case most != "" && capability != "":
		l.find(guide.Fail, "too-new", "backend", backend, "capability", capability, "most", most)
	case backend == "sdpa":
		l.find(guide.Fail, "sdpa", "backend", backend)
	default:
		l.find(guide.Fail, "raises", "backend", backend)
	}
}

// attnFacts notes capabilities and whether a build has code for CUDA.
func (l *look) attnFacts() {
	if m := l.line(attnHas); m != nil {
		l.set("capability", m[1]+"."+m[2])
	} else if m := l.line(attnInfoCap); m != nil {
		l.set("capability", m[1])
	}
	most := ""
	for _, m := range l.each(attnTooNew) {
		if v := m[1] + "." + m[2]; most == "" || newer(v, most) > 0 {
			most = v
		}
	}
	if most != "" {
		l.set("max_capability", most)
	}
	switch m := l.line(attnInfoCUDA); {
	case l.says("wasn't build with cuda support", "wasn't built with cuda support", "can't load c++/cuda extensions", "was not built with cuda", "not compiled with cuda"):
		l.set("built_with_cuda", false)
	case m != nil:
		l.set("built_with_cuda", startsWithDigit(m[1]))
	}
}

// attnTried is what our own lines say, by backend: "ok", "missing" or "error".
func (l *look) attnTried() map[string]string {
	tried := map[string]string{}
	for _, s := range l.lines {
		m := attnLine.FindStringSubmatch(s)
		if m == nil {
			m = attnBare.FindStringSubmatch(s)
		}
		if m == nil {
			continue
		}
		l.use(s)
		state := attnAnswer(strings.ToLower(straight.Replace(strings.TrimSpace(m[2]))))
		if have := tried[backendOf(m[1])]; have == "" || have == "ok" { // the worse of two
			tried[backendOf(m[1])] = state
		}
	}
	return tried
}

// attnAnswer is the state that an answer to a trial says, in lower case.
func attnAnswer(answer string) string {
	answer = strings.TrimSpace(attnVersion.ReplaceAllString(answer, ""))
	first, _, _ := strings.Cut(strings.NewReplacer(",", " ", ";", " ", "(", " ", ":", " ").Replace(answer)+" ", " ")
	switch {
	case strings.Contains(answer, "no module named") || strings.Contains(answer, "not installed"), strings.HasPrefix(answer, "not found"), first == "missing", answer == "false":
		return "missing"
	case slices.Contains([]string{"ok", "works", "pass", "passed"}, first), answer == "true", strings.HasPrefix(answer, "torch.size("):
		return "ok"
	}
	return "error"
}

// judgeTried judges our own trial of each backend. What is not installed is not
// in the way.
func (l *look) judgeTried(tried map[string]string) {
	fast, broken := "", ""
	for _, b := range []string{"xformers", "flash-attn", "sage"} {
		switch {
		case tried[b] == "ok" && fast == "":
			fast = b
		case tried[b] == "error" && broken == "":
			broken = b
		}
	}
	switch {
	case fast != "":
		l.set("backend", fast)
		l.find(guide.Pass, "ok", "backend", fast)
	case tried["sdpa"] == "ok":
		l.set("backend", "sdpa")
		if broken != "" {
			l.find(guide.Warn, "only-sdpa-broken", "backend", broken)
		} else {
			l.find(guide.Warn, "only-sdpa")
		}
	case tried["sdpa"] != "" || len(tried) > 1:
		l.find(guide.Fail, "none")
	case broken != "":
		l.set("backend", broken)
		l.attnFail(broken)
	default:
		l.find(guide.Warn, "not-proven")
	}
	if fast != "" && l.in.Exit != 0 && !l.piped() {
		l.find(guide.Warn, "exit", "exit", l.in.Exit)
	}
}

// attnRaised is the backend that a traceback or a log names as raising, "" where
// none does.
func (l *look) attnRaised() string {
	using := l.attnUsed()
	switch {
	case l.says("memory_efficient_attention"), l.says("xformers") && l.says("can't load c++/cuda extensions", "no module named 'xformers'", "wasn't build with cuda", "undefined symbol"):
		if l.says("no operator found", "notimplementederror", "not supported because", "can't load c++/cuda extensions", "requires device with capability", "wasn't build with cuda") || using == "xformers" && l.says("error:", "no module named") ||
			l.says("no module named 'xformers'") {
			return "xformers"
		}
	case l.says("no module named 'xformers'"):
		return "xformers"
	case l.says("flashattention only supports", "flash attention only supports", "flashattention forward only supports", "no module named 'flash_attn'", "following packages that were not found in your environment: flash_attn",
		"flash_attn seems to be not installed", "flashattention2 has been toggled on, but it cannot be used"):
		return "flash-attn"
	case l.says("flash_attn") && l.says("undefined symbol", "importerror", "no kernel image", "runtimeerror"):
		return "flash-attn"
	case l.says("no module named 'sageattention'"), l.says("sageattn", "sageattention") && l.says("runtimeerror", "importerror", "no kernel image", "unsupported cuda architecture"):
		return "sage"
	case l.says("no available kernel") || l.says("scaled_dot_product_attention") && l.says("runtimeerror"):
		return "sdpa"
	case l.says("could not run 'xformers::"), l.says("xformers/ops", "xformers_attention_forward") && l.says("no kernel image", "cuda error"):
		return "xformers"
	case l.says("requires device with capability"), l.says("not supported because") && l.says("capability"):
		return "xformers"
	}
	if using != "" && l.says("no kernel image is available", "cuda error:") {
		return using
	}
	return ""
}

// attnUsed is the backend that a UI's log says it uses.
func (l *look) attnUsed() string {
	used := ""
	for _, s := range l.lines {
		if m := attnUsing.FindStringSubmatch(s); m != nil {
			l.use(s)
			used = backendOf(m[1])
		}
	}
	return used
}

// judgeAttnLog judges a log without an error: that a backend is used proves it
// only with a picture behind it.
func (l *look) judgeAttnLog() {
	used := l.attnUsed()
	available := 0
	for _, m := range l.each(attnInfo) {
		if strings.EqualFold(m[1], "available") {
			available++
		}
	}
	if used == "" && available == 0 {
		if len(l.each(attnInfo)) > 0 {
			l.set("backend", "xformers")
			l.find(guide.Fail, "raises", "backend", "xformers")
		} else if l.says("no kernel image is available") {
			l.find(guide.Fail, "none")
		}
		return
	}
	if used == "" {
		used = "xformers"
	}
	l.set("backend", used)
	switch {
	case l.says("traceback", "error:", "exception"):
		l.find(guide.Warn, "error-beside", "backend", used)
	case used == "sdpa":
		l.find(guide.Warn, "only-sdpa")
	case l.line(attnDone) == nil:
		l.find(guide.Warn, "not-proven-log", "backend", used)
	default:
		l.find(guide.Pass, "ok", "backend", used)
	}
}
