package guidetest

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"rentgen/app/guide"
)

// Case is a recorded output with the right answer.
type Case struct {
	ID      string
	In      guide.Input // as it is pasted: everything in Stdout
	Context string      // JSON, as it stands in the index
	Want    guide.Verdict
	Facts   map[string]any // as JSON gives them
	Remedy  string
}

// Cases reads the cases of a folder: index.csv and a raw file each. A check that
// nobody knows and a broken row end the test.
func Cases(t testing.TB, dir string) []Case {
	t.Helper()
	list, err := readCases(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func readCases(dir string) ([]Case, error) {
	f, err := os.Open(filepath.Join(dir, "index.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s has no cases", dir)
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, name := range []string{"id", "file", "check", "track", "command", "exit_code", "context", "verdict", "facts", "remedy"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("%s/index.csv has no column %q", dir, name)
		}
	}
	var list []Case
	for _, r := range rows[1:] {
		c, err := readCase(dir, func(name string) string { return r[column[name]] })
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", r[column["id"]], err)
		}
		list = append(list, c)
	}
	return list, nil
}

func readCase(dir string, get func(name string) string) (Case, error) {
	c := Case{ID: get("id"), Context: get("context"), Want: guide.Verdict(get("verdict")), Remedy: get("remedy"), In: guide.Input{
		Check: guide.CheckID(get("check")), Track: guide.Track(get("track")), Command: get("command"),
	}}
	if !slices.Contains(guide.Checks(), c.In.Check) {
		return c, fmt.Errorf("no check is called %q", c.In.Check)
	}
	var err error
	if c.In.Stdout, err = os.ReadFile(filepath.Join(dir, get("file"))); err != nil {
		return c, err
	}
	if c.In.Exit, err = strconv.Atoi(get("exit_code")); err != nil {
		return c, err
	}
	if c.In.Context, err = guide.ReadContext([]byte(c.Context)); err != nil {
		return c, err
	}
	if facts := get("facts"); facts != "" {
		if err := json.Unmarshal([]byte(facts), &c.Facts); err != nil {
			return c, fmt.Errorf("facts: %w", err)
		}
	}
	return c, nil
}
