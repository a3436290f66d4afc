// Package judgetest makes labelled scenes: what a host would say second by
// second while a card paints, rests, is slowed, breaks or is shared, with the
// noise that real sensors have. It is for tests of the rules.
package judgetest

// Card is a product with how it behaves at work.
type Card struct {
	Name      string
	Mem       float64 // MiB
	Limit     float64 // W, default power limit
	IdleWatts float64
	Watts     float64 // W that a full load asks for; more than Limit where the limit is reached
	ClockMax  float64 // MHz, the highest that it can show
	Clock     float64 // MHz under full load without a limit
	ClockIdle float64
	TempSlow  float64
	Heat      float64 // °C a watt
	IdleP0    bool    // rests in P0 at a high clock
	Flicker   float64 // chance of a power reason far below the limit, as some cards show
}

// Cards that are rented often, with figures of the kind that they show.
var (
	RTX4090 = Card{Name: "NVIDIA GeForce RTX 4090", Mem: 24564, Limit: 450, IdleWatts: 22, Watts: 405, ClockMax: 3105, Clock: 2730, ClockIdle: 210, TempSlow: 90, Heat: 0.098}
	// RTX4090Hot asks for more than its limit: the usual state of a busy card.
	RTX4090Hot = Card{Name: "NVIDIA GeForce RTX 4090", Mem: 24564, Limit: 450, IdleWatts: 22, Watts: 505, ClockMax: 3105, Clock: 2730, ClockIdle: 210, TempSlow: 90, Heat: 0.098}
	RTX3090    = Card{Name: "NVIDIA GeForce RTX 3090", Mem: 24576, Limit: 350, IdleWatts: 30, Watts: 385, ClockMax: 2100, Clock: 1860, ClockIdle: 210, TempSlow: 95, Heat: 0.126}
	RTX2080S   = Card{Name: "NVIDIA GeForce RTX 2080 SUPER", Mem: 8192, Limit: 250, IdleWatts: 14, Watts: 215, ClockMax: 2160, Clock: 1905, ClockIdle: 300, TempSlow: 93, Heat: 0.19, Flicker: 0.4}
	A100       = Card{Name: "NVIDIA A100-SXM4-80GB", Mem: 81920, Limit: 400, IdleWatts: 62, Watts: 345, ClockMax: 1410, Clock: 1410, ClockIdle: 210, TempSlow: 92, Heat: 0.08}
	H100       = Card{Name: "NVIDIA H100 80GB HBM3", Mem: 81559, Limit: 700, IdleWatts: 70, Watts: 760, ClockMax: 1980, Clock: 1965, ClockIdle: 1980, TempSlow: 89, Heat: 0.045, IdleP0: true}
	L4         = Card{Name: "NVIDIA L4", Mem: 23034, Limit: 72, IdleWatts: 16, Watts: 118, ClockMax: 2040, Clock: 2010, ClockIdle: 210, TempSlow: 92, Heat: 0.55}
)

// Job is a way of working.
type Job struct {
	Name    string
	Load    float64 // seconds to load the model
	Model   float64 // MiB
	Work    float64 // MiB more while a picture is made
	Picture float64 // seconds
	Between float64 // seconds to save one
	Batch   int     // pictures between two pauses
	Pause   float64 // seconds
	Util    float64 // percent while a picture is made
	Watts   float64 // share of the card's full load
}

// Jobs that people run.
var (
	SDXL     = Job{Name: "sdxl", Load: 14, Model: 6900, Work: 2600, Picture: 5.5, Between: 0.8, Batch: 8, Pause: 4, Util: 98, Watts: 1}
	Flux     = Job{Name: "flux", Load: 40, Model: 15800, Work: 3100, Picture: 24, Between: 1.6, Batch: 4, Pause: 9, Util: 99, Watts: 1}
	Small    = Job{Name: "sd15", Load: 6, Model: 2300, Work: 900, Picture: 1.8, Between: 0.5, Batch: 20, Pause: 6, Util: 92, Watts: 0.72}
	Training = Job{Name: "train", Load: 25, Model: 5100, Work: 2300, Picture: 170, Between: 7, Batch: 1, Util: 97, Watts: 0.96}
	Video    = Job{Name: "video", Load: 45, Model: 14200, Work: 5900, Picture: 210, Between: 12, Batch: 1, Util: 99, Watts: 0.94}
	Gaps     = Job{Name: "gaps", Load: 14, Model: 6900, Work: 2600, Picture: 5.5, Between: 0.8, Batch: 3, Pause: 13, Util: 98, Watts: 1}
)
