package texts

import (
	"slices"
	"strings"
	"unicode"
)

// Nearest returns up to n of the words that a person may have meant by said:
// first those that hold it or lie in it, blanks, marks and case aside ("4090" in
// "RTX 4090"), then those that differ least.
func Nearest(words []string, said string, n int) []string {
	want := plainWord(said)
	type ranked struct {
		word  string
		score int
	}
	list := make([]ranked, len(words))
	for i, w := range words {
		p := plainWord(w)
		score := 1000 + distance([]rune(p), []rune(want))
		if len(want) > 1 && len(p) > 1 && (strings.Contains(p, want) || strings.Contains(want, p)) {
			score = max(len(p)-len(want), len(want)-len(p))
		}
		list[i] = ranked{w, score}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return a.score - b.score })
	var out []string
	for _, r := range list[:min(n, len(list))] {
		out = append(out, r.word)
	}
	return out
}

// plainWord is a word in small letters and digits alone.
func plainWord(s string) string {
	const most = 100
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// distance is how many letters must be put in, taken out or changed to make b
// of a (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
