package guard

import (
	"testing"
	"time"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte("now 1796000000\non\nstate {\"phase\":\"watching\",\"busy\":[{\"signal\":\"gpu\"}],\"order\":{\"action\":\"shutdown\"}}\nstop {\"time\":\"2026-11-30T03:12:00Z\"}\n"))
	f.Add([]byte("now -1\nkeep\nstate {\nstop []"))
	f.Add([]byte(`on
state {"phase":"counting","idle_s":-1,"order":{"after_s":-1}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := parse(b, time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
		if len(r.Stops) > maxStops || len(r.State.Busy) > maxReasons || r.State.Phase == "" || r.State.Idle < 0 || r.State.Order.After < 0 {
			t.Errorf("%+v", r)
		}
		if said := english(r.State.Say(time.Time{})); said == "" {
			t.Error("nothing to say")
		}
	})
}
