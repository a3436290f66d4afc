package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"

	"rentgen/probe"
	"rentgen/store/column"
)

// A pack holds blobs of several metrics: metric, length, blob. An hour row is a
// pack of one bucket of every metric. The seconds of a track's hour are one pack
// with their times, since rows of one to six kilobytes leave a tenth of the file
// empty, and a chart asks for seconds of a few hours only. The minutes of a
// metric are rows of their own, since a chart asks for a month of them; those
// that take fewer bytes than a row costs are packed.

// packMost is the most bytes of minutes that go into a pack.
const packMost = 40

func appendMetric(b []byte, m probe.Metric, blob []byte) []byte {
	b = append(b, byte(m))
	b = binary.AppendUvarint(b, uint64(len(blob)))
	return append(b, blob...)
}

// eachMetric calls f with the blobs of a pack, until it says false.
func eachMetric(b []byte, f func(m probe.Metric, blob []byte) bool) error {
	for len(b) > 0 {
		n, k := binary.Uvarint(b[1:])
		if k <= 0 || n > uint64(len(b)-1-k) {
			return column.ErrCorrupt
		}
		if !f(probe.Metric(b[0]), b[1+k:1+k+int(n)]) {
			return nil
		}
		b = b[1+k+int(n):]
	}
	return nil
}

// fromPack returns the blob of m, nil where the pack has none.
func fromPack(b []byte, m probe.Metric) (blob []byte, err error) {
	err = eachMetric(b, func(is probe.Metric, have []byte) bool {
		if is == m {
			blob = have
		}
		return is != m
	})
	return blob, err
}

// oneOf returns the blob of m: of a row of its own, or out of the pack; nil where
// there is none. key makes the key of a row.
func oneOf(ctx context.Context, tx *sql.Tx, query string, m probe.Metric, key func(probe.Metric) int64) ([]byte, error) {
	for _, at := range []probe.Metric{m, packColumn} {
		var blob []byte
		err := tx.QueryRowContext(ctx, query, key(at)).Scan(&blob)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			continue
		case err != nil:
			return nil, err
		case at == packColumn:
			return fromPack(blob, m)
		}
		return blob, nil
	}
	return nil, nil
}

// findMetric returns the bucket of m, or ok false where the hour has none.
func findMetric(b []byte, m probe.Metric) (bucket column.Bucket, steps int64, ok bool, err error) {
	body, err := fromPack(b, m)
	if err != nil || body == nil {
		return bucket, 0, false, err
	}
	var one [1]column.Bucket
	list, steps, err := column.DecodeBuckets(one[:0], body)
	if err != nil {
		return bucket, 0, false, err
	}
	if len(list) != 1 {
		return bucket, 0, false, column.ErrCorrupt
	}
	return list[0], steps, true, nil
}
