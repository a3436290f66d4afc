// Package guide holds the words of Set up: tracks, checks, what was run on an
// instance, what it answered and what that means.
//
// The rooms below it judge (check), run (run), put steps together (track), keep
// the state of a host (board) and look at the rest of an instance's life.
package guide

import (
	"slices"
	"time"

	"rentgen/assets/texts"
)

// Track is one of the lists that are gone through.
type Track string

// The tracks. Network belongs to both kinds of instances.
const (
	Shared    Track = "shared"    // a container on a machine of several tenants
	Dedicated Track = "dedicated" // a whole machine
	Network   Track = "network"
)

// Tracks returns the tracks in their order.
func Tracks() []Track { return []Track{Shared, Dedicated, Network} }

// Verdict is what a check, an item or a track comes to.
type Verdict string

// The verdicts. The zero Verdict is "not run". What could not be read is Warn,
// never Pass.
const (
	NotRun Verdict = ""
	Pass   Verdict = "pass"
	Warn   Verdict = "warn"
	Fail   Verdict = "fail"
	Skip   Verdict = "skip"
)

// rank orders verdicts from good to bad.
var rank = []Verdict{Skip, NotRun, Pass, Warn, Fail}

// Worse returns the worse of two verdicts: fail, warn, pass, not run, skip.
func Worse(a, b Verdict) Verdict {
	if slices.Index(rank, a) > slices.Index(rank, b) {
		return a
	}
	return b
}

// CheckID names a check. The list is closed.
type CheckID string

// The checks.
const (
	GPUSMI       CheckID = "gpu.smi"
	GPUQuery     CheckID = "gpu.query"
	GPULspci     CheckID = "gpu.lspci"
	CUDANvcc     CheckID = "cuda.nvcc"
	CUDAMatch    CheckID = "cuda.match"
	TorchCUDA    CheckID = "torch.cuda"
	DockerGPU    CheckID = "docker.gpu"
	DiskDf       CheckID = "disk.df"
	DiskMount    CheckID = "disk.mount"
	DiskSpeed    CheckID = "disk.speed"
	CPUCgroup    CheckID = "cpu.cgroup"
	MemCgroup    CheckID = "mem.cgroup"
	NetPing      CheckID = "net.ping"
	NetIperf3    CheckID = "net.iperf3"
	NetCurl      CheckID = "net.curl"
	NetHF        CheckID = "net.hf"
	SecPorts     CheckID = "sec.ports"
	SecSSHD      CheckID = "sec.sshd"
	SessionTmux  CheckID = "session.tmux"
	Tunnel       CheckID = "tunnel"
	CachePersist CheckID = "cache.persist"
	Attn         CheckID = "attn"
	FirstImage   CheckID = "first.image"
)

// Checks returns every check in the order of the article's tracks.
func Checks() []CheckID {
	return []CheckID{
		GPUSMI, GPUQuery, GPULspci, CUDANvcc, CUDAMatch, TorchCUDA, DockerGPU, DiskDf, DiskMount, DiskSpeed, CPUCgroup, MemCgroup,
		NetPing, NetIperf3, NetCurl, NetHF, SecPorts, SecSSHD, SessionTmux, Tunnel, CachePersist, Attn, FirstImage,
	}
}

// Level is how long a run may take.
type Level string

// The levels. A level holds those before it.
const (
	Quick    Level = "quick"    // under 30 s
	Standard Level = "standard" // 3 min, with the reading for other tenants
	Thorough Level = "thorough" // 15 min, with disk and load
)

// Levels returns the levels from short to long.
func Levels() []Level { return []Level{Quick, Standard, Thorough} }

// Input is the output of one check's command and what is known beside it; pasted
// text and what we ran ourselves go the same way.
type Input struct {
	Check   CheckID `json:"check"`
	Track   Track   `json:"track"`
	Command string  `json:"command"`
	Exit    int     `json:"exit"`
	// Stdout holds everything where the two were not kept apart.
	Stdout []byte `json:"stdout,omitempty"`
	Stderr []byte `json:"stderr,omitempty"`
	// TimedOut says that the time limit cut the command off.
	TimedOut bool    `json:"timed_out,omitempty"`
	Context  Context `json:"context"`
	// Laptop says that it ran on the user's own computer on purpose (net.ping,
	// net.curl).
	Laptop bool `json:"laptop,omitempty"`
}

