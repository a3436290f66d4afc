package shots

import (
	"errors"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/plan"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/connect"
	"rentgen/ui/hosts"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// Scene is one picture.
type Scene struct {
	Name  string
	Hosts []hosts.Saved
	Play  func(s *Stage)
	// Kept says that the history holds logs.
	Kept bool
	// Plans are kept before the window opens.
	Plans []plan.Plan
}

// Saved hosts of the scenes.
var (
	box = hosts.Saved{ID: "box", Name: "AutoDL 4090", Line: "ssh -p 38076 root@region-1.example.com", Created: Now}
	pod = hosts.Saved{ID: "pod", Name: "Pod A100 x8", Line: "ssh -p 40022 root@192.0.2.7", Created: Now}
	old = hosts.Saved{ID: "old", Name: "Month card", Line: "ssh ubuntu@198.51.100.4", Created: Now}
)

const hour = 40 * time.Minute

// one makes the demo's inventory that of an ordinary host.
func real(m probe.Message) probe.Message {
	if inv, ok := m.(*probe.Inventory); ok {
		c := *inv
		c.Demo = false
		return &c
	}
	return m
}

func play(cards int) func(s *Stage) {
	return func(s *Stage) {
		s.Feed(s.Win.Chosen(), demo.Params{Cards: cards}, hour, real)
	}
}

func failed(err error) func(s *Stage) {
	return func(s *Stage) {
		s.Host("box").Connect()
		s.Say("box", stream.State{Phase: stream.Failed, Err: err, Since: Now})
		s.Refresh()
	}
}

// Scenes returns every scene of the window without History, which has its own.
func Scenes() []Scene {
	one := []hosts.Saved{box}
	scenes := []Scene{
		{Name: "welcome", Hosts: nil, Play: func(*Stage) {}},
		{Name: "welcome-line", Hosts: nil, Play: func(s *Stage) {
			f := uitest.Field(s.T, s.Canvas(), "ssh -p 38076 root@region-1.example.com")
			f.SetText("ssh -o StrictHostKeyChecking=no -L 8188:127.0.0.1:8188 -p 38076 -i ~/.ssh/id_ed25519 root@region-1.example.com nvidia-smi")
		}},
		{Name: "welcome-bad", Hosts: nil, Play: func(s *Stage) {
			f := uitest.Field(s.T, s.Canvas(), "ssh -p 38076 root@region-1.example.com")
			f.SetText("ssh -p 380760 root@region-1.example.com")
		}},
		{Name: "add-form", Hosts: one, Play: func(s *Stage) {
			s.Win.Add()
			uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("connect.tab.form"))
			uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("connect.do"))
		}},
		{Name: "edit", Hosts: one, Play: func(s *Stage) {
			uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("watch.edit"))
		}},
		{Name: "watch-off", Hosts: one, Play: func(*Stage) {}},
		{Name: "watch-connecting", Hosts: one, Play: func(s *Stage) {
			s.Host("box").Connect()
			s.Say("box", stream.State{Phase: stream.Connecting, Stage: string(remote.StageAuth), Since: Now})
			s.Refresh()
		}},
		{Name: "watch-refused", Hosts: one, Play: failed(&remote.Error{
			Stage: remote.StageAuth, Kind: remote.KindPasswordWrong, Hop: "root@region-1.example.com:38076",
			Said: "Permission denied (publickey,password).",
		})},
		{Name: "watch-terminal-only", Hosts: one, Play: failed(&remote.Error{Stage: remote.StageSession, Kind: remote.KindTerminalOnly, Hop: "x@ssh.runpod.io:22"})},
		{Name: "watch-changed", Hosts: one, Play: func(s *Stage) {
			change := &remote.KeyChange{
				Addr: "region-1.example.com:38076",
				Old:  []remote.KeyInfo{{Type: "ssh-ed25519", Fingerprint: "SHA256:2nrxGFhCpYu1pQ6kq8h3m0oVh7JxXq0cZ5yN5yQ8yXk"}},
				New:  remote.KeyInfo{Type: "ssh-ed25519", Fingerprint: "SHA256:k9m1Jc5h0yU7x3cB8pG2sT4vQ6wE8rY0uI2oP4aS6dF"},
			}
			failed(&remote.Error{Stage: remote.StageHostKey, Kind: remote.KindHostKeyChanged, Hop: "root@region-1.example.com:38076", Change: change})(s)
			connect.Changed(s.Canvas(), s.Win.Texts(), "AutoDL 4090", change, func(func(string)) {})
		}},
		{Name: "watch-one", Hosts: one, Play: play(1)},
		{Name: "watch-two", Hosts: one, Play: play(2)},
		{Name: "watch-eight", Hosts: []hosts.Saved{pod}, Play: play(8)},
		{Name: "watch-hosts", Hosts: []hosts.Saved{box, pod, old}, Play: func(s *Stage) {
			s.Feed("pod", demo.Params{Cards: 8, Seed: 3}, 10*time.Minute, real)
			s.Host("old").Connect()
			s.Say("old", stream.State{Phase: stream.Waiting, RetryAt: Now.Add(12 * time.Second), Err: &remote.Error{Kind: remote.KindLost}})
			s.Feed("box", demo.Params{Cards: 1}, hour, real)
		}},
		{Name: "watch-missing", Hosts: one, Play: func(s *Stage) {
			s.Feed("box", demo.Params{Cards: 1}, 10*time.Minute, missing)
			st := LiveState()
			st.Source, st.Reason = probe.SourceSMI, probe.ReasonMusl
			s.Say("box", st)
			s.Refresh()
		}},
		{Name: "watch-stale", Hosts: one, Play: func(s *Stage) {
			play(1)(s)
			s.Time = Now.Add(44 * time.Second)
			st := LiveState()
			st.Phase = stream.Stale
			s.Say("box", st)
			s.Refresh()
		}},
		{Name: "watch-link-down", Hosts: one, Play: func(s *Stage) {
			play(2)(s)
			s.Time = Now.Add(75 * time.Second)
			s.Say("box", stream.State{
				Phase: stream.Waiting, LastTick: Now, RetryAt: s.Time.Add(9 * time.Second),
				Err: &remote.Error{Stage: remote.StageSession, Kind: remote.KindLost},
			})
			s.Refresh()
		}},
		{Name: "watch-no-gpu", Hosts: one, Play: func(s *Stage) {
			s.Feed("box", demo.Params{Fault: demo.FaultNoGPU}, 10*time.Minute, real)
			st := LiveState()
			st.Mode, st.Err = probe.ModeNoGPU, &stream.NoCardError{Mode: probe.ModeNoGPU}
			s.Say("box", st)
			s.Refresh()
		}},
		{Name: "watch-no-driver", Hosts: one, Play: func(s *Stage) {
			s.Feed("box", demo.Params{Fault: demo.FaultNoDriver}, 10*time.Minute, real)
			st := LiveState()
			st.Mode, st.Err = probe.ModeNoDriver, &stream.NoCardError{Mode: probe.ModeNoDriver, Detail: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."}
			s.Say("box", st)
			s.Refresh()
		}},
		{Name: "watch-card-lost", Hosts: one, Play: func(s *Stage) { s.Feed("box", demo.Params{Fault: demo.FaultLostCard, Cards: 2}, 10*time.Minute, real) }},
		{Name: "watch-more", Hosts: one, Play: func(s *Stage) {
			play(1)(s)
			uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("watch.more"))
		}},
		{Name: "state", Hosts: one, Play: func(s *Stage) {
			failed(&remote.Error{Stage: remote.StageDial, Kind: remote.KindRefused, Hop: "root@region-1.example.com:38076", Err: errors.New("connection refused")})(s)
			uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
				if t, ok := o.(*widgets.Tap); ok && t.Position().Y < 40 && s.Canvas().Overlays().Top() == nil {
					test.Tap(t)
				}
			})
		}},
		{Name: "first-meeting", Hosts: one, Play: func(s *Stage) {
			question(s, func(a *connect.Asker) {
				_, _ = a.HostKey(s.T.Context(), remote.HostKeyQuestion{
					Hop: "root@region-1.example.com:38076",
					Key: remote.KeyInfo{Type: "ssh-ed25519", Fingerprint: "SHA256:2nrxGFhCpYu1pQ6kq8h3m0oVh7JxXq0cZ5yN5yQ8yXk"},
				})
			})
			uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("connect.details"))
		}},
		{Name: "password", Hosts: one, Play: func(s *Stage) {
			question(s, func(a *connect.Asker) {
				_, _ = a.Secret(s.T.Context(), remote.SecretQuestion{
					Hop: "root@region-1.example.com:38076", Kind: remote.SecretPassword, Attempt: 2, CanRemember: true,
				})
			})
		}},
		{Name: "upload", Hosts: one, Play: func(s *Stage) {
			question(s, func(a *connect.Asker) {
				_ = a.Upload(s.T.Context(), stream.UploadQuestion{Host: "AutoDL 4090", Path: "/root/.cache/rentgen", Size: 3_900_000, Sent: 1_400_000})
			})
		}},
		{Name: "forget", Hosts: one, Play: func(s *Stage) {
			play(1)(s)
			connect.Forget(s.Canvas(), s.Win.Texts(), "AutoDL 4090", true, func(bool, bool) {})
		}},
		{Name: "forward", Hosts: one, Play: func(s *Stage) {
			play(1)(s)
			connect.Forward(connect.ForwardParams{
				Canvas: s.Canvas(), Texts: s.Win.Texts(), Name: "AutoDL 4090",
				Tunnels: func() []connect.Tunnel {
					return []connect.Tunnel{{Local: "127.0.0.1:41234", Remote: "127.0.0.1:8188"}}
				},
			})
		}},
		{Name: "diagnostics", Hosts: one, Play: func(s *Stage) {
			play(1)(s)
			connect.Diagnostics(s.Canvas(), s.Win.Texts(), s.Win.Report(), func(string) {})
		}},
		{Name: "history", Hosts: one, Play: func(s *Stage) { s.Win.Frame().Show("history") }},
		{Name: "history-logs", Hosts: one, Kept: true, Play: func(s *Stage) { s.Win.Frame().Show("history") }},
		{Name: "history-findings", Hosts: one, Kept: true, Play: func(s *Stage) {
			s.Win.Frame().Show("history")
			s.Settle()
			uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("history.verdict.all"))
		}},
		{Name: "settings", Hosts: one, Play: func(s *Stage) { s.Win.Frame().Show("settings") }},
		{Name: "help", Hosts: one, Play: func(s *Stage) {
			play(1)(s)
			s.Win.Frame().Help()
		}},
	}
	return slices.Concat(scenes, homeScenes(), planScenes(), billScenes(), setupScenes(), pageScenes())
}

