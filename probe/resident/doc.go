// Package resident keeps what our program on the host reads while nobody is
// connected: a ring of files in a directory of its own, bounded in size, that
// survives the end of its writer at any moment.
//
// The directory holds
//
//	ring          what was asked for: how long, how much (JSON, 4 KiB)
//	state         what the running recorder says of itself (JSON, 4 KiB)
//	lock          held by the one recorder that runs; its pid
//	R-S.seg       a segment that is being written
//	R-S.sgz       a segment that is finished, packed
//
// where R is the run of the recorder that wrote it and S the number of its
// first record, both in 16 hexadecimal digits. Every segment can be read by
// itself: it starts with the run and the inventory. The oldest one goes when
// the bound is reached.
//
// A segment is eight bytes of magic and then records: the length of the body
// as an uvarint, its CRC-32C in four bytes, and the body: the record's number
// as an uvarint and one frame of probe/wire. A record that is cut off or does
// not match its sum ends the segment; the next writer cuts it there.
//
// It is pure: it reads no card and starts no program.
package resident
