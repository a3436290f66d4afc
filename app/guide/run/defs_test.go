package run

import (
	"slices"
	"strings"
	"testing"

	"rentgen/app/guide"
)

func TestEveryCheckIsDefinedOnce(t *testing.T) {
	var have []guide.CheckID
	for _, d := range Defs() {
		have = append(have, d.ID)
	}
	if len(have) != len(guide.Checks()) {
		t.Errorf("%d checks of %d", len(have), len(guide.Checks()))
	}
	for _, id := range guide.Checks() {
		if !slices.Contains(have, id) {
			t.Errorf("%s is not defined", id)
		}
	}
	if d := DefOf("gpu.none"); d.ID != "" || d.Command != "" {
		t.Errorf("%+v", d)
	}
}

func TestBrokenTables(t *testing.T) {
	for why, b := range map[string]string{
		"unknown check": `[{id: gpu.none, level: quick, timeout: 1s, takes: 1s, tracks: [shared], commands: [{text: a}]}]`,
		"unknown key":   `[{id: gpu.smi, level: quick, timeout: 1s, takes: 1s, tracks: [shared], commands: [{text: a}], more: 1}]`,
		"no limit":      `[{id: gpu.smi, level: quick, takes: 1s, tracks: [shared], commands: [{text: a}]}]`,
		"no such level": `[{id: gpu.smi, level: long, timeout: 1s, takes: 1s, tracks: [shared], commands: [{text: a}]}]`,
		"parent behind": `[{id: gpu.query, parents: [gpu.smi], level: quick, timeout: 1s, takes: 1s, tracks: [shared], commands: [{text: a}]}]`,
		"twice":         `[{id: gpu.smi, level: quick, timeout: 1s, takes: 1s, tracks: [shared], commands: [{text: a}]}, {id: gpu.smi, level: quick, timeout: 1s, takes: 1s, tracks: [shared], commands: [{text: a}]}]`,
		"no list":       `id: gpu.smi`,
	} {
		if _, err := readDefs([]byte(b)); err == nil {
			t.Errorf("%s was taken", why)
		}
	}
}

func TestLevelsHoldWhatIsBeforeThem(t *testing.T) {
	for _, track := range guide.Tracks() {
		var before []guide.CheckID
		for _, l := range guide.Levels() {
			list := For(track, l)
			for _, id := range before {
				if !slices.Contains(list, id) {
					t.Errorf("%s at %s lacks %s", track, l, id)
				}
			}
			before = list
		}
	}
	if slices.Contains(For(guide.Shared, guide.Quick), guide.GPUQuery) || !slices.Contains(For(guide.Shared, guide.Standard), guide.GPUQuery) {
		t.Error("the reading for other tenants belongs to the standard level")
	}
	for _, id := range []guide.CheckID{guide.GPULspci, guide.DockerGPU, guide.SecSSHD, guide.SecPorts} {
		if slices.Contains(For(guide.Shared, guide.Thorough), id) {
			t.Errorf("%s can't apply to a container", id)
		}
	}
}

func TestLevelsKeepTheirPromise(t *testing.T) {
	for _, track := range guide.Tracks() {
		for l, most := range map[guide.Level]float64{guide.Quick: 30, guide.Standard: 240, guide.Thorough: 900} {
			if s := Takes(For(track, l)).Seconds(); s > most {
				t.Errorf("%s at %s takes %.0f s", track, l, s)
			}
		}
	}
	if Takes(nil) != 0 {
		t.Error("nothing takes time")
	}
}

func TestCommands(t *testing.T) {
	full := Values{
		ValueDir: "/mnt/my models", ValueURL: "https://files.example.org/100m.bin", ValueHost: "192.0.2.10", ValuePeer: "10.0.0.5",
		ValueUIPort: "8188", ValueDriver: "550.90.07",
	}
	for _, d := range Defs() {
		for _, track := range d.Tracks {
			c, err := CommandOf(d.ID, track, full)
			if err != nil {
				t.Errorf("%s: %v", d.ID, err)
			}
			for _, name := range []string{"{dir}", "{python}", "{sudo}", "{peer}", "{docker_image}", "{url}", "{host}"} {
				if strings.Contains(c, name) {
					t.Errorf("%s: %s is not filled", d.ID, name)
				}
			}
		}
	}
	for id, want := range map[guide.CheckID]string{
		guide.GPUQuery:  "timeout 180 nvidia-smi --query-gpu=timestamp,utilization.gpu,memory.used --format=csv -l 1",
		guide.DockerGPU: "docker run --rm --gpus all nvidia/cuda:12.4.0-base-ubuntu22.04 nvidia-smi",
		guide.NetPing: "ping -c 10 -W 2 192.0.2.10; r=$?\n" +
			"[ $r = 0 ] || curl -sS -o /dev/null -w 'tcp %{time_connect}\\n' --max-time 8 https://192.0.2.10/\nexit $r",
		guide.NetCurl: `curl -sSL -o /dev/null -w '%{http_code} %{size_download} %{speed_download} %{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}\n' --max-time 60 -r 0-104857599 https://files.example.org/100m.bin`,
	} {
		if got, _ := CommandOf(id, guide.Dedicated, full); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
	if _, err := CommandOf(guide.NetIperf3, guide.Network, nil); err == nil {
		t.Error("iperf3 without a peer")
	}
}

// TestValuesStandOutsideQuotes: within quotes a quoted value would end them.
func TestValuesStandOutsideQuotes(t *testing.T) {
	seen := 0
	for _, d := range table() {
		for _, c := range d.Commands {
			for _, at := range place.FindAllStringIndex(c.Text, -1) {
				name := c.Text[at[0]+1 : at[1]-1]
				if _, ok := rules[name]; !ok && name != "python" {
					continue
				}
				seen++
				single, double := false, false
				for _, r := range c.Text[:at[0]] {
					switch {
					case r == '\'' && !double:
						single = !single
					case r == '"' && !single:
						double = !double
					}
				}
				if single || double {
					t.Errorf("%s: {%s} stands within quotes", d.ID, name)
				}
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d places seen", seen)
	}
}
