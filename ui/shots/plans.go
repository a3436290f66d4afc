package shots

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/ui/desk"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// Illustrator is a plan of the scenes: SDXL with two ControlNets for clients, an
// hourly container beside a machine by the month. Its prices are examples.
func Illustrator() plan.Plan {
	p := plan.New()
	p.Name = "Client work"
	p.Job = workload.Job{Model: "sdxl", ControlNets: 2, Upscaler: &workload.Upscaler{Scale: 4}}
	p.Use = workload.Use{Pattern: workload.Screen, Pictures: workload.Count{PerDay: 400}, DaysPerWeek: 5, HoursPerSitting: 4}
	p.Questions = advice.Questions{Duration: "short", Sensitivity: "some", Load: "peaks", Proven: true}
	p.Offers = []offer.Offer{
		{
			Name: "AutoDL 4090", Provider: "autodl", Currency: "CNY", Count: 1, Cards: 1, Card: offer.Card{Name: "RTX 4090"}, Machine: offer.Container,
			Payment: offer.Payment{Unit: offer.Hour, Price: money.MustParse("1.88")}, Example: true,
			Terms: map[offer.TermID]offer.Term{offer.DataDisk: {Value: "100", Status: offer.Typed}},
		},
		{
			Name: "Month card A", Currency: "CNY", Count: 1, Cards: 1, Card: offer.Card{Name: "RTX 4090"}, Machine: offer.BareMetal,
			Payment: offer.Payment{Unit: offer.Month, Price: money.Int(1180)}, Example: true,
		},
	}
	return p
}

// Class is a teacher's plan of the scenes.
func Class() plan.Plan {
	p := plan.New()
	p.Name = "Class of 30"
	p.Job = workload.Job{Model: "sd1.5"}
	p.Use = workload.Use{
		Pattern: workload.Timetable, Pictures: workload.Count{PerDay: 600}, Machines: 30, SittingsPerWeek: 2,
		HoursPerSitting: 2, Weeks: 3, Spares: 2, StartEarlyMin: 15, Heads: 30,
	}
	return p
}

// Training is a plan of the scenes that trains.
func Training() plan.Plan {
	p := plan.New()
	p.Name = "A LoRA of my style"
	p.Job = workload.Job{Model: "flux1-dev", Kind: workload.TrainLoRA, Training: &workload.Training{Steps: 2000, Rank: 16}}
	p.Use = workload.Use{Pattern: workload.LongRun, Pictures: workload.Count{Total: 3}}
	return p
}

// workflowFile is a ComfyUI workflow with a node that nobody knows.
const workflowFile = `{
 "1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "sd_xl_base_1.0.safetensors"}},
 "2": {"class_type": "EmptyLatentImage", "inputs": {"width": 832, "height": 1216, "batch_size": 2}},
 "3": {"class_type": "KSampler", "inputs": {"steps": 28, "cfg": 7, "denoise": 1, "model": ["7", 0], "latent_image": ["2", 0], "positive": ["4", 0], "negative": ["4", 0]}},
 "4": {"class_type": "CLIPTextEncode", "inputs": {"text": "a boat", "clip": ["1", 1]}},
 "5": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["1", 2]}},
 "6": {"class_type": "SaveImage", "inputs": {"images": ["5", 0]}},
 "7": {"class_type": "FancyPatcher", "inputs": {"model": ["1", 0], "strength": 0.7}}
}`

func onPlan(more func(s *Stage)) func(s *Stage) {
	return func(s *Stage) {
		if s.Win.Frame().Covered() {
			press(s, "plan.door.do")
		}
		if more != nil {
			more(s)
		}
	}
}

func press(s *Stage, key string) { uitest.Press(s.T, s.Canvas(), s.Win.Texts().T(key)) }

// scroll moves what scrolls at the right of the page down.
func scroll(s *Stage, by float32) {
	var last fyne.Scrollable
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if sc, ok := o.(fyne.Scrollable); ok {
			last = sc
		}
	})
	if last != nil {
		last.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.Delta{DY: -by}})
	}
}

// planScenes are those of the Plan.
func planScenes() []Scene {
	full := []plan.Plan{Illustrator()}
	return []Scene{
		{Name: "plan-empty", Play: onPlan(nil)},
		{Name: "plan-model", Play: onPlan(func(s *Stage) { press(s, "plan.empty.model") })},
		{Name: "plan-full", Plans: full, Play: onPlan(nil)},
		{Name: "plan-advice", Plans: full, Play: onPlan(func(s *Stage) { press(s, "plan.advice.why") })},
		{Name: "plan-more", Plans: full, Play: onPlan(func(s *Stage) { press(s, "plan.part.more") })},
		{Name: "plan-class", Plans: []plan.Plan{Class()}, Play: onPlan(func(s *Stage) { scroll(s, 300) })},
		{Name: "plan-training", Plans: []plan.Plan{Training()}, Play: onPlan(func(s *Stage) { press(s, "plan.part.more") })},
		{Name: "plan-bad", Plans: full, Play: onPlan(func(s *Stage) {
			n := 0
			uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
				if e, ok := o.(*widgets.Entry); ok {
					if n++; n == 1 {
						test.Type(e, "1023")
					}
				}
			})
		})},
		{Name: "plan-broken", Play: onPlan(func(s *Stage) {
			r := desk.Record{ID: "x", Name: "From a newer version", Body: []byte("version: 9\n"), Updated: Now}
			if err := s.Plans.SavePlan(s.T.Context(), r); err != nil {
				s.T.Fatal(err)
			}
			if err := s.Win.Desk().Load(s.T.Context()); err != nil {
				s.T.Fatal(err)
			}
		})},
		{Name: "plan-deleted", Plans: []plan.Plan{Illustrator(), Class()}, Play: onPlan(func(s *Stage) { s.Win.Desk().Delete(s.Win.Desk().ID()) })},
		{Name: "plan-measured", Plans: full, Play: onPlan(func(s *Stage) { press(s, "plan.measured.enter") })},
		{Name: "plan-guide", Plans: full, Play: onPlan(func(s *Stage) { press(s, "plan.guide") })},
		{Name: "plan-found", Play: onPlan(func(s *Stage) { s.Drop("boat.json", workflowFile) })},
		{Name: "plan-unread", Plans: full, Play: onPlan(func(s *Stage) { s.Drop("cat.png", "GIF89a") })},
		{Name: "plan-help", Plans: full, Play: onPlan(func(s *Stage) { s.Win.Frame().Help() })},
	}
}
