package store

import (
	"fmt"
	"reflect"

	"rentgen/assets/texts"
)

// keptPhrase is a texts.Phrase as it is stored.
type keptPhrase struct {
	Key  string    `cbor:"1,keyasint,omitempty"`
	Args []keptArg `cbor:"2,keyasint,omitempty"`
}

// keptArg is an argument of a phrase; one of its fields is set. What is written
// differently in every language is stored as it reads in each.
type keptArg struct {
	Text   *string           `cbor:"1,keyasint,omitempty"`
	Whole  *int64            `cbor:"2,keyasint,omitempty"`
	Float  *float64          `cbor:"3,keyasint,omitempty"`
	Phrase *keptPhrase       `cbor:"4,keyasint,omitempty"`
	List   []string          `cbor:"5,keyasint,omitempty"`
	In     map[string]string `cbor:"6,keyasint,omitempty"` // language -> text
}

// maxPhraseDepth bounds phrases within phrases.
const maxPhraseDepth = 4

func keepPhrase(p texts.Phrase, depth int) keptPhrase {
	k := keptPhrase{Key: p.Key}
	for _, a := range p.Args {
		k.Args = append(k.Args, keepArg(a, depth))
	}
	return k
}

func keepArg(a any, depth int) keptArg {
	text := func(s string) keptArg { return keptArg{Text: &s} }
	switch v := a.(type) {
	case string:
		return text(v)
	case texts.Phrase:
		if depth >= maxPhraseDepth {
			return inEach(func(c *texts.Catalogue) string { return c.Say(v) })
		}
		p := keepPhrase(v, depth+1)
		return keptArg{Phrase: &p}
	case texts.List:
		return keptArg{List: v}
	case func(*texts.Catalogue) string:
		return inEach(v)
	}
	if _, says := a.(fmt.Stringer); says {
		return text(fmt.Sprint(a))
	}
	switch v := reflect.ValueOf(a); v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := v.Int()
		return keptArg{Whole: &n}
	case reflect.Float64, reflect.Float32:
		f := v.Float()
		return keptArg{Float: &f}
	default:
		return text(fmt.Sprint(a))
	}
}

func inEach(say func(*texts.Catalogue) string) keptArg {
	in := map[string]string{}
	for _, l := range texts.Langs() {
		in[string(l)] = say(texts.For(l))
	}
	return keptArg{In: in}
}

func (k keptPhrase) phrase() texts.Phrase {
	p := texts.Phrase{Key: k.Key}
	for _, a := range k.Args {
		p.Args = append(p.Args, a.arg())
	}
	return p
}

func (k keptArg) arg() any {
	switch {
	case k.Text != nil:
		return *k.Text
	case k.Whole != nil:
		return int(*k.Whole)
	case k.Float != nil:
		return *k.Float
	case k.Phrase != nil:
		return k.Phrase.phrase()
	case k.In != nil:
		in := k.In
		return func(c *texts.Catalogue) string { return in[string(c.Lang)] }
	}
	return texts.List(k.List)
}
