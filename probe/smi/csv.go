package smi

import "strings"

// maxOutput bounds what is read of one call.
const maxOutput = 4 << 20

// maxRows bounds the cards of one host; MIG instances have no rows.
const maxRows = 256

// Row is one card's cells in the order of the query.
type Row []string

// ParseCSV finds the rows of a query of n fields among whatever else was
// printed. The first field must be the UUID (see isKey); everything that is
// neither row, heading nor blank is a note.
func ParseCSV(b []byte, n int) (rows []Row, notes []Note) {
	for l := range lines(b) {
		row, ok := parseRow(l, n)
		switch {
		case ok && len(rows) < maxRows:
			rows = append(rows, row)
		case ok || heading(l, n):
		default:
			if note, ok := readNote(l); ok && len(notes) < maxRows {
				notes = append(notes, note)
			}
		}
	}
	return rows, notes
}

// parseRow splits a line into n cells. Where a log line of another library
// ran into the row, the row begins at its UUID.
func parseRow(l string, n int) (Row, bool) {
	if n <= 0 {
		return nil, false
	}
	if row, ok := splitRow(l, n); ok {
		return row, true
	}
	for _, mark := range []string{"GPU-", "MIG-"} {
		if i := strings.Index(l, mark); i > 0 {
			if row, ok := splitRow(l[i:], n); ok {
				return row, true
			}
		}
	}
	return nil, false
}

func splitRow(l string, n int) (Row, bool) {
	if strings.Count(l, ",") != n-1 {
		return nil, false
	}
	row := Row(strings.Split(l, ","))
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	return row, isKey(row[0])
}

// isKey reports whether a cell can stand in the column of the UUID: one, or
// a token where it can't be read.
func isKey(cell string) bool {
	if strings.HasPrefix(cell, "GPU-") || strings.HasPrefix(cell, "MIG-") {
		return len(cell) <= 128
	}
	_, ok := Token(cell)
	return ok && cell != ""
}

// heading recognises the line of names, which comes although none is asked
// for where an option got lost. Its names may be others than asked.
func heading(l string, n int) bool {
	if strings.Count(l, ",") != n-1 {
		return false
	}
	first, _, _ := strings.Cut(l, ",")
	switch strings.TrimSpace(first) {
	case "uuid", "gpu_uuid", "index", "name", "timestamp":
		return true
	}
	return false
}
