package workload

import "slices"

// A step of training takes the operations of the forward pass and twice as many
// backward; with gradient checkpointing the forward pass once more. A LoRA
// leaves out the gradients of the frozen weights, up to a pass less, and pays
// for its own; that and the program lie within the band.
const (
	passesOfTraining   = 3.0
	passesCheckpointed = 4.0

	// An adapter makes three kernels of one, forward and backward; weights that
	// are stored small are unpacked before each use. SimpleTuner's sweep: 0.6 s
	// of an SDXL-like U-Net on an H100 and an L40S alike, 1.8 s of it in int8.
	kernelsOfAdapter   = 3.0
	kernelsOfUnpacking = 2.5

	// spreadTraining is the doubt of a step in logarithms: how far published
	// steps (SimpleTuner's sweep, batches not told) lie from such a count.
	spreadTraining = 0.9
)

// trainingTerms puts a step of a LoRA's training into terms: the latents and
// texts are ready, nothing is decoded. Other trainings have no estimate.
func (cat *Catalogue) trainingTerms(j Job, f modelFacts, known bool, c Card) (*speedTerms, bool) {
	if slices.Contains(j.Extra, "activation-offload") {
		return nil, false // moves more than the weights: 2 to 6 times as long in the sweep
	}
	if !known || j.Kind != TrainLoRA && j.Kind != TrainLoKr || f.makes() != makesPictures || c.TFLOPS == nil || c.Compute == nil || *c.Compute < 7 {
		return nil, false
	}
	if f.UNetTMAC <= 0 && f.Layers <= 0 {
		return nil, false // by the parameters alone the doubt would be twofold
	}
	ops, ok := f.operations(j)
	if !ok || j.Width <= 0 || j.Height <= 0 || j.Batch <= 0 {
		return nil, false
	}
	passes := passesOfTraining
	if t := j.Training; t != nil && isOn(t.Checkpointing) {
		passes = passesCheckpointed
	}
	launches := baseLaunch * f.launchUnits() * passes * kernelsOfAdapter
	if bytesOf(j.Quant) < 2 {
		launches *= kernelsOfUnpacking
	}
	s := &speedTerms{
		ops:      ops * passes * float64(j.Batch) / (*c.TFLOPS * baseEfficiency),
		launches: launches,
		steps:    1,
		batch:    1, // a step is of the whole batch
	}
	s.features(j, f, c)
	s.offload(j, f, passes)
	s.swapGB = 0 // moved once a training, not a step
	return s, true
}
