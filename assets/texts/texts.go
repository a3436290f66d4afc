// Package texts holds every sentence of the program in Chinese and English and
// says numbers, times and amounts the way a reader of either expects them.
//
// A text file is a flat JSON object, one file a room and language
// (en/watch.json, zh/watch.json). {name} in a text is filled from T's pairs.
package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"sync"
	"sync/atomic"
)

//go:embed en/*.json zh/*.json
var files embed.FS

// Lang is a language of the face.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Langs returns all languages.
func Langs() []Lang { return []Lang{English, Chinese} }

// Catalogue answers in one language. It is immutable and safe for use from
// several goroutines.
type Catalogue struct {
	Lang  Lang
	texts map[string]string
}

// loaded are the catalogues, each read when it is first asked for: a window
// speaks one language, and the texts of the other one would only take room.
var loaded = map[Lang]func() *Catalogue{English: reader(English), Chinese: reader(Chinese)}

func reader(l Lang) func() *Catalogue {
	return sync.OnceValue(func() *Catalogue {
		c, _ := load(l)
		return c
	})
}

// load also lists what is wrong with the embedded files of a language; a test
// keeps that empty.
func load(l Lang) (c *Catalogue, faults []string) {
	c = &Catalogue{Lang: l, texts: make(map[string]string)}
	names, err := fs.Glob(files, path.Join(string(l), "*.json"))
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		var m map[string]string
		if err := json.Unmarshal(b, &m); err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", name, err))
		}
		for k, v := range m {
			if _, twice := c.texts[k]; twice {
				faults = append(faults, fmt.Sprintf("%s: key %q stands in another file too", name, k))
			}
			if l == Chinese {
				v = spaced(v)
			}
			c.texts[k] = v
		}
	}
	return c, faults
}

// For returns the catalogue of a language; any other than Chinese is English.
func For(l Lang) *Catalogue {
	get, ok := loaded[l]
	if !ok {
		get = loaded[English]
	}
	c := get()
	latest.Store(c)
	return c
}

// latest is the catalogue that was asked for last.
var latest atomic.Pointer[Catalogue]

// Has reports whether a text exists. Every language has the same texts, so that
// the one in use answers.
func Has(key string) bool {
	c := latest.Load()
	if c == nil {
		c = For(English)
	}
	return c.Has(key)
}

// Has reports whether the key exists.
func (c *Catalogue) Has(key string) bool {
	_, ok := c.texts[key]
	return ok
}

// Keys returns all keys, sorted.
func (c *Catalogue) Keys() []string {
	ks := make([]string, 0, len(c.texts))
	for k := range c.texts {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}

// T returns the text of key with each {name} replaced by the value that
// follows that name in pairs. A missing key returns itself, so that it is seen.
func (c *Catalogue) T(key string, pairs ...any) string {
	s, ok := c.texts[key]
	if !ok {
		return key
	}
	if len(pairs) < 2 {
		return s
	}
	return fill(s, pairs, c.Lang == Chinese)
}
