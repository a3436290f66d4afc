package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// imports is what a package names in its own files, tests included.
type imports struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func modulePackages(t *testing.T) []imports {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "rentgen/...")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var list []imports
	d := json.NewDecoder(out)
	for {
		var p imports
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return list
}

// in reports whether a package is a room or stands below it.
func in(path string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool {
		return path == "rentgen/"+r || strings.HasPrefix(path, "rentgen/"+r+"/")
	})
}

func is(path string, modules ...string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}

// broken names the rule that an import breaks, "" for none.
func broken(from, to string) string {
	wiring := from == "rentgen/app" || in(from, "app/cli")
	rule := func(bad bool, text string) string {
		if bad {
			return text
		}
		return ""
	}
	return errText(
		rule(in(from, "assets") && is(to, "rentgen") && !in(to, "assets"), "assets is the ground and imports nothing of ours"),
		rule(in(from, "probe") && in(to, "app", "ui", "store"), "probe knows neither app, ui nor store"),
		rule(in(from, "store") && in(to, "ui"), "store does not know ui"),
		rule(in(from, "store") && (to == "rentgen/app" || in(to, "app/cli")), "store does not know the command line"),
		rule(in(from, "ui") && (to == "rentgen/app" || in(to, "app/cli") && !in(to, "app/cli/reach")), "ui does not know the command line"),
		rule(in(from, "app") && from != "rentgen/app" && (in(to, "ui") || is(to, "fyne.io")), "under app only main imports ui or Fyne"),
		rule(in(from, "app") && !wiring && in(to, "store"), "under app only main and cli import store"),
		rule(in(from, "app") && !wiring && in(to, "probe") && to != "rentgen/probe", "under app only main and cli import the rooms below probe"),
		rule(in(from, "app/money") && in(to, "app"), "money is the ground under app"),
		rule(in(from, "app/provider") && in(to, "app") && !in(to, "app/money", "app/provider"), "provider is read by bill, guide and purse"),
		rule(in(from, "app/workload") && in(to, "app") && !in(to, "app/workload"), "workload stands alone"),
		rule(in(from, "app/bill") && in(to, "app") && !in(to, "app/money", "app/provider", "app/bill"), "bill knows money and provider"),
		rule(in(from, "app/advice") && in(to, "app/plan", "app/cli", "app/settings"), "advice stands below plan"),
		rule(in(from, "app/plan") && in(to, "app/cli", "app/settings"), "plan stands below the command line"),
		rule(in(from, "app/guide") && in(to, "app") && !in(to, "app/money", "app/provider", "app/workload", "app/guide"), "guide knows money, provider and the catalogue of cards"),
		rule(in(from, "app/guide/check") && in(to, "app/guide") && to != "rentgen/app/guide" && !in(to, "app/guide/check", "app/guide/guidetest"), "judging knows no other room of guide"),
		rule(in(from, "app/judge") && in(to, "app") && !in(to, "app/judge"), "judge knows neither money nor any other room"),
		rule(from == "rentgen/app/judge" && in(to, "app/judge"), "the words of judge know none of its rules"),
		rule(in(from, "app/purse") && in(to, "app") && !in(to, "app/money", "app/bill", "app/provider", "app/guide", "app/judge", "app/purse") &&
			!(in(from, "app/purse/measured", "app/purse/tariff") && in(to, "app/plan", "app/workload")), "purse knows money, bill, provider, guide and judge; of plans only what is measured and what was chosen"),
		rule(in(to, "app/purse") && in(from, "app/bill", "app/provider", "app/guide", "app/plan", "app/advice", "app/workload"), "what purse is built on does not know it"),
		rule(in(from, "app/chronicle") && in(to, "app") && !in(to, "app/chronicle", "app/judge", "app/guide/report"), "chronicle knows judge and how a report is written"),
		rule(in(from, "probe/guard") && is(to, "rentgen") && to != "rentgen/probe" && !in(to, "probe/guard"), "the stop guard knows only probe"),
		rule(in(from, "probe/resident") && is(to, "rentgen") && to != "rentgen/probe" && !in(to, "probe/resident", "probe/guard", "probe/wire"), "the recorder knows only probe, frames and the stop guard"),
		rule(in(from, "store/column") && is(to, "rentgen") && to != "rentgen/probe" && !in(to, "store/column"), "packing knows only probe"),
		rule(in(from, "ui/sense", "ui/home/cost") && (is(to, "fyne.io") || in(to, "ui") && !in(to, "ui/sense", "ui/home/cost")), "what the window knows is not what it shows"),
		rule(from != "rentgen/app" && to == "fyne.io/fyne/v2/app", "only main imports Fyne's app"),
		rule(is(to, "fyne.io") && !in(from, "ui", "app", "assets"), "only ui and main import Fyne"),
		rule(is(to, "github.com/NVIDIA/go-nvml") && !in(from, "probe/nvml", "probe/agent"), "only probe/nvml and probe/agent import go-nvml"),
		rule(in(to, "probe/nvml") && !in(from, "probe/nvml", "probe/agent"), "only the agent looks through nvml itself"),
	)
}

