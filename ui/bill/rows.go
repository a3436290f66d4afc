package bill

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
)

// The rows beside the lines of a bill.
const (
	rowTotal  = "total"
	rowHead   = "per_head"
	row1000   = "per_1000"
	rowChance = "chance"
	rowDraws  = "draws"
	rowLasts  = "lasts"
	rowWait   = "wait"
	rowDies   = "dies"
	rowPart   = "wait." // and the id of a part of the waiting
)

// row is a line of the table.
type row struct {
	id    string
	name  content
	cells []content // by shown column
	heavy bool      // a stronger line above
}

// columns are the bills that are shown, by their place in the sheet.
func (w *Place) columns() []int {
	var all []int
	for i, b := range w.good.Sheet.Bills {
		if !b.Offer.Hidden {
			all = append(all, i)
		}
	}
	return all
}

// lineOrder is the order of the page.
var lineOrder = []string{
	sheet.LineValidation, sheet.LineTransfer, sheet.LineCompute, sheet.LineIdle, sheet.LineStart, sheet.LineRounding,
	sheet.LinePackage, sheet.LineOverage, sheet.LineRerun, sheet.LineMaxLife, sheet.LineStopped, sheet.LineSystemDisk, sheet.LineDataDisk,
	sheet.LineSnapshot, sheet.LineSystemImage, sheet.LineBandwidth, sheet.LineTraffic, sheet.LineCrossRegion, sheet.LineIP,
	sheet.LineRelease, sheet.LineOps, sheet.LineDiscount, sheet.LineTax, sheet.LineUnknown,
}

// lineIDs are the lines that any of the shown bills has, in the order of the
// page.
func (w *Place) lineIDs(cols []int) []string {
	var ids []string
	for _, i := range cols {
		for _, l := range w.good.Sheet.Bills[i].Lines {
			if !slices.Contains(ids, l.ID) {
				ids = append(ids, l.ID)
			}
		}
	}
	at := func(id string) int {
		if k := slices.Index(lineOrder, id); k >= 0 {
			return k
		}
		return len(lineOrder)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return at(a) - at(b) })
	return ids
}

// rows makes the table of the shown columns.
func (w *Place) rows(cols []int) []row {
	c, s := w.c, w.good.Sheet
	var rows []row
	add := func(id, name string, heavy bool, f func(i int, b sheet.Bill) content) *row {
		r := row{id: id, heavy: heavy, name: content{parts: []part{{text: name}}, left: true}}
		some := false
		for _, i := range cols {
			n := f(i, s.Bills[i])
			some = some || len(n.parts) > 0
			if len(n.parts) == 0 {
				n = content{parts: []part{{text: texts.Dash, colour: theme.ColorFaint}}, none: true}
			}
			n.best = slices.Contains(s.Cheapest, i)
			n.key = id + strconv.Itoa(i)
			r.cells = append(r.cells, n)
		}
		if !some {
			return nil
		}
		rows = append(rows, r)
		return &rows[len(rows)-1]
	}
	for _, id := range w.lineIDs(cols) {
		add(id, c.T("bill.line."+id), false, func(i int, b sheet.Bill) content { return w.lineCell(i, b, id) })
	}
	if r := add(rowTotal, c.T("bill.total"), true, w.totalCell); r != nil {
		r.name.parts[0].bold = true
	}
	of := func(v *money.Band, i int, b sheet.Bill, id string) content {
		if v == nil || b.Status != sheet.OK {
			return content{}
		}
		return content{parts: []part{{text: sheet.MoneyBand(c, *v, b.Currency)}}, tap: func() { w.explain(i, rowTotal) }}
	}
	add(rowHead, c.T("bill.per_head"), false, func(i int, b sheet.Bill) content { return of(b.PerHead, i, b, rowHead) })
	add(row1000, c.T("bill.per_1000"), false, func(i int, b sheet.Bill) content { return of(b.Per1000, i, b, row1000) })
	w.chanceRows(add)
	add(rowLasts, c.T("bill.lasts"), false, func(i int, b sheet.Bill) content {
		if b.LastsH == nil {
			return content{}
		}
		return content{parts: []part{{text: hoursText(c, *b.LastsH)}}, tap: func() { w.explain(i, rowLasts) }}
	})
	w.waitRows(add)
	add(rowDies, c.T("billpage.dies"), false, func(i int, b sheet.Bill) content {
		if b.Dies.IsZero() {
			return content{}
		}
		return content{parts: []part{{text: c.Say(b.Dies), small: true}}, left: true, tap: func() { w.explain(i, rowDies) }}
	})
	return rows
}

