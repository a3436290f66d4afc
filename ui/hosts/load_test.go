package hosts_test

import (
	"context"
	"testing"
	"time"

	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
)

func TestWhatAnotherProcessSavedIsTakenOver(t *testing.T) {
	st, changes := &hoststest.Store{}, 0
	b := hosts.New(hosts.Params{
		Store: st, Opener: &hoststest.Opener{}, Now: func() time.Time { return hoststest.Now },
		Go: func(f func()) { f() }, Changed: func() { changes++ },
	})
	t.Cleanup(b.Close)
	ctx := context.Background()
	load := func() {
		t.Helper()
		if err := b.Load(ctx); err != nil {
			t.Fatal(err)
		}
	}
	add(t, b, hosts.Saved{ID: "demo", Name: "Demo", Line: hosts.LineDemo})
	for _, id := range []string{"a", "b", "c"} {
		add(t, b, hosts.Saved{ID: id, Name: id, Line: "ssh " + id})
	}
	b.Get("a").Connect()
	changes = 0
	load()
	if changes != 0 {
		t.Error("the window is drawn anew though nothing changed")
	}
	live := b.Get("b").Live()
	for _, s := range []hosts.Saved{
		{ID: "d", Name: "d", Line: "ssh d", Created: hoststest.Now.Add(time.Hour)},
		{ID: "b", Name: "b", Line: "ssh -p 7 b"},
		{ID: "a", Name: "a", Line: "ssh -p 7 a"},
	} {
		if err := st.SaveHost(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.ForgetHost(ctx, "c", false); err != nil {
		t.Fatal(err)
	}
	load()
	if d := b.Get("d"); d == nil || changes != 1 {
		t.Errorf("the new host is %v, %d changes", d, changes)
	}
	if h := b.Get("b"); h.Line != "ssh -p 7 b" || h.Live() != live {
		t.Errorf("the changed host has the line %q", h.Line)
	}
	if h := b.Get("a"); h.Line != "ssh a" || !h.Connected() {
		t.Errorf("a connected host was changed under way: %q", h.Line)
	}
	if b.Get("c") != nil || b.Chosen() == nil {
		t.Errorf("a forgotten host stays, or none is chosen: %v", b.Chosen())
	}
	if b.Get("demo") == nil {
		t.Error("the demo is gone")
	}
}