// Facts are the values read, by the names of the closed list of facts: string,
// bool, int, float64, nil for unknown, or []any, []string, []int, []bool of them.
type Facts map[string]any

// Finding is one thing seen.
type Finding struct {
	Verdict Verdict
	// Code names it for remedies and tests: "driver-too-old". With the check it
	// makes the text keys: "check.<check>.<code>" and "check.<check>.<code>.do".
	Code string
	Says texts.Phrase // what is so, one sentence
	Do   texts.Phrase // what to do, by track; zero where there is nothing to do
	// Provider says that only the provider can mend it.
	Provider bool
}

// Outcome is what an Input means. Judging the same Input gives the same Outcome.
type Outcome struct {
	Check    CheckID
	Verdict  Verdict
	Facts    Facts
	Findings []Finding // worst first; at least one
	Lines    []string  // the lines of the output that the verdict rests on, cleaned
	Rule     string    // name of the rule that decided: the worst finding's code
}

// Worst returns the finding that decides.
func (o Outcome) Worst() Finding {
	if len(o.Findings) == 0 {
		return Finding{}
	}
	return o.Findings[0]
}

// Run identifies one run of an instance: it changes with a restart, another
// driver or another instance behind the same login.
type Run struct {
	Boot     string `json:"boot,omitempty"`     // kernel's boot id
	PID1     string `json:"pid1,omitempty"`     // start of PID 1, clock ticks since boot: a container's own start
	Driver   string `json:"driver,omitempty"`   // kernel driver's version
	Instance string `json:"instance,omitempty"` // host name and machine id, hashed
}

// IsZero reports whether nothing is known of the run.
func (r Run) IsZero() bool { return r == Run{} }

// Same reports whether two runs are the same as far as both are known.
func (r Run) Same(o Run) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(r.Boot, o.Boot) && same(r.PID1, o.PID1) && same(r.Driver, o.Driver) && same(r.Instance, o.Instance)
}

// Record is one check as it was run or pasted. It is what is kept; its Outcome
// is judged anew from it.
type Record struct {
	Input
	Time     time.Time     `json:"time"` // when it ended, laptop's clock
	Duration time.Duration `json:"duration,omitempty"`
	Edited   bool          `json:"edited,omitempty"` // the command is not the one we would run
	Pasted   bool          `json:"pasted,omitempty"`
	Run      Run           `json:"run"`
	// BlockedBy names the check whose failure kept this one from running; such a
	// Record has no output.
	BlockedBy CheckID `json:"blocked_by,omitempty"`
}

// Skipped is a check or an item that the user left out, kept for ever.
type Skipped struct {
	On     string    `json:"on"` // a CheckID or the id of a step: "shared.4"
	Reason string    `json:"reason"`
	Time   time.Time `json:"time"`
	Until  time.Time `json:"until,omitzero"` // when it was taken back; zero: still skipped
}

// Tick is a manual item as the user answered it.
type Tick struct {
	Item   string            `json:"item"` // "shared.1.verified"
	Done   bool              `json:"done"`
	Note   string            `json:"note,omitempty"`
	Values map[string]string `json:"values,omitempty"` // of a form, by field
	Time   time.Time         `json:"time"`
	Run    Run               `json:"run"`
}

// Needs is what the user's own job asks of an instance; it comes from the plan.
// A nil figure is not known.
type Needs struct {
	Job           string   // how the plan names it, "" without a plan
	VRAMLowGiB    *float64 // band of the peak
	VRAMHighGiB   *float64
	DiskGB        *float64
	WarmHighS     *float64 // seconds of a picture when everything is loaded, at most
	UnderContract bool     // pictures are made under contract
	// PriceHour is the price of an hour, as it is shown: "1.88 CNY/h"; "" is unknown.
	PriceHour string
	// Cost says what a duration costs, "" where no price is known.
	Cost func(d time.Duration) string
}
