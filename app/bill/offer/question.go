package offer

import (
	"strconv"
	"strings"

	"rentgen/assets/texts"
)

// QuestionText returns a message to the provider, ready to be sent, in the
// catalogue's language: a greeting that names the offer, the numbered
// questions, thanks. Questions of several offers make a message each, apart by
// an empty line. No questions make "".
func QuestionText(c *texts.Catalogue, qs []Question) string {
	var names []string
	of := map[string][]Question{}
	for _, q := range qs {
		if of[q.Offer] == nil {
			names = append(names, q.Offer)
		}
		of[q.Offer] = append(of[q.Offer], q)
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("\n\n")
		}
		key := "offer.ask.hello"
		if len(of[name]) == 1 {
			key = "offer.ask.hello.one"
		}
		b.WriteString(c.T(key, "offer", name) + "\n\n")
		for j, q := range of[name] {
			b.WriteString(c.T("offer.ask.item", "n", strconv.Itoa(j+1), "question", c.Say(q.Term.Question())) + "\n")
		}
		b.WriteString("\n" + c.T("offer.ask.thanks") + "\n")
	}
	return b.String()
}
