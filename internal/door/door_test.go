package door

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

// Whoever cuts an answer keeps what matters: a large debate is told in the size that all clients show, the decision first.
func TestTextOfALargeDebate(t *testing.T) {
	res := debate.Result{Room: "r", Outcome: verdict.WithDissent, Winner: "A", Why: strings.Repeat("many votes ", 200), Ended: true,
		Options: []verdict.Option{{Key: "A", Text: "use a mutex"}, {Key: "B", Text: strings.Repeat("use a channel ", 300)}},
		Beliefs: []verdict.Belief{{Option: "A", P: .8}, {Option: "B", P: .2}}, Score: verdict.Score{Value: .61},
		Dissent: verdict.Dissent{Option: "B", Seats: []string{"codex"}, Flip: []string{strings.Repeat("flip ", 500)}}}
	res.Panel.Voted = 3
	for i := range 200 {
		option := []string{"A", "B"}[i%2]
		id := fmt.Sprintf("c%d", i)
		c := verdict.Claim{ID: id, Seat: "codex", Option: option, Supports: true, Text: id + strings.Repeat(" ünïcödé", 300)}
		res.Claims = append(res.Claims, debate.ClaimResult{Claim: c})
		if option == "B" {
			res.Dissent.Claims = append(res.Dissent.Claims, id)
		}
	}
	for i := range 40 {
		res.Seats = append(res.Seats, debate.SeatResult{ID: fmt.Sprintf("seat-%d", i), Status: verdict.Failed, Reason: strings.Repeat("no ", 900)})
	}
	var out Answer
	out.of(res)
	out.Text = clip(decisionText(res, []string{strings.Repeat("note ", 900)}), maxText)
	raw, err := json.Marshal(out)
	if err != nil || len(out.Text) > maxText || len(raw) > 12_000 {
		t.Fatalf("%d bytes of text, %d in all, %v", len(out.Text), len(raw), err)
	}
	for _, want := range []string{"**Use a mutex.** Likely, 80 % by votes alone (not calibrated).", "Degraded panel: seat-0 is missing", "more notices", " of 100)\nuse a channel", "(B), chosen by codex"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("it lacks %q:\n%s", want, out.Text)
		}
	}
	if len(out.Missing) != 40 || len(out.Dissent) != 5 || out.State != done {
		t.Errorf("%d missing, %d dissenting, %s", len(out.Missing), len(out.Dissent), out.State)
	}
}

// What a client hands back was made by this server for this debate.
func TestStateIsSigned(t *testing.T) {
	d, other := &door{secret: []byte("one")}, &door{secret: []byte("two")}
	state := d.sign("cache-mutex-abcd")
	if room, err := d.verify(state); err != nil || room != "cache-mutex-abcd" {
		t.Fatal(room, err)
	}
	_, sum, _ := strings.Cut(state, ".")
	for _, forged := range []string{"", "cache-mutex-abcd", "cache-mutex-abcd.", "another." + sum, "cache-mutex-abcd.zz", state + "0", other.sign("cache-mutex-abcd")} {
		if room, err := d.verify(forged); err == nil {
			t.Errorf("%q was taken for the state of %s", forged, room)
		}
	}
}

// A choice is one of the options, and somebody's who accepted.
func TestChosen(t *testing.T) {
	res := debate.Result{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}}
	for _, c := range []struct {
		said mcp.InputResponse
		want string
	}{
		{&mcp.ElicitResult{Action: "accept", Content: map[string]any{choice: "B", "reason": " it is simpler "}}, "B"},
		{&mcp.ElicitResult{Action: "accept", Content: map[string]any{choice: later}}, ""},
		{&mcp.ElicitResult{Action: "accept", Content: map[string]any{choice: "A /veto c1 x"}}, ""},
		{&mcp.ElicitResult{Action: "accept", Content: map[string]any{choice: 1}}, ""},
		{&mcp.ElicitResult{Action: "decline", Content: map[string]any{choice: "B"}}, ""},
		{&mcp.ElicitResult{Action: "cancel"}, ""},
		{nil, ""},
	} {
		if key, why := chosenOf(c.said, res); key != c.want || key != "" && why != "it is simpler" {
			t.Errorf("%+v: %q, %q", c.said, key, why)
		}
	}
}

