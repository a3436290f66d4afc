// Package track puts checks and manual items together to the steps of a track,
// and says in one sentence where the user stands.
package track

import (
	"time"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// Track is a list of steps as the assets hold it.
type Track struct {
	ID    guide.Track
	Steps []Step
	// Folded are the checks that can't apply here; why is "track.folded.<id>".
	Folded []guide.CheckID
}

// Step is one entry of a track. Its texts are "track.<id>.title", ".why" and,
// where there is one, ".note".
type Step struct {
	ID     string // "shared.4"
	Number int
	Checks []guide.CheckID
	Items  []Item
	// Requires are the requirements of the source article that it answers: "R084".
	Requires []string
}

// Item is something only the user can know or do. Its texts are
// "track.item.<id>" and ".why"; a field's is "track.field.<field>". An item may
// stand in several tracks: it is answered once.
type Item struct {
	ID     string   // "region", "shared.1.verified"
	Fields []string // of a form: "data", "instance", "storage"; none: a tick alone
	// Page is the page that helps with it: "bill", "release", "survival", "pictures",
	// "client", "" for none.
	Page string
	// Needed says that the track isn't done without it; others are advice.
	Needed bool
	// End says that it belongs to the end of a rental: it is not asked for before.
	End bool
	// Choices are what a field may be, by field; a choice's text is
	// "track.choice.<choice>". A field that isn't there is free text.
	Choices map[string][]string
}

// State is how an entry is shown.
type State string

// The states beside the verdicts.
const (
	Idle    State = "idle"    // never run
	Queued  State = "queued"  // of the run under way
	Running State = "running" // being run
	Done    State = "done"    // has a verdict
	Stale   State = "stale"   // has a verdict of another run, driver or instance, or an old one
	Blocked State = "blocked" // a check it rests on failed
	Left    State = "left"    // skipped by the user, with a reason
	Folded  State = "folded"  // can't apply on this track
)

// CheckView is a check as it is shown. Its name is "track.check.<id>".
type CheckView struct {
	ID    guide.CheckID
	State State
	// Verdict is what it counts as now: that of Outcome, worse where the user's own
	// job is in trouble; not run where it was never run or has to be run again; skip
	// where it is blocked or was left out (warn where it had failed before).
	Verdict guide.Verdict
	// Record is the latest, nil where it was never run or pasted.
	Record  *guide.Record
	Outcome guide.Outcome
	// Command is what would be run: the user's own where Edited.
	Command   string
	Edited    bool
	BlockedBy guide.CheckID
	Skipped   *guide.Skipped
	StaleWhy  texts.Phrase // why it should be run again; a fail stays one, and says that it is old
	Def       guide.Def
	// Line is its one-line finding, or why there is none.
	Line texts.Phrase
	// Fine says of a pass whether it was so already or is so now, after having
	// been otherwise.
	Fine texts.Phrase
	// Why says of a folded check why it can't apply.
	Why texts.Phrase
	// Wants is the value without which the command can't be made: "peer".
	Wants string
	// Job says in words whether the finding is in the way of the user's own job;
	// zero where that is not known.
	Job    texts.Phrase
	Blocks bool // it is in the way
	Tight  bool // it is just enough
}

// ItemView is a manual item as it is shown.
type ItemView struct {
	Item  Item
	Tick  *guide.Tick // nil: not answered
	Value map[string]string
	// Filled names fields that were filled in by us, from profile or login host.
	Filled  map[string]texts.Phrase
	Finding texts.Phrase // what the answers say: "data and storage are in other regions"
	Verdict guide.Verdict
	// Evidence is what was measured or proved about it; the first is the Finding
	// where there is no other.
	Evidence []texts.Phrase
	// Hint names what the provider calls it.
	Hint texts.Phrase
	// StaleWhy says why the answer has to be given again: it was about another
	// instance.
	StaleWhy texts.Phrase
}

// StepView is a step as it is shown. The worst child decides.
type StepView struct {
	Step    Step
	State   State
	Verdict guide.Verdict
	Line    texts.Phrase // one-line finding
	Checks  []CheckView
	Items   []ItemView
	Skipped *guide.Skipped
	Blocks  bool
}

// View is a whole track as it is shown.
type View struct {
	Track    guide.Track
	Provider string // profile id, "" for none
	Verdict  guide.Verdict
	// Sentence is the one on top: "You can start, but 2 things first".
	Sentence texts.Phrase
	Steps    []StepView
	// Folded are checks that can't apply here, with why.
	Folded  []CheckView
	Running bool
	Level   guide.Level // of the run under way
	Done    int         // checks of the run that have ended, of Total
	Total   int
	Since   time.Time // when the run began
	// Fault is why the latest run could not go on, zero when all is well.
	Fault texts.Phrase
	// Next is the step to look at first, "" when there is none.
	Next string

	// After is what is said behind the sentence: forms that are open, what was left
	// out, results of edited commands. Zero when there is nothing.
	After []texts.Phrase
	// Open are the items that the track isn't done without and that have no
	// answer, in order.
	Open []string
	// Stale counts the checks that have to be run again, StaleTakes is how long
	// that takes; Changed offers it, zero when there is nothing to offer.
	Stale      int
	StaleTakes time.Duration
	Changed    texts.Phrase
	// Missing counts the checks of a run that was cut short and can be gone on with.
	Missing int
	// Levels are the lengths that a run of this track may have.
	Levels []LevelView
	// Skips are all that was ever left out, also what was taken back, oldest first.
	Skips []guide.Skipped
}

// LevelView is what a run of a level asks for, before it starts.
type LevelView struct {
	Level  guide.Level
	Checks []guide.CheckID // in the order in which they run
	Takes  time.Duration
	Cost   string // "" where no price is known
}