type adder = func(id, name string, heavy bool, f func(i int, b sheet.Bill) content) *row

// lineCell says a bill's amount of a line; two lines of one id are summed.
func (w *Place) lineCell(i int, b sheet.Bill, id string) content {
	c := w.c
	var sum money.Band
	text := ""
	for _, l := range b.Lines {
		if l.ID != id {
			continue
		}
		switch {
		case l.Hours != nil:
			text = sheet.AmountText(c, l, b.Currency)
		case l.Note.Key == "bill.note.in_package" && l.Amount.IsZero():
			text = c.T("bill.in_package")
		default:
			sum = sum.Add(l.Amount)
			text = sheet.MoneyBand(c, sum, b.Currency)
		}
	}
	if id == sheet.LineUnknown && b.Status == sheet.OK && len(b.Unknown) > 0 {
		ps := []part{{text: c.T("billpage.questions", "n", len(b.Unknown)), small: true, colour: theme.ColorWarn}}
		if len(b.Unknown) == 1 {
			ps[0].text = c.T("billpage.question")
		}
		if text != "" {
			ps = append([]part{{text: text}}, ps...)
		}
		return content{parts: ps, tap: func() { w.ask(i) }}
	}
	if text == "" {
		return content{}
	}
	return content{parts: []part{{text: text}}, tap: func() { w.explain(i, id) }}
}

// totalCell is a total with its band, or what stands in its place.
func (w *Place) totalCell(i int, b sheet.Bill) content {
	tap := func() { w.explain(i, rowTotal) }
	if b.Status != sheet.OK {
		icon := theme.Warn
		if b.Status == sheet.CannotFinish || b.Status == sheet.CardTooSmall {
			icon = theme.Fail
		}
		return content{icon: icon.Icon(), left: true, tap: tap, parts: []part{
			{text: w.c.T("bill.status." + string(b.Status)), bold: true, colour: icon.Color()},
			{text: w.c.Say(b.Why), small: true},
		}}
	}
	ps := []part{{text: sheet.MoneyBand(w.c, b.Total, b.Currency), bold: true}}
	if b.RateDate != "" {
		ps = append(ps, part{text: w.c.T("billpage.rate", "date", b.RateDate), small: true, colour: theme.ColorFaint})
	}
	return content{parts: ps, tap: tap}
}

// chanceRows are what the draws say, once they were asked for.
func (w *Place) chanceRows(add adder) {
	if !w.chances {
		return
	}
	c := w.c
	ch, progress, err := w.p.Desk.Chance()
	say := func(f func(i int, b sheet.Bill) string) func(i int, b sheet.Bill) content {
		return func(i int, b sheet.Bill) content {
			if b.Status != sheet.OK {
				return content{}
			}
			text, colour := "", theme.ColorFaint
			switch {
			case err != nil:
				text = c.T("billpage.chances.failed")
			case ch == nil:
				text = texts.Percent(progress * 100)
			case i < len(ch.Cheapest):
				text, colour = f(i, b), ""
			}
			return content{parts: []part{{text: text, colour: colour}}}
		}
	}
	add(rowChance, c.T("bill.chance"), false, say(func(i int, _ sheet.Bill) string { return texts.Chance(ch.Cheapest[i]) }))
	add(rowDraws, c.T("bill.p10_p90"), false, say(func(i int, b sheet.Bill) string {
		return sheet.MoneyBand(c, money.Band{Low: money.Float(ch.P10[i]), Point: money.Float(ch.Mean[i]), High: money.Float(ch.P90[i])}, b.Currency)
	}))
}

// share says a typed or reckoned share; between the ends it is never rounded to one.
func share(v float64) string {
	switch {
	case v > 0.99 && v < 1:
		return texts.WithUnit("> 99", "%")
	case v > 0 && v < 0.01:
		return texts.WithUnit("< 1", "%")
	}
	return texts.Percent(math.Round(v * 100))
}

