package offer

import (
	"slices"
	"strings"

	"rentgen/assets/texts"
)

func termIDs() []string {
	var all []string
	for _, d := range Defs() {
		all = append(all, string(d.ID))
	}
	return all
}

// among is the phrase of the words that were meant: all of a short list, the
// nearest of a long one.
func among(words []string, said string) texts.Phrase {
	if len(words) <= 20 {
		return oneOf(words)
	}
	return texts.P("offer.allowed.term", "list", strings.Join(nearest(words, said), ", "))
}

// nearest returns the words that differ least from what was said.
func nearest(words []string, said string) []string {
	const most = 5
	if said == "" || len(words) <= most {
		return words[:min(len(words), 12)]
	}
	near := slices.Clone(words)
	slices.SortStableFunc(near, func(a, b string) int { return distance(a, said) - distance(b, said) })
	return near[:most]
}

// distance is how many letters must be put in, taken out or changed to make b
// of a (Levenshtein).
func distance(a, b string) int {
	if len(b) > 100 {
		b = b[:100]
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