// A retry is the same request in the same folder, however long it waits.
func TestKey(t *testing.T) {
	ask := Ask{Question: "A or B?", Files: []string{"a.go"}, Client: "one"}
	key := ask.Key("/p")
	again := ask
	again.Wait, again.Client = new(7), "two"
	if again.Key("/p") != key {
		t.Error("a retry that waits longer is another request")
	}
	other := ask
	other.Rounds = 1
	named, renamed := Ask{Question: "A?", Retry: "k"}, Ask{Question: "B?", Retry: "k"}
	if ask.Key("/q") == key || other.Key("/p") == key || named.Key("/p") == key {
		t.Error("another request has the same key")
	}
	if named.Key("/p") != renamed.Key("/p") || named.Key("/p") == named.Key("/q") {
		t.Error("a key of the client's does not say which request it is in a folder")
	}
}

// Progress grows at every step, and is repeated each beat where nothing happens.
func TestProgressBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		p := &progress{clean: strings.ToUpper, notify: func(n float64, text string) { told = append(told, fmt.Sprint(n, " ", text)) }}
		p.tell("one")
		stop := p.every(5 * time.Second)
		time.Sleep(11 * time.Second)
		p.tell(strings.Repeat("x", 300))
		stop()
		time.Sleep(time.Minute)
		if len(told) != 4 || told[0] != "1 ONE" || told[2] != "3 ONE" || len(told[3]) != len("4 ")+maxNote {
			t.Errorf("told %q", told)
		}
	})
	(&progress{clean: strings.ToUpper}).tell("to nobody")
}

// A process that starts a debate says which one it is, warns, or says why there is none.
func TestBegin(t *testing.T) {
	read := func(lines ...string) (position, error) {
		return begin(bufio.NewScanner(strings.NewReader(strings.Join(lines, "\n"))))
	}
	at, err := read(`{"type":"start","session":"r"}`, `{"type":"warning","message":"cut"}`, `no JSON`, `{"type":"holds"}`, `{"type":"result","error":"late"}`)
	if err != nil || at.room != "r" || len(at.notes) != 1 {
		t.Errorf("%+v, %v", at, err)
	}
	if _, err := read(`{"type":"result","error":"only one seat","hint":"add one"}`); err == nil || plainly(err).Error() != "only one seat; add one" {
		t.Error(err)
	}
	if _, err := read(); err == nil {
		t.Error("a process that said nothing started a debate")
	}
}

// Whatever a client hands back as its place, it is told something.
func TestCursor(t *testing.T) {
	if c := cursorOf(cursor{70, 3}.String()); c != (cursor{70, 3}) {
		t.Error(c)
	}
	for text, want := range map[string]cursor{"": {}, "7": {7, 0}, "x": {}, "7-": {7, 0}, "7-x": {7, 0}} {
		if got := cursorOf(text); got != want {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// A line that is no message is answered with an error and ends nothing, and what was asked before the client closed its pipe is answered.
func TestPipes(t *testing.T) {
	lines := []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"x","version":"1"}}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "no JSON", "[]",
		`{"id":7,"method":1}`,
		strings.Repeat("x", longestLine+1), "", "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r",
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`}
	var out strings.Builder
	if err := Serve(t.Context(), Host{}, strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			ID    any
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(line, err)
		}
		got[fmt.Sprint(m.ID, " ", m.Error.Code)]++
	}
	if want := map[string]int{"1 0": 1, "<nil> -32700": 1, "<nil> -32600": 2, "7 -32600": 1, "2 0": 1, "3 0": 1}; !maps.Equal(got, want) {
		t.Errorf("%v\n%s", got, out.String())
	}
}
