package smitest

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

//go:embed fake.sh
var script string

// Card is one card's cells by the name of the field, as printed with nounits.
// A field that is not there prints [N/A]. The key "line" stands for a whole
// line in place of the row.
type Card map[string]string

// Tick is one round of the loop.
type Tick struct {
	Before string // printed before the rows
	Cards  []Card
	After  string // printed behind them
	Stderr string
}

// Fail is an end that is no good one.
type Fail struct {
	Out, Err string
	Exit     int
	Signal   string // "SEGV": ends itself by that signal
}

// Scenario is what the fake does. The zero value knows no card.
type Scenario struct {
	Fields  []string // names it knows; nil is AllFields
	Help    string   // "" is made of Fields
	List    string   // -L
	Version string   // --version
	Table   string   // without arguments
	Apps    string   // rows of --query-compute-apps
	Ticks   []Tick   // the loop's, the last one again and again; the first also for single calls
	Fresh   *Tick    // what single calls print in place of the first tick
	Exit    int      // of a single call that printed its rows

	All       *Fail // every call ends so
	FreshFail *Fail // single queries end so while a loop goes on
	LoopFail  *Fail // the loop ends so after its ticks
	AppsFail  *Fail
	HelpFail  *Fail
	Stall     bool // the loop prints its ticks once and then nothing more
	Hold      bool // the loop prints nothing at all
	Hang      bool // no call returns
}

// Aliases are the pairs of names that newer drivers take for one field.
var Aliases = [][2]string{
	{"name", "gpu_name"},
	{"uuid", "gpu_uuid"},
	{"pci.bus_id", "gpu_bus_id"},
	{"clocks_event_reasons.active", "clocks_throttle_reasons.active"},
	{"clocks.current.sm", "clocks.sm"},
	{"clocks.current.memory", "clocks.mem"},
	{"clocks.max.memory", "clocks.max.mem"},
}

// AllFields are the fields that a driver of the 590 series knows, as far as
// anything here asks for them.
var AllFields = []string{
	"timestamp", "driver_version", "count", "name", "gpu_name", "serial", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id",
	"pcie.link.gen.current", "pcie.link.gen.gpucurrent", "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max",
	"index", "persistence_mode", "fan.speed", "pstate", "clocks_event_reasons.supported",
	"clocks_event_reasons.active", "clocks_throttle_reasons.active", "memory.total", "memory.reserved", "memory.used",
	"memory.free", "compute_mode", "compute_cap", "utilization.gpu", "utilization.memory", "utilization.encoder",
	"utilization.decoder", "ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total",
	"retired_pages.single_bit_ecc.count", "retired_pages.double_bit.count", "temperature.gpu", "temperature.gpu.tlimit",
	"temperature.memory", "power.draw", "power.draw.average", "power.draw.instant", "power.limit", "enforced.power.limit",
	"power.default_limit", "power.max_limit", "clocks.current.sm", "clocks.sm", "clocks.current.memory", "clocks.mem",
	"clocks.max.sm", "clocks.max.memory", "clocks.max.mem", "mig.mode.current",
}

var scenarios atomic.Int64

// Install writes the fake and returns the folder that nvidia-smi lies in. It
// needs no environment: the folder in front of PATH is enough.
func Install(t testing.TB, s Scenario) string {
	t.Helper()
	base := t.TempDir()
	bin := filepath.Join(base, "bin")
	must(t, os.Mkdir(bin, 0o755))
	Set(t, bin, s)
	must(t, os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte(strings.ReplaceAll(script, "@BASE@", base)), 0o755))
	return bin
}

