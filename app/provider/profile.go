package provider

import "rentgen/assets/texts"

// Event is something that may end a directory's content.
type Event string

// The events, in the order in which tables show them.
const (
	Restart     Event = "restart"      // of the instance
	StopEvent   Event = "stop"         // and started again later
	ChangeImage Event = "change_image" // reset, or another system image
	SaveImage   Event = "save_image"   // saved as a system image, a new instance made from it
	Release     Event = "release"      // for ever
)

// Events returns the events in their order.
func Events() []Event { return []Event{Restart, StopEvent, ChangeImage, SaveImage, Release} }

// Fate is what becomes of a directory's content at an event.
type Fate string

// The fates. What no page says is FateUnknown.
const (
	Lives       Fate = "lives"
	Dies        Fate = "dies"
	Depends     Fate = "depends" // Note says on what
	FateUnknown Fate = ""
)

// Said is where a rule was read.
type Said struct {
	Source string `yaml:"source"`
	Date   string `yaml:"date"`
	Mark   string `yaml:"mark"`
}

// Survival is a rule about one event.
type Survival struct {
	Said  `yaml:",inline"`
	Fate  Fate    `yaml:"fate"`
	Hours float64 `yaml:"hours"` // dies that long after the event; 0: at once
	// Term names the term of the provider's rules that Hours is read from.
	Term string                `yaml:"term"`
	Note map[texts.Lang]string `yaml:"note"`
}

// Dir is a directory of an instance that a page speaks of.
type Dir struct {
	// Path is absolute, AnyMount or InRAM.
	Path string `yaml:"path"`
	// Folder says that the rule holds for the path even where nothing is mounted there.
	Folder bool                  `yaml:"folder"`
	Holds  string                `yaml:"holds"` // system, data, network, public or temporary
	Name   map[texts.Lang]string `yaml:"name"`
	// Events says what it lives through; an event that isn't there is unknown.
	Events map[Event]Survival `yaml:"events"`
	Said   `yaml:",inline"`
}

// Paths that stand for more than one place.
const (
	AnyMount = "*"     // a mount of its own that no other entry names
	InRAM    = "tmpfs" // a file system that lives in RAM
)

// Verb is the provider's own word for something done in its console.
type Verb struct {
	Name map[texts.Lang]string `yaml:"name"`
	Said `yaml:",inline"`
	Note map[texts.Lang]string `yaml:"note"`
}

// The things that verbs are for.
const (
	VerbStart   = "start"
	VerbStop    = "stop"
	VerbRelease = "release"
	VerbImage   = "save_image"
	VerbReset   = "change_image"
	VerbTimer   = "timer" // stops by itself at a time
)

// Service is a port that the provider opens to the outside.
type Service struct {
	Port int `yaml:"port"` // 0: each port that the user opens
	// Outside says how it is reached: "public", "login" (behind the provider's own
	// login) or "tunnel".
	Outside string                `yaml:"outside"`
	Name    map[texts.Lang]string `yaml:"name"`
	Said    `yaml:",inline"`
}

// Remedy replaces the general remedy of a finding on this provider.
type Remedy struct {
	Text map[texts.Lang]string `yaml:"text"`
	Said `yaml:",inline"`
}

// StopCommand is a command that, given on the instance, ends its billing.
type StopCommand struct {
	Action string `yaml:"action"` // of StopActions
	// Term is the rule of the provider that says so, Is what it must say.
	Term string                `yaml:"term"`
	Is   string                `yaml:"is"`
	Said `yaml:",inline"`      // where the command was read
	Note map[texts.Lang]string `yaml:"note"`
}

// StopActions are the commands that our program on the host knows, a closed list.
func StopActions() []string { return []string{"shutdown", "runpodctl"} }

// Profile is what Set up knows of a provider's instances.
type Profile struct {
	ID   string                `yaml:"id"` // that of the provider's rules, or generic-container, generic-vm
	Name map[texts.Lang]string `yaml:"name"`
	Kind string                `yaml:"kind"` // Shared, Dedicated or Both
	// Hosts are patterns of login hosts: "*.seetacloud.com".
	Hosts []string `yaml:"hosts"`
	// Markers are paths or names of variables that only its instances have:
	// "/root/autodl-tmp", "RUNPOD_POD_ID".
	Markers  []string          `yaml:"markers"`
	Seen     Said              `yaml:"seen"` // where Hosts and Markers were seen; needed with them
	Dirs     []Dir             `yaml:"dirs"`
	Services []Service         `yaml:"services"`
	Verbs    map[string]Verb   `yaml:"verbs"`
	Remedies map[string]Remedy `yaml:"remedies"` // by "<check>/<code>"
	// StopCommand is nil where no page says that a command ends the billing.
	StopCommand *StopCommand `yaml:"stop_command"`
}
