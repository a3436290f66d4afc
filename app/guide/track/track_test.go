package track

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/assets/texts"
)

func has(key string) bool {
	for _, l := range texts.Langs() {
		if !texts.For(l).Has(key) {
			return false
		}
	}
	return true
}

func TestTracks(t *testing.T) {
	counts := map[guide.Track]int{guide.Shared: 7, guide.Dedicated: 7, guide.Network: 5}
	if len(All()) != len(counts) {
		t.Fatalf("%d tracks", len(All()))
	}
	seen := map[guide.CheckID]bool{}
	for i, tr := range All() {
		if tr.ID != guide.Tracks()[i] {
			t.Errorf("track %d is %s", i, tr.ID)
		}
		if len(tr.Steps) != counts[tr.ID] {
			t.Errorf("%s has %d steps, want %d", tr.ID, len(tr.Steps), counts[tr.ID])
		}
		for n, s := range tr.Steps {
			if s.Number != n+1 || s.ID != fmt.Sprintf("%s.%d", tr.ID, n+1) {
				t.Errorf("step %d of %s is %q, number %d", n+1, tr.ID, s.ID, s.Number)
			}
			if len(s.Checks)+len(s.Items) == 0 {
				t.Errorf("%s holds nothing", s.ID)
			}
			for _, id := range s.Checks {
				seen[id] = true
				d := run.DefOf(id)
				if !slices.Contains(d.Tracks, tr.ID) {
					t.Errorf("%s: %s doesn't apply on %s", s.ID, id, tr.ID)
				}
				if slices.Contains(tr.Folded, id) {
					t.Errorf("%s: %s is folded", s.ID, id)
				}
			}
		}
	}
	for _, id := range guide.Checks() {
		if !seen[id] {
			t.Errorf("no track holds %s", id)
		}
	}
	if tr := Of("elsewhere"); tr.ID != "" || len(tr.Steps) > 0 {
		t.Errorf("Of an unknown track: %+v", tr)
	}
	if f := Of(guide.Shared).Folded; !slices.Equal(f, []guide.CheckID{guide.GPULspci, guide.DockerGPU, guide.SecSSHD}) {
		t.Errorf("folded on shared: %v", f)
	}
}

// TestStepsOfTheSource holds which checks the source's steps come to.
func TestStepsOfTheSource(t *testing.T) {
	for id, want := range map[string][]guide.CheckID{
		"shared.2":    {guide.TorchCUDA, guide.CUDAMatch},
		"shared.4":    {guide.DiskDf, guide.DiskMount, guide.CachePersist},
		"shared.5":    {guide.GPUSMI, guide.GPUQuery, guide.CPUCgroup, guide.MemCgroup},
		"shared.6":    {guide.FirstImage, guide.DiskSpeed, guide.Attn},
		"dedicated.1": {guide.CPUCgroup, guide.MemCgroup, guide.DiskSpeed},
		"dedicated.2": {guide.SecPorts, guide.SecSSHD},
		"dedicated.3": {guide.GPULspci, guide.GPUSMI},
		"dedicated.4": {guide.CUDANvcc, guide.CUDAMatch, guide.TorchCUDA},
		"dedicated.5": {guide.DockerGPU, guide.SessionTmux},
		"dedicated.6": {guide.GPUQuery, guide.FirstImage},
		"network.1":   {guide.NetPing},
		"network.2":   {guide.NetIperf3},
		"network.3":   {guide.NetCurl, guide.NetHF},
		"network.4":   {guide.Tunnel},
	} {
		s := stepOf(id)
		for _, c := range want {
			if !slices.Contains(s.Checks, c) {
				t.Errorf("%s lacks %s", id, c)
			}
		}
	}
}

func stepOf(id string) Step {
	for _, tr := range All() {
		if s, ok := tr.Step(id); ok {
			return s
		}
	}
	return Step{}
}

func TestEverythingHasTexts(t *testing.T) {
	var keys []string
	for _, tr := range All() {
		keys = append(keys, "track."+string(tr.ID)+".intro")
		for _, s := range tr.Steps {
			for _, part := range []string{".title", ".why", ".look"} {
				keys = append(keys, "track."+s.ID+part)
			}
			for _, it := range s.Items {
				keys = append(keys, "track.item."+it.ID, "track.item."+it.ID+".why")
				for _, f := range it.Fields {
					keys = append(keys, "track.field."+f)
					for _, c := range it.Choices[f] {
						keys = append(keys, "track.choice."+c)
					}
				}
				for f := range it.Choices {
					if !slices.Contains(it.Fields, f) {
						t.Errorf("%s: choices of %q, which is no field", it.ID, f)
					}
				}
				if !slices.Contains([]string{"", "bill", "release", "survival", "pictures", "client"}, it.Page) {
					t.Errorf("%s: page %q", it.ID, it.Page)
				}
			}
		}
		for _, id := range tr.Folded {
			keys = append(keys, "track.folded."+string(id))
		}
	}
	for _, id := range guide.Checks() {
		keys = append(keys, CheckName(id).Key)
	}
	for _, c := range stepItem("billing").Choices["mode"] {
		keys = append(keys, "track.billing."+c)
	}
	for _, s := range []Staleness{StaleInstance, StaleDriver, StaleBoot, StaleContainer, StaleDays} {
		keys = append(keys, "track.stale."+string(s))
	}
	for _, v := range []string{
		run.ValueDir, run.ValueURL, run.ValueHost, run.ValuePeer, run.ValueSSHPort, run.ValueUIPort, run.ValueUIDir,
		run.ValueHFEndpoint, run.ValuePython, run.ValueDriver, run.ValueSudo,
	} {
		keys = append(keys, "track.value."+v)
	}
	for _, k := range keys {
		if !has(k) {
			t.Errorf("no text for %s", k)
		}
	}
}

