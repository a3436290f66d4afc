package store

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/store/column"
)

// ExportCSV writes a recording, or the part of it in [from, to), as CSV: UTF-8
// with a byte order mark and lines ended by CR LF, as spreadsheets want it. A
// row is one second of one card, with the machine's values of that second
// beside it; column width_s says 1, or 60 and 3600 where only rollups are left.
// What could not be read is an empty cell, and column states says why.
func (s *Store) ExportCSV(ctx context.Context, w io.Writer, recording int64, from, to time.Time) error {
	// The recording is looked up before the first byte goes out.
	if _, err := s.Recording(ctx, recording); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	if _, err := buf.WriteString("\ufeff"); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	out := csv.NewWriter(buf)
	out.UseCRLF = true
	if err := out.Write(csvHeader()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	err := s.walk(ctx, recording, from, to, func(h *hourData) error { return h.csv(out) })
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func csvHeader() []string {
	head := []string{"time", "width_s", "index", "uuid", "name"}
	for _, list := range [][]probe.Metric{gpuMetrics, systemMetrics} {
		for _, m := range list {
			head = append(head, m.String())
		}
	}
	return append(head, "states")
}

func (h *hourData) csv(out *csv.Writer) error {
	order := make([]int, 0, len(h.tracks))
	machine := -1
	for i, t := range h.tracks {
		if t.uuid == machineUUID {
			machine = i
			continue
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return h.devices[h.tracks[a].uuid].Index - h.devices[h.tracks[b].uuid].Index
	})
	return h.seconds(func(t int64, row []*entry) error {
		var host *entry
		if machine >= 0 {
			host = row[machine]
		}
		wrote := false
		for _, i := range order {
			if row[i] == nil {
				continue
			}
			wrote = true
			d := h.devices[h.tracks[i].uuid]
			if err := out.Write(h.line(t, strconv.Itoa(d.Index), h.tracks[i].uuid, d.Name, row[i], host)); err != nil {
				return err
			}
		}
		if !wrote && host != nil { // a host without a card
			return out.Write(h.line(t, "", "", "", nil, host))
		}
		return nil
	})
}

func (h *hourData) line(t int64, index, uuid, name string, card, host *entry) []string {
	rec := []string{
		time.Unix(t, 0).UTC().Format(time.RFC3339), strconv.FormatInt(h.width, 10),
		index, plain(uuid), plain(name),
	}
	var states []string
	for _, part := range []struct {
		e       *entry
		metrics []probe.Metric
	}{{card, gpuMetrics}, {host, systemMetrics}} {
		for k, m := range part.metrics {
			if part.e == nil {
				rec = append(rec, "")
				continue
			}
			c := part.e.cells[k]
			rec = append(rec, csvCell(m, c))
			if !c.OK() {
				state := m.String() + "=" + c.State.String()
				if c.Raw != "" {
					state += " (" + c.Raw + ")"
				}
				states = append(states, state)
			}
		}
	}
	return append(rec, strings.Join(states, "; "))
}

func csvCell(m probe.Metric, c column.Cell) string {
	switch {
	case !c.OK():
		return ""
	case m.Info().Kind == probe.Mask:
		return fmt.Sprintf("0x%016x", uint64(c.V))
	}
	return strconv.FormatFloat(column.Float(c.V, column.Steps(m)), 'f', -1, 64)
}

// plain keeps a spreadsheet from taking a name the host chose for a formula.
func plain(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
