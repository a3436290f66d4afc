// Package smi looks at a host's cards through the text of nvidia-smi: the
// simple readings, for hosts where nothing of ours may run.
//
// [Open] asks once which fields this driver knows and what the cards are.
// [Look.Run] keeps one long-lived loop running and makes ticks of its rows;
// now and then a fresh call proves that the loop still tells the truth. The
// loop stands under a few lines of shell that end it together with its
// channel.
//
// nvidia-smi's text has many shapes: tokens in place of numbers, names that
// change with the driver, lines of other libraries between the rows. The
// parsers are pure functions and take whatever comes. No shell text is ever
// made of what a host printed.
package smi
