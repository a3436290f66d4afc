// Package probe is the vocabulary of a look at a rented machine: what was
// read, when, from which card, and, where nothing could be read, why not.
//
// It holds plain values only. How they are read stands in the rooms below it
// (nvml, smi, procfs), how they travel in wire, remote and stream. It knows
// neither money nor screens.
package probe
