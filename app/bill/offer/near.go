package offer

import (
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
	return texts.Nearest(words, said, most)
}
