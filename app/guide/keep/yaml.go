package keep

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Config is an extra_model_paths.yaml of ComfyUI.
type Config struct {
	File string
	UI   string // root of the UI that reads it
	// Ignored says that ComfyUI doesn't read it, because it ends in .yml.
	Ignored bool
	Bad     bool // could not be read as such a file
	Paths   []ExtraPath
}

// ExtraPath is a directory that a Config names.
type ExtraPath struct {
	Section, Key string
	Path         string // absolute, as ComfyUI puts it together
	Tilde        bool   // begins with ~, which isn't expanded
}

// maxPaths bounds the paths of one file.
const maxPaths = 200

// readConfig reads a file the way ComfyUI does: sections of base_path and, by
// kind of model, one or several lines of paths.
func readConfig(file string, text []byte) Config {
	c := Config{File: file}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return c // an empty file names nothing
	}
	if err != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		c.Bad = err != nil || len(doc.Content) != 1 || doc.Content[0].Tag != "!!null"
		return c
	}
	top := doc.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		name, section := top[i].Value, top[i+1]
		if section.Kind != yaml.MappingNode {
			c.Bad = c.Bad || section.Tag != "!!null"
			continue
		}
		c.section(name, section.Content)
	}
	return c
}

func (c *Config) section(name string, pairs []*yaml.Node) {
	base := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].Value == "base_path" && pairs[i+1].Kind == yaml.ScalarNode {
			base = pairs[i+1].Value
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i].Value, pairs[i+1]
		if key == "base_path" || key == "is_default" {
			continue
		}
		if value.Kind != yaml.ScalarNode {
			c.Bad = true
			continue
		}
		for line := range strings.SplitSeq(value.Value, "\n") {
			if line = strings.TrimSpace(line); line != "" && len(c.Paths) < maxPaths {
				c.Paths = append(c.Paths, c.path(name, key, base, line))
			}
		}
	}
}

func (c *Config) path(section, key, base, line string) ExtraPath {
	p := line
	if base != "" && !path.IsAbs(p) {
		p = base + "/" + p
	}
	x := ExtraPath{Section: section, Key: key, Tilde: strings.HasPrefix(p, "~") || strings.HasPrefix(line, "~")}
	if !path.IsAbs(p) {
		p = path.Dir(c.File) + "/" + p
	}
	x.Path = path.Clean(p)
	return x
}
