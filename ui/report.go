package ui

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"rentgen/probe/remote"
	"rentgen/ui/connect"
	"rentgen/ui/hosts"
)

func (w *Window) diagnostics() {
	connect.Diagnostics(w.win.Canvas(), w.c, w.Report(), w.copyText)
}

// Report is what Copy diagnostics copies: versions, the hosts' states and the
// end of the log, with names and secrets masked.
func (w *Window) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rentgen %s\n%s/%s %s\n%s\n", w.p.Version, runtime.GOOS, runtime.GOARCH, runtime.Version(), w.p.Now().UTC().Format(time.RFC3339))
	for i, h := range w.book.Hosts() {
		st := h.State()
		fmt.Fprintf(&b, "\nhost %d: %s", i+1, kindOf(h))
		fmt.Fprintf(&b, "\n  phase %s stage %q source %s reason %q mode %s rate %g rtt %s offset %s missed %d\n",
			st.Phase, st.Stage, st.Source, st.Reason, st.Mode, st.Rate, st.RTT, st.Offset, st.Missed)
		if st.Err != nil {
			fmt.Fprintf(&b, "  error: %v\n", st.Err)
		}
		if st.Detail != "" {
			fmt.Fprintf(&b, "  detail: %s\n", st.Detail)
		}
		if inv := h.Live().Inventory(); inv != nil {
			fmt.Fprintf(&b, "  driver %s cuda %s probe %s system %s %s %s container %s\n",
				inv.Driver, inv.CUDA, inv.Agent, inv.System.OS, inv.System.Kernel, inv.System.Libc, inv.System.Container)
			for _, d := range inv.GPUs {
				fmt.Fprintf(&b, "  card %d: %s mig %q problem %q\n", d.Index, d.Name, d.MIG, d.Problem)
			}
			w.p.Redactor.Host(inv.System.Hostname)
			w.p.Redactor.User(inv.System.User)
		}
		w.hide(h)
	}
	if w.p.Log != nil {
		b.WriteString("\nlog:\n" + w.p.Log())
	}
	return w.p.Redactor.Text(b.String())
}

// kindOf says how a host is reached without saying where.
func kindOf(h *hosts.Host) string {
	switch h.Line {
	case hosts.LineDemo, hosts.LineLocal:
		return h.Line
	}
	return "ssh"
}

// hide masks the names of a host.
func (w *Window) hide(h *hosts.Host) {
	if l, err := remote.ParseLogin(h.Line); err == nil && kindOf(h) == "ssh" {
		for _, hop := range append([]remote.Login{l}, l.Jumps...) {
			w.p.Redactor.Host(hop.Host)
			w.p.Redactor.User(hop.User)
		}
	}
	if !h.Demo() && h.Line != hosts.LineLocal {
		w.p.Redactor.Host(h.Name)
	}
}
