// Package workflow fills a job from what users have already: a ComfyUI
// workflow in either form, a picture that carries one, the parameters text of
// A1111 and Forge, or a running ComfyUI. What it could not read is listed, never
// guessed silently.
package workflow

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// The limits of what is read.
const (
	maxFile   = 64 << 20 // bytes
	maxText   = 16 << 20 // bytes of a workflow or of parameters, unpacked
	maxDepth  = 100      // levels of JSON
	maxNodes  = 20_000   // after subgraphs are laid out
	maxNested = 16       // subgraphs within one another
	maxItems  = 40       // of a list of Found
	maxWords  = 80       // runes of a value that is shown
)

// Item is something that was found.
type Item struct {
	Field string       // of a job as on the Plan page: "model", "size"; or the type of a node, the key of a text
	Value string       // as it stands there
	From  string       // where: "3 KSampler", "Hires steps"
	Why   texts.Phrase // how it was taken, or why it was not understood; zero: as it stands
}

// Found is what a workflow says of a job. A field of Job that nothing was found
// for is empty; Job.Model is "" while the file of the model is not known.
type Found struct {
	Job                workload.Job
	Understood, Missed []Item
	Program            string // "ComfyUI", "A1111", "Forge" ...
}

// Error says what a file is and what would be taken.
type Error struct{ Reason texts.Phrase }

// Error says it in English.
func (e *Error) Error() string { return texts.For(texts.English).Say(e.Reason) }

// Phrase says it in the language of the reader.
func (e *Error) Phrase() texts.Phrase { return e.Reason }

func bad(key string, pairs ...any) *Error { return &Error{texts.P(key, pairs...)} }

// Read reads a workflow, a picture with one, or parameters. The name only helps
// to say what a file is; its content decides. The error is an *Error.
func Read(name string, b []byte) (Found, error) {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return Found{}, bad("workflow.bad.empty")
	case len(b) > maxFile:
		return Found{}, bad("workflow.bad.large", "most", "64 MB")
	}
	switch kind := sniff(b); kind {
	case "PNG":
		return readPNG(b)
	case "JPEG", "WebP":
		return readEXIF(kind, b)
	case "":
		return readText(name, b)
	default:
		return Found{}, bad("workflow.bad.kind", "kind", kind)
	}
}

// sniff names the kind of a file that is no text, "" for a text.
func sniff(b []byte) string {
	at := func(i int, s string) bool { return len(b) >= i+len(s) && string(b[i:i+len(s)]) == s }
	switch {
	case at(0, pngHead):
		return "PNG"
	case at(0, "\xff\xd8\xff"):
		return "JPEG"
	case at(0, "RIFF") && at(8, "WEBP"):
		return "WebP"
	case at(0, "GIF8"):
		return "GIF"
	case at(0, "BM") && len(b) > 14 && bytes.IndexByte(b[6:10], 0) >= 0:
		return "BMP"
	case at(0, "II*\x00"), at(0, "MM\x00*"):
		return "TIFF"
	case at(4, "ftypavif"), at(4, "ftypheic"):
		return "AVIF"
	case at(4, "ftyp"):
		return "MP4"
	case at(0, "\x1aE\xdf\xa3"):
		return "WebM"
	case at(0, "PK\x03\x04"):
		return "ZIP"
	case at(0, "%PDF"):
		return "PDF"
	}
	if utf16Order(b) == nil && bytes.IndexByte(b[:min(len(b), 512)], 0) >= 0 {
		if n := bytes.IndexByte(b, '{'); n == 8 {
			return "safetensors"
		}
		return "?"
	}
	return ""
}

// readText reads a .json or .txt.
func readText(name string, b []byte) (Found, error) {
	if len(b) > maxText {
		return Found{}, bad("workflow.bad.large", "most", "16 MB")
	}
	s := strings.TrimSpace(decodeText(b))
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		f, err := readGraph(s, nil)
		if err == nil || !looksLikeParameters(s) {
			return f, err
		}
	}
	if looksLikeParameters(s) {
		return readParameters(s), nil
	}
	if strings.EqualFold(path.Ext(name), ".json") {
		return Found{}, bad("workflow.bad.json", "line", "1", "column", "1")
	}
	return Found{}, bad("workflow.bad.neither")
}

