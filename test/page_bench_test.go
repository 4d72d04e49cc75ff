//go:build linux

package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
	"github.com/socrates-cli/socrates/internal/terminal"
)

// What BenchmarkPageStream streams: so many texts, a token every pace. Each is the time at which it was sent.
const (
	pageStreams = 5
	pace        = 20 * time.Millisecond
)

// stamp is a token.
func stamp() string { return fmt.Sprintf("T%d ", time.Now().UnixMilli()) }

// BenchmarkPageStream has five seats stream 50 tokens a second each into the page of their debate, in a real browser, and reports how long
// a token takes from the vendor to the page; and the same for a bare page that appends what one EventSource tells it each 33 ms.
func BenchmarkPageStream(b *testing.B) {
	if guest.Path(chromiumIs) == "" {
		b.Skip(chromiumIs + " names no browser")
	}
	vendor := httptest.NewServer(streamVendor())
	b.Cleanup(vendor.Close)
	d := newShipped(b)
	d.env = append(d.env, "OPENROUTER_API_KEY=k", "OPENROUTER_BASE_URL="+vendor.URL+"/v1")
	serve, err := terminal.Start(d.prepared("serve", "--addr", "127.0.0.1:0"), 200, 40)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		serve.Type("\x03")
		serve.End()
		serve.Close()
	})
	var link []string
	found := func(screen string) bool {
		link = regexp.MustCompile(`find it: (http://\S+)`).FindStringSubmatch(screen)
		return link != nil
	}
	if err := serve.Wait("a link", found); err != nil {
		b.Fatal(err)
	}
	c, end, err := startChromium(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(end)
	try := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	try(c.open(link[1]))
	try(c.until("document.body.innerText", "No debates yet"))
	base, err := c.eval("location.origin")
	try(err)
	for b.Loop() {
		try(c.open(vendor.URL + "/bare"))
		try(c.until("location.pathname + document.readyState", "^/barecomplete$"))
		bare := observed(b, c)
		args := []string{"debate", "One writer or a pool? Options: one writer, a pool"}
		for i := range pageStreams {
			args = append(args, "--seat", fmt.Sprint("openrouter:x/m", i))
		}
		debate := d.prepared(args...)
		said, err := debate.StderrPipe()
		try(err)
		try(debate.Start())
		room, lines := "", bufio.NewScanner(said)
		for room == "" && lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "Room "); ok {
				room = name
			}
		}
		go io.Copy(io.Discard, said)
		try(c.open(base + "/d/" + room))
		try(c.until("location.pathname + document.readyState", "^/d/.*complete$"))
		ours := observed(b, c)
		whole := `[...document.querySelectorAll("[data-of]")].every((p) => p.children.length > 2 &&
			/^[*]{2}.*[*]{2}\n\n(T\d{13} )+(T\d*)?$/.test(p.textContent))`
		try(c.until("String("+whole+")", "^true$"))
		debate.Process.Kill()
		debate.Wait()
		d.command("debate", "rm", room)
		b.ReportMetric(at(bare, 50), "bare-50-ms")
		b.ReportMetric(at(bare, 99), "bare-99-ms")
		b.ReportMetric(at(ours, 50), "page-50-ms")
		b.ReportMetric(at(ours, 99), "page-99-ms")
		b.ReportMetric(at(ours, 99)/at(bare, 99), "ratio-99")
	}
}

// observed watches the page for ten seconds, from a second after it was opened, and is how long the tokens that came meanwhile took to it,
// in milliseconds, the shortest first.
func observed(b *testing.B, c *chromium) (took []float64) {
	b.Helper()
	const watch = `(() => {
		const took = [], last = new Map(), began = Date.now() + 1000;
		const look = (node) => { // a page that is drawn again has a text in another place
			const now = Date.now(), text = (node.parentElement || node).closest?.("p");
			let end = text;
			while (end && end.lastChild) end = end.lastChild;
			if (!end || end.data === undefined) return;
			const of = text.dataset.of || text;
			for (const m of end.data.slice(-200).matchAll(/T(\d{13})/g)) {
				if (m[1] <= (last.get(of) || began)) continue;
				last.set(of, m[1]);
				took.push(now - m[1]);
			}
		};
		new MutationObserver((all) => { for (const m of all) look(m.target); })
			.observe(document.body, {subtree: true, characterData: true, childList: true});
		return new Promise((done) => setTimeout(() => done(JSON.stringify(took)), 11000));
	})()`
	text, err := c.eval(watch)
	if err == nil {
		err = json.Unmarshal([]byte(text), &took)
	}
	if err != nil || len(took) < pageStreams*200 {
		said, _ := c.eval("location.href + document.body.innerText")
		b.Fatalf("%d tokens came: %v\n%.2000s", len(took), err, said)
	}
	slices.Sort(took)
	return took
}

// at is a percentile of what is in order.
func at(sorted []float64, percent int) float64 {
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

// streamVendor answers every request with a long ballot of stamps, and has the bare page at /bare.
func streamVendor() http.Handler {
	mux := http.NewServeMux()
	flush := func(w http.ResponseWriter, format string, args ...any) {
		fmt.Fprintf(w, format, args...)
		w.(http.Flusher).Flush()
	}
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(text string) {
			chunk, _ := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "model": "m",
				"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": text}}}})
			flush(w, "data: %s\n\n", chunk)
		}
		say(`{"option": "A", "summary": "`)
		for tick := time.NewTicker(pace); ; {
			select {
			case <-tick.C:
				say(stamp())
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("GET /bare", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<body><script>
			const texts = Array.from({length: `, pageStreams, `}, () => { const p = document.createElement("p"); document.body.append(p); p.append(""); return p.firstChild; });
			new EventSource("/bare/events").onmessage = (e) => { JSON.parse(e.data).forEach((text, i) => texts[i].appendData(text)); };
			</script>`)
	})
	mux.HandleFunc("GET /bare/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		var held [pageStreams]string
		write := time.NewTicker(33 * time.Millisecond)
		for tick := time.NewTicker(pace); ; {
			select {
			case <-tick.C:
				for i := range held {
					held[i] += stamp()
				}
			case <-write.C:
				line, _ := json.Marshal(held)
				flush(w, "data: %s\n\n", line)
				held = [pageStreams]string{}
			case <-r.Context().Done():
				return
			}
		}
	})
	return mux
}
