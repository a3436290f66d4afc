// Package history is the History place: every log that was kept, on a strip of
// days and in a list, and one of them open in the charts of Watch, from months
// down to a second.
//
// The history is read off the UI thread; what is on screen stays until the
// answer comes, and only the latest question is answered.
package history

import (
	"context"
	"io"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/chart"
)

// Store is what the place needs of the history; *store.Store is one.
type Store interface {
	Recordings(ctx context.Context, f store.Filter) ([]store.Recording, error)
	Query(ctx context.Context, q store.Query) (store.Series, error)
	Gaps(ctx context.Context, s store.Span) ([]probe.Gap, error)
	Events(ctx context.Context, s store.Span) ([]probe.Event, error)
	ExportCSV(ctx context.Context, w io.Writer, recording int64, from, to time.Time) error
	DeleteRecording(ctx context.Context, id int64) error
	Retention(ctx context.Context) (store.Retention, error)
	SetRetention(ctx context.Context, r store.Retention) error
	Size(ctx context.Context) (store.Size, error)
	Cost(ctx context.Context, r store.Retention) (store.Cost, error)
	Damaged() *store.Damage
	AcknowledgeDamage(ctx context.Context) error
}

// Params say what the place works with.
type Params struct {
	Texts  *texts.Catalogue
	Store  Store
	Window fyne.Window
	// Watch opens the place where logs come from.
	Watch func()
	// Ask asks where to write a file and hands it over; nil shows the dialog of
	// the system.
	Ask func(name string, write func(f File))
	// AskFile asks for a file to read and hands it over; nil shows the dialog of
	// the system.
	AskFile func(read func(name string, in io.ReadCloser))
	// Judge says what a log's readings mean; it may take seconds and ends with
	// ctx. Nil shows no verdicts.
	Judge func(ctx context.Context, log store.Recording) (judge.Kept, error)
	// Verdicts opens a list of verdicts; choose shows one of them in the charts.
	Verdicts func(list []judge.Verdict, choose func(judge.Verdict))
	// Differences says what differs between two logs, the most telling first; nil
	// says nothing of it.
	Differences func(ctx context.Context, a, b store.Recording) ([]texts.Phrase, error)
	// Report writes what a span of a log shows as Markdown, with the name of the
	// picture that lies beside it, "" for none. Nil offers no report.
	Report func(ctx context.Context, out io.Writer, log store.Recording, from, to time.Time, picture string) error
	// Import takes a file of readings in as a log and returns its ID; nil offers
	// none.
	Import func(ctx context.Context, name string, in io.Reader) (int64, error)
	Now    func() time.Time
	// Go runs slow work, Do brings its result to the UI thread, After looks
	// again later; nil takes a goroutine, fyne.Do and time.AfterFunc.
	Go    func(f func())
	Do    func(f func())
	After func(d time.Duration, f func())
	// Pace is how charts wait; zero takes the real time.
	Pace chart.Pace
}

// again is how often the list is read anew while the place is seen: a log that
// is being kept grows.
const again = 15 * time.Second
