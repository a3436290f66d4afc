package probe

import "time"

// Source says how readings are taken.
type Source string

// The sources.
const (
	SourceAgent Source = "agent" // our program on the host, through NVML
	SourceSMI   Source = "smi"   // nvidia-smi's text
)

// Inventory is what stays the same between ticks. It is sent at the start and
// again whenever something in it changes.
type Inventory struct {
	Time   time.Time
	Source Source
	// Reason says why the source is not the agent: a code of the Reason
	// constants; Detail holds what the host said.
	Reason string
	Detail string
	Agent  string // version and content hash of our program on the host, "" without
	Demo   bool
	Driver string // driver version, "" unknown
	CUDA   string // newest CUDA the driver can run, "12.4"; "" unknown
	GPUs   []Device
	System Machine
	Run    Run
	Mode   Mode
}

// The reasons for not using our program on the host.
const (
	ReasonAsked     = "asked"      // --source smi
	ReasonNoAgent   = "not-built"  // this build carries none for the host's processor
	ReasonArch      = "arch"       // a processor we have none for
	ReasonMusl      = "musl"       // no glibc
	ReasonNoExec    = "noexec"     // no directory that may be written and executed
	ReasonDisk      = "disk-full"  // upload failed for lack of space
	ReasonUpload    = "upload"     // upload failed
	ReasonStart     = "start"      // it did not start; Detail says how
	ReasonNoLibrary = "no-library" // libnvidia-ml.so.1 not found
	ReasonNotLinux  = "not-linux"  // host runs something else
	ReasonDeclined  = "declined"   // the person did not allow the upload
)

// Mode says whether there is a card to look at.
type Mode string

// The modes of a host. NoGPU is chosen by the platform's user and no fault.
const (
	ModeGPU      Mode = "gpu"
	ModeNoGPU    Mode = "no-gpu"    // started without a card on purpose (small RAM, no device files)
	ModeNoDriver Mode = "no-driver" // no NVIDIA driver or tool found
	ModeFault    Mode = "fault"     // driver there, cards not reachable; events say why
)

// Run identifies one run of the instance: boot id and start of PID 1 together,
// since in a container the boot id is the host's.
type Run struct {
	BootID string
	Init   time.Time // start of PID 1, to the clock tick
}

// Same reports whether both are known and the same run. The start of PID 1 is
// derived from the boot time, which jitters by a tick: two seconds are allowed.
func (r Run) Same(o Run) bool {
	if r.BootID == "" || o.BootID == "" || r.BootID != o.BootID {
		return false
	}
	d := r.Init.Sub(o.Init)
	return d > -2*time.Second && d < 2*time.Second
}

// Device is a card or a MIG instance.
type Device struct {
	Index        int
	UUID         string
	Name         string
	BusID        string // with its domain, as the driver prints it
	MemTotal     Value  // MiB
	PowerCap     Value  // W, enforced limit
	PowerDefault Value  // W
	PowerMax     Value  // W
	ClockMaxSM   Value  // MHz
	ClockMaxMem  Value  // MHz
	PCIeGenMax   Value
	PCIeWidthMax Value
	TempSlow     Value  // °C at which it slows down
	ComputeCap   string // "8.9", "" unknown
	Persistence  string // "on", "off", "" unknown
	// MIG is "on", "off", or "" where the card has none. An instance names its
	// card in Parent and its size in Profile ("1g.10gb").
	MIG     string
	Parent  string
	Profile string
	// MemSource names the reading memory comes from: "v2", "v1" (counts
	// reserved as used), "meminfo" (shared with the CPU), "smi".
	MemSource string
	// Problem is set where the card is listed but can't be read; an Event kind.
	Problem string
	// Virtual says that the memory limit is less than the card's own: a slice
	// by the platform, not the product.
	Virtual bool
}

// Machine is the host as far as it can be seen from the login.
type Machine struct {
	OS        string // "Ubuntu 22.04.3 LTS"
	Kernel    string
	Arch      string // as uname -m
	Libc      string // "glibc 2.35"
	Hostname  string
	User      string
	CPUModel  string
	Cores     int    // seen by the kernel
	Quota     Value  // cores allowed by the cgroup; unsupported without a limit
	RAMTotal  Value  // MiB of the machine
	RAMLimit  Value  // MiB allowed
	Container string // "docker", "lxc", "kubernetes", "container"; "" for none seen
}
