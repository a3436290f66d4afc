package workload

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// vramRow is a measured row as a job with a known answer.
type vramRow struct {
	id, source, metric string
	peak               float64 // GiB
	hard, complete     bool
	soft               string
	job                Job
	card               *Card
	run                run     // of the job on the card
	room               float64 // usable GiB of the card
	unmapped           string  // why the job can't say it; "" where it can
}

// vramCases is the folder of the rows that are judged; the constants are always
// fitted to those in testdata.
func vramCases() string {
	if d := os.Getenv("RENTGEN_CASES"); d != "" {
		return d
	}
	return filepath.Join("testdata", "cases")
}

func readVRAM(t testing.TB, dir string) []vramRow {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "vram", "measured.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	col := map[string]int{}
	for i, h := range recs[0] {
		col[h] = i
	}
	for _, need := range []string{"id", "source", "model_norm", "metric", "peak_gib", "hard", "complete", "kind", "extra"} {
		if _, ok := col[need]; !ok {
			t.Fatalf("no column %s", need)
		}
	}
	var out []vramRow
	for _, r := range recs[1:] {
		out = append(out, mapVRAM(t, func(name string) string {
			if i, ok := col[name]; ok {
				return r[i]
			}
			return ""
		}))
	}
	return out
}

func mapVRAM(t testing.TB, get func(string) string) vramRow {
	cat := Load()
	row := vramRow{
		id: get("id"), source: get("source"), metric: get("metric"),
		hard: get("hard") == "1", complete: get("complete") == "1", soft: get("soft_reason"),
	}
	whole := func(name string) int {
		if get(name) == "" {
			return 0
		}
		v, err := strconv.Atoi(get(name))
		if err != nil {
			t.Errorf("%s: %s is %q", row.id, name, get(name))
		}
		return v
	}
	flag := func(name string) *bool {
		switch get(name) {
		case "0", "1":
			v := get(name) == "1"
			return &v
		}
		return nil
	}
	if s := get("peak_gib"); s != "" {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Errorf("%s: peak %q", row.id, s)
		}
		row.peak = v
	}
	j := Job{
		Model: get("model_norm"), Kind: Kind(get("kind")), Quant: get("transformer_quant"), TEQuant: get("te_quant"),
		TEDevice: get("te_device"), Encoders: get("text_encoders"), Width: whole("width"), Height: whole("height"),
		Batch: whole("batch"), Frames: whole("frames"), Framework: get("framework"), Offload: get("offload"),
		VAESlicing: flag("vae_slicing"), VAETiling: flag("vae_tiling"), Attention: get("attention"),
		Compile: get("compile") == "1", ControlNets: whole("controlnets"), LoRAs: whole("loras"), IPAdapter: whole("ip_adapter"),
	}
	if x := get("extra"); x != "" {
		j.Extra = strings.Split(x, "+")
	}
	if j.Kind == Upscale && get("upscaler_tile") != "" {
		tile := whole("upscaler_tile")
		j.Upscaler = &Upscaler{Tile: &tile}
	}
	if j.Kind.Training() {
		j.Training = &Training{Rank: whole("rank"), Checkpointing: flag("grad_checkpointing"), Optimizer: get("optimizer")}
	}
	row.job = j
	if g := get("gpu_norm"); g != "" {
		c, ok := cat.Card(g)
		if !ok {
			t.Errorf("%s: the catalogue lacks the card %q", row.id, g)
		}
		row.card = &c
		mib, _ := usableMiB(c, 0)
		row.room = mib / 1024
	}
	if _, ok := cat.Model(j.Model); !ok {
		row.unmapped = fmt.Sprintf("model %q is not in the catalogue", j.Model)
	} else if row.peak == 0 {
		row.unmapped = "no peak"
	} else if bad := cat.Check(j); row.hard && row.complete && len(bad) > 0 {
		row.unmapped = bad[0].Error()
	}
	row.run, _ = cat.usual(row.job, row.card)
	return row
}

func (r vramRow) String() string {
	j := r.job
	return fmt.Sprintf("%s %s %s %dx%d batch %d %s/%s attention %s offload %q %v", r.id, j.Model, j.Framework, j.Width, j.Height, j.Batch, j.Quant, j.TEQuant, j.Attention, j.Offload, j.Extra)
}

// inference reports whether the row is one the bars are set on.
func (r vramRow) inference() bool { return !r.job.Kind.Training() && r.hard && r.complete }

// reading is an estimate at the level of a row's metric.
type reading struct{ low, point, high float64 }

func (r reading) err(peak float64) float64 { return math.Abs(r.point-peak) / peak }

func (r reading) holds(peak float64) bool { return r.low <= peak && peak <= r.high }

// points are the estimate at the row's metric. The estimate is of the device;
// reserved lies the context below it, allocated the slack of the greatest phase
// below that. A metric that isn't stated has both ends.
func (e estimator) points(row vramRow) []float64 {
	alloc, top := e.levels(row.run)
	return e.pointsOf(row, alloc, top)
}

// levels are the greatest phase allocated and reserved, GiB.
func (e estimator) levels(r run) (alloc, top float64) {
	for _, n := range e.needs(r) {
		alloc, top = max(alloc, n.allocated()), max(top, n.reserved())
	}
	return alloc, top
}

func (e estimator) pointsOf(row vramRow, alloc, top float64) []float64 {
	ctx := e.k("context")
	device := top + ctx
	if row.card != nil {
		device = crowded(device, alloc+ctx, row.room)
	}
	switch row.metric {
	case "device":
		return []float64{device}
	case "reserved":
		return []float64{device - ctx}
	case "allocated":
		return []float64{alloc}
	}
	return []float64{alloc, device}
}

// nearest is the relative error of the reading nearest to the row.
func (e estimator) nearest(row vramRow, alloc, top float64) float64 {
	least := math.Inf(1)
	for _, p := range e.pointsOf(row, alloc, top) {
		least = min(least, math.Abs(p-row.peak)/row.peak)
	}
	return least
}

// readings are points with their bands.
func (e estimator) readings(row vramRow) []reading {
	on, off := e.peaksOnCard(row.run).Whole, e.peaks(row.run).Whole
	var out []reading
	for i, p := range e.points(row) {
		w := on
		if row.metric == "allocated" || row.metric != "device" && row.metric != "reserved" && i == 0 {
			w = off // live tensors don't shrink on a small card
		}
		out = append(out, reading{p * w.Low / w.Point, p, p * w.High / w.Point})
	}
	return out
}

// best is the reading nearest to the row; in says whether any holds it.
func (e estimator) best(row vramRow) (best reading, in bool) {
	for i, r := range e.readings(row) {
		if i == 0 || r.err(row.peak) < best.err(row.peak) {
			best = r
		}
		in = in || r.holds(row.peak)
	}
	return best, in
}
