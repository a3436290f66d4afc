package remote

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kevinburke/ssh_config"
)

const (
	maxConfig   = 1 << 20 // bytes of one file
	maxIncludes = 16      // depth
	maxFiles    = 200
)

// configValue is a key and value with where it stands.
type configValue struct {
	key, value, file string
	line             int
}

// configBlock is what follows a Host or Match line, or stands before the first.
type configBlock struct {
	match    bool
	patterns []string    // of Host
	criteria []criterion // of Match
	outer    []configBlock
	values   []configValue
}

// LoadConfig reads an ssh config with what it includes. What can't be read
// costs itself alone: a bad line its line, a condition we don't take its
// block, a missing file its file; Notices name them. The path "" means
// ~/.ssh/config. The result is never nil.
func LoadConfig(path string) (*Config, []Notice) {
	home, _ := os.UserHomeDir()
	if path == "" {
		path = filepath.Join(home, ".ssh", "config")
	}
	r := &configReader{c: &Config{home: home}, base: filepath.Dir(path)}
	b, err := readConfig(path)
	switch {
	case err == nil:
		r.file(path, string(b), nil, 0)
	case !errors.Is(err, os.ErrNotExist):
		r.notice("config-file", "file", path, "error", Clean(err.Error()))
	}
	return r.c, r.notices
}

type configReader struct {
	c       *Config
	base    string // where relative includes are sought
	files   int
	notices []Notice
}

func (r *configReader) notice(code string, pairs ...string) {
	if len(r.notices) >= 100 {
		return
	}
	n := Notice{Code: code, Args: make(map[string]string)}
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Args[pairs[i]] = pairs[i+1]
	}
	r.notices = append(r.notices, n)
}

func readConfig(path string) ([]byte, error) {
	b, _, err := readRegular(path, maxConfig)
	return b, err
}

// file reads one file line by line. outer are the blocks that an Include
// stands in: what is included applies only where they do.
func (r *configReader) file(name, text string, outer []configBlock, depth int) {
	if r.files++; r.files > maxFiles {
		return
	}
	text = strings.TrimPrefix(text, "\ufeff")
	block := configBlock{outer: outer, patterns: []string{"*"}, match: true, criteria: []criterion{{kind: "all"}}}
	skip := false
	flush := func() {
		if !skip && (len(block.values) > 0 || !block.match) {
			r.c.blocks = append(r.c.blocks, block)
		}
		block.values = nil
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		key, value := splitKey(line)
		where := []string{"file", name, "line", strconv.Itoa(i + 1), "text", Clean(line)}
		switch strings.ToLower(key) {
		case "host":
			flush()
			skip = false
			block = configBlock{outer: outer, patterns: configWords(value)}
			if bad := slices.ContainsFunc(block.patterns, func(p string) bool { return !validPattern(p) }); bad || len(block.patterns) == 0 {
				skip = true
				r.notice("config-line", where...)
			}
		case "match":
			flush()
			skip = false
			block = configBlock{outer: outer, match: true}
			var code string
			if block.criteria, code = parseCriteria(configWords(value)); code != "" {
				skip = true
				r.notice(code, where...)
			}
		case "include":
			if skip {
				continue
			}
			flush()
			r.include(configWords(value), append(slices.Clone(outer), block), depth, where)
		default:
			if skip {
				continue
			}
			kv, ok := decodeLine(line)
			if !ok {
				r.notice("config-line", where...)
				continue
			}
			kv.file, kv.line = name, i+1
			block.values = append(block.values, kv)
		}
	}
	flush()
}

// decodeLine reads "Key value" through the library, one line at a time, so
// that what it refuses costs that line.
func decodeLine(line string) (configValue, bool) {
	if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
		return configValue{}, false
	}
	if key, value := splitKey(line); strings.EqualFold(key, "Port") && !isPort(value) || value == "" {
		return configValue{}, false
	}
	c, err := ssh_config.DecodeBytes([]byte(line + "\n"))
	if err != nil || len(c.Hosts) == 0 {
		return configValue{}, false
	}
	for _, n := range c.Hosts[0].Nodes {
		if kv, ok := n.(*ssh_config.KV); ok && kv.Value != "" {
			return configValue{key: kv.Key, value: kv.Value}, true
		}
	}
	return configValue{}, false
}

// splitKey parts "Key value", "Key=value" and "Key = value".
func splitKey(line string) (key, value string) {
	i := strings.IndexAny(line, " \t=")
	if i < 0 {
		return line, ""
	}
	value = strings.TrimSpace(line[i:])
	return line[:i], strings.TrimSpace(strings.TrimPrefix(value, "="))
}

// configWords splits a value at blanks, keeping what stands in double quotes
// together, up to a comment.
func configWords(s string) []string {
	var all []string
	var w strings.Builder
	in, has := false, false
	for _, r := range s {
		switch {
		case r == '"':
			in, has = !in, true
		case (r == ' ' || r == '\t') && !in:
			if has {
				all = append(all, w.String())
				w.Reset()
				has = false
			}
		case r == '#' && !in && !has:
			return all
		default:
			w.WriteRune(r)
			has = true
		}
	}
	if has {
		all = append(all, w.String())
	}
	return all
}

func validPattern(p string) bool {
	_, err := ssh_config.NewPattern(strings.TrimPrefix(p, "!"))
	return err == nil && p != "" && p != "!"
}

func (r *configReader) include(patterns []string, outer []configBlock, depth int, where []string) {
	if depth >= maxIncludes {
		r.notice("config-include", where...)
		return
	}
	for _, p := range patterns {
		p = expandHome(p, r.c.home)
		if !filepath.IsAbs(p) {
			p = filepath.Join(r.base, p)
		}
		names, err := filepath.Glob(p)
		if err != nil || len(names) == 0 && !strings.ContainsAny(p, "*?[") {
			r.notice("config-include", where...)
			continue
		}
		for _, name := range names {
			b, err := readConfig(name)
			if err != nil {
				r.notice("config-file", "file", name, "error", Clean(err.Error()))
				continue
			}
			r.file(name, string(b), outer, depth+1)
		}
	}
}