// waitRows are the waiting before the first picture and its parts.
func (w *Place) waitRows(add adder) {
	c := w.c
	var ids []string
	for _, b := range w.good.Sheet.Bills {
		for _, x := range b.Waits {
			if !slices.Contains(ids, x.ID) {
				ids = append(ids, x.ID)
			}
		}
	}
	r := add(rowWait, c.T("billpage.wait"), true, func(i int, b sheet.Bill) content {
		if len(b.Waits) == 0 {
			return content{}
		}
		unknown, measured := 0, 0
		for _, x := range b.Waits {
			if x.Unknown {
				unknown++
			}
			if x.Measured {
				measured++
			}
		}
		text := secondsText(c, b.WaitH.Times(money.Int(3600)))
		if unknown > 0 {
			text = c.T("billpage.wait.least", "time", text)
		}
		if unknown == len(b.Waits) {
			text = c.T("offer.status.unknown")
		}
		from := c.T("bill.origin.estimated")
		if measured > 0 {
			from = c.T("billpage.wait.measured", "n", measured, "all", len(b.Waits))
		}
		return content{
			parts: []part{{text: text}, {text: from, small: true, colour: theme.ColorFaint}},
			tap:   func() { w.explain(i, rowWait) },
		}
	})
	if r == nil {
		return
	}
	r.name.icon = fynetheme.MenuDropDownIcon()
	if w.folded {
		r.name.icon = fynetheme.MenuExpandIcon()
	}
	r.name.tap = func() {
		w.folded = !w.folded
		w.sync()
	}
	if w.folded {
		return
	}
	for _, id := range ids {
		if p := add(rowPart+id, c.T("bill.wait."+id), false, func(i int, b sheet.Bill) content {
			for _, x := range b.Waits {
				if x.ID == id {
					return w.partCell(i, x)
				}
			}
			return content{}
		}); p != nil {
			p.name.parts[0].small = true
			p.name.indent = true
		}
	}
}

func (w *Place) partCell(i int, x sheet.Wait) content {
	tap := func() { w.explain(i, rowWait) }
	if x.Unknown {
		return content{parts: []part{{text: w.c.T("offer.status.unknown"), small: true, colour: theme.ColorFaint}}, tap: tap}
	}
	text := secondsText(w.c, x.Seconds)
	if x.Measured {
		text = w.c.T("billpage.wait.isreal", "time", text)
	}
	if x.Billed {
		text = w.c.T("billpage.wait.billed", "time", text)
	}
	return content{parts: []part{{text: text, small: true}}, tap: tap}
}

// secondsText says a band of seconds in the unit that suits it.
func secondsText(c *texts.Catalogue, b money.Band) string {
	l, h := b.Low.Float64(), b.High.Float64()
	if math.Round(l) == math.Round(h) || h >= 120 && math.Round(l/60) == math.Round(h/60) {
		return texts.Duration(c, time.Duration(math.Round(b.Point.Float64()))*time.Second)
	}
	switch {
	case h >= 120 && math.Round(l/60) == 0 && h < 2*3600:
		return c.T("billpage.upto", "time", texts.Duration(c, time.Duration(math.Round(h/60))*time.Minute))
	case h < 120:
		return texts.Band(c, math.Round(l), math.Round(h), c.T("term.unit.s"))
	case h < 2*3600:
		return texts.Band(c, math.Round(l/60), math.Round(h/60), c.T("term.unit.min"))
	}
	return texts.Band(c, l/3600, h/3600, c.T("term.unit.h"))
}

// hoursText says a band of hours: "19 h", "2 d 4 h".
func hoursText(c *texts.Catalogue, b money.Band) string {
	if b.Low.Round(0, money.HalfUp).Cmp(b.High.Round(0, money.HalfUp)) != 0 {
		return texts.Band(c, b.Low.Float64(), b.High.Float64(), c.T("term.unit.h"))
	}
	return texts.Duration(c, time.Duration(b.Point.Float64()*float64(time.Hour)).Round(time.Minute))
}

// priceText says what an offer's unit costs: "¥1.88 an hour".
func priceText(c *texts.Catalogue, o offer.Offer) string {
	if o.Payment.Price.Sign() == 0 {
		return c.T("bill.status.no-price")
	}
	return c.T("bill.per."+string(o.Payment.Unit), "amount", sheet.Price(c, o.Payment.Price, o.Currency))
}

// cardText says what of which card, how often, on which machine.
func cardText(c *texts.Catalogue, o offer.Offer) string {
	card := o.Card.Name
	if o.Cards > 1 {
		card = c.T("billpage.times", "n", o.Cards, "what", card)
	}
	if o.Card.Part != offer.Whole && o.Card.Part != "" {
		card += " " + c.T("billpage.part."+string(o.Card.Part))
	}
	ps := []string{card}
	if o.Machine != "" {
		ps = append(ps, c.Say(o.Machine.Name()))
	}
	s := strings.Join(ps, " · ")
	if o.Count > 1 {
		s = c.T("billpage.machines", "n", o.Count, "what", s)
	}
	return s
}
