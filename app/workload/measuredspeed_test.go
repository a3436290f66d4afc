package workload

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// speedRow is a row of the measured speeds with fixed words.
type speedRow map[string]string

// readRows reads a table with a header.
func readRows(path string) ([]speedRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	var rows []speedRow
	for _, cells := range all[1:] {
		r := speedRow{}
		for i, name := range all[0] {
			r[name] = cells[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func givenRows(t *testing.T) []speedRow {
	t.Helper()
	rows, err := readRows(filepath.Join("testdata", "cases", "speed", "measured.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// counts reports whether a row is fit for error statistics.
func (r speedRow) counts() bool {
	return r["hard"] == "1" && r["complete"] == "1" && r["includes_load"] != "1"
}

func (r speedRow) whole(column string) int {
	v, _ := strconv.Atoi(r[column])
	return v
}

func (r speedRow) num(column string) float64 {
	v, _ := strconv.ParseFloat(r[column], 64)
	return v
}

// job reads the row's fixed words as a job; "" why: it is one.
func (r speedRow) job() (Job, string) {
	j := Job{
		Model: r["model_norm"], Kind: Kind(r["kind"]), Quant: r["transformer_quant"], TEQuant: r["te_quant"], TEDevice: r["te_device"],
		Encoders: r["text_encoders"], Width: r.whole("width"), Height: r.whole("height"), Steps: r.whole("steps_norm"), Batch: r.whole("batch"),
		Frames: r.whole("frames"), Framework: r["framework"], Offload: r["offload"], Attention: r["attention"], Compile: r["compile"] == "1",
		ControlNets: r.whole("controlnets"), LoRAs: r.whole("loras"), IPAdapter: r.whole("ip_adapter"),
	}
	if r["extra"] != "" {
		j.Extra = strings.Split(r["extra"], "+")
	}
	if j.Kind.Training() {
		j.Training = &Training{Rank: r.whole("rank"), Optimizer: r["optimizer"]}
	}
	if errs := Load().Check(j); len(errs) > 0 {
		return j, errs[0].Error()
	}
	j = Load().Filled(j)
	if _, ok := Load().termsOf(j, anyCard()); !ok {
		return j, "no operations are known of the model"
	}
	return j, ""
}

func anyCard() Card {
	rate, cc := 100.0, 8.0
	return Card{Name: "any", TFLOPS: &rate, Compute: &cc}
}

// likely is the card of a row that names it without its form: the common form
// of it, with the same chip.
var likely = map[string]string{
	"H100 80GB": "H100 SXM", "H100": "H100 SXM", "H800": "H800 SXM", "H800-NVL-80GB": "H800 SXM",
	"A100 80GB": "A100 SXM4 80GB", "A100": "A100 SXM4 80GB", "A800": "A800 SXM4 80GB", "A100 40GB": "A100 SXM4 40GB",
}

// mig is a slice by its profile: operations by sevenths.
var mig = regexp.MustCompile(`^NVIDIA (H100 PCIe) MIG (\d)g\.(\d+)gb$`)

// card finds the row's card; exact: the row names it.
func (r speedRow) card(c *Catalogue) (card Card, exact, ok bool) {
	if name := r["gpu_norm"]; name != "" {
		card, ok = c.Card(name)
		return card, true, ok
	}
	if m := mig.FindStringSubmatch(r["gpu"]); m != nil {
		card, ok = c.Card(m[1])
		sevenths, _ := strconv.ParseFloat(m[2], 64)
		gb, _ := strconv.ParseFloat(m[3], 64)
		return card.Slice(sevenths/7, gb/card.NominalGB), false, ok
	}
	card, ok = c.Card(likely[r["gpu"]])
	return card, false, ok
}

// sorted are rows by what can be done with them.
type sortedRows struct {
	rows     []fitRow
	raw      []speedRow
	unmapped []string
	noCard   []string
}

func sortRows(c *Catalogue, all []speedRow) sortedRows {
	var s sortedRows
	for _, r := range all {
		if !r.counts() {
			continue
		}
		j, why := r.job()
		if why != "" {
			s.unmapped = append(s.unmapped, r["id"]+": "+why)
			continue
		}
		card, exact, ok := r.card(c)
		var terms *speedTerms
		if ok {
			terms, ok = Load().termsOf(j, card)
		}
		if !ok {
			s.noCard = append(s.noCard, r["id"]+": "+r["gpu"])
			continue
		}
		fr := fitRow{terms: terms, source: r["source"], id: r["id"], features: terms.names(), exact: exact, job: j, cardFacts: card, card: card.Name, family: factsFamily(j.Model)}
		switch {
		case r["seconds_per_image_norm"] != "":
			fr.seconds = r.num("seconds_per_image_norm")
		default:
			fr.seconds, fr.perStep = 1/r.num("its_per_s_norm"), true
		}
		s.rows, s.raw = append(s.rows, fr), append(s.raw, r)
	}
	return s
}

func factsFamily(model string) string {
	f, _ := Load().factsOf(model)
	return f.family()
}

// casesDir is where the measured cases lie.
func casesDir() string {
	if dir := os.Getenv("RENTGEN_CASES"); dir != "" {
		return dir
	}
	return filepath.Join("testdata", "cases")
}

// miss is the share by which an estimate is off.
func miss(r fitRow, c constants) float64 { return math.Abs(r.predict(c.exp)/r.seconds - 1) }

const (
	speedBar     = 0.20
	leftOutBar   = 2 * speedBar
	mostUnmapped = 0.1
)

func TestMeasuredSpeed(t *testing.T) {
	c := Load()
	all, err := readRows(filepath.Join(casesDir(), "speed", "measured.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s := sortRows(c, all)
	given := sortRows(c, givenRows(t))
	if len(s.rows) == 0 {
		t.Fatal("no row counts")
	}
	without := map[string]constants{}
	for _, r := range s.rows {
		if _, done := without[r.source]; !done {
			without[r.source] = fitSpeed(leave(given.rows, func(g fitRow) bool { return g.source == r.source }))
		}
	}
	var all1, known, unknown, guessed, left []float64
	byModel, byModelLeft := map[string][]float64{}, map[string][]float64{}
	var byModelOrder []string
	inBand := 0
	for i, r := range s.rows {
		e, l := miss(r, fitted.constants), miss(r, without[r.source])
		all1, left = append(all1, e), append(left, l)
		if fitted.rows["card:"+r.card] > 0 && fitted.rows["family:"+r.family] > 0 {
			known = append(known, e)
		} else {
			unknown = append(unknown, e)
		}
		if !r.exact {
			guessed = append(guessed, e)
		}
		spread, _ := c.spread(r.job, r.terms, r.cardFacts)
		if math.Abs(math.Log(r.predict(without[r.source].exp)/r.seconds)) <= spread {
			inBand++
		}
		name := s.raw[i]["model_norm"]
		if byModel[name] == nil {
			byModelOrder = append(byModelOrder, name)
		}
		byModel[name], byModelLeft[name] = append(byModel[name], e), append(byModelLeft[name], l)
		if e > 0.5 {
			fmt.Printf("far off: %s %s on %s: %+.0f %%\n", r.id, name, r.card, 100*(r.predict(fitted.constants.exp)/r.seconds-1))
		}
	}
	slices.Sort(byModelOrder)
	fmt.Printf("%-22s %5s %8s %10s\n", "speed by model", "rows", "fitted", "source out")
	for _, name := range byModelOrder {
		fmt.Printf("%-22s %5d %6.1f %% %8.1f %%\n", name, len(byModel[name]), 100*median(byModel[name]), 100*median(byModelLeft[name]))
	}
	for _, u := range s.unmapped {
		fmt.Println("no job says it:", u)
	}
	for _, u := range s.noCard {
		fmt.Println("no card with facts:", u)
	}
	fmt.Printf("all rows %d: fitted mdape %.1f %%, source left out mdape %.1f %%, in band with the source left out %.0f %%\n",
		len(all1), 100*median(all1), 100*median(left), 100*float64(inBand)/float64(len(s.rows)))
	fmt.Printf("card and family have rows %d: %.1f %%; not so %d: %.1f %%; the row doesn't single out the card %d: %.1f %%; no card with facts %d\n",
		len(known), 100*median(known), len(unknown), 100*median(unknown), len(guessed), 100*median(guessed), len(s.noCard))
	if m := median(known); m > speedBar {
		t.Errorf("median error %.1f %%", 100*m)
	}
	if m := median(left); m > leftOutBar {
		t.Errorf("median error with the source left out %.1f %%", 100*m)
	}
	if u := len(s.unmapped); float64(u) > mostUnmapped*float64(len(s.rows)) {
		t.Errorf("%d rows that no job says", u)
	}
	fmt.Printf("speed rows %d, mdape %.1f %%, unmapped %d\n", len(known), 100*median(known), len(s.unmapped))
}

func leave(rows []fitRow, out func(fitRow) bool) []fitRow {
	return slices.DeleteFunc(slices.Clone(rows), out)
}

// median of nothing is 0.
func median(v []float64) float64 { return quantile(v, 0.5) }

func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	at := q * float64(len(v)-1)
	i := int(at)
	if i+1 == len(v) {
		return v[i]
	}
	return v[i] + (at-float64(i))*(v[i+1]-v[i])
}
