package advice

import (
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

type scenario struct {
	name   string
	q      Questions
	fit    workload.Answer
	hours  []workload.Hours
	bills  []sheet.Bill
	chance []float64 // of the draws
	want   Choice
	offer  string
	second string
	out    []string // "item" of a kind, "item offer" of an offer, sorted
	basis  Basis    // "": by bills
}

func scenarios() []scenario {
	no := Questions{Proven: true}
	return []scenario{
		// The four people.
		{name: "student with a first 4090 by the hour", q: Questions{Duration: Short, Sensitivity: NoSecrets, Load: Peaks}, fit: fit("RTX 4090", "fits"), bills: []sheet.Bill{pod("AutoDL 4090", 62, doubt(55, 70), used(22, 26)), rig("Month card", 1180), mix("Mixed", "AutoDL 4090", "Month card", 1195)}, want: Shared, offer: "AutoDL 4090"},
		{name: "student with no offer yet", q: Questions{Duration: Short, Sensitivity: NoSecrets, Load: Peaks}, want: Shared, basis: ByQuestions},
		{name: "illustrator with client data under contract", q: Questions{Duration: Long, Sensitivity: ByContract, Load: SteadyLoad}, bills: []sheet.Bill{pod("Pod", 300), rig("Month card", 1180), mix("Mixed", "Pod", "Month card", 900)}, want: Dedicated, offer: "Month card", out: []string{"sensitivity"}},
		{name: "illustrator before any offer", q: Questions{Duration: Long, Sensitivity: ByContract, Load: SteadyLoad}, want: Dedicated, basis: ByQuestions, out: []string{"sensitivity"}},
		{name: "illustrator whose contract is over", q: Questions{Duration: Long, Sensitivity: SomeData, Load: SteadyLoad}, bills: []sheet.Bill{pod("Pod", 1500), rig("Month card", 1180), mix("Mixed", "Pod", "Month card", 1000)}, want: Validate, offer: "Pod", second: "Month card"},
		{name: "engineer with several pods and a proven workflow", q: Questions{Duration: Continuous, Sensitivity: NoSecrets, Load: SteadyLoad, Proven: true}, bills: []sheet.Bill{pod("Pod A", 2100), pod("Pod B", 1900), rig("Server", 1500, own(10))}, want: Dedicated, offer: "Server"},
		{name: "engineer who needs kernel modules", q: Questions{Kernel: true, Proven: true}, bills: []sheet.Bill{pod("Pod A", 100), bill("VM", offer.VM, offer.Hour, 900), rig("Server", 1500)}, want: Dedicated, offer: "VM", out: []string{"kernel"}},
		{name: "teacher with 30 students for three weeks", q: Questions{Duration: Short, Sensitivity: NoSecrets, Load: Peaks}, bills: []sheet.Bill{pod("30 pods", 720, used(200, 360)), rig("30 machines by the month", 35000), rig("30 machines by the week", 21000)}, want: Shared, offer: "30 pods"},
		{name: "teacher who wants every picture to take the same time", q: Questions{Duration: Short, Load: Peaks, Steady: true}, bills: []sheet.Bill{pod("30 pods", 720), pod("30 slices", 990, part(offer.Slice, true)), rig("30 machines", 35000)}, want: GuaranteedShare, offer: "30 slices"},

		// Cost decides.
		{name: "only shared", q: no, bills: []sheet.Bill{pod("Pod", 100)}, want: Shared, offer: "Pod"},
		{name: "only dedicated", q: no, bills: []sheet.Bill{rig("Rig", 100)}, want: Dedicated, offer: "Rig"},
		{name: "container by the month is a container", q: no, bills: []sheet.Bill{bill("Pod month", offer.Container, offer.Month, 100), rig("Rig", 200)}, want: Shared, offer: "Pod month"},
		{name: "container by the month under contract", q: Questions{Sensitivity: ByContract}, bills: []sheet.Bill{bill("Pod month", offer.Container, offer.Month, 100), rig("Rig", 200)}, want: Dedicated, offer: "Rig", out: []string{"sensitivity"}},
		{name: "metered whole machine under contract", q: Questions{Sensitivity: ByContract}, bills: []sheet.Bill{bill("VM hour", offer.VM, offer.Hour, 150), rig("Rig", 200)}, want: Dedicated, offer: "VM hour", out: []string{"sensitivity"}},
		{name: "metered whole machine needs no trying elsewhere", q: Questions{}, bills: []sheet.Bill{pod("Pod", 200), bill("VM hour", offer.VM, offer.Hour, 150)}, want: Dedicated, offer: "VM hour"},
		{name: "long habit doesn't outvote cost", q: Questions{Duration: Continuous, Load: SteadyLoad, Proven: true}, bills: []sheet.Bill{pod("Pod", 100), rig("Rig", 200)}, want: Shared, offer: "Pod"},
		{name: "short habit doesn't outvote cost", q: Questions{Duration: Short, Load: Peaks, Proven: true}, bills: []sheet.Bill{pod("Pod", 200), rig("Rig", 100)}, want: Dedicated, offer: "Rig"},
		{name: "a hidden offer doesn't count", q: no, bills: []sheet.Bill{pod("Pod", 100), rig("Rig", 10, func(b *sheet.Bill) { b.Offer.Hidden = true })}, want: Shared, offer: "Pod"},
		{name: "an offer without price isn't compared", q: no, bills: []sheet.Bill{pod("Pod", 100), rig("Rig", 0, status(sheet.NoPrice))}, want: Shared, offer: "Pod"},
		{name: "an offer without rate isn't compared", q: no, bills: []sheet.Bill{pod("Pod", 0, status(sheet.NoRate)), rig("Rig", 100)}, want: Dedicated, offer: "Rig"},

		// Ties.
		{name: "equal totals", q: no, bills: []sheet.Bill{pod("Pod", 100), rig("Rig", 100)}, want: Tie, offer: "Pod", second: "Rig"},
		{name: "bands that overlap much", q: no, bills: []sheet.Bill{pod("Pod", 100, doubt(60, 150)), rig("Rig", 102, doubt(70, 160))}, want: Tie, offer: "Pod", second: "Rig"},
		{name: "bands that overlap little", q: no, bills: []sheet.Bill{pod("Pod", 100, doubt(90, 130)), rig("Rig", 140, doubt(120, 160))}, want: Shared, offer: "Pod"},
		{name: "the draws call it a tie", q: no, bills: []sheet.Bill{pod("Pod", 100, doubt(80, 160)), rig("Rig", 120, doubt(80, 140))}, chance: []float64{0.45, 0.55}, want: Tie, offer: "Pod", second: "Rig"},
		{name: "the draws call it clear", q: no, bills: []sheet.Bill{pod("Pod", 100, doubt(60, 150)), rig("Rig", 104, doubt(70, 160))}, chance: []float64{0.9, 0.1}, want: Shared, offer: "Pod"},
		{name: "draws of offers that are ruled out say nothing", q: Questions{Proven: true, Docker: true}, bills: []sheet.Bill{pod("Cheap", 20), pod("Pod", 100, term(offer.Docker, "true")), rig("Rig", 300)}, chance: []float64{0.9, 0.05, 0.05}, want: Shared, offer: "Pod", out: []string{"docker Cheap"}},
		{name: "draws of a ruled-out offer are too many to trust the rest", q: Questions{Proven: true, Docker: true}, bills: []sheet.Bill{pod("Cheap", 90), pod("Pod", 100, doubt(80, 130), term(offer.Docker, "true")), rig("Rig", 140, doubt(120, 160))}, chance: []float64{0.4, 0.3, 0.3}, want: Shared, offer: "Pod", out: []string{"docker Cheap"}},
		{name: "bands that don't touch are no tie, whatever was drawn", q: no, bills: []sheet.Bill{pod("Pod", 100, doubt(90, 110)), rig("Rig", 130, doubt(120, 140))}, chance: []float64{0.5, 0.5}, want: Shared, offer: "Pod"},
		{name: "two shared offers that tie are no tie of kinds", q: no, bills: []sheet.Bill{pod("B", 100), pod("A", 100), rig("Rig", 300)}, want: Shared, offer: "A"},
		{name: "staying and moving cost the same", q: Questions{FailShare: share(0.2)}, bills: []sheet.Bill{pod("Pod", 105, doubt(60, 150)), rig("Rig", 300), mix("Mixed", "Pod", "Rig", 100, doubt(60, 150))}, want: Tie, offer: "Pod", second: "Rig"},

		// What rules out.
		{name: "contract and no machine of one's own", q: Questions{Sensitivity: ByContract}, bills: []sheet.Bill{pod("Pod", 100)}, want: Nothing, out: []string{"sensitivity"}},
		{name: "contract and a part of a card in a virtual machine", q: Questions{Sensitivity: ByContract}, bills: []sheet.Bill{bill("vGPU", offer.VM, offer.Hour, 50, part(offer.VGPU, false)), rig("Rig", 100)}, want: Dedicated, offer: "Rig", out: []string{"sensitivity"}},
		{name: "some care rules nothing out", q: Questions{Sensitivity: SomeData, Proven: true}, bills: []sheet.Bill{pod("Pod", 100), rig("Rig", 200)}, want: Shared, offer: "Pod"},
		{name: "the cheaper card is too small", q: no, bills: []sheet.Bill{pod("4060", 0, status(sheet.CardTooSmall), card("RTX 4060")), pod("4090", 100), rig("Rig", 300)}, want: Shared, offer: "4090", out: []string{"vram 4060"}},
		{name: "too small by the catalogue", q: no, fit: fit("RTX 4060", "no", "RTX 4090", "fits"), bills: []sheet.Bill{pod("4060", 20, card("RTX 4060")), rig("Rig", 300)}, want: Dedicated, offer: "Rig", out: []string{"vram 4060"}},
		{name: "slower is not ruled out", q: no, fit: fit("RTX 4060", "offload", "RTX 4090", "fits"), bills: []sheet.Bill{pod("4060", 20, card("RTX 4060")), rig("Rig", 300)}, want: Shared, offer: "4060"},
		{name: "every card is too small", q: no, bills: []sheet.Bill{pod("A", 0, status(sheet.CardTooSmall)), rig("B", 0, status(sheet.CardTooSmall))}, want: Nothing, out: []string{"vram A", "vram B"}},
		{name: "no card anywhere", q: Questions{Duration: Short}, fit: fit("RTX 4090", "no", "H100", "no"), want: Nothing, basis: ByQuestions, out: []string{"vram"}},
		{name: "root of the machine", q: Questions{Root: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100, term(offer.Root, "true")), rig("Rig", 200)}, want: Dedicated, offer: "Rig", out: []string{"root"}},
		{name: "root that a machine doesn't give", q: Questions{Root: true, Proven: true}, bills: []sheet.Bill{bill("VM", offer.VM, offer.Hour, 90, term(offer.Root, "false")), rig("Rig", 200)}, want: Dedicated, offer: "Rig", out: []string{"root", "root VM"}},
		{name: "own driver in a container", q: Questions{Driver: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100, term(offer.OwnDriver, "true"))}, want: Nothing, out: []string{"driver"}},
		{name: "own driver on a vGPU", q: Questions{Driver: true, Proven: true}, bills: []sheet.Bill{bill("vGPU", offer.VM, offer.Hour, 50, part(offer.VGPU, false)), rig("Rig", 100)}, want: Dedicated, offer: "Rig", out: []string{"driver"}},
		{name: "root on a vGPU machine is root", q: Questions{Root: true, Proven: true}, bills: []sheet.Bill{bill("vGPU", offer.VM, offer.Hour, 50, part(offer.VGPU, false)), pod("Pod", 20), rig("Rig", 100)}, want: Shared, offer: "vGPU", out: []string{"root Pod"}},
		{name: "Docker where the container has it", q: Questions{Docker: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100, term(offer.Docker, "true")), pod("Bare", 50), rig("Rig", 200)}, want: Shared, offer: "Pod", out: []string{"docker Bare"}},
		{name: "Docker where pages contradict", q: Questions{Docker: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100, term(offer.Docker, "true", "false")), rig("Rig", 200)}, want: Dedicated, offer: "Rig", out: []string{"docker"}},
		{name: "two cards together", q: Questions{MultiCard: 2, Proven: true}, bills: []sheet.Bill{pod("One", 50), pod("Two", 120, cards(2)), rig("Rig", 300, cards(4))}, want: Shared, offer: "Two", out: []string{"multi_card One"}},
		{name: "two parts of a card don't work together", q: Questions{MultiCard: 2, Proven: true}, bills: []sheet.Bill{pod("Slices", 50, cards(2), part(offer.Slice, false)), rig("Rig", 300, cards(2))}, want: Dedicated, offer: "Rig", out: []string{"multi_card Slices"}},
		{name: "interruptions that don't let it end", q: no, bills: []sheet.Bill{pod("Spot", 0, status(sheet.CannotFinish)), rig("Rig", 300)}, want: Dedicated, offer: "Rig", out: []string{"finish Spot"}},
		{name: "everything ruled out, each for its own reason", q: Questions{MultiCard: 2, Proven: true}, bills: []sheet.Bill{pod("One", 50), rig("Rig", 0, status(sheet.CardTooSmall), cards(2))}, want: Nothing, out: []string{"multi_card One", "vram Rig"}},

		// Trying first.
		{name: "mixed is the cheapest", q: Questions{FailShare: share(0.3)}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180), mix("Mixed", "Pod", "Rig", 860)}, want: Validate, offer: "Pod", second: "Rig"},
		{name: "mixed is the cheapest but the workflow is proven", q: Questions{Proven: true}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180), mix("Mixed", "Pod", "Rig", 860)}, want: Dedicated, offer: "Rig"},
		{name: "a package and nobody knows whether it works", q: Questions{}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180)}, want: Validate, offer: "Pod", second: "Rig"},
		{name: "a package, a typed chance, and no bill that weighs it", q: Questions{FailShare: share(0.2)}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180)}, want: Validate, offer: "Pod", second: "Rig"},
		{name: "a package, and a bill has weighed the chance", q: Questions{FailShare: share(0.01)}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180), mix("Mixed", "Pod", "Rig", 1300)}, want: Dedicated, offer: "Rig"},
		{name: "a package that can't fail", q: Questions{FailShare: share(0)}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180)}, want: Dedicated, offer: "Rig"},
		{name: "nowhere to try", q: Questions{}, bills: []sheet.Bill{rig("Rig", 1180)}, want: Dedicated, offer: "Rig"},
		{name: "mixed over an offer that is ruled out", q: Questions{Docker: true}, bills: []sheet.Bill{pod("Pod", 1500), rig("Rig", 1180), mix("Mixed", "Pod", "Rig", 860)}, want: Dedicated, offer: "Rig", out: []string{"docker"}},
		{name: "mixed whose parts have no names", q: Questions{FailShare: share(0.3)}, bills: []sheet.Bill{pod("Pod", 1500), pod("Pod month", 1300, func(b *sheet.Bill) { b.Offer.Payment.Unit = offer.Month }), rig("Rig", 1180), mix("Mixed", "", "", 860)}, want: Validate, offer: "Pod", second: "Rig"},

		// Steady speed.
		{name: "steady and a promised share", q: Questions{Steady: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100), pod("Share", 200, part(offer.Slice, true)), rig("Rig", 900)}, want: GuaranteedShare, offer: "Share"},
		{name: "steady and a cheaper whole machine", q: Questions{Steady: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100), pod("Share", 900, part(offer.Slice, true)), rig("Rig", 200)}, want: Dedicated, offer: "Rig"},
		{name: "steady and nothing that promises it", q: Questions{Steady: true, Proven: true}, bills: []sheet.Bill{pod("Pod", 100), pod("Slice", 90, part(offer.Slice, false))}, want: Shared, offer: "Slice"},
		{name: "steady under contract", q: Questions{Steady: true, Sensitivity: ByContract}, bills: []sheet.Bill{pod("Share", 100, part(offer.Slice, true)), rig("Rig", 900)}, want: Dedicated, offer: "Rig", out: []string{"sensitivity"}},
		{name: "a promised share that nobody asked for", q: no, bills: []sheet.Bill{pod("Share", 100, part(offer.Slice, true)), rig("Rig", 900)}, want: Shared, offer: "Share"},

		// Without totals.
		{name: "nothing at all", want: Nothing, basis: ByNothing},
		{name: "days on end, proven", q: Questions{Duration: Continuous, Proven: true}, want: Dedicated, basis: ByQuestions},
		{name: "days on end, not proven", q: Questions{Duration: Continuous}, want: Validate, basis: ByQuestions},
		{name: "answers that pull both ways", q: Questions{Duration: Long, Load: Peaks}, want: Tie, basis: ByQuestions},
		{name: "an answer that weighs nothing", q: Questions{Sensitivity: NoSecrets}, want: Tie, basis: ByQuestions},
		{name: "hours that mostly idle", hours: []workload.Hours{{Busy: workload.Band{Point: 2}, Rented: workload.Band{Point: 10}}}, want: Shared, basis: ByQuestions},
		{name: "hours that nobody knows", hours: []workload.Hours{{Rented: workload.Band{Point: 10}, Unknown: true}}, want: Tie, basis: ByQuestions},
		{name: "a kernel module alone", q: Questions{Kernel: true}, want: Dedicated, basis: ByQuestions, out: []string{"kernel"}},
		{name: "offers without prices", q: Questions{Duration: Continuous, Load: SteadyLoad, Proven: true}, bills: []sheet.Bill{pod("Pod", 0, status(sheet.NoPrice)), rig("Rig", 0, status(sheet.NoPrice))}, want: Dedicated, offer: "Rig", basis: ByQuestions},
		{name: "a package against hours that nobody knows", q: Questions{Duration: Short, Load: Peaks}, bills: []sheet.Bill{pod("Pod", 0, status(sheet.NoHours)), rig("Rig", 1180)}, want: Shared, offer: "Pod", basis: ByQuestions},
		{name: "one kind without prices", q: Questions{Duration: Continuous, Load: SteadyLoad, Proven: true}, bills: []sheet.Bill{pod("Pod", 0, status(sheet.NoPrice))}, want: Shared, offer: "Pod", basis: ByQuestions},
		{name: "a promised share without price", q: Questions{Duration: Short, Load: Peaks, Steady: true}, bills: []sheet.Bill{pod("Share", 0, status(sheet.NoPrice), part(offer.Slice, true)), rig("Rig", 0, status(sheet.NoPrice))}, want: GuaranteedShare, offer: "Share", basis: ByQuestions},
	}
}

