package texts

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// banned are the words that stand for something else on the face: one word, one
// thing. Where a word is right in company, except says in which. The command
// line keeps the field's exact terms, so its texts are not read here.
var banned = map[Lang][]struct {
	word   string
	except string // a pattern of what may hold the word
	say    string
}{
	English: {
		{`images?`, `system images?`, "picture, system image or snapshot"},
		{`checkpoints?`, ``, "saved progress"},
		{`batch(es)?`, ``, "long run"},
		{`steps?`, `next steps?`, "item n"},
		{`samples?|sampling`, ``, "reading"},
		{`memory`, ``, "VRAM or RAM"},
		{`shared`, `shared \(container\)|shared with`, "shared (container)"},
		{`dedicated`, `dedicated \(whole machine\)`, "dedicated (whole machine)"},
		{`neighbours?`, ``, "other tenants"},
		{`agents?`, `ssh-agent|agent forwarding`, "probe"},
		{`basic mode`, ``, "simple readings"},
		{`recordings?|record`, ``, "log"},
		{`footage|playback|replays?|films?`, ``, "log"},
		{`break-even`, ``, "monthly pays from"},
		{`flip points?`, ``, "what would change this"},
		{`veto(es)?`, ``, "ruled out, because"},
		{`fits|tight`, ``, "enough, just enough"},
		{`throttl(e|ed|ing)`, ``, "slowed by power or by heat"},
		{`xid`, ``, "GPU error n"},
		{`fingerprints?`, ``, "machine identity"},
		{`quotes?`, ``, "offer"},
		{`tickets?`, ``, "message to the provider"},
		{`oops|sorry|whoops`, ``, "what is so, then what to do"},
	},
	Chinese: {
		{`镜像`, `系统镜像|镜像站`, "图、系统镜像、快照"}, // 镜像站 is a mirror of downloads
		{`检查点`, ``, "已保存的进度"},
		{`批次|步骤|样本|采样`, ``, "连续出图、第 n 项、读数"},
		{`视频内存`, ``, "显存"},
		{`共享`, `共享平台`, "共享平台（容器）"},
		{`独享`, `独享整机`, "独享整机"},
		{`邻居`, ``, "同机其他租户"},
		{`代理|探针`, `代理命令|SSH\s代理`, "采集小程序"},
		{`录制|录像|回放`, ``, "监测记录"},
		{`盈亏平衡|否决|指纹`, ``, "每月用满…才划算、这项条件不满足、机器身份码"},
		{`报价`, `报价方案`, "报价方案"},
		{`(?i)xid`, ``, "显卡报错 n"},
		{`抱歉|哎呀`, ``, "先说情况，再说怎么办"},
	},
}

// excused are texts that need the exact word, with the reason.
var excused = map[string]string{
	"connect.secret.memory":         "memory here is what the program forgets, not a size",
	"connect.upload.memory":         "the same",
	"plan.f.steps":                  "every painting program calls this number so",
	"plan.f.training_steps":         "the same",
	"bill.formula.rerun_steps":      "the same",
	"bill.input.save_steps":         "the same",
	"bill.fact.save_steps":          "the same",
	"billpage.s.save":               "the same",
	"workflow.bad.neither":          "the line that these programs write",
	"workflow.miss.tiles":           "what the workflow calls it",
	"workflow.note.hires":           "the same",
	"workflow.note.hires_of":        "the same",
	"check.mem.cgroup.killed.do":    "names of files of the kernel",
	"check.mem.cgroup.no-limit.do":  "the same",
	"check.mem.cgroup.oom-other.do": "the same",
}

func TestWords(t *testing.T) {
	for _, l := range Langs() {
		for _, b := range banned[l] {
			word := regexp.MustCompile(b.word)
			if l == English {
				word = regexp.MustCompile(`(?i)\b(` + b.word + `)\b`)
			}
			var fine *regexp.Regexp
			if b.except != "" {
				fine = regexp.MustCompile(`(?i)` + b.except)
			}
			for _, k := range For(l).Keys() {
				if strings.HasPrefix(k, "cli.") || excused[k] != "" {
					continue
				}
				s := placeholder.ReplaceAllString(For(l).T(k), "")
				if fine != nil {
					s = fine.ReplaceAllString(s, "")
				}
				if w := word.FindString(s); w != "" {
					t.Errorf("%s: %s says %q in %q; the word is %q", l, k, w, For(l).T(k), b.say)
				}
			}
		}
	}
}

func TestNoExclamationMarks(t *testing.T) {
	for _, l := range Langs() {
		for _, k := range For(l).Keys() {
			if s := For(l).T(k); strings.ContainsAny(s, "!！") {
				t.Errorf("%s: %s has an exclamation mark: %q", l, k, s)
			}
		}
	}
}

// TestChinesePunctuation finds half-width marks beside Chinese characters.
func TestChinesePunctuation(t *testing.T) {
	c := For(Chinese)
	for _, k := range c.Keys() {
		rs := []rune(c.T(k))
		for i, r := range rs {
			if !strings.ContainsRune(`,;:?()"'.`, r) {
				continue
			}
			before := i > 0 && unicode.Is(unicode.Han, rs[i-1])
			after := i+1 < len(rs) && unicode.Is(unicode.Han, rs[i+1])
			if before || after && r != '.' && r != '"' && r != '\'' {
				t.Errorf("%s: half-width %q beside Chinese in %q", k, r, c.T(k))
				break
			}
		}
	}
}

// TestChineseIsWritten finds Chinese texts that were left in English.
func TestChineseIsWritten(t *testing.T) {
	for _, k := range For(Chinese).Keys() {
		s := placeholder.ReplaceAllString(For(Chinese).T(k), "")
		en := placeholder.ReplaceAllString(For(English).T(k), "")
		words := len(strings.Fields(en))
		if words > 3 && s == en {
			t.Errorf("%s is English in Chinese: %q", k, s)
		}
	}
}
