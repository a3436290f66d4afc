//go:build linux

package reach_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/guide/client"
	"rentgen/app/guide/day"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/move"
	"rentgen/app/provider"
	"rentgen/probe/stream"
)

// TestLifeOfAnInstance goes over a real sshd what goes over a local shell
// elsewhere: survey, marker, copy of pictures, list to move, client data.
func TestLifeOfAnInstance(t *testing.T) {
	i := newInstance(t, nil, map[string]string{"HF_HOME": "$DISK/hf"})
	r := reach.Runner(i.host)
	profile, _ := provider.ProfileOf(provider.GenericVM)
	root := filepath.Join(i.home, "ComfyUI")
	noise := rand.New(rand.NewPCG(1, 2))
	big := make([]byte, 9<<20+11)
	for n := range big {
		big[n] = byte(noise.Uint32())
	}
	for name, b := range map[string][]byte{
		"main.py": nil, "comfy/x.py": nil, "comfy_extras/x.py": nil, "models/loras/a.safetensors": []byte("lora"),
		"output/big.png": big, "output/名 'quoted'.png": []byte("\x00\r\n\x1b raw"), "input/face.png": []byte("x"),
	} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, now := t.Context(), time.Now()
	s, err := keep.Look(ctx, r, profile)
	if err != nil || s.Run.Boot == "" || s.Home != i.home || len(s.Mounts) == 0 || s.Vars["HF_HOME"].Value != i.disk+"/hf" {
		t.Fatalf("%+v %v", s, err)
	}
	var out keep.Place
	for _, p := range s.Places {
		if p.Path == filepath.Join(root, "output") {
			out = p
		}
	}
	if out.Files == nil || *out.Files != 2 || *out.Bytes != int64(len(big)+8) {
		t.Fatalf("%+v", out)
	}
	if s, err = keep.Inventory(ctx, r, s); err != nil {
		t.Fatal(err)
	}
	proof, err := keep.Mark(ctx, r, i.disk, now)
	if err != nil {
		t.Fatal(err)
	}
	if proof, err = keep.Verify(ctx, r, proof, now); err != nil || !proof.Waiting() || proof.Lost {
		t.Errorf("%+v %v", proof, err)
	}
	if err := keep.Unmark(ctx, r, proof); err != nil {
		t.Error(err)
	}
	l, err := day.List(ctx, r, out.Real)
	if err != nil || len(l.Files) != 2 || !l.Whole {
		t.Fatalf("%+v %v", l, err)
	}
	near := t.TempDir()
	report, err := day.Fetch(ctx, day.FetchParams{Runner: r, Dir: l.Dir, Into: near, Files: l.Files})
	if err != nil || !report.Verified() {
		t.Fatalf("%+v %v", report, err)
	}
	if b, err := os.ReadFile(filepath.Join(near, "big.png")); err != nil || !bytes.Equal(b, big) {
		t.Error("another picture came over the line", err)
	}
	if age, err := day.Age(ctx, r); err != nil || age <= 0 {
		t.Error(age, err)
	}
	list, err := move.Collect(ctx, move.Params{Runner: r, Survey: s, Host: "rig", Now: now, Hash: true})
	if err != nil || len(list.Models) != 1 || list.Models[0].SHA256 == "" {
		t.Errorf("%+v %v", list, err)
	}
	look, err := client.At(ctx, client.Params{Runner: r, Survey: s, Profile: profile, Now: now})
	if err != nil || !look.PortsRead || look.PNGs != 2 || len(look.Places) == 0 {
		t.Errorf("%+v %v", look, err)
	}
	i.host.Stop()
	i.await(stream.Off)
	if _, err := keep.Look(ctx, r, profile); !errors.Is(err, guide.ErrOffline) {
		t.Error(err)
	}
}
