package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/court"
	"rentgen/app/judge/judgetest"
	"rentgen/assets/texts"
)

// TestLiveAndKeptAreJudgedTheSame judges ten readings a second as they come, and
// the log that was kept of them.
func TestLiveAndKeptAreJudgedTheSame(t *testing.T) {
	s := open(t, t.TempDir())
	for _, name := range []string{"heat", "lowered power limit", "sync", "idle with a model in VRAM", "lost in silence", "xid of the card", "corrected errors", "clean link blips"} {
		scenes := judgetest.All()
		scene := scenes[slices.IndexFunc(scenes, func(s judgetest.Scene) bool { return s.Name == name })]
		scene.Seconds = 330
		live := court.New(court.Params{Setting: scene.Setting})
		r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1", HostName: "box"})
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range scene.Messages(3, 10) {
			live.Add(m)
			r.Message(m)
			if i%100 == 0 { // no faster than the writer
				if err := r.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		live.Close()
		if err := r.Close("stopped"); err != nil {
			t.Fatal(err)
		}
		k, err := court.Over(t.Context(), s.Messages(t.Context(), r.ID(), time.Time{}, time.Time{}), scene.Setting, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := written(live.Verdicts()), written(k.Verdicts); a != b || a == "" {
			t.Errorf("%s: live\n%s\nover the log\n%s", name, a, b)
		}
	}
}

func written(list []judge.Verdict) string {
	c, out := texts.For(texts.English), ""
	for _, v := range list {
		out += fmt.Sprintln(v.Kind, v.Level, v.GPU, v.From.UTC(), v.To.UTC(), v.Confidence, v.Numbers, c.Say(v.Say))
	}
	return out
}
