package costs

import (
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// entries are the fields that can be typed into, from above.
func (r *rig) entries() (all []*widgets.Entry) {
	uitest.Visible(r.win.Canvas(), func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok {
			all = append(all, e)
		}
	})
	return all
}

// TestPictures writes the page as PNG into RENTGEN_PICTURES, to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	for _, l := range texts.Langs() {
		for _, g := range []theme.Ground{theme.Dark, theme.Light} {
			save := func(r *rig, name string) {
				uitest.Save(t, filepath.Join(dir, "costs-"+name+"-"+string(l)+"-"+string(g)+".png"), r.win.Canvas())
			}
			r := full(t, l, g)
			save(r, "sum")
			r.roll.ScrollToBottom()
			save(r, "sum-end")
			r.Show(viewRuns)
			save(r, "runs")
			r.press("costs.stop")
			r.entries()[0].SetText("soon")
			r.press("costs.stop.save")
			save(r, "stop-wrong")
			r.Show(viewBill)
			r.file = "start,end,amount\n2026-11-30 12:00,2026-11-30 13:00,much\n"
			r.press("costs.bill.open")
			save(r, "bill-wrong")
			r.file = bill
			r.press("costs.bill.open")
			save(r, "bill")
			r.roll.ScrollToBottom()
			save(r, "bill-end")
			r.Show(viewBudget)
			r.entries()[0].SetText("a lot")
			r.press("costs.budget.save")
			save(r, "budget-wrong")
			r = newRig(t, l, g)
			r.open("h1")
			save(r, "empty")
		}
	}
}