// carried are the texts that a picture carries, and its size in pixels.
type carried struct {
	texts         map[string]string // by key, lower case
	width, height int
}

// read reads the first of a picture's texts that says something: what was
// executed, then what was drawn, then parameters.
func (c carried) read() (Found, bool, error) {
	var first error
	for _, key := range []string{"prompt", "workflow"} {
		s, ok := c.texts[key]
		if !ok || !strings.HasPrefix(strings.TrimSpace(s), "{") {
			continue
		}
		f, err := readGraph(s, &c)
		if err == nil {
			return f, true, nil
		}
		first = cmp.Or(first, err)
	}
	for _, key := range []string{"parameters", "usercomment", "description", "comment"} {
		if s := c.texts[key]; looksLikeParameters(s) {
			return readParameters(s), true, nil
		}
	}
	return Found{}, false, first
}

// notes collects items.
type notes struct{ understood, missed []Item }

func (n *notes) saw(field, value, from string, why ...texts.Phrase) {
	n.understood = add(n.understood, field, value, from, why)
}

func (n *notes) miss(field, value, from string, why texts.Phrase) {
	n.missed = add(n.missed, field, value, from, []texts.Phrase{why})
}

func add(list []Item, field, value, from string, why []texts.Phrase) []Item {
	it := Item{Field: short(field), Value: short(value), From: short(from)}
	if len(why) > 0 {
		it.Why = why[0]
	}
	for _, o := range list {
		if o.Field == it.Field && o.Value == it.Value && o.Why.Key == it.Why.Key {
			return list
		}
	}
	if len(list) >= maxItems {
		return list
	}
	return append(list, it)
}

// short cuts a foreign text to what can be shown in a line.
func short(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	r := []rune(s)
	if len(r) > maxWords {
		return string(r[:maxWords-1]) + "…"
	}
	return s
}

// finish takes back what a plan can't hold and closes the lists.
func (n *notes) finish(job workload.Job, program string) Found {
	for range 20 { // each round takes a field back
		errs := slices.DeleteFunc(workload.Load().Check(job), func(e *workload.InputError) bool {
			return e.Field == "job.model" && job.Model == ""
		})
		if len(errs) == 0 {
			break
		}
		for _, e := range errs {
			clearField(&job, e.Field)
			n.miss(strings.TrimPrefix(e.Field, "job."), e.Value, "", texts.P("workflow.miss.range", "allowed", e.Allowed))
		}
	}
	return Found{Job: job, Understood: n.understood, Missed: n.missed, Program: program}
}

// clearField empties a field by the name that Check gives it.
func clearField(j *workload.Job, field string) {
	switch field {
	case "job.model":
		j.Model = ""
	case "job.kind":
		j.Kind = ""
	case "job.precision":
		j.Quant = ""
	case "job.te_precision":
		j.TEQuant = ""
	case "job.width", "job.height":
		j.Width, j.Height = 0, 0
	case "job.steps":
		j.Steps = 0
	case "job.batch":
		j.Batch = 0
	case "job.frames":
		if j.Frames == 0 { // a clip whose length is unknown: the model's usual kind
			j.Kind = ""
		}
		j.Frames = 0
	case "job.controlnets":
		j.ControlNets = 0
	case "job.loras":
		j.LoRAs = 0
	case "job.ip_adapter":
		j.IPAdapter = 0
	case "job.extra":
		j.Extra = nil
	case "job.offload":
		j.Offload = ""
	case "job.framework":
		j.Framework = ""
	}
	if strings.HasPrefix(field, "job.hires") {
		j.Hires = nil
	}
	if strings.HasPrefix(field, "job.upscaler") {
		j.Upscaler = nil
	}
}
