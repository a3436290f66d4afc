package around

import (
	"fmt"
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/guide"
	"rentgen/app/guide/network"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/setup"
	"rentgen/ui/widgets"
)

// drawSeries shows every series that has readings, in a chart where it has numbers.
func (n *netPage) drawSeries() {
	c := n.h.Texts
	entries := n.h.Board.Entries(guide.KindNet)
	mark, stages := "", n.stages()
	for _, e := range entries {
		mark += e.Key + " "
	}
	for _, s := range stages {
		mark += fmt.Sprint(s.Seconds)
	}
	if mark == n.points && mark != "" {
		return
	}
	n.points = mark
	n.series.Objects = nil
	defer n.series.Refresh()
	grid := container.NewGridWithColumns(2)
	var from, to time.Time
	for _, what := range network.Whats() {
		points := network.Points(entries, what)
		if len(points) == 0 {
			continue
		}
		last := points[len(points)-1]
		if first := points[0].Time; from.IsZero() || first.Before(from) {
			from = first
		}
		if last.Time.After(to) {
			to = last.Time
		}
		col := container.NewVBox()
		ch := n.charts[what]
		if ch != nil {
			fill(ch, c, what, points)
			col.Add(widgets.AtLeast(fyne.NewSize(0, widgets.Scaled(120)), ch))
		}
		says := c.Say(network.Says(points))
		if ch == nil {
			says = c.T("around.net.series", "what", c.Say(what.Name()), "says", says)
		}
		col.Add(setup.Signed(setup.Verdict(last.Verdict), widgets.Words(says)))
		if what == network.Download && len(stages) > 0 {
			col.Add(setup.Aside(stagesSay(c, stages)))
		}
		grid.Add(col)
	}
	if len(grid.Objects) == 0 {
		n.series.Add(widgets.Words(c.T("around.net.time.empty")))
		return
	}
	if pad := to.Sub(from) / 40; pad > 0 {
		n.group.SetView(from.Add(-pad), to.Add(pad))
	}
	n.series.Add(grid)
}

// fill puts the readings of a series into its chart.
func fill(ch *chart.Chart, c *texts.Catalogue, what network.What, points []network.Point) {
	d := chart.Data{Unit: what.Unit()}
	s := d.Grow(c.Say(what.Name()), 0)
	for _, p := range points {
		if p.Value == nil {
			s.Add(p.Time.UnixMilli(), math.NaN())
			continue
		}
		s.Add(p.Time.UnixMilli(), *p.Value)
	}
	ch.SetData(d)
}

// stagesSay is where the time of a download went.
func stagesSay(c *texts.Catalogue, stages []network.Stage) string {
	text := ""
	for i, s := range stages {
		one := c.T("around.net.stage", "name", c.Say(s.Name), "s", texts.WithUnit(texts.Number(s.Seconds, 2), texts.Unit(c, "s")))
		if i == 0 {
			text = one
			continue
		}
		text = c.T("around.net.stages", "a", text, "b", one)
	}
	return text
}
