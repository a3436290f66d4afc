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
// "track.item.<id>" and ".why".
type Item struct {
	ID     string   // "shared.1.region"
	Fields []string // of a form: "data", "instance", "storage"; none: a tick alone
	// Page is the page that helps with it: "bill", "release", "survival", "" for none.
	Page string
	// Needed says that the track isn't done without it; others are advice.
	Needed bool
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

// CheckView is a check as it is shown.
type CheckView struct {
	ID    guide.CheckID
	State State
	// Record is the latest, nil where it was never run or pasted.
	Record  *guide.Record
	Outcome guide.Outcome
	// Command is what would be run: the user's own where Edited.
	Command   string
	Edited    bool
	BlockedBy guide.CheckID
	Skipped   *guide.Skipped
	StaleWhy  texts.Phrase // why it should be run again
	Def       guide.Def
	// Job says in words whether the finding is in the way of the user's own job;
	// zero where that is not known.
	Job    texts.Phrase
	Blocks bool // it is in the way
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
}
