package advice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/assets/texts"
)

// cover says where a requirement is met: texts (with words that one of them
// must hold, in English and Chinese), terms of an offer, lines of a bill, items
// of the advice; or why it is not shown.
type cover struct {
	keys   []string
	en, zh string // patterns
	terms  []offer.TermID
	lines  []string
	asks   []string // questions whose answer changes an advice
	hidden string
}

func says(en, zh string, keys ...string) cover {
	for i := range keys {
		keys[i] = "article." + keys[i]
	}
	return cover{keys: keys, en: en, zh: zh}
}

func (c cover) with(terms ...offer.TermID) cover { c.terms = terms; return c }
func (c cover) on(lines ...string) cover         { c.lines = lines; return c }
func (c cover) asking(items ...string) cover     { c.asks = items; return c }

func row(id, en, zh string) cover {
	return says(en, zh, "table."+id+".name", "table."+id+".shared", "table."+id+".dedicated")
}

const unsourced = "claimed without a source: not shown as a fact"

var coverage = map[string]cover{
	"R001": says("quick to start", "开通快", "why.shared"),
	"R002": says("set up as you like", "想怎么配就怎么配", "why.dedicated"),
	"R003": says("peaks", "高峰", "why.track_shared"),
	"R004": says("sensitive", "敏感", "why.track_dedicated"),
	"R005": says("VRAM", "显存", "why.decide").asking("duration", "sensitivity", "rights"),
	"R006": says("job comes first", "先问任务", "why.task_first"),
	"R007": says("one bill", "同一张账单", "example.one_bill"),
	"R008": says("price of an hour", "单价", "example.not_unit_price"),
	"R009": says("three hours", "三个小时", "example.three_hours"),
	"R010": says("month", "一个月", "example.one_month"),
	"R011": says("peaks and valleys", "高峰和低谷", "why.valleys").asking("load"),
	"R012": says("whole card", "整张卡", "why.whole"),
	"R013": {hidden: unsourced},
	"R014": says("Training|pictures|Peaks", "训练|出图|高峰", "group.training", "group.running", "group.peaks"),
	"R015": says("pool", "一池", "why.pool"),
	"R016": says("containers", "容器", "why.pool"),
	"R017": says("seat", "工位", "why.desk"),
	"R018": says("load-testing an API", "API 压测", "use.serving"),
	"R019": says("by the hour", "按小时", "use.by_the_hour"),
	"R020": says("courses and homework", "作业", "use.coursework"),
	"R021": says("PyTorch", "PyTorch", "use.ready_system"),
	"R022": says("AI painting.*videos.*converting", "AI 绘画.*短视频.*转码", "use.first_paintings"),
	"R023": says("no idle card", "不为空着的卡付钱", "use.run_and_leave"),
	"R024": says("CI tests", "CI 测试", "use.short_peaks"),
	"R025": says("by night", "夜里", "use.day_and_night"),
	"R026": says("fine-tuning", "微调", "use.light_tuning"),
	"R027": says("first", "先", "use.try_first"),
	"R028": {hidden: unsourced},
	"R029": says("careful", "慎重", "why.careful").asking("sensitivity", "rights"),
	"R030": says("money", "花钱", "pitfall.title"),
	"R031": says("no one monthly price", "没有标准", "pitfall.no_single_price.title"),
	"R032": says("term.*disk.*bandwidth.*IP.*snapshots", "租期.*硬盘.*带宽.*IP.*快照", "pitfall.no_single_price.text"),
	"R033": says("monthly", "包月", "pitfall.monthly_long.text").on(sheet.LinePackage, sheet.LineOverage),
	"R034": says("pay for hours", "按小时付", "pitfall.metered_short.text").on(sheet.LineCompute),
	"R035": says("every item", "逐项", "pitfall.whole_offer.text"),
	"R036": says("second.*hour.*day", "按秒.*按小时.*按天", "pitfall.granularity.text").with(offer.Granularity),
	"R037": says("while stopped", "停机后", "pitfall.stop_bills.text").with(offer.StopCompute, offer.StopSystemDisk, offer.StopDataDisk),
	"R038": says("system disk", "系统盘", "pitfall.hidden_disk.text").with(offer.SystemDisk),
	"R039": says("GB of data disk", "数据盘每 GB", "pitfall.hidden_disk.text").with(offer.DataDiskDay, offer.DataDiskMonth),
	"R040": says("Snapshots and system images", "快照和系统镜像|保存下来", "pitfall.snapshot_fee.title", "pitfall.snapshot_fee.text").with(offer.SnapshotPrice, offer.ImagePrice),
	"R041": says("bandwidth", "公网带宽", "pitfall.network_fee.text").with(offer.Bandwidth),
	"R042": says("traffic package", "流量包", "pitfall.network_fee.text").with(offer.TrafficPack),
	"R043": says("private network", "内网", "pitfall.network_fee.text").with(offer.PrivateNet),
	"R044": says("another region", "跨地域", "pitfall.network_fee.text").with(offer.CrossRegion),
	"R045": says("root", "root", "pitfall.rights_said.text").with(offer.Root),
	"R046": says("driver, CUDA and Docker", "驱动、CUDA 和 Docker", "pitfall.rights_said.text").with(offer.OwnDriver, offer.Docker),
	"R047": says("take an instance away", "收回实例", "pitfall.interruption.text").with(offer.Interruption),
	"R048": says("maintenance", "维护", "pitfall.interruption.text").with(offer.Maintenance),
	"R049": says("CPU cores.*RAM.*disk", "CPU 核数.*内存.*本地盘", "pitfall.weak_host.text").with(offer.CPUCores, offer.RAM, offer.DiskSpeed),
	"R050": says("Strong card, weak machine", "卡强机弱", "pitfall.weak_host.title"),
	"R051": says("idled", "空闲", "pitfall.idle_reclaim.title").with(offer.IdleReclaim),
	"R052": says("billed|interrupt", "收费|中断", "pitfall.snapshot_fee.text", "pitfall.interruption.title"),
	"R053": says("low cost", "单价低", "pitfall.cheap_not_low.title"),
	"R054": says("paid twice", "两次", "pitfall.rerun.text").on(sheet.LineRerun),
	"R055": says("side by side", "对照", "table.title"),
	"R056": says("What|Shared|Dedicated", "看什么|共享|独享", "table.dimension", "table.shared", "table.dedicated"),
	"R057": row("ownership", "many tenants", "许多租户"),
	"R058": row("stability", "other tenants", "其他租户"),
	"R059": row("billing", "idle time", "闲着"),
	"R060": row("rights", "container", "容器"),
	"R061": row("isolation", "encrypt", "加密"),
	"R062": row("tasks", "Long training", "长时间训练"),
	"R063": row("duty", "provider looks after", "平台管"),
	"R064": says("when it matters", "关键时刻", "differ.title"),
	"R065": says("benchmark", "跑分", "differ.reliable"),
	"R066": says("slice", "那一份", "differ.slice"),
	"R067": says("full control", "完全控制", "differ.control"),
	"R068": says("queue|before the first picture", "排队|之前的等待", "differ.queue", "pitfall.slow_start.title"),
	"R069": says("queue", "排队", "differ.queue").with(offer.QueueWait),
	"R070": says("system image", "系统镜像", "differ.pull").with(offer.PullWait),
	"R071": says("data disk", "数据盘", "differ.load").with(offer.LoadWait).on(sheet.LineStart),
	"R072": says("half an hour", "几十分钟", "differ.measure"),
	"R073": says("stays the same", "固定", "differ.fixed"),
	"R074": {hidden: unsourced},

	"R138": says("measuring", "量一量", "paint.wait"),
	"R139": says("by the hour", "按小时", "paint.try"),
	"R140": says("clients", "客户", "paint.volume"),
	"R141": says("outlives a stop", "关机后还在不在", "paint.cache"),
	"R142": says("queue", "排队", "paint.peak"),
	"R143": says("ControlNet", "ControlNet", "paint.vram"),
	"R144": says("does nothing", "闲着也计费", "paint.idle").on(sheet.LineIdle),
	"R145": says("then do the long run", "再到独享整机", "paint.path"),
	"R146": says("Four items", "四项", "form.title"),
	"R147": says("quick start", "开得快", "form.shared"),
	"R148": says("steady whole card", "整卡稳定", "form.dedicated"),
	"R149": says("plain|task|VRAM|sensitive|idle", "清楚|多久|显存|敏感|闲着", "form.usually", "form.duration", "form.vram", "form.sensitivity", "form.idle").asking("duration", "sensitivity"),
	"R150": says("Questions", "常见问题", "qa.title"),
	"R151": says("other tenants slow", "其他租户影响", "qa.tenants.q"),
	"R152": says("scheduling", "调度", "qa.tenants.a"),
	"R153": says("suffer little", "影响不大", "qa.tenants.a"),
	"R154": says("interrupt.*VRAM.*network disk", "中断.*显存争用.*网络存储", "qa.tenants.a"),
	"R155": says("promised", "有资源保障", "qa.tenants.a").asking("steady_speed"),
	"R156": says("one person", "一个人", "qa.one_person.q"),
	"R157": says("continuous training.*always on.*private", "持续训练.*推理服务.*私有部署", "qa.one_person.a"),
	"R158": says("first and move", "稳定了再搬", "qa.one_person.a").asking("proven"),
	"R159": says("storage, bandwidth and the hours", "存储、带宽和运维时间", "qa.one_person.a").on(sheet.LineOps),
	"R160": says("long project", "长期项目", "qa.long_project.q"),
	"R161": says("continuous.*sensitive data", "持续.*敏感", "qa.long_project.a"),
	"R162": says("peaks.*short jobs", "高峰.*短任务", "qa.long_project.a"),
	"R163": says("nobody else.*driver.*steadily", "没有别人.*驱动.*稳定", "qa.long_project.a"),
	"R164": says("less effort", "更省事", "qa.long_project.a"),
}

