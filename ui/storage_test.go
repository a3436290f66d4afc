package ui_test

import (
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/store"
	"rentgen/ui"
	"rentgen/ui/hosts"
	"rentgen/ui/shots"
)

func TestStorageKeepsHostsAndLogs(t *testing.T) {
	ctx := t.Context()
	st, err := store.Open(ctx, store.Params{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := ui.Storage(st)
	if err := s.SaveHost(ctx, box); err != nil {
		t.Fatal(err)
	}
	moved := box
	moved.Line = "ssh -p 40001 root@region-1.example.com"
	if err := s.SaveHost(ctx, moved); err != nil {
		t.Fatal(err)
	}
	all, err := s.Hosts(ctx)
	if err != nil || len(all) != 1 || all[0].Line != moved.Line || all[0].Name != box.Name || all[0].ID != box.ID {
		t.Fatalf("hosts: %+v, %v", all, err)
	}
	for _, h := range []hosts.Saved{moved, {ID: demo.ID, Name: "Demo", Line: hosts.LineDemo}} {
		l, err := s.StartLog(ctx, h, probe.SourceAgent, h.ID == demo.ID)
		if err != nil {
			t.Fatal(err)
		}
		demo.History(demo.Params{Cards: 1, Start: shots.Now}, shots.Now, shots.Now.Add(5*time.Second), time.Second, l.Message)
		if err := l.Close("end"); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := st.Recordings(ctx, store.Filter{})
	if err != nil || len(logs) != 2 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, l := range logs {
		if l.Demo != (l.HostID == demo.ID) || l.To.Sub(l.From) < 3*time.Second {
			t.Errorf("log %+v", l)
		}
	}
	if err := s.ForgetHost(ctx, box.ID, true); err != nil {
		t.Fatal(err)
	}
	if logs, _ := st.Recordings(ctx, store.Filter{NoDemo: true}); len(logs) != 0 {
		t.Errorf("%d logs are left", len(logs))
	}
}
