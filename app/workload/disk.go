package workload

import (
	"slices"
	"strings"

	"rentgen/assets/texts"
)

// Sizes nobody publishes for the job in hand; marked as not proved.
const (
	loraGB, loraMostGB = 0.15, 0.8 // one LoRA: rank 16 to 128
	bytesOfPixel       = 1.5       // of a PNG of a photo-like picture, of 3 raw ones
	bytesOfClipPixel   = 0.02      // of a frame of an H.264 clip
	gigabyte           = 1e9
	gibibyteInGB       = 1.073741824
	sizeDoubt          = 0.03 // headers, configurations, rounding of parameters
	controlOfDenoiser  = 0.5  // a ControlNet copies the encoder half of its U-Net or fewer blocks of a transformer
)

// DiskOf returns what the job keeps on disk over days, in decimal GB. The point
// is the files in use, each once: a repository that holds the same weights in
// several types counts with the type that is used. The band reaches up to the
// whole repository where a program may fetch that. GB.High is 0 where no size is
// known of the model. Models can be fetched again, but a disk that dies with a
// stop costs that at every start: all of them are marked as to be kept. Pictures
// are an estimate by their pixels.
func (c *Catalogue) DiskOf(j Job, u Use, days int) Disk {
	j = c.Filled(j)
	m, ok := c.Model(j.Model)
	if !ok {
		return Disk{}
	}
	l := lister{cat: c, job: j, model: m}
	l.weights()
	l.addOns()
	d := Disk{Parts: l.parts, PicturesGB: picturesGB(j, u, days), PicturesEst: true}
	if l.unknown {
		d.Parts = nil
		return d
	}
	sum := 0.0
	for _, p := range l.parts {
		sum += p.GB
		d.ScratchGB = max(d.ScratchGB, p.GB)
	}
	d.GB = Band{sum * (1 - sizeDoubt), sum, sum*(1+sizeDoubt) + l.more}
	if repo := m.RepoGiB * gibibyteInGB; repo > 0 && wholeRepo(j) {
		rest := sum - l.base
		d.GB.High = max(d.GB.High, repo+rest+l.more)
	}
	d.Persistent, d.DownloadGB = sum, sum
	return d
}

// wholeRepo reports whether the program may fetch a model's whole repository:
// programs with one file a part don't.
func wholeRepo(j Job) bool {
	switch j.Framework {
	case "comfyui", "forge", "a1111", "edge-dit.cpp", "stable-diffusion.cpp", "kohya":
		return false
	}
	return true
}

// quantisedOnLoad reports whether plain weights are fetched and made smaller
// when they are loaded.
func quantisedOnLoad(j Job) bool {
	return slices.ContainsFunc(j.Extra, func(e string) bool {
		return e == "bnb" || e == "torchao" || e == "quanto" || e == "layerwise-cast"
	})
}

// lister lists the files of a job.
type lister struct {
	cat     *Catalogue
	job     Job
	model   Model
	parts   []DiskPart
	base    float64 // GB of the model without what is added to it
	more    float64 // GB that could come on top
	unknown bool
}

// weights lists the model's own files.
func (l *lister) weights() {
	j, m := l.job, l.model
	quant, encoder := j.Quant, j.TEQuant
	if quantisedOnLoad(j) {
		quant, encoder = "bf16", "bf16"
	}
	if !m.Denoiser.Present() {
		l.repository()
		return
	}
	l.component("denoiser", m.Denoiser, quant)
	if l.encoders() {
		if j.Encoders != "no-t5" && encoder != "none" {
			l.component("encoder", m.Encoder, encoder)
		}
		l.component("encoder", m.EncodersSmall, small(quant))
	}
	l.component("vae", m.VAE, small(quant))
	for _, p := range l.parts {
		l.base += p.GB
	}
	if repo := m.RepoGiB * gibibyteInGB; repo > 1.5*l.base && wholeRepo(j) && len(l.parts) > 0 {
		l.parts[0].Note = texts.P("use.disk.repo", "size", texts.Bytes(repo*gigabyte))
	}
}

// encoders reports whether text encoders are on this machine's disk.
func (l *lister) encoders() bool {
	switch l.job.Encoders {
	case "precomputed", "remote", "none":
		return false
	}
	return true
}

// small is the type of parts that nobody quantises.
func small(quant string) string {
	if quant == "fp32" {
		return "fp32"
	}
	return "fp16"
}

