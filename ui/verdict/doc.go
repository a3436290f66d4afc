// Package verdict shows what Judge found: the line with the verdict of now, the
// list of verdicts with their evidence, the bands under charts, and the panel
// that looks for a minute and says why a run is slow.
//
// A verdict is never told by colour alone: each level has a shape of its own.
package verdict
