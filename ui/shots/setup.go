package shots

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"rentgen/app/guide"
	"rentgen/app/plan"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/setup"
)

// outputs are what commands of Set up printed on instances of the scenes.
//
//go:embed outputs
var outputs embed.FS

// said is an output of a scene and its check.
type said struct {
	check   guide.CheckID
	file    string
	exit    int
	command string // "": the one that is shown
}

var (
	// shared is a container of which two things have to be mended.
	shared = []said{
		{check: guide.GPUSMI, file: "smi"},
		{check: guide.GPUQuery, file: "query", exit: 124},
		{check: guide.TorchCUDA, file: "torch"},
		{check: guide.DiskDf, file: "df"},
		{check: guide.DiskMount, file: "mount"},
		{check: guide.CachePersist, file: "cache"},
		{check: guide.CPUCgroup, file: "cpu"},
		{check: guide.MemCgroup, file: "mem"},
	}
	// green is a container that is fine.
	green = []said{
		{check: guide.GPUSMI, file: "smi"},
		{check: guide.GPUQuery, file: "query", exit: 124},
		{check: guide.TorchCUDA, file: "torch"},
		{check: guide.CUDAMatch, file: "match"},
		{check: guide.DiskDf, file: "df"},
		{check: guide.DiskMount, file: "mount"},
		{
			check: guide.CachePersist, file: "cache-fine",
			command: `echo "HF_HOME=$HF_HOME"; findmnt -n -T "$HF_HOME" -o TARGET,SOURCE,FSTYPE,OPTIONS`,
		},
		{check: guide.CPUCgroup, file: "cpu"},
		{check: guide.MemCgroup, file: "mem-fine"},
		{check: guide.Attn, file: "attn"},
		{check: guide.FirstImage, file: "first", command: "tail comfyui.log"},
	}
	// network are outputs of the network's items.
	network = []said{{check: guide.NetPing, file: "ping"}, {check: guide.NetCurl, file: "curl"}}
	// dedicated is a whole machine whose driver is gone.
	dedicated = []said{{check: guide.GPUSMI, file: "smi-failed", exit: 9}, {check: guide.SecPorts, file: "ports"}, {check: guide.SecSSHD, file: "sshd"}}
)

// Found gives the outputs of a container with a full data disk to a host.
func (s *Stage) Found(host string) { s.paste(host, guide.Shared, shared...) }

// paste gives outputs of the scenes to the board of a host, as a person would.
func (s *Stage) paste(host string, t guide.Track, all ...said) {
	s.T.Helper()
	b := s.Win.Guide(host)
	for _, o := range all {
		text, err := outputs.ReadFile("outputs/" + o.file + ".txt")
		if err != nil {
			s.T.Fatal(err)
		}
		if o.command == "" {
			o.command = commandOf(b, t, o.check)
		}
		b.Paste(guide.Input{Check: o.check, Track: t, Command: o.command, Exit: o.exit, Stdout: text})
	}
}

func commandOf(b setup.Board, t guide.Track, id guide.CheckID) string {
	for _, st := range b.View(t).Steps {
		for _, cv := range st.Checks {
			if cv.ID == id {
				return cv.Command
			}
		}
	}
	return string(id)
}

// onSetup opens Set up on a connected host.
func onSetup(more func(s *Stage)) func(s *Stage) {
	return func(s *Stage) {
		s.Feed("box", demo.Params{Cards: 1}, hour, real)
		s.Win.Frame().Show(setup.Key)
		if more != nil {
			more(s)
		}
	}
}

// found is Set up after a run of the container.
func found(more func(s *Stage)) func(s *Stage) {
	return onSetup(func(s *Stage) {
		s.paste("box", guide.Shared, shared...)
		s.paste("box", guide.Network, network...)
		if more != nil {
			more(s)
		}
	})
}

// whole is Set up after a run of the whole machine.
func whole(more func(s *Stage)) func(s *Stage) {
	return onSetup(func(s *Stage) {
		s.Win.Guide("box").SetTrack(guide.Dedicated)
		s.paste("box", guide.Dedicated, dedicated...)
		if more != nil {
			more(s)
		}
	})
}

// runner is a host that answers by a function.
type runner func(ctx context.Context, e guide.Exec) (guide.Output, error)

// Exec implements guide.Runner.
func (f runner) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) { return f(ctx, e) }

// broken is a host whose link is lost in every run.
func broken(context.Context, guide.Exec) (guide.Output, error) {
	return guide.Output{}, fmt.Errorf("%w: %w", guide.ErrOffline, errors.New("connection reset by peer"))
}

// start begins a run of a host that answers nothing, and goes on while it waits.
func start(s *Stage) {
	waiting := make(chan struct{}, 16)
	s.Aside = true
	s.Runner = func(ctx context.Context, _ guide.Exec) (guide.Output, error) {
		waiting <- struct{}{}
		<-ctx.Done()
		return guide.Output{}, ctx.Err()
	}
	if err := s.Win.Guide("box").Run(setup.Scope{}, guide.Standard); err != nil {
		s.T.Fatal(err)
	}
	<-waiting
	s.Aside = false
	s.Win.Setup().Changed()
}

