// Package push sends alerts to where a person looks: a program of their own, a
// phone, a group. How each service wants it stands in assets/push; nothing is
// sent until the person switched a form on.
//
// An address with the key in it and the secret beside it are kept in the system's
// keyring alone. They are in no log, no error, no JSON and not in the database,
// which knows the name of the server and whether the form is on.
package push

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"rentgen/assets/push"
)

// Form is how a service wants to be told.
type Form struct {
	ID         string            `yaml:"id"`
	Order      int               `yaml:"order"`
	Name       map[string]string `yaml:"name"` // by language
	Address    Shape             `yaml:"address"`
	Secret     Secret            `yaml:"secret"`
	Method     string            `yaml:"method"`
	Headers    map[string]string `yaml:"headers"`
	Body       any               `yaml:"body"` // a tree; its texts hold placeholders
	LimitBytes int               `yaml:"limit_bytes"`
	Success    Success           `yaml:"success"`
	Refusals   map[string]Reason `yaml:"refusals"` // what the service's own codes mean
	Source     string            `yaml:"source"`
	Date       string            `yaml:"date"` // of the copy read, or "undated"
	Mark       string            `yaml:"mark"` // provider, third-party or own
}

// Shape is what an address looks like and where its key stands.
type Shape struct {
	Shape string `yaml:"shape"` // an example, {key} where the key stands
	Key   struct {
		In   Place  `yaml:"in"`
		Name string `yaml:"name"` // of the query's parameter
	} `yaml:"key"`
	Send string `yaml:"send"` // "{address}", or a path after "{root}", the address without its key
}

// Place is where an address holds its key.
type Place string

// The places.
const (
	KeyNone  Place = "none"
	KeyQuery Place = "query"
	KeyEnd   Place = "path-end"   // the last part of the path
	KeyStart Place = "path-start" // the first part of the path
)

// Secret says what a form does with a secret beside the address.
type Secret string

// The uses of a secret. All are optional: the service decides.
const (
	SecretNone     Secret = "none"
	SecretBearer   Secret = "bearer"
	SecretFeishu   Secret = "sign-feishu"
	SecretDingTalk Secret = "sign-dingtalk"
)

// Success is how an answer says that it was taken: a status of 2xx and, where a
// field is named, its value. Says is the field with the service's own words.
type Success struct {
	Field string `yaml:"field"`
	Is    string `yaml:"is"`
	Says  string `yaml:"says"`
}

var loaded = sync.OnceValues(func() ([]Form, error) { return readForms(push.Files) })

// Forms returns all forms, the plain ones first.
func Forms() []Form {
	list, err := loaded()
	if err != nil {
		panic(err) // they are part of the program; a test reads them
	}
	return list
}

// Find returns a form by its ID.
func Find(id string) (Form, bool) {
	for _, f := range Forms() {
		if f.ID == id {
			return f, true
		}
	}
	return Form{}, false
}

// NameIn returns the form's name in a language.
func (f Form) NameIn(lang string) string {
	if n, ok := f.Name[lang]; ok {
		return n
	}
	return f.Name["en"]
}

func readForms(files fs.FS) ([]Form, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the forms of pushes: %w", err)
	}
	var out []Form
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		f, err := readForm(b)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if f.ID+".yaml" != name {
			return nil, fmt.Errorf("read %s: its id is %q", name, f.ID)
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Form) int { return a.Order - b.Order })
	return out, nil
}

// readForm reads and checks one form. Keys that it doesn't know are errors.
func readForm(b []byte) (Form, error) {
	var f Form
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return Form{}, err
	}
	in := f.Address.Key
	switch {
	case f.ID == "" || f.Name["en"] == "" || f.Name["zh"] == "":
		return Form{}, fmt.Errorf("id or name is missing")
	case !slices.Contains([]Place{KeyNone, KeyQuery, KeyEnd, KeyStart}, in.In) || (in.In == KeyQuery) != (in.Name != ""):
		return Form{}, fmt.Errorf("place of the key: %q %q", in.In, in.Name)
	case !slices.Contains([]Secret{SecretNone, SecretBearer, SecretFeishu, SecretDingTalk}, f.Secret):
		return Form{}, fmt.Errorf("secret: %q", f.Secret)
	case f.Method != "POST" && f.Method != "PUT":
		return Form{}, fmt.Errorf("method: %q", f.Method)
	case f.Address.Send != "{address}" && !strings.HasPrefix(f.Address.Send, "{root}/"):
		return Form{}, fmt.Errorf("send: %q", f.Address.Send)
	case f.Body == nil || f.LimitBytes < 200:
		return Form{}, fmt.Errorf("body or limit_bytes is missing")
	case f.Source == "" || f.Date == "" || !slices.Contains([]string{"provider", "third-party", "own"}, f.Mark):
		return Form{}, fmt.Errorf("source, date or mark is missing")
	}
	for code, r := range f.Refusals {
		if !slices.Contains(Reasons(), r) {
			return Form{}, fmt.Errorf("refusal %s: %q", code, r)
		}
	}
	return f, nil
}
