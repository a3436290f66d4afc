package store

import (
	"encoding/binary"
	"errors"

	"rentgen/probe"
	"rentgen/store/column"
)

// A row of the open hour holds all metrics of one card in one second: a
// version, then per metric a head byte (state, and whether a spread or a raw
// token follows), then the numbers in steps.
const (
	rowVersion = 1
	rowSpread  = 0x08
	rowRaw     = 0x10
	rowState   = 0x07
)

var errRow = errors.New("corrupt row")

func encodeRow(b []byte, cells []column.Cell) []byte {
	b = append(b, rowVersion)
	for i := range cells {
		c := &cells[i]
		head := byte(c.State)
		switch {
		case !c.OK() && c.Raw != "":
			raw := column.Clip(c.Raw)
			b = append(b, head|rowRaw)
			b = binary.AppendUvarint(b, uint64(len(raw)))
			b = append(b, raw...)
		case !c.OK():
			b = append(b, head)
		case c.Lo != c.V || c.Hi != c.V:
			b = append(b, head|rowSpread)
			b = binary.AppendVarint(b, c.V)
			b = binary.AppendUvarint(b, uint64(c.V-c.Lo))
			b = binary.AppendUvarint(b, uint64(c.Hi-c.V))
		default:
			b = append(b, head)
			b = binary.AppendVarint(b, c.V)
		}
	}
	return b
}

// decodeRow fills cells; metrics the row is too old to know are left Pending.
// With only >= 0 all other cells are skipped.
func decodeRow(cells []column.Cell, only int, b []byte) error {
	if len(b) == 0 || b[0] != rowVersion {
		return errRow
	}
	b = b[1:]
	for i := range cells {
		if len(b) == 0 {
			cells[i] = column.Cell{State: probe.Pending}
			continue
		}
		head := b[0]
		b = b[1:]
		c := column.Cell{State: probe.State(head & rowState)}
		switch {
		case c.State > probe.Error:
			return errRow
		case !c.OK() && head&rowRaw != 0:
			n, k := binary.Uvarint(b)
			if k <= 0 || n > column.MaxRaw || int(n) > len(b)-k {
				return errRow
			}
			if only < 0 || only == i {
				c.Raw = string(b[k : k+int(n)])
			}
			b = b[k+int(n):]
		case c.OK():
			v, k := binary.Varint(b)
			if k <= 0 {
				return errRow
			}
			b = b[k:]
			c.V, c.Lo, c.Hi = v, v, v
			if head&rowSpread != 0 {
				lo, k1 := binary.Uvarint(b)
				if k1 <= 0 {
					return errRow
				}
				hi, k2 := binary.Uvarint(b[k1:])
				if k2 <= 0 {
					return errRow
				}
				b = b[k1+k2:]
				c.Lo, c.Hi = v-int64(lo), v+int64(hi)
			}
		}
		if only < 0 || only == i {
			cells[i] = c
		}
		if only == i {
			return nil
		}
	}
	return nil
}
