package bill

import (
	"encoding/csv"
	"image"
	"image/png"
	"io"
	"strconv"

	"rentgen/ui/chart"
)

const (
	pictureW = 1200
	pictureH = 640
)

func (p *pictures) save(img image.Image) {
	p.w.askWhere(".png", func(out io.Writer) error { return png.Encode(out, img) })
}

func (p *pictures) curvesPNG() {
	k := chart.NewXY(p.w.c.T("billpage.pic.curves"))
	k.SetData(p.curvesData())
	p.save(k.Image(pictureW, pictureH))
}

func (p *pictures) linesPNG() {
	k := chart.NewBars(p.w.c.T("billpage.pic.lines"))
	k.SetData(p.linesData())
	p.save(k.Image(pictureW))
}

func (p *pictures) movesPNG() {
	k := chart.NewBars(p.w.c.T("billpage.pic.moves"))
	k.SetData(p.movesData())
	p.save(k.Image(pictureW))
}

// table writes rows as CSV that Excel reads as UTF-8.
func (w *Place) csvOut(rows [][]string) {
	w.askWhere(".csv", func(out io.Writer) error {
		if _, err := io.WriteString(out, "\ufeff"); err != nil {
			return err
		}
		return csv.NewWriter(out).WriteAll(rows)
	})
}

// guard keeps a spreadsheet from reading a name as a formula.
func guard(s string) string {
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@') {
		return "'" + s
	}
	return s
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (w *Place) curvesCSV() {
	cur := string(w.good.Sheet.Currency)
	rows := [][]string{{"offer", "hours_a_month", "low", "point", "high", "currency"}}
	for _, k := range w.pictures.drawn.curves {
		for i := range k.Hours {
			rows = append(rows, []string{guard(k.Offer), number(k.Hours[i]), number(k.Low[i]), number(k.Point[i]), number(k.High[i]), cur})
		}
	}
	w.csvOut(rows)
}

func (w *Place) linesCSV() {
	rows := [][]string{{"offer", "status", "line", "low", "point", "high", "currency", "own_hours", "source", "date"}}
	for _, i := range w.columns() {
		b := w.good.Sheet.Bills[i]
		for _, l := range b.Lines {
			own := ""
			if l.Hours != nil {
				own = l.Hours.Point.String()
			}
			rows = append(rows, []string{
				guard(b.Name), string(b.Status), l.ID, l.Amount.Low.String(), l.Amount.Point.String(), l.Amount.High.String(),
				string(b.Currency), own, guard(l.Source), l.Date,
			})
		}
		total := []string{guard(b.Name), string(b.Status), "total", "", "", "", string(b.Currency), "", "", b.RateDate}
		if len(b.Lines) > 0 {
			total[3], total[4], total[5] = b.Total.Low.String(), b.Total.Point.String(), b.Total.High.String()
		}
		rows = append(rows, total)
	}
	w.csvOut(rows)
}

func (w *Place) movesCSV() {
	rows := [][]string{{"input", "offer", "from", "to", "unit", "share", "then_cheapest"}}
	for _, m := range w.good.Sheet.Moves {
		rows = append(rows, []string{m.Input, guard(m.Offer), m.From.String(), m.To.String(), m.Unit, m.Share.String(), guard(m.Then)})
	}
	w.csvOut(rows)
}