// repository lists a model of which only the whole is known.
func (l *lister) repository() {
	gb := l.model.RepoGiB * gibibyteInGB
	l.unknown = gb <= 0
	l.parts = append(l.parts, DiskPart{
		Name: l.model.Name, GB: gb, Persistent: true, Verified: true, Note: texts.P("use.disk.whole"),
	})
	l.base = gb
}

// component lists a part by its published file or by its parameters.
func (l *lister) component(part string, p Component, quant string) {
	if !p.Present() {
		return
	}
	if f, ok := fileOf(l.model, part, p.Name, quant); ok {
		l.parts = append(l.parts, f)
		return
	}
	bytes, ok := l.cat.BytesPerParam(quant)
	if !ok {
		bytes, quant = bytesOf(quant), "16 bit"
	}
	name := strings.Join([]string{l.model.Name, p.Name, quant}, ", ")
	l.parts = append(l.parts, DiskPart{
		Name: name, GB: p.MParams * bytes / 1000, Persistent: true, Verified: p.Verified, Note: texts.P("use.disk.computed"),
	})
}

// addOns lists what is put on top of a model.
func (l *lister) addOns() {
	j, m := l.job, l.model
	if n := float64(j.ControlNets); n > 0 {
		gb, note, verified := m.ControlNetGB, texts.Phrase{}, true
		if gb == 0 {
			gb, note, verified = m.Denoiser.MParams*bytesOf("fp16")/1000*controlOfDenoiser, texts.P("use.disk.control"), false
		}
		l.add("ControlNet", n, gb, note, verified)
		l.more += n * gb // many are published in fp32 alone
	}
	if n := float64(j.IPAdapter); n > 0 {
		gb, note, verified := m.IPAdapterGB, texts.P("use.disk.ipadapter"), true
		if gb == 0 {
			gb, note, verified = 3.5, texts.P("use.disk.assumed"), false
			l.more += n * gb
		}
		l.add("IP-Adapter", n, gb, note, verified)
	}
	if n := float64(j.LoRAs); n > 0 {
		l.add("LoRA", n, loraGB, texts.P("use.disk.assumed"), false)
		l.more += n * (loraMostGB - loraGB)
	}
	if up := j.Upscaler; up != nil {
		id := up.Model
		if id == "" {
			id = "esrgan-4x"
		}
		if k, ok := l.cat.Model(id); ok && k.Denoiser.Present() {
			l.parts = append(l.parts, DiskPart{
				Name: k.Name, GB: k.Denoiser.MParams * bytesOf("fp32") / 1000, Persistent: true,
				Verified: k.Denoiser.Verified, Note: texts.P("use.disk.computed"),
			})
		}
	}
	if j.Kind.Training() {
		l.trained()
	}
}

func (l *lister) add(name string, n, gb float64, note texts.Phrase, verified bool) {
	if n > 1 {
		name = texts.Count(int64(n)) + " x " + name
	}
	l.parts = append(l.parts, DiskPart{Name: name, GB: n * gb, Persistent: true, Note: note, Verified: verified})
}

// trained lists what a training writes: its result once; every saved state is
// another of the same size.
func (l *lister) trained() {
	gb := loraGB
	if l.job.Kind == TrainDreamBooth || l.job.Kind == TrainFull {
		gb = l.model.Denoiser.MParams * bytesOf("fp16") / 1000
	}
	if l.job.Kind == TrainControlNet {
		gb = l.model.Denoiser.MParams * bytesOf("fp16") / 1000 * controlOfDenoiser
	}
	l.parts = append(l.parts, DiskPart{
		Name: string(l.job.Kind), GB: gb, Persistent: true, Note: texts.P("use.disk.trained"),
	})
	l.more += 2 * gb
}

// picturesGB estimates what the span's pictures take.
func picturesGB(j Job, u Use, days int) float64 {
	if j.Kind.Training() {
		return 0
	}
	px := float64(j.Width) * float64(j.Height)
	per := px * bytesOfPixel
	if j.Kind.Video() {
		per = px * float64(max(j.Frames, 1)) * bytesOfClipPixel
	}
	if h := j.Hires; h != nil {
		per *= max(1, h.Scale*h.Scale)
	}
	if up := j.Upscaler; up != nil {
		per *= float64(max(1, up.Scale*up.Scale))
	}
	return HoursOf(u, days, Band{}, Band{}).Pictures * per / gigabyte
}