func (s scenario) input() Input {
	in := Input{Questions: s.q, Fit: s.fit, Hours: s.hours, Sheet: sheetOf(s.bills...)}
	if s.chance != nil {
		in.Chance = &sheet.Chance{Draws: 100000, Seed: 1, Cheapest: s.chance}
	}
	return in
}

func TestScenarios(t *testing.T) {
	if n := len(scenarios()); n < 40 {
		t.Errorf("%d scenarios", n)
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			a := Give(s.input())
			if a.Choice != s.want || a.Offer != s.offer && a.Choice != Nothing || a.Second != s.second {
				t.Errorf("%s %q %q, want %s %q %q", a.Choice, a.Offer, a.Second, s.want, s.offer, s.second)
			}
			basis := s.basis
			if basis == "" {
				basis = ByBills
			}
			if a.Basis != basis {
				t.Errorf("by %s, want by %s", a.Basis, basis)
			}
			var out []string
			for _, v := range a.Vetoes {
				out = append(out, strings.TrimSpace(v.Item+" "+v.Offer))
			}
			slices.Sort(out)
			if !slices.Equal(out, s.out) {
				t.Errorf("ruled out %q, want %q", out, s.out)
			}
			checkTexts(t, a)
		})
	}
}

// checkTexts reads everything an advice says in both languages.
func checkTexts(t *testing.T, a Advice) {
	t.Helper()
	for _, l := range texts.Langs() {
		c := texts.For(l)
		all := []texts.Phrase{a.Sentence}
		for _, v := range a.Vetoes {
			all = append(all, v.Text)
		}
		for i, r := range a.Reasons {
			all = append(all, r.Text)
			if i > 0 && r.Weight > a.Reasons[i-1].Weight {
				t.Errorf("reason %q outweighs the one before it", r.Text.Key)
			}
			if r.Row != "" && !slices.Contains(Table(), Row{r.Row}) {
				t.Errorf("reason %q is linked to no row: %q", r.Text.Key, r.Row)
			}
			if r.Row == "" && r.Line == "" {
				t.Errorf("reason %q is linked to nothing", r.Text.Key)
			}
		}
		for _, ch := range a.WouldChange {
			all = append(all, ch.Text)
			if ch.Then == a.Choice {
				t.Errorf("%s: the answer would not change", ch.Input)
			}
		}
		for _, p := range all {
			if !c.Has(p.Key) {
				t.Errorf("%s: no text %q", l, p.Key)
			}
			if s := c.Say(p); strings.ContainsAny(s, "{}") || strings.Contains(s, "advice.") || strings.Contains(s, "NaN") {
				t.Errorf("%s: %q", l, s)
			}
		}
		for _, id := range a.Open {
			if !c.Has("advice.open." + id) {
				t.Errorf("%s: no text for the open question %q", l, id)
			}
		}
	}
}
