package smi

import (
	"strings"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// appFields are the fields of a process; the name comes last because it may
// hold commas.
var appFields = []string{"gpu_uuid", "pid", "used_memory", "name"}

// App is a process that uses a card.
type App struct {
	UUID string // of the card
	PID  int
	Mem  probe.Value // MiB
	Name string      // "" where the driver could not tell
	// Hidden says that the driver has a process there that it can't name: it
	// runs outside this container.
	Hidden bool
}

const maxApps = 4096

// ParseApps reads the rows of --query-compute-apps; other lines are notes.
// A row without a process id names no process.
func ParseApps(b []byte) (apps []App, notes []Note) {
	for l := range lines(b) {
		if a, ok := parseApp(l); ok {
			if len(apps) < maxApps && a.PID > 0 {
				apps = append(apps, a)
			}
			continue
		}
		if n, ok := readNote(l); ok && len(notes) < maxRows && !strings.HasPrefix(strings.TrimSpace(l), "gpu_uuid") {
			notes = append(notes, n)
		}
	}
	return apps, notes
}

func parseApp(l string) (App, bool) {
	part := strings.SplitN(l, ",", len(appFields))
	if len(part) != len(appFields) {
		return App{}, false
	}
	for i := range part {
		part[i] = strings.TrimSpace(part[i])
	}
	if !isKey(part[0]) {
		i := strings.Index(part[0], "GPU-")
		if i < 0 {
			return App{}, false
		}
		part[0] = part[0][i:]
	}
	a := App{UUID: procfs.Clean(part[0], 128), Mem: mebi(part[2])}
	if pid, ok := Number(part[1], 1, 1<<30).Ok(); ok && pid == float64(int(pid)) {
		a.PID = int(pid)
	}
	if _, token := Token(part[3]); token || strings.EqualFold(part[3], "no such process") {
		a.Hidden = true
	} else {
		a.Name = procfs.Clean(part[3], 256)
	}
	return a, true
}

// processes makes each card's list. A process is our own where its id is one
// that can be seen from the login and the driver could name it.
func processes(apps []App, own map[int]string) map[string]*probe.Processes {
	all := map[string]*probe.Processes{}
	for _, a := range apps {
		p := all[a.UUID]
		if p == nil {
			p = &probe.Processes{State: probe.OK}
			all[a.UUID] = p
		}
		name, seen := own[a.PID]
		entry := probe.Process{
			PID: a.PID, Name: a.Name, Mem: a.Mem, Own: seen && !a.Hidden,
			Util: probe.Missing(probe.Unsupported, "nvidia-smi lists none"),
		}
		if entry.Name == "" && entry.Own {
			entry.Name = name
		}
		p.List = append(p.List, entry)
	}
	return all
}
