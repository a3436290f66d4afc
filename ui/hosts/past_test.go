package hosts_test

import (
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
)

// remembering is an opener whose streams know five minutes more.
type remembering struct{ *hoststest.Opener }

type rememberingStream struct{ *hoststest.Stream }

func (o remembering) Open(s hosts.Saved, password string, rate float64) (hosts.Stream, error) {
	if _, err := o.Opener.Open(s, password, rate); err != nil {
		return nil, err
	}
	return rememberingStream{o.Stream(s.ID)}, nil
}

func (rememberingStream) Past(emit func(probe.Message)) {
	emit(&probe.Inventory{Demo: true})
	for n := -300; n < 0; n++ {
		emit(tick(n))
	}
}

func TestOnlyTheDemoBeginsWithItsPast(t *testing.T) {
	st, op := &hoststest.Store{}, &hoststest.Opener{}
	b := hosts.New(hosts.Params{Store: st, Opener: remembering{op}, Record: func() bool { return true }, Now: func() time.Time { return hoststest.Now }})
	t.Cleanup(b.Close)
	demo := add(t, b, hosts.Saved{ID: "demo", Name: "Demo", Line: hosts.LineDemo})
	box := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	for _, h := range []*hosts.Host{demo, box} {
		h.Connect()
		h.SetLogging(true)
		op.Stream(h.ID).Send(&probe.Inventory{Demo: h.Demo()}, tick(1))
		until(t, "the reading", func() bool { return h.Live().Newest().Equal(hoststest.Now.Add(time.Second)) })
	}
	if n := demo.Live().Version(); n != 303 {
		t.Errorf("the demo took %d messages, want its past and two", n)
	}
	if n := box.Live().Version(); n != 2 {
		t.Errorf("another host took %d messages, want two", n)
	}
	for _, l := range st.Logs() {
		if ms, _ := l.Messages(); len(ms) != 2 {
			t.Errorf("%d messages in the log of %s, want what came", len(ms), l.Host)
		}
	}
	// Connected again it goes on; nothing is put before what was read.
	demo.Disconnect()
	demo.Connect()
	op.Stream("demo").Send(tick(5))
	until(t, "the reading", func() bool { return demo.Live().Newest().Equal(hoststest.Now.Add(5 * time.Second)) })
	if n := demo.Live().Version(); n != 304 {
		t.Errorf("the demo took %d messages after it was connected again", n)
	}
}