// missing is a card of which little can be read.
func missing(m probe.Message) probe.Message {
	switch m := m.(type) {
	case *probe.Inventory:
		c := *m
		c.Demo, c.Source, c.Reason, c.Detail = false, probe.SourceSMI, probe.ReasonMusl, "ldd: musl libc (x86_64)"
		return &c
	case *probe.Sample:
		c := *m
		c.GPUs = append([]probe.GPU(nil), m.GPUs...)
		for i := range c.GPUs {
			g := &c.GPUs[i]
			g.Set(probe.Power, probe.Missing(probe.Unsupported, "[N/A]"))
			g.Set(probe.ClockSM, probe.Missing(probe.Denied, "[Insufficient Permissions]"))
			g.Set(probe.Temp, probe.Missing(probe.Error, "[Unknown Error]"))
			g.Procs = &probe.Processes{State: probe.Denied}
		}
		return &c
	}
	return m
}

// question shows a question of a connection and ends it with the scene.
func question(s *Stage, ask func(a *connect.Asker)) {
	shown := make(chan func(), 4)
	a := &connect.Asker{Canvas: s.Canvas, Texts: s.Win.Texts, Keyring: true, Do: func(f func()) { shown <- f }}
	go ask(a)
	select {
	case f := <-shown:
		f()
	case <-time.After(10 * time.Second):
		s.T.Fatal("no question came")
	}
}
