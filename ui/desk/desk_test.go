package desk_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/ui/desk"
	"rentgen/ui/desk/desktest"
)

// rig is a desk whose work runs when the test says so.
type rig struct {
	*desk.Desk
	t      *testing.T
	s      *desktest.Store
	p      desk.Params
	clock  *desktest.Clock
	hold   bool
	held   []func()
	evals  int
	heard  int
	slow   time.Duration
	drawn  func(ctx context.Context, p plan.Plan, progress func(int)) (sheet.Chance, error)
	inDraw int
}

func newRig(t *testing.T, s *desktest.Store) *rig {
	t.Helper()
	r := &rig{t: t, s: s, clock: &desktest.Clock{T: time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)}}
	r.p = desktest.Params(s, plan.Plan{Name: "My plan", Days: 30}, func(p plan.Plan) plan.Result {
		r.evals++
		r.clock.T = r.clock.T.Add(r.slow)
		return plan.Result{Fit: workload.Answer{VRAM: workload.Band{Point: float64(p.Days)}}}
	})
	r.p.Now = r.clock.Now
	r.p.Go = func(f func()) {
		if r.hold {
			r.held = append(r.held, f)
			return
		}
		f()
	}
	r.p.Chances = func(ctx context.Context, p plan.Plan, _ plan.Result, _ int, progress func(int)) (sheet.Chance, error) {
		return r.drawn(ctx, p, progress)
	}
	r.again()
	return r
}

// again is another start of the program.
func (r *rig) again() {
	r.Desk = desk.New(r.p)
	if err := r.Load(context.Background()); err != nil && r.s.Fail == nil {
		r.t.Fatal(err)
	}
	r.OnChange(func() { r.heard++ })
}

func (r *rig) run() {
	for len(r.held) > 0 {
		f := r.held[0]
		r.held = r.held[1:]
		f()
	}
}

func (r *rig) days(what string, n int) { r.Edit(what, func(p *plan.Plan) { p.Days = n }) }

func (r *rig) names() []string {
	var out []string
	for _, i := range r.Plans() {
		name := i.Name
		if i.Open {
			name += "*"
		}
		out = append(out, name)
	}
	return out
}

func (r *rig) want(names ...string) {
	r.t.Helper()
	if got := r.names(); !slices.Equal(got, names) {
		r.t.Errorf("plans %q, want %q", got, names)
	}
}

func TestFirstStartHasOnePlanThatIsKeptOnceEdited(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.want("My plan*")
	if len(r.s.Calls) != 0 {
		t.Errorf("kept unasked: %q", r.s.Calls)
	}
	r.days("", 31)
	if rec, ok := r.s.Get(r.ID()); !ok || rec.Name != "My plan" {
		t.Errorf("kept: %+v", rec)
	}
	r.again()
	if r.Plan().Days != 31 {
		t.Errorf("after a restart %d days", r.Plan().Days)
	}
}

func TestUndoMergesTyping(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	for _, n := range []int{1, 12, 120} {
		r.days("days", n)
	}
	r.clock.T = r.clock.T.Add(time.Minute)
	r.days("days", 7)
	r.days("", 8)
	r.days("", 9)
	for _, want := range []int{8, 7, 120, 30} {
		if !r.CanUndo() {
			t.Fatalf("no way back to %d", want)
		}
		r.Undo()
		if r.Plan().Days != want {
			t.Fatalf("back at %d, want %d", r.Plan().Days, want)
		}
	}
	if r.CanUndo() {
		t.Error("there is something before the beginning")
	}
	for _, want := range []int{120, 7, 8, 9} {
		r.Redo()
		if r.Plan().Days != want {
			t.Fatalf("forth at %d, want %d", r.Plan().Days, want)
		}
	}
	r.Undo()
	r.days("", 99)
	if r.CanRedo() {
		t.Error("an edit leaves what was undone")
	}
}

func TestAnEditThatChangesNothingIsNone(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.days("", 30)
	if r.CanUndo() || r.heard != 0 || len(r.s.Calls) != 0 {
		t.Errorf("undo %v, heard %d, kept %q", r.CanUndo(), r.heard, r.s.Calls)
	}
}

