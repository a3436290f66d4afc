package guard

// Command is what an action stands for. Nothing in it comes from the laptop or
// from a file of the host but the pod's own name, which is checked.
type Command struct {
	Name string
	Args []string // PodArg stands for the pod's name
	Root bool     // only root may
	Pod  bool     // it needs the pod's name
	// Key is the variable, or else the files below the home folder of which one, that
	// hold what it asks the provider with; none needed where both are empty.
	Key      string
	KeyFiles []string
}

// PodArg stands for the name of the pod that we are in.
const PodArg = "$RUNPOD_POD_ID"

// CommandOf returns the command of an action. None of them releases or deletes an
// instance.
func CommandOf(a Action) (Command, bool) {
	switch a {
	case Shutdown:
		// Without arguments, as AutoDL's pages use it; on other systems that means in
		// a minute.
		return Command{Name: "shutdown", Root: true}, true
	case RunPod:
		return Command{Name: "runpodctl", Args: []string{"stop", "pod", PodArg}, Pod: true, Key: "RUNPOD_API_KEY", KeyFiles: []string{".runpod/config.toml", ".runpod.yaml"}}, true
	}
	return Command{}, false
}

// Folders are where commands are sought, in this order and never on PATH. AutoDL's
// own shutdown lies in the first one; the system's, in the second, does nothing in
// a container.
func Folders() []string {
	return []string{"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"}
}
