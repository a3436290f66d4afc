//go:build linux && cgo

package nvml

import (
	"fmt"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// xidWait is long because each return wakes the process for nothing; an event
// ends the wait at once.
const xidWait = 30_000 // ms

// watchXids waits for the driver's error events. Where registering is refused
// (under MIG, in some containers) there are none to wait for.
func (l *Library) watchXids() {
	for {
		set, ret := l.api.EventSetCreate()
		if ret != nvml.SUCCESS {
			return
		}
		registered := 0
		for _, d := range l.devs {
			if d.closed || d.mig {
				continue
			}
			if l.has[fnEventTypes] {
				if types, ret := d.h.GetSupportedEventTypes(); ret == nvml.SUCCESS && types&nvml.EventTypeXidCriticalError == 0 {
					continue
				}
			}
			if d.h.RegisterEvents(nvml.EventTypeXidCriticalError, set) == nvml.SUCCESS {
				registered++
			}
		}
		if registered == 0 {
			return
		}
		for {
			data, ret := set.Wait(xidWait)
			if ret == nvml.SUCCESS {
				l.xid(data)
				continue
			}
			if ret != nvml.ERROR_TIMEOUT {
				break // a card was lost under it: build the set anew, slowly
			}
		}
		time.Sleep(slowEvery)
	}
}

func (l *Library) xid(data nvml.EventData) {
	if data.EventType != nvml.EventTypeXidCriticalError {
		return
	}
	ev := probe.Event{
		Kind: probe.EventXid, Code: int(data.EventData), Text: fmt.Sprintf("The driver reported Xid %d.", data.EventData),
		Raw: fmt.Sprintf("Xid %d", data.EventData),
	}
	for _, d := range l.devs {
		d.mu.Lock()
		if !d.mig && d.h == data.Device {
			ev.GPU = d.info.UUID
		}
		d.mu.Unlock()
	}
	l.emit(ev)
}