// TestPastIsNotSharedWithNow guards that an edit of something deep leaves the
// past as it was.
func TestPastIsNotSharedWithNow(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.Edit("", func(p *plan.Plan) {
		p.Job.Hires = &workload.Hires{Scale: 2}
		p.Offers = []offer.Offer{{Name: "a", Terms: map[offer.TermID]offer.Term{"tax_share": {Value: "0.1"}}, Payment: offer.Payment{Price: money.Int(5)}}}
	})
	r.Edit("", func(p *plan.Plan) {
		p.Job.Hires.Scale = 3
		p.Offers[0].Name = "b"
		p.Offers[0].Terms["tax_share"] = offer.Term{Value: "0.2"}
	})
	r.Undo()
	p := r.Plan()
	if p.Job.Hires.Scale != 2 || p.Offers[0].Name != "a" || p.Offers[0].Terms["tax_share"].Value != "0.1" || p.Offers[0].Payment.Price.String() != "5" {
		t.Errorf("the past changed: %+v %+v", p.Job.Hires, p.Offers)
	}
}

func TestListOfPlans(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	first := r.ID()
	r.days("", 31)
	r.Add("Client")
	r.want("My plan", "Client*")
	r.days("", 5)
	r.Duplicate(r.ID(), "Client")
	r.want("My plan", "Client", "Client 2*")
	if r.Plan().Days != 5 {
		t.Error("the copy is not one")
	}
	r.days("", 6)
	r.Rename(r.ID(), " Night ")
	r.want("My plan", "Client", "Night*")
	r.Undo()
	r.want("My plan", "Client", "Client 2*")
	r.Redo()
	r.Open(first)
	r.want("My plan*", "Client", "Night")
	if r.Plan().Days != 31 {
		t.Error("the other plan is not itself")
	}
	r.Delete(first)
	r.want("Client*", "Night")
	if _, ok := r.s.Get(first); ok || r.Deleted() != "My plan" {
		t.Error("it was not deleted")
	}
	r.Undo()
	r.want("My plan*", "Client", "Night")
	if !r.CanUndo() {
		t.Error("the restored plan lost its past")
	}
	r.again()
	if names := r.names(); len(names) != 3 || names[0][:7] != "My plan" {
		t.Errorf("after a restart: %q", names)
	}
}

func TestDeletingTheLastPlan(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.days("", 3)
	id := r.ID()
	r.Delete(id)
	r.want("My plan*")
	if r.Plan().Days != 30 || len(r.s.Calls) != 2 {
		t.Errorf("%d days, %q", r.Plan().Days, r.s.Calls)
	}
	r.Restore()
	r.want("My plan*")
	if r.ID() != id || r.Plan().Days != 3 {
		t.Error("it did not come back")
	}
}

func TestUnreadablePlanStaysAsItIs(t *testing.T) {
	s := &desktest.Store{}
	_ = s.SavePlan(context.Background(), desk.Record{ID: "x", Name: "From the future", Body: []byte("version: 9")})
	r := newRig(t, s)
	body, err := r.Unreadable()
	if err == nil || string(body) != "version: 9" || r.Name() != "From the future" {
		t.Fatalf("%v %q %q", err, body, r.Name())
	}
	r.days("", 4)
	r.Rename("x", "Mine")
	r.Duplicate("x", "Copy")
	r.want("From the future*")
	r.Add("New")
	r.days("", 4)
	r.Delete("x")
	r.Restore()
	if rec, _ := s.Get("x"); string(rec.Body) != "version: 9" || rec.Name != "From the future" {
		t.Errorf("it was overwritten: %+v", rec)
	}
}

func TestLatestOfSeveralChangesIsKept(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.hold = true
	first := r.ID()
	r.days("", 1)
	r.days("", 2)
	r.Add("B")
	r.Open(first)
	r.days("", 3)
	r.run()
	if n := len(r.s.Calls); n != 2 || r.s.Calls[0] != "save "+first {
		t.Errorf("wrote %q", r.s.Calls)
	}
	r.again()
	r.Open(first)
	if r.Plan().Days != 3 {
		t.Errorf("kept %d days", r.Plan().Days)
	}
}

func TestUnkeptChangesAreSaidAndKeptLater(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.s.Fail = errors.New("disk is full")
	r.days("", 1)
	if r.Fault() == nil {
		t.Fatal("nothing is said")
	}
	r.s.Fail = nil
	r.Retry()
	if _, ok := r.s.Get(r.ID()); r.Fault() != nil || !ok {
		t.Errorf("fault %v, kept %v", r.Fault(), ok)
	}
}

func TestUnreadableListComesLater(t *testing.T) {
	s := &desktest.Store{}
	r := newRig(t, s)
	r.days("", 1)
	s.Fail = errors.New("disk I/O error")
	r.again()
	if r.Fault() == nil {
		t.Fatal("nothing is said")
	}
	s.Fail = nil
	r.days("", 2)
	r.Retry()
	if r.Fault() != nil {
		t.Error(r.Fault())
	}
	if n := len(r.Plans()); n != 2 || r.Plan().Days != 2 {
		t.Errorf("%d plans, %d days: what was made meanwhile is gone", n, r.Plan().Days)
	}
}