// required are the requirements that the guide's texts answer.
func required() []string {
	var ids []string
	for n := 1; n <= 164; n++ {
		if n <= 74 || n >= 138 {
			ids = append(ids, fmt.Sprintf("R%03d", n))
		}
	}
	return ids
}

func TestEveryRequirementIsReachable(t *testing.T) {
	if n := len(required()); n != 101 || len(coverage) != n {
		t.Errorf("%d requirements, %d covered", n, len(coverage))
	}
	pages := map[texts.Lang]string{}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		pages[l] = GuideMarkdown(c, PlanPage) + GuideMarkdown(c, BillPage)
	}
	for _, id := range required() {
		c, ok := coverage[id]
		switch {
		case !ok:
			t.Errorf("%s is covered nowhere", id)
		case c.hidden != "" && len(c.keys) > 0:
			t.Errorf("%s is hidden and shown", id)
		case c.hidden == "" && len(c.keys) == 0:
			t.Errorf("%s has no text", id)
		}
		for _, l := range texts.Langs() {
			checkCover(t, id, c, texts.For(l), pages[l])
		}
	}
}

func checkCover(t *testing.T, id string, c cover, cat *texts.Catalogue, pages string) {
	t.Helper()
	pattern := c.en
	if cat.Lang == texts.Chinese {
		pattern = c.zh
	}
	var all string
	for _, k := range c.keys {
		if !cat.Has(k) {
			t.Errorf("%s: %s: no text %s", cat.Lang, id, k)
		}
		if !strings.Contains(pages, cat.T(k)) {
			t.Errorf("%s: %s: %s stands on no page", cat.Lang, id, k)
		}
		all += cat.T(k) + " "
	}
	all = strings.ReplaceAll(all, "\u2009", " ")
	if c.hidden == "" && !regexp.MustCompile("(?i)"+pattern).MatchString(all) {
		t.Errorf("%s: %s: %q isn't said in %q", cat.Lang, id, pattern, all)
	}
	for _, term := range c.terms {
		if len(PitfallsOfTerm(term)) == 0 {
			t.Errorf("%s: no pitfall belongs to the term %s", id, term)
		}
	}
	for _, line := range c.lines {
		if !slices.ContainsFunc(Pitfalls(), func(p string) bool { return slices.Contains(PitfallAt(p).Lines, line) }) {
			t.Errorf("%s: no pitfall stands at the line %s", id, line)
		}
	}
	for _, a := range c.asks {
		if !slices.ContainsFunc(trials(Questions{}), func(c changed) bool { return c.input == a }) || !cat.Has("advice.question."+a) {
			t.Errorf("%s: the advice doesn't ask for %s", id, a)
		}
	}
}

