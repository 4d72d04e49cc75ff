package hub_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkCall is what a hub adds to a call: of one seat's turn the median of 200.
func BenchmarkCall(b *testing.B) {
	p := newPlace(b, 30*time.Second)
	p.work("w1", 2, echo{})
	m := p.remote()
	for range b.N {
		var took []time.Duration
		for i := range 200 {
			began := time.Now()
			p.ask(m, fmt.Sprint("call ", b.N, " ", len(took), " ", i, time.Now().UnixNano()))
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/call")
		b.ReportMetric(float64(took[len(took)/10].Microseconds())/1000, "ms/p10")
		b.ReportMetric(float64(took[len(took)*9/10].Microseconds())/1000, "ms/p90")
	}
}

// BenchmarkLayers is a graph of 200 tasks in 20 layers, each of which begins when the one before it has ended, by three workers.
func BenchmarkLayers(b *testing.B) {
	p := newPlace(b, 30*time.Second)
	for i := range 3 {
		p.work(fmt.Sprint("w", i), 4, echo{})
	}
	m := p.remote()
	for n := range b.N {
		for layer := range 20 {
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() { p.ask(m, fmt.Sprint("run ", b.N, n, " layer ", layer, " task ", i)) })
			}
			all.Wait()
		}
	}
}

// BenchmarkMemory is what a hub of 100 workers holds, with the workers in the same process.
func BenchmarkMemory(b *testing.B) {
	p := newPlace(b, 30*time.Second)
	for i := range 100 {
		p.work(fmt.Sprint("w", i), 1, echo{})
	}
	m := p.remote()
	for range b.N {
		for i := range 500 {
			p.ask(m, fmt.Sprint("memory ", b.N, i))
		}
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		b.ReportMetric(float64(s.Sys)/(1<<20), "MiB")
	}
}