func TestEvaluatesOnceAndWhenAsked(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.days("", 1)
	r.days("", 2)
	if r.evals != 0 {
		t.Error("evaluated unasked")
	}
	r.Result()
	if r.Result().Fit.VRAM.Point != 2 || r.evals != 1 {
		t.Errorf("%v after %d evaluations", r.Result().Fit.VRAM.Point, r.evals)
	}
}

func TestSlowEvaluationLeavesTheWindowAlone(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.slow = time.Second
	r.Result()
	r.hold = true
	r.days("", 1)
	if got := r.Result().Fit.VRAM.Point; got != 30 || !r.Pending() {
		t.Errorf("the last answer is %v, pending %v", got, r.Pending())
	}
	r.days("", 2)
	r.Result()
	r.run()
	r.Result()
	r.run()
	if got := r.Result().Fit.VRAM.Point; got != 2 || r.Pending() {
		t.Errorf("the answer is %v, pending %v", got, r.Pending())
	}
}

func TestUndoTakesADraftFirst(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.Edit("", func(p *plan.Plan) { p.Days = 7 })
	r.SetDraft("days", "7x")
	r.Undo()
	if r.Drafts() != 0 || r.Plan().Days != 7 {
		t.Errorf("%d drafts, %d days", r.Drafts(), r.Plan().Days)
	}
	r.Undo()
	if r.Plan().Days == 7 || r.CanUndo() {
		t.Error("the edit stays")
	}
	r.SetDraft("days", "x")
	if !r.CanUndo() {
		t.Error("a draft can't be taken back")
	}
}

func TestDraftsKeepWhatWasTyped(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.SetDraft("days", "3x")
	first := r.ID()
	r.Add("B")
	if r.Drafts() != 0 {
		t.Error("a draft belongs to its plan")
	}
	r.Open(first)
	if text, ok := r.Draft("days"); !ok || text != "3x" || r.Drafts() != 1 {
		t.Errorf("draft %q", text)
	}
	r.DropDraft("days")
	if r.Drafts() != 0 {
		t.Error("it stays")
	}
}

func TestChancesFollowThePlan(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	var cancelled []bool
	r.drawn = func(ctx context.Context, p plan.Plan, progress func(int)) (sheet.Chance, error) {
		progress(50_000)
		if r.inDraw++; r.inDraw == 1 {
			_, part, _ := r.Chance()
			if part != 0.5 {
				t.Errorf("progress %v", part)
			}
			r.days("", 1) // while they run
			r.Chance()
		}
		cancelled = append(cancelled, ctx.Err() != nil)
		return sheet.Chance{Draws: p.Days}, ctx.Err()
	}
	heard := 0
	r.OnChance(func() { heard++ })
	r.Chance()
	ch, part, err := r.Chance()
	if ch == nil || ch.Draws != 1 || part != 1 || err != nil || heard == 0 {
		t.Errorf("%+v %v %v, heard %d", ch, part, err, heard)
	}
	if !slices.Equal(cancelled, []bool{true, false}) {
		t.Errorf("cancelled %v", cancelled)
	}
	r.days("", 4)
	r.hold = true
	if ch, _, _ := r.Chance(); ch != nil {
		t.Error("an old chance is shown")
	}
	r.Close()
	r.run()
	if !cancelled[len(cancelled)-1] {
		t.Error("closing lets them run")
	}
}

func TestChancesMakeTheAdviceFirmer(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.drawn = func(context.Context, plan.Plan, func(int)) (sheet.Chance, error) {
		return sheet.Chance{Draws: 7}, nil
	}
	r.p.Advise = func(_ plan.Plan, _ plan.Result, ch *sheet.Chance) advice.Advice {
		part := float64(ch.Draws)
		return advice.Advice{Chance: &part}
	}
	r.again()
	if r.Result().Advice.Chance != nil {
		t.Fatal("there is a chance before the draws")
	}
	r.Chance()
	if got := r.Result().Advice.Chance; got == nil || *got != 7 || r.heard == 0 {
		t.Errorf("advice with %v, heard %d", got, r.heard)
	}
	r.days("", 3)
	if r.Result().Advice.Chance != nil {
		t.Error("an old chance stands in the advice")
	}
}

func TestAFailedDrawIsSaidOnce(t *testing.T) {
	r := newRig(t, &desktest.Store{})
	r.drawn = func(context.Context, plan.Plan, func(int)) (sheet.Chance, error) {
		r.inDraw++
		return sheet.Chance{}, errors.New("no offers")
	}
	r.Chance()
	if _, _, err := r.Chance(); err == nil || r.inDraw != 1 {
		t.Errorf("%v after %d draws", err, r.inDraw)
	}
}
