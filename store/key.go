package store

import "rentgen/probe"

// Ids of sealed rows are packed from hour, track and metric, so that no index
// is needed beside the table itself.
//
//   - seconds: hour, track, metric. Hours are written in their order and leave
//     in their order, so pages fill up and are freed whole.
//   - minutes: track, metric, hour. A month of one metric lies side by side.
//   - hours: track, hour.
const (
	hourBits   = 22 // hours since 1970, until 2448
	metricBits = 8
	trackBits  = 32
	maxHour    = 1<<hourBits - 1
	maxTrack   = 1<<trackBits - 1

	// tickColumn takes the place of a metric for the times of an hour.
	tickColumn = probe.Metric(255)
	// packColumn takes the place of the metrics of an hour that are in a pack.
	packColumn = probe.Metric(254)

	hourSeconds = 3600
)

func secondsKey(hour, track int64, m probe.Metric) int64 {
	return hour<<(trackBits+metricBits) | track<<metricBits | int64(m)
}

func minutesKey(track int64, m probe.Metric, hour int64) int64 {
	return track<<(metricBits+hourBits) | int64(m)<<hourBits | hour
}

func hoursKey(track, hour int64) int64 { return track<<hourBits | hour }

// keyHour is the hour of a minutes or hours key.
func keyHour(key int64) int64 { return key & maxHour }

// hourOf returns the hour of a Unix second.
func hourOf(t int64) int64 { return t / hourSeconds }

// metricsOf returns the metrics a track holds.
func metricsOf(machine bool) []probe.Metric {
	if machine {
		return systemMetrics
	}
	return gpuMetrics
}

var (
	gpuMetrics    = probe.GPUMetrics()
	systemMetrics = probe.SystemMetrics()
)

// slotOf returns the place of m among the metrics of its track.
func slotOf(m probe.Metric) int {
	if m.System() {
		return int(m - systemMetrics[0])
	}
	return int(m)
}