// setupScenes are those of Set up.
func setupScenes() []Scene {
	one := []hosts.Saved{autodl}
	full := []plan.Plan{Illustrator()}
	reveal := func(id string) func(s *Stage) { return func(s *Stage) { s.Win.Setup().Reveal(id) } }
	return []Scene{
		{Name: "setup-empty", Play: func(s *Stage) {
			if s.Win.Frame().Covered() {
				press(s, "plan.door.do")
			}
			_ = s.Win.Book().Forget(s.T.Context(), demo.ID, hosts.Forgetting{})
			s.Win.Frame().Show(setup.Key)
		}},
		{Name: "setup-offline", Hosts: one, Play: func(s *Stage) {
			s.Win.Frame().Show(setup.Key)
		}},
		{Name: "setup-connecting", Hosts: one, Play: func(s *Stage) {
			s.Host("box").Connect()
			s.Say("box", stream.State{Phase: stream.Connecting, Stage: string(remote.StageAuth), Since: Now})
			s.Win.Frame().Show(setup.Key)
		}},
		{Name: "setup-failed", Hosts: one, Play: func(s *Stage) {
			failed(&remote.Error{Stage: remote.StageAuth, Kind: remote.KindPasswordWrong, Hop: "root@region-1.example.com:38076"})(s)
			s.Win.Frame().Show(setup.Key)
		}},
		{Name: "setup-never", Hosts: one, Plans: full, Play: onSetup(nil)},
		{Name: "setup-menu", Hosts: one, Plans: full, Play: onSetup(func(s *Stage) { press(s, "setup.run") })},
		{Name: "setup-running", Hosts: one, Plans: full, Play: found(func(s *Stage) {
			start(s)
			s.Win.Setup().Reveal("shared.5")
		})},
		{Name: "setup-lost", Hosts: one, Play: onSetup(func(s *Stage) {
			s.Runner = broken
			_ = s.Win.Guide("box").Run(setup.Scope{}, guide.Quick) // the window says it
			s.Say("box", stream.State{Phase: stream.Waiting, LastTick: Now, RetryAt: Now, Err: &remote.Error{Kind: remote.KindLost}})
			s.Refresh()
		})},
		{Name: "setup-found", Hosts: one, Plans: full, Play: found(reveal("shared.4"))},
		{Name: "setup-green", Hosts: one, Play: onSetup(func(s *Stage) { s.paste("box", guide.Shared, green...) })},
		{Name: "setup-stale", Hosts: one, Plans: full, Play: found(func(s *Stage) {
			s.Time = Now.Add(60 * 24 * time.Hour)
			s.Win.Guide("box").SetTrack(guide.Shared) // views are made anew
			s.Win.Setup().Reveal("shared.5")
		})},
		{Name: "setup-pass", Hosts: one, Plans: full, Play: found(func(s *Stage) {
			s.Win.Setup().Reveal("shared.5")
			press(s, "setup.raw")
		})},
		{Name: "setup-form", Hosts: one, Plans: full, Play: found(reveal("shared.1"))},
		{Name: "setup-end", Hosts: one, Plans: full, Play: found(reveal("shared.7"))},
		{Name: "setup-network", Hosts: one, Plans: full, Play: found(reveal("network.3"))},
		{Name: "setup-whole", Hosts: one, Plans: full, Play: whole(reveal("dedicated.3"))},
		{Name: "setup-blocked", Hosts: one, Plans: full, Play: whole(reveal("dedicated.4"))},
		{Name: "setup-edit", Hosts: one, Plans: full, Play: whole(func(s *Stage) {
			s.Win.Setup().Reveal("dedicated.2")
			press(s, "setup.edit")
		})},
		{Name: "setup-left", Hosts: one, Plans: full, Play: whole(func(s *Stage) {
			_ = s.Win.Guide("box").Skip("dedicated.2", "The provider's console has the ports.")
			s.Win.Setup().Reveal("dedicated.2")
		})},
		{Name: "setup-skip", Hosts: one, Plans: full, Play: found(func(s *Stage) {
			s.Win.Setup().Reveal("shared.2")
			press(s, "setup.skip")
		})},
		{Name: "setup-paste", Hosts: one, Plans: full, Play: onSetup(func(s *Stage) {
			s.Win.Setup().Reveal("shared.5")
			press(s, "setup.paste")
		})},
		{Name: "setup-message", Hosts: one, Plans: full, Play: found(func(s *Stage) {
			s.paste("box", guide.Shared, said{check: guide.GPUSMI, file: "smi-failed", exit: 9})
			s.Win.Setup().Reveal("shared.5")
			press(s, "setup.message")
		})},
		{Name: "setup-report", Hosts: one, Plans: full, Play: found(func(s *Stage) { s.Win.Setup().Show(setup.PageReport) })},
		{Name: "setup-help", Hosts: one, Play: found(func(s *Stage) { s.Win.Frame().Help() })},
	}
}

// autodl is a host of a provider that is known by its login.
var autodl = hosts.Saved{ID: "box", Name: "AutoDL 4090", Line: "ssh -p 38076 root@connect.westb.seetacloud.com", Created: Now}