// Set gives the fake in dir another scenario, in one step, also while it runs.
func Set(t testing.TB, dir string, s Scenario) {
	t.Helper()
	base := filepath.Dir(dir)
	n := strconv.FormatInt(scenarios.Add(1), 10)
	d := filepath.Join(base, "s"+n)
	must(t, os.Mkdir(d, 0o755))
	w := writer{t: t, dir: d}
	fields := s.Fields
	if fields == nil {
		fields = AllFields
	}
	help := s.Help
	if help == "" {
		help = Help(fields)
	}
	w.put("id", n+"\n")
	w.put("fields", strings.Join(fields, "\n")+"\n")
	w.put("help.out", help)
	w.put("list.out", s.List)
	w.put("version.out", s.Version)
	w.put("table.out", s.Table)
	w.put("apps.out", s.Apps)
	w.put("exit", strconv.Itoa(s.Exit)+"\n")
	for i, tk := range s.Ticks {
		w.tick("t"+strconv.Itoa(i), tk)
	}
	if len(s.Ticks) == 0 {
		w.tick("t0", Tick{Before: "No devices were found\n"})
	}
	if s.Fresh != nil {
		w.tick("fresh", *s.Fresh)
	}
	for name, f := range map[string]*Fail{"all": s.All, "fresh": s.FreshFail, "loop": s.LoopFail, "apps": s.AppsFail, "help": s.HelpFail} {
		if f == nil {
			continue
		}
		w.put(name+".out", f.Out)
		w.put(name+".err", f.Err)
		w.put(name+".exit", strconv.Itoa(f.Exit)+"\n")
		if f.Signal != "" {
			w.put(name+".signal", f.Signal+"\n")
		}
	}
	for name, on := range map[string]bool{"stall": s.Stall, "hold": s.Hold, "hang": s.Hang} {
		if on {
			w.put(name, "")
		}
	}
	next := filepath.Join(base, "next"+n)
	must(t, os.Symlink(d, next))
	must(t, os.Rename(next, filepath.Join(base, "cur")))
}

type writer struct {
	t   testing.TB
	dir string
}

func (w writer) put(name, content string) {
	w.t.Helper()
	must(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o644))
}

func (w writer) tick(name string, tk Tick) {
	w.t.Helper()
	must(w.t, os.Mkdir(filepath.Join(w.dir, name), 0o755))
	w.put(name+"/before", tk.Before)
	w.put(name+"/after", tk.After)
	w.put(name+"/stderr", tk.Stderr)
	for i, c := range tk.Cards {
		all := Card{}
		for k, v := range c {
			all[k] = v
		}
		for _, p := range Aliases {
			for i := range p {
				if v, ok := c[p[i]]; ok {
					all[p[1-i]] = v
				}
			}
		}
		keys := make([]string, 0, len(all))
		for k := range all {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		var b strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&b, "%s=%s\n", k, all[k])
		}
		w.put(fmt.Sprintf("%s/c%03d", name, i), b.String())
	}
}

// Help makes the text of --help-query-gpu for the given names, the pairs of
// Aliases on one line as drivers print them.
func Help(fields []string) string {
	known, done := map[string]bool{}, map[string]bool{}
	for _, f := range fields {
		known[f] = true
	}
	var b strings.Builder
	b.WriteString("List of valid properties to query for the switch \"--query-gpu\":\n\nSection about \"memory\" properties\n")
	for _, f := range fields {
		if done[f] {
			continue
		}
		line := `"` + f + `"`
		for _, p := range Aliases {
			for i := range p {
				if p[i] == f && known[p[1-i]] && !done[p[1-i]] {
					line += ` or "` + p[1-i] + `"`
					done[p[1-i]] = true
				}
			}
		}
		done[f] = true
		b.WriteString("\n" + line + "\nWhat the field says. See \"nothing.else\" for more.\n")
	}
	return b.String()
}

// Call is one start of the fake.
type Call struct {
	PID  int
	Args string
}

// Loop reports whether the call was for the long-lived loop.
func (c Call) Loop() bool { return strings.Contains(c.Args, " -lms ") }

// Calls returns how the fake in dir was called so far.
func Calls(t testing.TB, dir string) []Call {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "calls"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []Call
	for l := range strings.SplitSeq(string(b), "\n") {
		pid, args, ok := strings.Cut(l, " ")
		if n, err := strconv.Atoi(pid); ok && err == nil {
			all = append(all, Call{n, args})
		}
	}
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
