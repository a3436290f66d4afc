package store

import (
	"encoding/binary"

	"rentgen/probe"
	"rentgen/store/column"
)

// The blob of an hour row holds one bucket of every metric of a track: metric,
// length, bucket.

func appendMetric(b []byte, m probe.Metric, blob []byte) []byte {
	b = append(b, byte(m))
	b = binary.AppendUvarint(b, uint64(len(blob)))
	return append(b, blob...)
}

// findMetric returns the bucket of m, or ok false where the hour has none.
func findMetric(b []byte, m probe.Metric) (bucket column.Bucket, steps int64, ok bool, err error) {
	for len(b) > 1 {
		n, k := binary.Uvarint(b[1:])
		if k <= 0 || n > uint64(len(b)-1-k) {
			return bucket, 0, false, column.ErrCorrupt
		}
		body := b[1+k : 1+k+int(n)]
		if probe.Metric(b[0]) != m {
			b = b[1+k+int(n):]
			continue
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
	return bucket, 0, false, nil
}
