package fault

import (
	"fmt"
	"strconv"
	"sync"

	"rentgen/app/judge"
	assets "rentgen/assets/judge"
	"rentgen/assets/table"
)

// Part says what an error number is of.
type Part string

// The parts.
const (
	Program Part = "program"
	Card    Part = "card"
	VRAM    Part = "vram"
	Link    Part = "link"
	Driver  Part = "driver"
)

// Number is a row of the dictionary of the driver's error numbers (Xid).
type Number struct {
	Code         int
	Level        judge.Level
	Part         Part
	Source, Date string
}

// Numbers returns the dictionary. It panics where the built-in table is broken,
// which a test excludes.
var Numbers = sync.OnceValue(func() []Number {
	var list []Number
	for _, r := range table.Rows("xid.csv", assets.Xids, "code", "level", "part", "source", "date") {
		code, err := strconv.Atoi(r[0])
		if err != nil {
			panic(fmt.Sprintf("xid.csv: %v", err))
		}
		list = append(list, Number{code, judge.Level(r[1]), Part(r[2]), r[3], r[4]})
	}
	return list
})

// lookup returns the row of a number; one that isn't known is a warning of the
// card.
func lookup(code int) (Number, bool) {
	for _, n := range Numbers() {
		if n.Code == code {
			return n, true
		}
	}
	return Number{Code: code, Level: judge.Warn, Part: Card}, false
}
