package hosts_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
	"rentgen/ui/widgets"
)

func TestTheLastChosenHostIsChosenAfterAStart(t *testing.T) {
	var seconds atomic.Int64 // hosts end at the same time
	st := &hoststest.Store{}
	start := func() *hosts.Book {
		b := hosts.New(hosts.Params{
			Store: st, Opener: &hoststest.Opener{}, Go: func(f func()) { f() },
			Now: func() time.Time { return hoststest.Now.Add(time.Duration(seconds.Add(1)) * time.Second) },
		})
		t.Cleanup(b.Close)
		if err := b.Load(context.Background()); err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := start()
	early := hosts.Saved{ID: "z", Name: "z", Line: "ssh z", Created: hoststest.Now.Add(-time.Hour)}
	late := hosts.Saved{ID: "y", Name: "y", Line: "ssh y", Created: hoststest.Now.Add(-time.Minute)}
	st.SaveHost(context.Background(), late)
	st.SaveHost(context.Background(), early)
	if all := start().Hosts(); all[0].ID != "z" || all[1].ID != "y" {
		t.Errorf("the order is %s, %s, want that in which they were added", all[0].ID, all[1].ID)
	}
	for _, id := range []string{"a", "b", "c"} {
		add(t, b, hosts.Saved{ID: id, Name: id, Line: "ssh " + id})
	}
	if got := start().Chosen().ID; got != "c" {
		t.Errorf("chosen is %s, want the one that was added last", got)
	}
	b.Choose("b")
	add(t, b, hosts.Saved{ID: "d", Name: "demo", Line: hosts.LineDemo})
	if got := start().Chosen().ID; got != "b" {
		t.Errorf("chosen is %s", got)
	}
	if _, err := b.Change(context.Background(), "a", "a", "ssh -p 7 a"); err != nil {
		t.Fatal(err)
	}
	if got := start().Chosen().ID; got != "a" {
		t.Errorf("chosen is %s, want the one that was changed", got)
	}
	if err := b.Forget(context.Background(), "b", hosts.Forgetting{}); err != nil {
		t.Fatal(err)
	}
	b.Choose("b")
	if start().Get("b") != nil {
		t.Error("choosing brings a forgotten host back")
	}
}

func TestWhatWasNeverReachedDidNotBreakOff(t *testing.T) {
	c := texts.For(texts.Chinese)
	now := hoststest.Now
	st := stream.State{Phase: stream.Waiting, RetryAt: now.Add(2 * time.Second)}
	if s := hosts.WordsOf(c, st, now).Short; !strings.HasPrefix(s, "连不上") {
		t.Errorf("never reached: %s", s)
	}
	said := stream.State{Phase: stream.Failed, Err: &remote.Error{Kind: remote.KindCancelled}}
	if w := hosts.WordsOf(c, said, now); w.State != widgets.Off || w.Short != "未连接" {
		t.Errorf("cancelled by the person: %v %s", w.State, w.Short)
	}
	st.LastTick = now.Add(-time.Minute)
	if s := hosts.WordsOf(c, st, now).Short; !strings.HasPrefix(s, "连接断开") {
		t.Errorf("broken off: %s", s)
	}
}
