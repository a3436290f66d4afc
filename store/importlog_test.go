package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/smi/smilog"
)

// smiLog is what nvidia-smi wrote of two cards over some seconds.
func smiLog(from time.Time, n int) string {
	var b strings.Builder
	b.WriteString("timestamp, uuid, name, utilization.gpu [%], power.draw [W], memory.used [MiB]\n")
	for i := range n {
		at := from.Add(time.Duration(i) * time.Second).Format("2006/01/02 15:04:05.000")
		for _, card := range []string{cardA, cardB} {
			fmt.Fprintf(&b, "%s, %s, NVIDIA GeForce RTX 4090, %d %%, %d.40 W, [N/A]\n", at, card, i%100, 200+i%100)
		}
	}
	return b.String()
}

func TestImportLog(t *testing.T) {
	dir := t.TempDir()
	first, beside := open(t, dir), open(t, dir)
	zone := time.FixedZone("UTC+8", 8*3600)
	for k, s := range []*Store{first, beside} {
		from := hourZero.Add(time.Duration(k)*24*time.Hour - 30*time.Minute)
		log := smiLog(from.In(zone), 3*3600)
		got, err := s.ImportLog(t.Context(), strings.NewReader(log), ImportParams{Name: `C:\logs\night.csv`, Location: zone})
		if err != nil {
			t.Fatal(err)
		}
		if got.Samples != 3*3600 || got.Cards != 2 || !got.From.Equal(from) || got.Gaps+got.Events+got.LeftOut != 0 {
			t.Errorf("%+v", got)
		}
		rec, err := s.Recording(t.Context(), got.Recording)
		if err != nil || rec.Imported != "night.csv" || rec.HostName != "night" || rec.Reason != EndImported || rec.Source != probe.SourceSMI || rec.Lost != 0 ||
			!rec.From.Equal(from) || !rec.To.Equal(from.Add(3*time.Hour-time.Second)) {
			t.Errorf("%+v, %v", rec, err)
		}
		out := query(t, s, Query{Recording: got.Recording, GPU: cardB, Metric: probe.UtilGPU, Points: 20000})
		if len(out.Points) != 3*3600 || out.Points[123].Mean != 23 {
			t.Errorf("%d points", len(out.Points))
		}
		if mem := query(t, s, Query{Recording: got.Recording, GPU: cardB, Metric: probe.MemUsed, Points: 20}); mem.Points[3].State != probe.Unsupported || mem.Points[3].Raw != "[N/A]" {
			t.Errorf("%+v", mem.Points[3])
		}
		// The same bytes again, whether they can be rewound or not.
		for _, again := range []io.Reader{strings.NewReader(log), io.MultiReader(strings.NewReader(log))} {
			var before *ImportedError
			if _, err := s.ImportLog(t.Context(), again, ImportParams{Name: "copy.csv", Location: zone}); !errors.As(err, &before) || before.Import.Recording != got.Recording {
				t.Errorf("again: %v", err)
			}
		}
		list, err := s.Recordings(t.Context(), Filter{})
		if err != nil || len(list) != 1 {
			t.Errorf("%d recordings, %v", len(list), err)
		}
		twice, err := s.ImportLog(t.Context(), strings.NewReader(log), ImportParams{Name: "night.csv", HostName: "box", Location: zone, Again: true})
		if err != nil || twice.Recording == got.Recording {
			t.Errorf("%+v, %v", twice, err)
		}
		for _, id := range []int64{got.Recording, twice.Recording} {
			if err := s.DeleteRecording(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestImportIsAllOrNothing(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		in    io.Reader
		check func(error) bool
	}{
		"no log":            {strings.NewReader("hello\n"), func(err error) bool { var e *smilog.Error; return errors.As(err, &e) }},
		"a disk that fails": {io.MultiReader(strings.NewReader(smiLog(hourZero, 20)), failing{}), func(err error) bool { return errors.Is(err, io.ErrNoProgress) }},
		"given up":          {io.MultiReader(strings.NewReader(smiLog(hourZero, 20)), stopping{cancel}, strings.NewReader(smiLog(hourZero, 20))), func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		use := t.Context()
		if name == "given up" {
			use = ctx
		}
		if _, err := s.ImportLog(use, c.in, ImportParams{Name: "a.csv"}); !c.check(err) {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := s.Recordings(t.Context(), Filter{}); err != nil || len(list) != 0 {
			t.Errorf("%s leaves %+v, %v", name, list, err)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

type stopping struct{ cancel func() }

func (s stopping) Read([]byte) (int, error) { s.cancel(); return 0, io.EOF }

// TestExportComesBackByImport exports a recording with all that can be missing
// and reads it in again: seconds and reasons are the same.
func TestExportComesBackByImport(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(t, s, hourZero, 200)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.ExportCSV(t.Context(), &file, r.ID(), time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	in, err := s.ImportLog(t.Context(), bytes.NewReader(file.Bytes()), ImportParams{Name: "export.csv"})
	if err != nil || in.Samples != 200 {
		t.Fatalf("%+v, %v", in, err)
	}
	var again bytes.Buffer
	if err := s.ExportCSV(t.Context(), &again, in.Recording, time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file.Bytes(), again.Bytes()) {
		a, b := strings.Split(file.String(), "\r\n"), strings.Split(again.String(), "\r\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Fatalf("line %d of %d and %d:\n%s\n%s", i, len(a), len(b), a[i], b[i])
			}
		}
	}
}
