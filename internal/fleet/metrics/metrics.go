// Package metrics sends figures of a hub to a collector, in the protocol of OpenTelemetry: OTLP 1.x over HTTP, as JSON
// (opentelemetry-proto, collector/metrics/v1; read 27 November 2026). Nothing is sent unless an address is given.
//
// The SDK would make the second program a quarter larger, for twenty figures a minute; this is the one message that a collector needs. A
// collector that does not answer is told once, and the next figures are sent all the same: sums count from the start of the process, so
// none is lost.
package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Figure is one metric with its points.
type Figure struct {
	Name, Unit, Doc string
	Sum             bool // a counter since the start of the process; otherwise a current value
	Points          []Point
}

// Point is a value under labels.
type Point struct {
	Labels map[string]string
	Value  float64
}

// Sender sends figures. Its fields are set before Run; all but Warn are needed.
type Sender struct {
	URL     string        // of the collector, without /v1/metrics
	Every   time.Duration // how often
	Version string        // of this program
	Read    func(ctx context.Context) ([]Figure, error)
	Warn    func(text string)
}

// Path is the path of a collector for metrics.
const Path = "/v1/metrics"

// slowest is how long a collector may take.
const slowest = 10 * time.Second

// Check returns what is wrong with an address; nil: nothing.
func Check(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not the address of a collector", address)
	}
	return nil
}

// Run sends until ctx ends, and once more then.
func (s *Sender) Run(ctx context.Context) {
	start, told := time.Now(), false
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	for last := false; !last; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			last = true
		}
		err := s.send(context.WithoutCancel(ctx), start)
		if err != nil && !told && s.Warn != nil {
			s.Warn("the collector did not accept metrics: " + err.Error())
		}
		told = err != nil
	}
}

func (s *Sender) send(ctx context.Context, start time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	figures, err := s.Read(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(s.message(figures, start, time.Now()))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.URL, "/")+Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	// Further headers for a collector, such as a key, come from the standard variable.
	for pair := range strings.SplitSeq(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if value, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			r.Header.Set(strings.TrimSpace(name), value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		return fmt.Errorf("the collector answered %d: %s", answer.StatusCode, strings.TrimSpace(string(said)))
	}
	return nil
}

// The types of the message, with the names of the protocol.
type (
	object   = map[string]any
	attr     = object
	exported struct {
		ResourceMetrics []object `json:"resourceMetrics"`
	}
)

// cumulative is AGGREGATION_TEMPORALITY_CUMULATIVE.
const cumulative = 2

func (s *Sender) message(figures []Figure, start, now time.Time) exported {
	nano := func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) } // 64-bit integers are texts in this JSON
	list := []object{}
	for _, f := range figures {
		points := []object{}
		for _, p := range f.Points {
			points = append(points, object{"attributes": attributes(p.Labels), "startTimeUnixNano": nano(start), "timeUnixNano": nano(now),
				"asDouble": p.Value})
		}
		one := object{"name": f.Name, "unit": f.Unit, "description": f.Doc}
		if f.Sum {
			one["sum"] = object{"dataPoints": points, "aggregationTemporality": cumulative, "isMonotonic": true}
		} else {
			one["gauge"] = object{"dataPoints": points}
		}
		list = append(list, one)
	}
	about := attributes(map[string]string{"service.name": "socrates-hub", "service.version": s.Version})
	return exported{[]object{{"resource": object{"attributes": about}, "scopeMetrics": []object{
		{"scope": object{"name": "socrates"}, "metrics": list}}}}}
}

// attributes converts labels, sorted by name.
func attributes(labels map[string]string) []attr {
	out := []attr{}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, attr{"key": name, "value": object{"stringValue": labels[name]}})
	}
	return out
}