func errText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func TestArrowsPointOneWay(t *testing.T) {
	list := modulePackages(t)
	if len(list) < 10 {
		t.Fatalf("only %d packages found", len(list))
	}
	for _, p := range list {
		for _, to := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if why := broken(p.ImportPath, to); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, to, why)
			}
		}
	}
}

// TestRulesCanBreak holds an import for every rule, so that none is empty.
func TestRulesCanBreak(t *testing.T) {
	for _, c := range [][2]string{
		{"rentgen/assets/texts", "rentgen/probe"},
		{"rentgen/probe/wire", "rentgen/store"},
		{"rentgen/store", "rentgen/ui/chart"},
		{"rentgen/store", "rentgen/app/cli"},
		{"rentgen/app/guide/run", "rentgen/app/plan"},
		{"rentgen/app/guide/check", "rentgen/app/guide/run"},
		{"rentgen/ui", "rentgen/app/cli"},
		{"rentgen/app/cli", "rentgen/ui"},
		{"rentgen/app/cli", "fyne.io/fyne/v2"},
		{"rentgen/app/settings", "rentgen/store"},
		{"rentgen/app/settings", "rentgen/probe/stream"},
		{"rentgen/app/money", "rentgen/app/bill"},
		{"rentgen/app/provider", "rentgen/app/bill/offer"},
		{"rentgen/app/workload", "rentgen/app/money"},
		{"rentgen/app/bill/sheet", "rentgen/app/workload"},
		{"rentgen/app/advice", "rentgen/app/plan"},
		{"rentgen/app/plan", "rentgen/app/cli"},
		{"rentgen/app/judge/court", "rentgen/app/purse"},
		{"rentgen/app/judge", "rentgen/store"},
		{"rentgen/app/judge", "rentgen/app/judge/court"},
		{"rentgen/app/purse/meter", "rentgen/app/workload"},
		{"rentgen/app/purse/push", "rentgen/app/settings"},
		{"rentgen/app/guide/run", "rentgen/app/purse"},
		{"rentgen/app/plan", "rentgen/app/purse/measured"},
		{"rentgen/app/chronicle", "rentgen/app/purse/meter"},
		{"rentgen/app/chronicle", "rentgen/app/guide/check"},
		{"rentgen/probe/guard", "rentgen/probe/wire"},
		{"rentgen/probe/resident", "rentgen/probe/remote"},
		{"rentgen/probe/resident", "rentgen/assets/agents"},
		{"rentgen/store/column", "rentgen/store"},
		{"rentgen/ui/sense", "fyne.io/fyne/v2"},
		{"rentgen/ui/sense", "rentgen/ui/verdict"},
		{"rentgen/ui/watch", "fyne.io/fyne/v2/app"},
		{"rentgen/store", "fyne.io/fyne/v2"},
		{"rentgen/probe/smi", "github.com/NVIDIA/go-nvml/pkg/nvml"},
		{"rentgen/probe/stream", "rentgen/probe/nvml"},
	} {
		if broken(c[0], c[1]) == "" {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
	for _, c := range [][2]string{
		{"rentgen/app", "rentgen/ui"},
		{"rentgen/app", "fyne.io/fyne/v2/app"},
		{"rentgen/app/cli", "rentgen/probe/stream"},
		{"rentgen/ui/watch", "rentgen/probe"},
		{"rentgen/ui", "rentgen/store"},
		{"rentgen/store", "rentgen/probe"},
		{"rentgen/probe/agent", "rentgen/probe/nvml"},
		{"rentgen/app/settings", "rentgen/assets/texts"},
		{"rentgen/app/bill/offer", "rentgen/app/provider"},
		{"rentgen/app/advice", "rentgen/app/bill/sheet"},
		{"rentgen/app/advice", "rentgen/app/workload"},
		{"rentgen/app/plan", "rentgen/app/advice"},
		{"rentgen/ui/plan", "rentgen/app/plan"},
		{"rentgen/app/judge/why", "rentgen/app/judge/court"},
		{"rentgen/app/purse/alert", "rentgen/app/judge"},
		{"rentgen/app/purse/measured", "rentgen/app/plan"},
		{"rentgen/app/chronicle", "rentgen/app/judge"},
		{"rentgen/probe/resident", "rentgen/probe/guard"},
		{"rentgen/ui/sense", "rentgen/app/purse/meter"},
		{"rentgen/store", "rentgen/app/chronicle"},
	} {
		if why := broken(c[0], c[1]); why != "" {
			t.Errorf("%s may not import %s: %s", c[0], c[1], why)
		}
	}
}
