package plan

import "embed"

//go:embed examples/*.yaml
var examples embed.FS

// Kinds are the examples there are, by the command that each shows best.
func Kinds() []string { return []string{"fit", "bill", "advise"} }

// Example returns a commented plan file that runs as it is, with every command.
// Its prices are made up and it says so. Of an unknown kind it is nil.
func Example(kind string) []byte {
	b, err := examples.ReadFile("examples/" + kind + ".yaml")
	if err != nil {
		return nil
	}
	return b
}