func stepItem(id string) Item {
	it, _ := ItemOf(id)
	return it
}

// TestEveryRequirement proves that each of the source's requirements about
// setting up is met by a step, a check, an item or a text that exists.
func TestEveryRequirement(t *testing.T) {
	met := map[string]string{}
	for _, tr := range All() {
		for _, s := range tr.Steps {
			for _, r := range s.Requires {
				met[r] += " " + s.ID
			}
		}
	}
	for r, a := range load().Answers {
		for _, id := range a.Checks {
			if run.DefOf(id).ID == "" {
				t.Errorf("%s: no check is called %s", r, id)
			}
		}
		for _, k := range a.Texts {
			if !has(k) {
				t.Errorf("%s: no text %s", r, k)
			}
		}
		for _, id := range a.Items {
			if _, ok := ItemOf(id); !ok {
				t.Errorf("%s: no item is called %s", r, id)
			}
		}
		if len(a.Checks)+len(a.Texts)+len(a.Items) > 0 {
			met[r] += " answers"
		}
	}
	name := regexp.MustCompile(`^R[0-9]{3}$`)
	for r := range met {
		if !name.MatchString(r) {
			t.Errorf("%q is no requirement", r)
		}
	}
	for n := 75; n <= 143; n++ {
		if r := fmt.Sprintf("R%03d", n); met[r] == "" {
			t.Errorf("%s is met by nothing", r)
		}
	}
}

// TestCommandsOfTheSource holds the commands that the source asks for, with its
// mistakes put right: separate commands, an end, a count, an address.
func TestCommandsOfTheSource(t *testing.T) {
	values := run.Values{
		run.ValueHost: "192.0.2.1", run.ValuePeer: "192.0.2.2", run.ValueURL: "https://files.example.org/100mb.bin",
		run.ValueDir: "/data", run.ValueDriver: "550.90.07",
	}
	for _, c := range []struct {
		r     string
		id    guide.CheckID
		track guide.Track
		want  string
		not   string
	}{
		{"R076", guide.GPUQuery, guide.Shared, `^timeout [0-9]+ nvidia-smi --query-gpu=timestamp,utilization\.gpu,memory\.used --format=csv -l 1`, ``},
		{"R080", guide.GPUSMI, guide.Dedicated, `(^|/|\n)nvidia-smi`, `lspci|docker`},
		{"R080", guide.GPULspci, guide.Dedicated, `\blspci\b`, `docker|grep`},
		{"R080", guide.DockerGPU, guide.Dedicated, `docker run --rm --gpus all nvidia/cuda:12\.4\.[0-9]+-base-ubuntu22\.04 nvidia-smi`, ``},
		{"R088", guide.DiskDf, guide.Shared, `\bdf -h`, `mount`},
		{"R088", guide.DiskMount, guide.Shared, `findmnt -T`, `grep`},
		{"R094", guide.CUDANvcc, guide.Dedicated, `nvcc --version`, ``},
		{"R122", guide.SessionTmux, guide.Dedicated, `tmux`, ``},
		{"R130", guide.NetPing, guide.Network, `ping -c 10 -W 2 192\.0\.2\.1`, ``},
		{"R132", guide.NetIperf3, guide.Network, `iperf3 .*-c 192\.0\.2\.2.* -t 10`, ``},
		{"R133", guide.NetCurl, guide.Network, `curl -sSL -o /dev/null -w .*%\{time_total\}.* --max-time 60 .*https://files\.example\.org/100mb\.bin`, ``},
	} {
		text, err := run.CommandOf(c.id, c.track, values)
		if err != nil {
			t.Errorf("%s: %v", c.r, err)
			continue
		}
		if !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%s: %s is run as %q, want %s", c.r, c.id, text, c.want)
		}
		if c.not != "" && regexp.MustCompile(c.not).MatchString(text) {
			t.Errorf("%s: %s is run as %q, which holds %s", c.r, c.id, text, c.not)
		}
	}
}

// TestNothingUnsourced keeps the source's claims without a source, and its
// attribution, out of the texts.
func TestNothingUnsourced(t *testing.T) {
	bad := regexp.MustCompile(`(?i)experts?|ministry|consensus|专家|工信部|共识|首发|原创`)
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, k := range c.Keys() {
			if len(k) > 6 && k[:6] == "track." && bad.MatchString(c.T(k)) {
				t.Errorf("%s: %s says %q", l, k, c.T(k))
			}
		}
	}
}
