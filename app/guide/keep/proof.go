package keep

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Change is how one run of an instance differs from an earlier one: the most that
// can be told from inside. Whether the provider's button was "stop" or "restart"
// can't be told.
type Change string

// The changes.
const (
	NoChange         Change = ""          // the same run
	ContainerRestart Change = "container" // PID 1 was started anew, the machine below goes on
	MachineRestart   Change = "machine"   // the machine below was booted anew, or is another one
	OtherInstance    Change = "instance"  // another name or machine id
	Unclear          Change = "unclear"   // not enough is known of one of the runs
)

// ChangeOf says how a later run differs from an earlier one.
func ChangeOf(before, after guide.Run) Change {
	known := func(a, b string) bool { return a != "" && b != "" }
	switch {
	case known(before.Instance, after.Instance) && before.Instance != after.Instance:
		return OtherInstance
	case known(before.Boot, after.Boot) && before.Boot != after.Boot:
		return MachineRestart
	case known(before.PID1, after.PID1) && before.PID1 != after.PID1:
		return ContainerRestart
	case known(before.Boot, after.Boot) && known(before.PID1, after.PID1):
		return NoChange
	}
	return Unclear
}

// Outlived is a change and whether the marker was there after it.
type Outlived struct {
	Change Change    `json:"change"`
	There  bool      `json:"there"`
	Seen   time.Time `json:"seen"` // laptop's clock
}

// contradicts reports whether it can't be as a rule about restarts says. Another
// instance and an unclear change prove nothing about a restart.
func (o Outlived) contradicts(rule provider.Fate) bool {
	if o.Change != ContainerRestart && o.Change != MachineRestart {
		return false
	}
	return rule == provider.Lives && !o.There || rule == provider.Dies && o.There
}

// Badge says what was proved, and nothing more.
func (o Outlived) Badge() texts.Phrase {
	key := "keep.badge.gone."
	if o.There {
		key = "keep.badge.there."
	}
	return texts.P(key+string(o.Change), "day", func(c *texts.Catalogue) string { return texts.DateYear(c, o.Seen) })
}

// Proof is a marker file in a directory and what it outlived. It is what is kept
// (guide.KindProof, key Dir).
type Proof struct {
	Dir      string     `json:"dir"`  // symbolic links resolved
	File     string     `json:"file"` // name in Dir
	Token    string     `json:"token"`
	Mount    string     `json:"mount"` // mount point of Dir
	Marked   time.Time  `json:"marked"`
	Run      guide.Run  `json:"run"` // the latest run that the marker was seen in
	Checked  time.Time  `json:"checked,omitzero"`
	Outlived []Outlived `json:"outlived,omitempty"`
	// Lost says that the marker is gone; without an Outlived that says so it went
	// within one run: somebody deleted it.
	Lost bool `json:"lost,omitempty"`
}

// Waiting reports whether the marker waits for a restart.
func (p Proof) Waiting() bool { return !p.Lost && len(p.Outlived) == 0 }

// Latest returns the last thing proved.
func (p Proof) Latest() (Outlived, bool) {
	if len(p.Outlived) == 0 {
		return Outlived{}, false
	}
	return p.Outlived[len(p.Outlived)-1], true
}

// covers reports whether the marker lies in the place or above it on the same
// mount.
func (p Proof) covers(place Place) bool {
	return place.Real != "" && under(place.Real, p.Dir) && place.Mount.Point == p.Mount
}

// Refused says why a marker could not be written.
type Refused struct{ Code string } // "none", "denied", "failed"

func (e *Refused) Error() string { return "marker not written: " + e.Code }

// Says puts it in words.
func (e *Refused) Says() texts.Phrase { return texts.P("keep.refused." + e.Code) }

// MarkerPattern is the name of markers, as it is shown before one is written.
const MarkerPattern = ".rentgen-proof-…"

const markText = `
P=$1 E=$2
` + script.RunText + `
d=$(cd "$3/" 2>/dev/null && pwd -P)
if [ -z "$d" ]; then say mark none; exit 0; fi
[ -w "$d" ] || { say mark denied; exit 0; }
umask 077
if printf '%s\n' "$5" >"$d/$4" 2>/dev/null; then
  sync 2>/dev/null
  say mark ok "$d"
else
  rm -f "$d/$4" 2>/dev/null
  say mark failed
fi
head -c 400000 "$P/self/mountinfo" 2>/dev/null | list mounts
`

