package metrics_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/metrics"
)

// message is what of the protocol a collector reads here.
type message struct {
	ResourceMetrics []struct {
		Resource     struct{ Attributes []attribute }
		ScopeMetrics []struct {
			Metrics []struct {
				Name, Unit string
				Sum        *struct {
					DataPoints             []point
					AggregationTemporality int
					IsMonotonic            bool
				}
				Gauge *struct{ DataPoints []point }
			}
		}
	}
}

type attribute struct {
	Key   string
	Value struct{ StringValue string }
}

type point struct {
	Attributes                      []attribute
	StartTimeUnixNano, TimeUnixNano string
	AsDouble                        float64
}

// A collector takes in what is sent, also after it was away; what it wants besides is in the headers.
func TestSent(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, x-other=c")
	got, calls := make(chan message, 10), 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "a b" ||
			r.Header.Get("X-Other") != "c" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		var m message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		got <- m
	}))
	defer collector.Close()
	var said []string
	n := 0.0
	s := metrics.Sender{URL: collector.URL + "/", Every: time.Millisecond, Version: "1.2", Warn: func(text string) { said = append(said, text) },
		Read: func(context.Context) ([]metrics.Figure, error) {
			n++
			return []metrics.Figure{{Name: "hub.claims", Unit: "{claim}", Sum: true, Points: []metrics.Point{{Value: n}}},
				{Name: "hub.tasks", Points: []metrics.Point{{Labels: map[string]string{"state": "waiting"}, Value: 7}}}}, nil
		}}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	m := <-got
	end()
	<-done
	if len(said) != 1 || !strings.Contains(said[0], "503: starting") {
		t.Errorf("told: %q", said)
	}
	all := m.ResourceMetrics[0]
	if a := all.Resource.Attributes; len(a) != 2 || a[0].Value.StringValue != "socrates-hub" || a[1].Value.StringValue != "1.2" {
		t.Errorf("it is of %v", a)
	}
	sum, gauge := all.ScopeMetrics[0].Metrics[0].Sum, all.ScopeMetrics[0].Metrics[1].Gauge
	if sum == nil || sum.AggregationTemporality != 2 || !sum.IsMonotonic || sum.DataPoints[0].AsDouble < 2 {
		t.Errorf("the sum is %+v", sum)
	}
	if p := sum.DataPoints[0]; len(p.TimeUnixNano) != 19 || p.StartTimeUnixNano > p.TimeUnixNano {
		t.Errorf("its time is %+v", p)
	}
	if gauge == nil || gauge.DataPoints[0].AsDouble != 7 || gauge.DataPoints[0].Attributes[0].Value.StringValue != "waiting" {
		t.Errorf("the gauge is %+v", gauge)
	}
}

func TestAddress(t *testing.T) {
	for address, ok := range map[string]bool{"http://127.0.0.1:4318": true, "https://collector.example.org/otlp": true, "": false,
		"collector:4318": false, "ftp://x": false} {
		if err := metrics.Check(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}
