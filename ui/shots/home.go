package shots

import (
	"errors"
	"time"

	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/uitest"
)

// atHome plays a scene and shows Home.
func atHome(play func(s *Stage)) func(s *Stage) {
	return func(s *Stage) {
		play(s)
		s.Win.Frame().Show("home")
		s.Refresh()
	}
}

// homeScenes are those of Home, with what the window itself knows; a full page
// stands among the pictures of ui/home.
func homeScenes() []Scene {
	one := []hosts.Saved{box}
	return []Scene{
		{Name: "home", Hosts: one, Play: atHome(play(1))},
		{Name: "home-eight", Hosts: []hosts.Saved{pod}, Play: atHome(play(8))},
		{Name: "home-hosts", Hosts: []hosts.Saved{box, pod, old}, Play: atHome(func(s *Stage) {
			s.Feed("pod", demo.Params{Cards: 8, Seed: 3}, 10*time.Minute, real)
			s.Host("old").Connect()
			s.Say("old", stream.State{Phase: stream.Waiting, RetryAt: Now.Add(12 * time.Second), Err: &remote.Error{Kind: remote.KindLost}})
			s.Feed("box", demo.Params{Cards: 1}, hour, real)
		})},
		{Name: "home-off", Hosts: one, Play: atHome(func(*Stage) {})},
		{Name: "home-refused", Hosts: one, Play: atHome(failed(&remote.Error{
			Stage: remote.StageDial, Kind: remote.KindRefused, Hop: "root@region-1.example.com:38076", Err: errors.New("connection refused"),
		}))},
		{Name: "home-price", Hosts: one, Play: func(s *Stage) {
			atHome(play(1))(s)
			if s.Win.Frame().Shown() == "home" {
				uitest.Press(s.T, s.Canvas(), s.Win.Texts().T("home.cost.say"))
			}
		}},
	}
}