// Mark writes a marker file into a directory. The error is a *Refused where the
// directory doesn't take it.
func Mark(ctx context.Context, r guide.Runner, dir string, now time.Time) (Proof, error) {
	return system{proc: "/proc", etc: "/etc"}.mark(ctx, r, dir, now)
}

func (s system) mark(ctx context.Context, r guide.Runner, dir string, now time.Time) (Proof, error) {
	if absolute(dir) == "" {
		return Proof{}, &Refused{"none"}
	}
	var raw [22]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return Proof{}, fmt.Errorf("drawing a token: %w", err)
	}
	p := Proof{File: ".rentgen-proof-" + hex.EncodeToString(raw[:6]), Token: hex.EncodeToString(raw[6:]), Marked: now, Checked: now}
	told, err := script.Run(ctx, script.Params{Runner: r, Text: markText, Args: []string{s.proc, s.etc, absolute(dir), p.File, p.Token}})
	if err != nil {
		return Proof{}, err
	}
	m, _ := told.One("mark")
	if p.Dir = absolute(m.Field(1)); m.Field(0) != "ok" || p.Dir == "" {
		code := m.Field(0)
		if code != "none" && code != "denied" {
			code = "failed"
		}
		return Proof{}, &Refused{code}
	}
	p.Run = script.RunOf(told)
	p.Mount = mountPoint(told, p.Dir)
	return p, nil
}

func mountPoint(told script.Told, dir string) string {
	if l, ok := told.One("mounts"); ok {
		m, _ := MountOf(readMounts(l.Lines), dir)
		return m.Point
	}
	return ""
}

const verifyText = `
P=$1 E=$2
` + script.RunText + `
if [ -e "$3" ]; then say marker "$(head -c 200 "$3" 2>/dev/null)"; else say marker; fi
`

// Verify looks for the marker again. Within the run that it was last seen in it
// proves nothing, and nothing is added.
func Verify(ctx context.Context, r guide.Runner, p Proof, now time.Time) (Proof, error) {
	return system{proc: "/proc", etc: "/etc"}.verify(ctx, r, p, now)
}

func (s system) verify(ctx context.Context, r guide.Runner, p Proof, now time.Time) (Proof, error) {
	told, err := script.Run(ctx, script.Params{Runner: r, Text: verifyText, Args: []string{s.proc, s.etc, path.Join(p.Dir, p.File)}})
	if err != nil {
		return p, err
	}
	m, ok := told.One("marker")
	if !ok || !told.Whole {
		return p, fmt.Errorf("looking for the marker: %s", told.Stderr)
	}
	if p.Lost {
		return p, nil
	}
	p.Outlived = append([]Outlived(nil), p.Outlived...)
	run := script.RunOf(told)
	there := len(m.Fields) == 1 && strings.TrimSpace(m.Fields[0]) == p.Token
	p.Checked = now
	change := ChangeOf(p.Run, run)
	// an unclear change that the marker outlived proves nothing: the next look compares again
	if change != NoChange && (change != Unclear || !there) {
		p.Outlived = append(p.Outlived, Outlived{Change: change, There: there, Seen: now})
	}
	if there {
		if change != Unclear {
			p.Run = run
		}
	} else {
		p.Lost = true
	}
	return p, nil
}

const unmarkText = `
if [ "$(head -c 200 "$1" 2>/dev/null)" = "$2" ]; then rm -f "$1" && say gone; else say gone; fi
`

// Unmark takes a marker away again; only a file that holds its token is deleted.
func Unmark(ctx context.Context, r guide.Runner, p Proof) error {
	told, err := script.Run(ctx, script.Params{Runner: r, Text: unmarkText, Args: []string{path.Join(p.Dir, p.File), p.Token}})
	if err != nil {
		return err
	}
	if _, ok := told.One("gone"); !ok {
		return fmt.Errorf("taking the marker away: %s", told.Stderr)
	}
	return nil
}
