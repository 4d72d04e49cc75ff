//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
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
				spent := cpu(syscall.RUSAGE_SELF)
				for b.Loop() {
					m := model(p.Name, cli.Options{Bin: self, Model: "some-model", Home: b.TempDir(), Env: []string{"SEAT_PLAY=" + script}})
					req := llm.Request{System: "You are a seat at a table.", Dir: b.TempDir(), Session: "one", Messages: []llm.Message{llm.UserText("Who are you?")}}
					if _, err := llm.Collect(m.Stream(b.Context(), req)); err != nil {
						b.Fatal(err)
					}
					m.(io.Closer).Close()
				}
				b.ReportMetric(float64(cpu(syscall.RUSAGE_SELF)-spent)/float64(b.N)/1e6, "cpu-ms/op")
				b.ReportMetric(float64(cpu(syscall.RUSAGE_SELF)-spent)/float64(b.N)/float64(words), "cpu-ns/word")
			})
		}
	}
}

// BenchmarkListenToPi has the real pi stream answers of so many words, each a delta, from a vendor in a process of its
// own. It counts our CPU alone and, beside it, that of pi.
func BenchmarkListenToPi(b *testing.B) {
	for _, words := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			o := real(b, "pi", vendorOf(b, words))
			ours, its := cpu(syscall.RUSAGE_SELF), cpu(syscall.RUSAGE_CHILDREN)
			for b.Loop() {
				m := cli.Pi(o)
				if end, err := llm.Collect(m.Stream(b.Context(), hi("one"))); err != nil || len(strings.Fields(end.Message.Text())) != words {
					b.Fatal(err)
				}
				m.(io.Closer).Close()
			}
			b.ReportMetric(float64(cpu(syscall.RUSAGE_SELF)-ours)/float64(b.N)/1e6, "cpu-ms/op")
			b.ReportMetric(float64(cpu(syscall.RUSAGE_CHILDREN)-its)/float64(b.N)/1e6, "pi-cpu-ms/op")
		})
	}
}

// vendorOf starts a vendor that answers with so many words, and returns its URL.
func vendorOf(b *testing.B, words int) string {
	self, _ := os.Executable()
	c := exec.Command(self)
	c.Env = append(os.Environ(), fmt.Sprintf("SEAT_VENDOR=%d", words))
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// cpu is the CPU this process, or those it has reaped, have taken so far, in nanoseconds.
func cpu(whose int) int64 {
	var r syscall.Rusage
	syscall.Getrusage(whose, &r)
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