// TestEveryTextIsReachable compares the texts with what the functions list:
// none is missing, and none lies where nobody gets to.
func TestEveryTextIsReachable(t *testing.T) {
	keys := []string{
		"table.title", "table.dimension", "table.shared", "table.dedicated", "pitfall.title", "qa.title",
		"uses.shared", "uses.dedicated", "uses.item",
	}
	for _, r := range Table() {
		keys = append(keys, "table."+r.ID+".name", "table."+r.ID+".shared", "table."+r.ID+".dedicated")
	}
	for _, p := range Pitfalls() {
		keys = append(keys, "pitfall."+p+".title", "pitfall."+p+".text")
		if len(PitfallAt(p).Pages) == 0 {
			t.Errorf("the pitfall %s stands nowhere", p)
		}
	}
	for _, q := range QA() {
		keys = append(keys, "qa."+q+".q", "qa."+q+".a")
	}
	for _, u := range Uses() {
		keys = append(keys, "use."+u.ID, "group."+u.Group)
	}
	for _, p := range Parts() {
		keys = append(keys, p.Name+".title")
		for _, id := range p.IDs {
			keys = append(keys, p.Name+"."+id)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if len(Table()) != 7 || len(QA()) != 3 {
		t.Errorf("%d rows, %d questions", len(Table()), len(QA()))
	}
	for _, l := range texts.Langs() {
		var have []string
		for _, k := range texts.For(l).Keys() {
			if rest, ok := strings.CutPrefix(k, "article."); ok {
				have = append(have, rest)
			}
		}
		for _, k := range keys {
			if !slices.Contains(have, k) {
				t.Errorf("%s: no text article.%s", l, k)
			}
		}
		for _, k := range have {
			if !slices.Contains(keys, k) {
				t.Errorf("%s: article.%s is reachable nowhere", l, k)
			}
		}
	}
}

// TestNothingUnsourced looks for the claims that nobody proves.
func TestNothingUnsourced(t *testing.T) {
	claims := regexp.MustCompile(`(?i)experts?\b|ministry|consensus|专家|工信部|共识|业内`)
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, k := range c.Keys() {
			if !strings.HasPrefix(k, "article.") && !strings.HasPrefix(k, "advice.") {
				continue
			}
			if w := claims.FindString(c.T(k)); w != "" {
				t.Errorf("%s: %s claims by %q", l, k, w)
			}
		}
	}
}

// TestQuotationChecklist: every item of the checklist has a pitfall, and those
// that the list of requirements names are on it.
func TestQuotationChecklist(t *testing.T) {
	for _, d := range offer.Defs() {
		if d.Article && len(PitfallsOfTerm(d.ID)) == 0 {
			t.Errorf("%s belongs to no pitfall", d.ID)
		}
	}
	for n := 36; n <= 49; n++ {
		id := fmt.Sprintf("R%03d", n)
		for _, term := range coverage[id].terms {
			i := slices.IndexFunc(offer.Defs(), func(d offer.Def) bool { return d.ID == term })
			if i < 0 || !offer.Defs()[i].Article {
				t.Errorf("%s: %s isn't on the checklist", id, term)
			}
		}
	}
}

func TestPitfallsForABill(t *testing.T) {
	b := rig("Rig", 100, own(3))
	b.Unknown = []offer.Question{{Term: offer.IdleReclaim}}
	got := PitfallsFor(b)
	for _, want := range []string{"own_time", "idle_reclaim", "sunk_package", "no_single_price"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	if slices.Contains(got, "rerun") || slices.Contains(got, "granularity") {
		t.Errorf("%q holds what the bill doesn't meet", got)
	}
	if got := PitfallsFor(pod("Spot", 0, status(sheet.CannotFinish))); !slices.Contains(got, "rerun") {
		t.Errorf("%q", got)
	}
}

// TestMarkdown reads a whole page in both languages.
func TestMarkdown(t *testing.T) {
	rigged := rig("Rig | one\n# two", 1180, own(6))
	a := Give(Input{Questions: Questions{Duration: Long, Sensitivity: SomeData, Load: SteadyLoad}, Sheet: sheetOf(pod("Pod", 1500), rigged, pod("Small", 0, status(sheet.CardTooSmall)))})
	for l, want := range map[texts.Lang][]string{
		texts.English: {"# Advice", "First try the workflow on Pod", "¥1,180", "## Ruled out", "Small is ruled out", "## Because", "## What speaks against it", "## What would change this", "## Still open", "| How you pay |"},
		texts.Chinese: {"# 建议", "验证工作流", "¥1,180", "## 不能选的", "Small", "## 因为", "## 什么情况下结论会变", "## 还不清楚", "| 怎么付钱 |"},
	} {
		md := Markdown(texts.For(l), a)
		for _, w := range want {
			if !strings.Contains(md, w) {
				t.Errorf("%s: no %q in\n%s", l, w, md)
			}
		}
		if strings.Contains(md, "\n# two") {
			t.Errorf("%s: a name breaks the page:\n%s", l, md)
		}
	}
}
