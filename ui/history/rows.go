package history

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/chart"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// chartRow is one chart with its metric chooser.
type chartRow struct {
	metric probe.Metric
	pick   *widgets.Select
	value  *widget.Label
	close  *widgets.Button
	chart  *chart.Chart
	box    *fyne.Container
}

// addChart puts another chart below the others.
func (b *board) addChart(m probe.Metric) {
	if len(b.rows) >= mostCharts {
		return
	}
	c := b.w.c
	r := &chartRow{metric: m, value: widgets.Small(""), chart: chart.New(chart.Params{Texts: c, Group: b.group})}
	all := chartable()
	var names []string
	at := 0
	for i, k := range all {
		names = append(names, texts.Metric(c, k.String()))
		if k == m {
			at = i
		}
	}
	r.pick = widgets.NewSelect(names, nil)
	r.pick.SetSelectedIndex(at)
	r.pick.OnChanged = func(string) {
		if i := r.pick.SelectedIndex(); i >= 0 && all[i] != r.metric {
			r.metric = all[i]
			b.load()
		}
	}
	r.close = widgets.Quiet("", theme.Icon("fail"), func() { b.dropChart(r) })
	head := container.NewBorder(nil, nil, container.NewHBox(roomy(names, r.pick), r.value), r.close)
	r.box = container.NewBorder(head, nil, nil, nil, r.chart)
	b.rows = append(b.rows, r)
	b.charts.Add(r.box)
	b.tend()
}

func (b *board) dropChart(r *chartRow) {
	if len(b.rows) < 2 {
		return
	}
	b.rows = slices.DeleteFunc(b.rows, func(o *chartRow) bool { return o == r })
	b.charts.Remove(r.box)
	b.group.Remove(r.chart)
	b.tend()
	b.load() // the events stand in the first chart
}

// tend hides what can't be pressed: the last chart stays.
func (b *board) tend() {
	for _, r := range b.rows {
		r.close.Hidden = len(b.rows) < 2
	}
	if len(b.rows) >= mostCharts {
		b.add.Disable()
	} else {
		b.add.Enable()
	}
	b.charts.Refresh()
}

// nextMetric is the first of the usual ones that is not shown yet.
func (b *board) nextMetric() probe.Metric {
	for _, m := range []probe.Metric{probe.UtilGPU, probe.MemUsed, probe.Power, probe.Temp, probe.ClockSM, probe.CPUBusiest} {
		if !slices.ContainsFunc(b.rows, func(r *chartRow) bool { return r.metric == m }) {
			return m
		}
	}
	return probe.UtilGPU
}
