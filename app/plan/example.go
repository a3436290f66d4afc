package plan

import (
	"embed"

	"rentgen/assets/texts"
)

//go:embed examples/*/*.yaml
var examples embed.FS

// Kinds are the examples there are, by the command that each shows best.
func Kinds() []string { return []string{"fit", "bill", "advise"} }

// Example is ExampleIn English.
func Example(kind string) []byte { return ExampleIn(texts.English, kind) }

// ExampleIn returns a commented plan file that runs as it is, with every
// command; remarks and names are in the language, the plan is the same in each.
// Its prices are made up and it says so. Of an unknown kind it is nil.
func ExampleIn(l texts.Lang, kind string) []byte {
	b, err := examples.ReadFile("examples/" + string(l) + "/" + kind + ".yaml")
	if err != nil {
		return nil
	}
	return b
}
