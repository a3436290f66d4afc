package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/procfs"
	"rentgen/probe/smi/smilog"
)

// EndImported is the reason of a recording that was read from a file to its end.
const EndImported = "imported"

// ImportParams says what a log is of and how it is read.
type ImportParams struct {
	Name     string // of the file; its folder is left out
	HostID   string // of a saved host, "" for none
	HostName string // "" is the file's name without its ending
	Columns  []string
	Location *time.Location // of the host that wrote it; time.Local where nil
	Again    bool           // also where the same file was read before
}

// Imported is what came of a log.
type Imported struct {
	Recording int64
	Samples   int // seconds and parts of them
	Gaps      int
	Events    int
	LeftOut   int // readings of a time that was there already
	Cards     int
	From, To  time.Time // of the readings
}

// ImportedError says that a file was read before; Import says as which recording.
type ImportedError struct{ Import Import }

// Error names the recording.
func (e *ImportedError) Error() string {
	return fmt.Sprintf("the file was imported before, as recording %d", e.Import.Recording)
}

// importRows is how many rows are handed over between two waits for the disk.
const importRows = 8000

// ImportLog reads a log of nvidia-smi or an export of rentgen (see
// probe/smi/smilog) into a recording of its own, with the times of the log and
// the source probe.SourceSMI. It is all or nothing: after an error, an
// *ImportedError where the same bytes are there already and p.Again isn't set, or
// a *smilog.Error where they can't be read, nothing is left of it. Where r can be
// rewound the first is found before anything is read in.
func (s *Store) ImportLog(ctx context.Context, r io.Reader, p ImportParams) (Imported, error) {
	p.Name = procfs.Clean(path.Base(strings.ReplaceAll(p.Name, `\`, "/")), 255)
	if p.HostName == "" {
		p.HostName = strings.TrimSuffix(p.Name, path.Ext(p.Name))
	}
	if seeker, ok := r.(io.Seeker); ok && !p.Again {
		sum := sha256.New()
		if _, err := io.Copy(sum, ctxReader{ctx, r}); err != nil {
			return Imported{}, fmt.Errorf("import: %w", err)
		}
		if err := s.importedBefore(ctx, sum); err != nil {
			return Imported{}, err
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return Imported{}, fmt.Errorf("import: %w", err)
		}
	}
	rec, err := s.StartRecording(ctx, RecordingStart{HostID: p.HostID, HostName: p.HostName, Source: probe.SourceSMI})
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	sum := sha256.New()
	out, err := s.importInto(ctx, rec, io.TeeReader(ctxReader{ctx, r}, sum), p)
	if err == nil && !p.Again {
		err = s.importedBefore(ctx, sum)
	}
	reason := EndImported
	if err != nil {
		reason = "failed"
	}
	err = errors.Join(err, rec.Close(reason))
	out.Recording = rec.ID()
	after := context.WithoutCancel(ctx)
	if err == nil {
		err = s.SaveImport(after, Import{Recording: out.Recording, Hash: hex.EncodeToString(sum.Sum(nil)), Name: p.Name})
	}
	if err != nil {
		return Imported{}, errors.Join(fmt.Errorf("import: %w", err), s.DeleteRecording(after, out.Recording))
	}
	return out, nil
}

// importedBefore is an *ImportedError where the bytes were read before.
func (s *Store) importedBefore(ctx context.Context, sum hash.Hash) error {
	i, err := s.ImportByHash(ctx, hex.EncodeToString(sum.Sum(nil)))
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return &ImportedError{i}
}

func (s *Store) importInto(ctx context.Context, rec *Recorder, r io.Reader, p ImportParams) (Imported, error) {
	var out Imported
	// Marked from the first reading on, so that one that a crash cut short is no
	// watch of a host.
	if err := s.SaveImport(ctx, Import{Recording: rec.ID(), Name: p.Name}); err != nil {
		return out, err
	}
	cards := map[string]bool{}
	rows := 0
	for m, err := range smilog.Read(r, smilog.Params{Columns: p.Columns, Location: p.Location, Name: p.Name}) {
		if err != nil {
			return out, err
		}
		rec.Message(m)
		switch m := m.(type) {
		case *probe.Sample:
			out.Samples++
			rows += len(m.GPUs) + 1
			if out.From.IsZero() {
				out.From = m.Time
			}
			out.To = m.Time
			for i := range m.GPUs {
				cards[m.GPUs[i].UUID] = true
			}
		case *probe.Gap:
			out.Gaps++
			rows++
		case *probe.Event:
			out.Events++
			rows++
			if m.Kind == probe.EventClock {
				out.LeftOut += m.Code
			}
		}
		if rows >= importRows {
			rows = 0
			if err := rec.Flush(ctx); err != nil {
				return out, err
			}
		}
	}
	out.Cards = len(cards)
	if err := rec.Flush(ctx); err != nil {
		return out, err
	}
	if n := rec.Lost(); n > 0 {
		return out, fmt.Errorf("%w: %d seconds of cards", ErrLost, n)
	}
	return out, nil
}

// ctxReader ends with its context.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// ImportPhrase says in a person's words why ImportLog did not read a file; ok is
// false for an error that isn't of the file.
func ImportPhrase(err error) (p texts.Phrase, ok bool) {
	var before *ImportedError
	var bad *smilog.Error
	switch {
	case errors.As(err, &before):
		at := before.Import.Time
		return texts.P("history.import.before", "id", before.Import.Recording, "name", before.Import.Name,
			"time", func(c *texts.Catalogue) string { return texts.DateTime(c, at) }), true
	case errors.As(err, &bad):
		place := texts.P("history.import.at.file", "name", bad.Name)
		switch {
		case bad.Column > 0:
			place = texts.P("history.import.at.column", "name", bad.Name, "line", bad.Line, "column", bad.Column)
		case bad.Line > 0:
			place = texts.P("history.import.at.line", "name", bad.Name, "line", bad.Line)
		}
		return texts.P("history.import.why."+string(bad.Why), "place", place, "value", bad.Value), true
	}
	return texts.Phrase{}, false
}
