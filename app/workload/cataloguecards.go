package workload

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parseCards reads the table of cards. A blank cell is an unknown figure.
func parseCards(b []byte) ([]Card, error) {
	cr := csv.NewReader(bytes.NewReader(b))
	cr.FieldsPerRecord = -1
	rows, err := cr.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("cards: %w", err)
	}
	col := map[string]int{}
	for i, h := range rows[0] {
		col[h] = i
	}
	var out []Card
	for n, r := range rows[1:] {
		r = mended(r, len(rows[0]))
		if len(r) != len(rows[0]) {
			return nil, fmt.Errorf("cards: row %d has %d cells, the head has %d", n+2, len(r), len(rows[0]))
		}
		get := func(name string) string { return strings.TrimSpace(r[col[name]]) }
		var bad error
		num := func(name string) *float64 {
			s := get(name)
			if s == "" {
				return nil
			}
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				bad = fmt.Errorf("cards: %s of %s: %w", name, get("card"), err)
				return nil
			}
			return &v
		}
		nominal := num("vram_nominal_gb")
		if nominal == nil {
			return nil, fmt.Errorf("cards: %s has no nominal size", get("card"))
		}
		c := Card{
			Name: get("card"), NVML: get("nvml_name"), NominalGB: *nominal,
			TotalMiB: num("vram_total_mib"), ReservedMiB: num("fb_reserved_mib"),
			BandwidthGB: num("mem_bw_gbs"), TFLOPS: num("fp16_tensor_dense_tflops"),
			Compute: num("compute_capability"), TDPWatts: num("tdp_w"), Sources: get("sources"),
		}
		if bad != nil {
			return nil, bad
		}
		for _, n := range []string{"vram_mib_note", "tflops_note", "tdp_note"} {
			if s := get(n); s != "" {
				c.Notes = append(c.Notes, s)
			}
		}
		for u := range strings.SplitSeq(get("unverified_fields"), ";") {
			if u = strings.TrimSpace(u); u != "" {
				c.Unverified = append(c.Unverified, u)
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// mended splits the last cell of a row that lacks its comma: some rows give the
// unverified columns behind a space of the sources.
func mended(r []string, want int) []string {
	if len(r) != want-1 {
		return r
	}
	last := r[len(r)-1]
	i := strings.LastIndex(last, " ")
	return append(r[:len(r)-1:len(r)-1], strings.TrimSpace(last[:i+1]), last[i+1:])
}

// Cards returns the cards of the catalogue.
func (c *Catalogue) Cards() []Card { return append([]Card(nil), c.cards...) }

// Card returns the card with a catalogue name.
func (c *Catalogue) Card(name string) (Card, bool) {
	for _, k := range c.cards {
		if strings.EqualFold(k.Name, strings.TrimSpace(name)) {
			return k, true
		}
	}
	return Card{}, false
}

// nvmlTolerance is how far a board's total may lie from the table's for the
// two to be one: drivers and ECC move it by up to a sixteenth.
const nvmlTolerance = 0.08

// CardByNVML finds a card by what its driver says. Names are shared by boards
// of different memory (a slice, a doubled board), so that the total decides;
// a total that no card of the name has is a card of its own with that total.
func (c *Catalogue) CardByNVML(name string, totalMiB float64) (Card, bool) {
	best, off := -1, math.Inf(1)
	for i, k := range c.cards {
		if !strings.EqualFold(k.NVML, strings.TrimSpace(name)) {
			continue
		}
		if totalMiB <= 0 { // the driver says no total: the first of the name
			if best < 0 {
				best = i
			}
			continue
		}
		if d := math.Abs(totalOf(k)-totalMiB) / totalMiB; d < off {
			best, off = i, d
		}
	}
	if best < 0 {
		return Card{}, false
	}
	k := c.cards[best]
	if totalMiB > 0 {
		k.TotalMiB = &totalMiB
		if off > nvmlTolerance { // another board under the same name
			k.Name, k.NominalGB, k.ReservedMiB = k.Name+" ("+strconv.Itoa(int(math.Round(totalMiB/1024)))+" GB)", math.Round(totalMiB/1024), nil
		}
	}
	return k, true
}

// totalOf is what the driver shows of a card in MiB, nominal where no source
// says.
func totalOf(k Card) float64 {
	if k.TotalMiB != nil {
		return *k.TotalMiB
	}
	return k.NominalGB * 1024
}
