package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// runMan prints the man page, in roff, of the whole table.
func runMan(_ context.Context, j *job) error {
	page := j.man()
	if j.is("json") {
		return j.printJSON(map[string]string{"format": "roff", "text": page})
	}
	_, err := io.WriteString(j.p.Stdout, page)
	return err
}

func (j *job) man() string {
	var b strings.Builder
	t := j.c.T
	fmt.Fprintf(&b, ".TH RENTGEN 1 \"\" \"rentgen %s\"\n", roff(j.p.Version))
	section := func(key string) { fmt.Fprintf(&b, ".SH %s\n", roff(t(key))) }
	section("cli.man.name")
	fmt.Fprintf(&b, "rentgen \\- %s\n", roff(t("cli.cmd.rentgen")))
	section("cli.man.synopsis")
	for _, c := range j.table {
		if !c.hidden {
			fmt.Fprintf(&b, ".nf\n.B %s\n.fi\n", roff(c.usage()))
		}
	}
	section("cli.man.commands")
	for _, c := range j.table {
		if c.hidden {
			continue
		}
		name := "rentgen"
		if c.name != "" {
			name += " " + c.name
		}
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(name), roff(t("cli.cmd."+c.key())))
		for _, a := range c.args {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(a.name), roff(t("cli.arg."+strings.ToLower(a.name))))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.usage()), roff(j.flagText(f)))
		}
		for _, e := range c.examples {
			fmt.Fprintf(&b, ".PP\n.nf\n    %s\n.fi\n", roff(e))
		}
	}
	section("cli.man.everywhere")
	for _, f := range everywhere {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.usage()), roff(j.flagText(f)))
	}
	section("cli.man.codes")
	for _, row := range j.codes() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", row[0], roff(row[1]))
	}
	section("cli.man.environment")
	for _, name := range []string{"RENTGEN_HOME", "RENTGEN_KEYRING"} {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(t("cli.env."+name)))
	}
	return b.String()
}

// roff keeps text from being read as commands of roff.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
