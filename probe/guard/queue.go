package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"rentgen/probe"
)

const (
	// maxQueue bounds the answer: each job of ComfyUI's queue carries its whole
	// workflow.
	maxQueue = 16 << 20
	// queueWait is how long the program may take to answer. One that is loading a
	// model answers late; then the queue is not known, and so busy.
	queueWait = 2 * time.Second
	// queueEvery is how often it is asked, queueHolds how long an answer holds.
	queueEvery = 5 * time.Second
)

// askQueue asks the program at a port of this machine how many jobs it has.
func askQueue(port int) probe.Value {
	b, err := get(port, "/queue", maxQueue, queueWait)
	if err != nil {
		return missing(err)
	}
	n, err := ParseQueueAnswer(b)
	if err != nil {
		return probe.Missing(probe.Error, err.Error())
	}
	return probe.Of(float64(n))
}

// ParseQueueAnswer reads an HTTP answer with ComfyUI's queue in it.
func ParseQueueAnswer(b []byte) (int, error) {
	head, body, found := bytes.Cut(b, []byte("\r\n\r\n"))
	if !found {
		return 0, errors.New("no answer of a web server")
	}
	status, fields, _ := strings.Cut(string(head), "\r\n")
	if f := strings.Fields(status); len(f) < 2 || !strings.HasPrefix(f[0], "HTTP/1.") || f[1] != "200" {
		return 0, fmt.Errorf("the answer was %q", clip(status))
	}
	for line := range strings.Lines(fields) {
		if k, _, _ := strings.Cut(line, ":"); strings.EqualFold(strings.TrimSpace(k), "Transfer-Encoding") || strings.EqualFold(strings.TrimSpace(k), "Content-Encoding") {
			return 0, errors.New("the answer is encoded")
		}
	}
	return ParseQueue(body)
}

// ParseQueue counts the jobs of {"queue_running": [...], "queue_pending": [...]}.
// Both must be there and whole.
func ParseQueue(b []byte) (int, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	t, err := d.Token()
	if err != nil || t != json.Delim('{') {
		return 0, errors.New("the queue is no JSON object")
	}
	seen, total := map[string]bool{}, 0
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return 0, errors.New("the queue is cut off")
		}
		key, _ := t.(string)
		if key != "queue_running" && key != "queue_pending" {
			if err := skip(d); err != nil {
				return 0, err
			}
			continue
		}
		if seen[key] {
			return 0, fmt.Errorf("%s stands there twice", key)
		}
		seen[key] = true
		n, err := elements(d)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", key, err)
		}
		total += n
	}
	if _, err := d.Token(); err != nil {
		return 0, errors.New("the queue is cut off")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return 0, errors.New("something follows the queue")
	}
	if len(seen) != 2 {
		return 0, errors.New("no queue_running or no queue_pending")
	}
	return total, nil
}

// elements counts those of an array and keeps none of them.
func elements(d *json.Decoder) (int, error) {
	t, err := d.Token()
	if err != nil || t != json.Delim('[') {
		return 0, errors.New("no list")
	}
	n := 0
	for d.More() {
		if err := skip(d); err != nil {
			return 0, err
		}
		n++
	}
	_, err = d.Token()
	return n, err
}

// skip passes over one value, however deep.
func skip(d *json.Decoder) error {
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return errors.New("the queue is cut off")
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return nil
		}
	}
}
