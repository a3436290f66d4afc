// Package open leads the browser to the programs of an instance over the login
// that exists already, tests them, and looks from outside at what answers there
// without one.
package open

import (
	"slices"

	"rentgen/app/guide/check"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// App is a program that answers at a port.
type App string

// The programs that are told apart. What answers as none of them is Other.
const (
	ComfyUI     App = "comfyui"
	A1111       App = "a1111" // AUTOMATIC1111's web UI and Forge
	Gradio      App = "gradio"
	Jupyter     App = "jupyter"
	Ollama      App = "ollama"
	TensorBoard App = "tensorboard"
	Invoke      App = "invoke"
	Other       App = "other"
)

// Name returns the program's name as it is said.
func (a App) Name() texts.Phrase { return texts.P("open.app." + string(a)) }

// Target is a port that may be opened.
type Target struct {
	Port int
	Name texts.Phrase // what usually answers there; zero where that isn't known
	// Provider is the provider's own name of it, nil for none.
	Provider map[texts.Lang]string
	// Listening says that something was seen to listen there.
	Listening bool
}

// usual are the ports of programs as they come.
var usual = []struct {
	port int
	app  App
}{{8188, ComfyUI}, {7860, A1111}, {8888, Jupyter}, {6006, TensorBoard}, {11434, Ollama}, {9090, Invoke}, {18188, ComfyUI}}

// Targets returns what may be opened on an instance: ports at which something was
// seen to listen first, then those of the provider and the usual ones. SSH and
// ports that no browser may open are left out.
func Targets(p provider.Profile, listening []int) []Target {
	var list []Target
	add := func(t Target) {
		if i := slices.IndexFunc(list, func(o Target) bool { return o.Port == t.Port }); i >= 0 {
			if list[i].Provider == nil {
				list[i].Provider = t.Provider
			}
			return
		}
		list = append(list, t)
	}
	named := func(port int) texts.Phrase {
		for _, u := range usual {
			if u.port == port {
				return u.app.Name()
			}
		}
		return texts.Phrase{}
	}
	ui := check.UIPorts()
	seen := slices.Clone(listening)
	slices.SortStableFunc(seen, func(a, b int) int { // the usual ones first
		x, y := slices.Contains(ui, a), slices.Contains(ui, b)
		switch {
		case x == y:
			return a - b
		case x:
			return -1
		}
		return 1
	})
	for _, port := range seen {
		if port >= 1024 && port < 1<<16 || port == 80 {
			add(Target{Port: port, Name: named(port), Listening: true})
		}
	}
	for _, s := range p.Services {
		if s.Port > 0 {
			add(Target{Port: s.Port, Name: named(s.Port), Provider: s.Name})
		}
	}
	for _, u := range usual {
		add(Target{Port: u.port, Name: u.app.Name()})
	}
	return list
}
