//go:build unix

package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
)

// BenchmarkListen measures our own CPU for a streamed answer of so many words, each a delta as the program writes it.
// Ten times the words must cost ten times as much, no more: cpu-ns/word is to stay the same.
func BenchmarkListen(b *testing.B) {
	for _, p := range cli.Programs {
		for _, words := range []int{1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/words=%d", p.Name, words), func(b *testing.B) {
				script := longAnswer(b, p.Name, words)
				self, _ := os.Executable()
				spent := ourCPU()
				for b.Loop() {
					m := model(p.Name, cli.Options{Bin: self, Model: "some-model", Home: b.TempDir(), Env: []string{"SEAT_PLAY=" + script}})
					req := llm.Request{System: "You are a seat at a table.", Dir: b.TempDir(), Session: "one", Messages: []llm.Message{llm.UserText("Who are you?")}}
					if _, err := llm.Collect(m.Stream(b.Context(), req)); err != nil {
						b.Fatal(err)
					}
					m.(io.Closer).Close()
				}
				b.ReportMetric(float64(ourCPU()-spent)/float64(b.N)/1e6, "cpu-ms/op")
				b.ReportMetric(float64(ourCPU()-spent)/float64(b.N)/float64(words), "cpu-ns/word")
			})
		}
	}
}

// ourCPU is the CPU this process has taken so far, in nanoseconds.
func ourCPU() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}

// longAnswer writes a script like the recording of hello whose first delta comes again and again.
func longAnswer(b *testing.B, program string, words int) string {
	raw, err := os.ReadFile(recordingOf(program, "hello"))
	if err != nil {
		b.Skip("nothing is recorded of " + program)
	}
	const first = `"Hello, "`
	var out strings.Builder
	grown := false
	for line := range strings.Lines(string(raw)) {
		if grown || !strings.HasPrefix(line, "< ") || !strings.Contains(line, first) {
			out.WriteString(line)
			continue
		}
		grown = true
		for i := range words {
			out.WriteString(strings.Replace(line, first, fmt.Sprintf(`"word%d "`, i), 1))
		}
	}
	if !grown {
		b.Skip(program + " streams no words")
	}
	file := filepath.Join(b.TempDir(), "script")
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}
