package talk

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/out"
)

// However a text grows, what a stream gets of it is its beginning, and nothing of a secret or an escape.
func TestGrown(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	secret := "hunter2-hunter2-hunter2"
	whole := "one \x1b[31mtwo\x1b[m three " + secret + " four 日本語 \x1b]8;;http://a b\x1b\\five sk-ant-" + strings.Repeat("aB3", 20) + " six " + strings.Repeat("word ", 1000)
	for range 300 {
		var res bytes.Buffer
		a := &Talk{Call: call.New(nil)}
		a.Out = out.New(&res, &res)
		a.Out.Format = "stream-json"
		a.Out.Learn(secret)
		var g grown
		for at := 0; at < len(whole); {
			at = min(len(whole), at+1+r.IntN(200))
			g.show(a, feed.Snapshot{Of: "n", Text: whole[:at]})
		}
		g.end(whole)
		g.show(a, feed.Snapshot{Of: "n", Text: whole[:r.IntN(len(whole))]}) // it comes late
		said := ""
		for line := range strings.Lines(res.String()) {
			var l call.StreamLine
			if err := json.Unmarshal([]byte(line), &l); err != nil || l.Type != "delta" || l.Of != "n" {
				t.Fatalf("%q: %v", line, err)
			}
			said += l.Text
		}
		if want := a.Out.Clean(whole); !strings.HasPrefix(want, said) || strings.Contains(said, "hunter2") || strings.ContainsRune(said, 0x1b) {
			t.Fatalf("%q is not how %q begins", said, want)
		} else if len(said) < 1000 && !strings.HasSuffix(said, "four 日本語 ") {
			t.Fatalf("only %q came", said)
		}
	}
}
