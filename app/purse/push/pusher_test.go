package push

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/assets/texts"
)

// ring is a keyring in memory.
type ring struct {
	mu   sync.Mutex
	m    map[string]string
	soft error // what Set says though it keeps
	hard error // what Set says and keeps nothing
}

func (r *ring) Get(profile, kind, hop string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.m[profile+kind+hop]
	return s, ok
}

func (r *ring) Set(profile, kind, hop, secret string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hard == nil {
		r.m[profile+kind+hop] = secret
	}
	return errors.Join(r.soft, r.hard)
}

func (r *ring) Drop(profile, kind, hop string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m, profile+kind+hop)
	return nil
}

// bench is a pusher with a clock, its store and its keyring.
type bench struct {
	*Pusher
	store  *pursetest.Store
	ring   *ring
	now    time.Time
	hidden []string
}

func newBench(t *testing.T, store *pursetest.Store, r *ring) *bench {
	t.Helper()
	b := &bench{store: store, ring: r, now: now}
	u, err := New(t.Context(), Params{
		Store: store, Secrets: r, Now: func() time.Time { return b.now },
		Redact: func(s string) { b.hidden = append(b.hidden, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Pusher = u
	return b
}

func alertAt(at time.Time) purse.Alert {
	return purse.Alert{
		ID: "idle-1", Kind: purse.AlertIdle, HostName: "AutoDL 4090", At: at,
		Say: texts.P("alert.say.disk", "mount", "/", "free", 1, "total", 2), Cost: texts.P("alert.cost.stopped"), Next: texts.P("alert.next.idle"),
	}
}

// ready is a bench with plain JSON set and on.
func ready(t *testing.T, s *service) *bench {
	t.Helper()
	b := newBench(t, &pursetest.Store{}, &ring{m: map[string]string{}})
	if held, err := b.Set(t.Context(), "json", s.URL+"/"+canaryKey, canarySecret); !held || err != nil {
		t.Fatal(held, err)
	}
	if err := b.Turn(t.Context(), "json", true); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOffByDefault: nothing leaves until a form was switched on.
func TestOffByDefault(t *testing.T) {
	s := newService(t, 200, ``)
	b := newBench(t, &pursetest.Store{}, &ring{m: map[string]string{}})
	for _, target := range b.Targets() {
		if target.On || target.Host != "" {
			t.Errorf("%+v", target)
		}
		var e *Error
		if err := b.Turn(t.Context(), target.Form.ID, true); !errors.As(err, &e) || e.Reason != ReasonMissing {
			t.Errorf("%s without an address: %v", target.Form.ID, err)
		}
	}
	if _, err := b.Set(t.Context(), "json", s.URL+"/hook", ""); err != nil {
		t.Fatal(err)
	}
	b.Send(alertAt(now))
	if _, some := b.step(t.Context()); some || len(s.got) > 0 {
		t.Error("sent though it is off")
	}
	if err := b.Test(t.Context(), "json"); err != nil || len(s.got) != 1 {
		t.Errorf("a test goes though it is off: %v", err)
	}
	for _, f := range []func() error{
		func() error { return b.Turn(t.Context(), "x", true) },
		func() error { _, err := b.Set(t.Context(), "x", "", ""); return err },
		func() error { return b.Test(t.Context(), "x") },
		func() error { return b.Forget(t.Context(), "x") },
	} {
		if err := f(); !errors.Is(err, ErrUnknown) {
			t.Errorf("%v", err)
		}
	}
}

// TestSecretsStayInTheKeyring looks for the canary in all that the database
// gets, in what Targets says and in errors.
func TestSecretsStayInTheKeyring(t *testing.T) {
	s := newService(t, 403, `{"error":"`+canarySecret+` is wrong"}`)
	b := ready(t, s)
	b.Send(alertAt(now))
	b.step(t.Context())
	entries, err := b.store.PurseEntries(t.Context(), purse.Filter{AnyHost: true})
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	noCanary(t, asJSON(t, entries))
	for _, target := range b.Targets() {
		noCanary(t, asJSON(t, target))
		if target.Form.ID == "json" {
			if target.Err == nil || !strings.HasPrefix(target.Host, "127.0.0.1:") || !target.On || target.Waiting != 1 {
				t.Errorf("%+v", target)
			}
			noCanary(t, target.Err.Error())
		}
	}
	if got := strings.Join(b.hidden, " "); !strings.Contains(got, canarySecret) || !strings.Contains(got, canaryKey) {
		t.Errorf("logs are told to hide %q", got)
	}
	again := newBench(t, b.store, b.ring)
	if got := again.Targets()[0]; !got.On || got.Host == "" {
		t.Errorf("after a restart: %+v", got)
	}
	if held, err := again.Set(t.Context(), "json", "", "another"); !held || err != nil || !strings.HasSuffix(b.ring.m["pushaddressjson"], canaryKey) || b.ring.m["pushsecretjson"] != "another" {
		t.Errorf("a new secret alone: %v, %v, %v", held, err, b.ring.m)
	}
	if err := again.Forget(t.Context(), "json"); err != nil || len(b.ring.m) != 0 || again.Targets()[0].On {
		t.Errorf("%v, %v left, %+v", err, b.ring.m, again.Targets()[0])
	}
}

func TestKeyringTrouble(t *testing.T) {
	memoryOnly := errors.New("kept for this run only")
	for _, c := range []struct {
		ring *ring
		held bool
	}{
		{&ring{m: map[string]string{}, soft: memoryOnly}, true},
		{&ring{m: map[string]string{}, hard: errors.New("locked")}, false},
	} {
		b := newBench(t, &pursetest.Store{}, c.ring)
		held, err := b.Set(t.Context(), "json", "https://example.com/"+canaryKey, "")
		if held != c.held || err == nil || c.held && !errors.Is(err, memoryOnly) {
			t.Errorf("held %v, %v", held, err)
		}
		noCanary(t, err.Error())
	}
}

// TestBackOffAndDigest: a server that is away is tried less and less often; one
// digest comes when it is back.
func TestBackOffAndDigest(t *testing.T) {
	s := newService(t, 503, ``)
	b := ready(t, s)
	tries := 0
	for i := range 600 { // ten hours
		if i%60 == 0 {
			b.Send(alertAt(b.now))
		}
		b.step(t.Context())
		b.now = b.now.Add(time.Minute)
	}
	tries = len(s.got)
	if tries < 15 || tries > 30 {
		t.Errorf("tried %d times in ten hours", tries)
	}
	s.status = 200
	wait, some := b.step(t.Context())
	if !some || wait <= 0 || wait > 30*time.Minute {
		t.Fatalf("waits %v, %v", wait, some)
	}
	b.now = b.now.Add(wait)
	b.step(t.Context())
	if len(s.got) != tries+1 {
		t.Fatalf("%d messages after the outage", len(s.got)-tries)
	}
	body := s.bodies[tries]
	if body["count"] != 10.0 || body["kind"] != "digest" || strings.Count(body["text"].(string), "AutoDL 4090: idle") != 10 {
		t.Errorf("%v", body)
	}
	if _, some := b.step(t.Context()); some {
		t.Error("something still waits")
	}
	// What is refused isn't hammered; a changed setting is tried at once.
	s.status = 401
	b.now = b.now.Add(time.Hour)
	b.Send(alertAt(b.now))
	for range 59 {
		b.step(t.Context())
		b.now = b.now.Add(time.Minute)
	}
	if len(s.got) != tries+2 {
		t.Errorf("a refusal was tried %d times in an hour", len(s.got)-tries-1)
	}
	s.status = 200
	if err := b.Turn(t.Context(), "json", true); err != nil {
		t.Fatal(err)
	}
	b.step(t.Context())
	if len(s.got) != tries+3 || s.bodies[tries+2]["kind"] != "idle" {
		t.Errorf("after a change %d messages", len(s.got)-tries-2)
	}
}

// TestManyAlerts: at once they are one message, and those beyond the most that
// wait are counted.
func TestManyAlerts(t *testing.T) {
	s := newService(t, 200, ``)
	b := ready(t, s)
	for range maxWaiting + 50 {
		b.Send(alertAt(now))
	}
	b.step(t.Context())
	b.Send(alertAt(now))
	b.step(t.Context())
	if len(s.got) != 1 || s.bodies[0]["count"] != float64(maxWaiting+50) || !strings.Contains(s.bodies[0]["text"].(string), "140 more") {
		t.Errorf("%d messages, %v", len(s.got), s.bodies)
	}
	if err := b.Turn(t.Context(), "json", false); err != nil {
		t.Fatal(err)
	}
	if b.Targets()[0].Waiting != 0 {
		t.Error("waits though it is off")
	}
}

// TestRun sends what comes and ends with its context.
func TestRun(t *testing.T) {
	s := newService(t, 200, ``)
	b := ready(t, s)
	came := make(chan struct{}, 10)
	b.p.Changed = func() { came <- struct{}{} }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		b.Run(ctx)
		close(done)
	}()
	b.Send(alertAt(now))
	<-came
	cancel()
	<-done
	if len(s.got) != 1 {
		t.Errorf("%d messages", len(s.got))
	}
}

func TestFormsThatCantBeUsed(t *testing.T) {
	good := "id: x\norder: 1\nname: {en: a, zh: b}\naddress: {shape: s, key: {in: none}, send: \"{address}\"}\nsecret: none\nmethod: POST\nbody: {a: b}\nlimit_bytes: 500\nsource: s\ndate: d\nmark: own\n"
	if _, err := readForm([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"id: x", "id: ''"},
		{"zh: b", "de: b"},
		{"in: none", "in: body"},
		{"in: none", "in: query"},
		{"secret: none", "secret: x"},
		{"method: POST", "method: GET"},
		{"{address}", "{x}"},
		{"limit_bytes: 500", "limit_bytes: 5"},
		{"source: s", "source: ''"},
		{"mark: own", "mark: x"},
		{"order: 1", "other: 1"},
		{"mark: own", "mark: own\nrefusals: {\"1\": x}"},
	} {
		if _, err := readForm([]byte(strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("%v is taken", change)
		}
	}
	if _, err := readForms(fstest.MapFS{"y.yaml": {Data: []byte(good)}}); err == nil {
		t.Error("a file of another name is taken")
	}
	for _, r := range Reasons() {
		for _, l := range texts.Langs() {
			if !texts.For(l).Has("alert.push.err." + string(r)) {
				t.Errorf("%s: no text for %s", l, r)
			}
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"errcode":0,"errmsg":"ok"}`))
	f.Add(400, []byte(`{"code":"x","msg":null}`))
	f.Add(302, []byte{0xff, 0})
	f.Fuzz(func(t *testing.T, status int, b []byte) {
		for _, form := range Forms() {
			err := form.judge("h", status, b, func(s string) string { return clean(s, canarySecret) })
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Reason == "" || len([]rune(e.Said)) > maxSaid+1) {
				t.Errorf("%v", err)
			}
			if err == nil && (status < 200 || status > 299) {
				t.Errorf("status %d was taken for success", status)
			}
		}
	})
}

func FuzzAddress(f *testing.F) {
	f.Add("https://ntfy.sh/topic")
	f.Add("http://[::1]:8080/a/b?key=x#y")
	f.Fuzz(func(t *testing.T, s string) {
		for _, form := range Forms() {
			got, err := form.parse(s)
			if err == nil && (got.host == "" || got.send == "" || form.Address.Key.In != KeyNone && got.key == "") {
				t.Errorf("%s %q: %+v", form.ID, s, got)
			}
			form.HasKey(s)
			form.Join(s, "k")
		}
	})
}
