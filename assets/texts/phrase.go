package texts

import "strings"

// Phrase is a text to be said later, in the language of then.
type Phrase struct {
	Key  string
	Args []any // pairs as T takes them; a Phrase among the values is said first
}

// P returns the phrase of key with pairs.
func P(key string, pairs ...any) Phrase { return Phrase{key, pairs} }

// List is an argument of a phrase: words, said as the language of then writes lists.
type List []string

func (l List) in(c *Catalogue) string {
	if c.Lang == Chinese {
		return strings.Join(l, "、")
	}
	return strings.Join(l, ", ")
}

// IsZero reports whether there is nothing to say.
func (p Phrase) IsZero() bool { return p.Key == "" }

// Say returns the phrase in the catalogue's language; the zero phrase is "".
func (c *Catalogue) Say(p Phrase) string {
	if p.IsZero() {
		return ""
	}
	args := make([]any, len(p.Args))
	for i, a := range p.Args {
		switch v := a.(type) {
		case Phrase:
			args[i] = c.Say(v)
		case List:
			args[i] = v.in(c)
		case func(*Catalogue) string: // a number or a time, written by language
			args[i] = v(c)
		default:
			args[i] = a
		}
	}
	return c.T(p.Key, args...)
}
