package receipt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/tree"
)

// council is the record of a debate of three vendors' models, answered by a server on this machine.
func council(t testing.TB) receipt.Record {
	t.Helper()
	return read(t, "testdata/council.jsonl")
}

func read(t testing.TB, path string) receipt.Record {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := receipt.Open(path, raw)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func verify(t testing.TB, r receipt.Record, want string) receipt.Report {
	t.Helper()
	got, err := receipt.Verify(t.Context(), r, receipt.Reader{Hash: want, Program: "devel", Page: page, Object: object})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func page(res debate.Result) string { return document.Of(res).HTML() }

func object(res debate.Result) any { return room.NewObject(res) }

func TestSound(t *testing.T) {
	got := verify(t, council(t), "")
	for _, f := range got.Findings {
		if f.State != receipt.OK {
			t.Errorf("%+v", f)
		}
	}
	if n := len(got.Findings); !got.Verified || n != 9 || got.Winner != "use a mutex" || len(got.Record) != 64 {
		t.Errorf("%d findings, %+v", n, got)
	}
	want := receipt.Provenance{ID: "openai-m-b", Claimed: receipt.Claimed{Spec: "openai:m-b", Model: "m-b", Lineage: "openai"},
		Provable: receipt.Provable{Calls: got.Seats[1].Provable.Calls, Requests: got.Seats[1].Provable.Requests, Models: []string{"m-b"}, Programs: []string{}}}
	if is := got.Seats[1]; verdict.Differences(is, want) != nil || is.Provable.Calls < 4 || len(is.Provable.Requests) != is.Provable.Calls ||
		!strings.HasPrefix(is.Provable.Requests[0], "req_") {
		t.Errorf("%+v", is)
	}
	for want, ok := range map[string]bool{got.Record: true, strings.ToUpper(got.Record[:16]): true, strings.Repeat("0", 64): false} {
		if again := verify(t, council(t), want); again.Verified != ok {
			t.Errorf("expected %s: %+v", want, again.Findings)
		}
	}
}

// A seat that joined on a person's word is among those whose calls are told; one that was refused is not, and no other word is a seat.
func TestJoined(t *testing.T) {
	r := council(t)
	for _, h := range []people.Applied{{Verb: people.Say, Text: "go on"}, {Verb: people.Join, Refused: true, Seat: &table.Seat{ID: "no"}},
		{Verb: people.Join, Seat: &table.Seat{ID: "late", Spec: "late:m"}}} {
		r.Nodes = append(r.Nodes, people.AppliedKind.New(r.Nodes[0].ID, "code", h))
	}
	var ids []string
	for _, s := range verify(t, r, "").Seats {
		ids = append(ids, s.ID)
	}
	if !slices.Equal(ids, []string{"anthropic-small", "openai-m-b", "gemini-g-c", "late"}) {
		t.Error(ids)
	}
}

// TestExamples: records of earlier rules are verified by the same means.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*/debate.jsonl")
	if err != nil || len(paths) < 9 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	old, err := filepath.Glob("../../test/testdata/record/*.jsonl")
	if err != nil || len(old) < 3 {
		t.Fatalf("%d records of rules 2, %v", len(old), err)
	}
	for _, path := range append(paths, old...) {
		if got := verify(t, read(t, path), ""); len(got.Failed()) > 0 {
			t.Errorf("%s: %+v", path, got.Findings)
		}
	}
}

func packed(t testing.TB, r receipt.Record) string {
	t.Helper()
	word, err := receipt.Pack(r.Nodes, r.Text, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	return word
}

// export is a JSON export of a record.
func export(t testing.TB, r receipt.Record, res debate.Result) []byte {
	t.Helper()
	return exportAs(t, r, res, func(text string) string { return text })
}

// exportAs is a JSON export whose text was edited before it was sealed.
func exportAs(t testing.TB, r receipt.Record, res debate.Result, edit func(text string) string) []byte {
	t.Helper()
	is, err := json.Marshal(object(res))
	if err != nil {
		t.Fatal(err)
	}
	attached, err := json.MarshalIndent(receipt.Attach(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(receipt.Fill(strings.TrimSuffix(edit(string(is)), "}")+","+string(attached[1:]), packed(t, r)))
}

func TestForms(t *testing.T) {
	r := council(t)
	res, err := debate.Summarize(r.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	html := receipt.Page(page(res), packed(t, r), res.Record)
	for name, raw := range map[string][]byte{"json": export(t, r, res), "html": []byte(html)} {
		got, err := receipt.Open(name, raw)
		if err != nil {
			t.Fatal(err)
		}
		if is := verify(t, got, res.Record); !is.Verified || is.Record != res.Record {
			t.Errorf("%s: %+v", name, is.Findings)
		}
	}
	forged, err := receipt.Open("x", []byte(strings.Replace(html, "<h1>Use a mutex", "<h1>Use a channel", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if last := verify(t, forged, "").Findings; last[len(last)-1].What != "page" || last[len(last)-1].State != receipt.Failed {
		t.Errorf("a page that says something else than its record: %+v", last)
	}
	for name, raw := range map[string]string{"prose": "Hello.", "empty": "", "page": "<html></html>", "other json": `{"a": 1}`,
		"result alone": `{"schema": "socrates.debate/1", "room": "r"}`, "no record": `{"schema": "socrates.debate/1", "record": "xyz"}`,
		"document": "# Q\n\nStatus: decided · Room: a-b · Date: 2026-01-02 · Strategy: council\n"} {
		if _, err := receipt.Open(name, []byte(raw)); err == nil {
			t.Errorf("%s was taken for a record", name)
		}
	}
}

// edit changes the bodies of nodes of a kind.
func edit(t testing.TB, r *receipt.Record, kind, old, new string) {
	t.Helper()
	r.Nodes = slices.Clone(r.Nodes)
	found := false
	for i, n := range r.Nodes {
		if n.Kind == kind && bytes.Contains(n.Body, []byte(old)) {
			r.Nodes[i].Body, found = bytes.ReplaceAll(n.Body, []byte(old), []byte(new)), true
		}
	}
	if !found {
		t.Fatalf("no %s node says %s", kind, old)
	}
}

// conclude makes verdict, end and result follow from the nodes again, as a forger would. The hash stays, unless it is made again, too.
func conclude(t testing.TB, r *receipt.Record, anew bool) {
	t.Helper()
	res, err := debate.Summarize(r.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	hash := r.Result().Record
	if anew {
		hash = res.Record
	}
	for i, n := range r.Nodes {
		switch n.Kind {
		case string(ruling.VerdictKind):
			r.Nodes[i].Body = ruling.VerdictKind.New("", "", res.Verdict()).Body
		case string(ruling.EndKind):
			end, _ := ruling.EndKind.Of(n)
			end.Outcome, end.Value, end.ExitCode = res.Outcome, res.Score.Value, res.ExitCode
			for _, o := range res.Options {
				if o.Key == res.Winner {
					end.Winner = o.Text
				}
			}
			r.Nodes[i].Body = ruling.EndKind.New("", "", end).Body
		}
	}
	res.Record = hash
	forged, err := receipt.Open("forged", export(t, *r, res))
	if err != nil {
		t.Fatal(err)
	}
	*r = forged
}

// TestForgeries: whoever changes a part of the record, with all that follows from it, is found out by the hash. Whoever makes that
// again as well is found out where the part follows from another, and else only by the hash somebody else holds.
func TestForgeries(t *testing.T) {
	original := verify(t, council(t), "").Record
	for _, c := range []struct {
		name  string
		edit  func(t testing.TB, r *receipt.Record)
		found string // what fails even where the hash was made again; empty: nothing does
	}{
		{"a claim's text", func(t testing.TB, r *receipt.Record) { edit(t, r, "ledger", "guards its entries", "guards no entries") }, "replies"},
		{"a vote", func(t testing.TB, r *receipt.Record) { edit(t, r, "ledger", `"option":"B"`, `"option":"A"`) }, "replies"},
		{"a lineage in the ledger", func(t testing.TB, r *receipt.Record) { edit(t, r, "ledger", `"lineage":"google"`, `"lineage":"xai"`) }, "replies"},
		{"a lineage everywhere", func(t testing.TB, r *receipt.Record) {
			for _, kind := range []string{"room", "ledger"} {
				edit(t, r, kind, `"lineage":"google"`, `"lineage":"xai"`)
			}
		}, "replies"},
		{"rehearsal", func(t testing.TB, r *receipt.Record) { edit(t, r, "room", `"rehearsal":false`, `"rehearsal":true`) }, "replies"},
		{"rules", func(t testing.TB, r *receipt.Record) {
			edit(t, r, "room", `"pair_certainty":0.95`, `"pair_certainty":0.05`)
		}, ""},
		{"a judgement", func(t testing.TB, r *receipt.Record) {
			for _, kind := range []string{"check", "ledger"} {
				edit(t, r, kind, `"shows":"yes"`, `"shows":"no"`)
				edit(t, r, kind, `"kind":"entailment","result":"pass","grade":"quote","ratio":3`, `"kind":"entailment","result":"fail","grade":"quote","ratio":1`)
			}
		}, "replies"},
		{"a judge", func(t testing.TB, r *receipt.Record) {
			for _, kind := range []string{"check", "ledger"} {
				edit(t, r, kind, `"by":"gemini-g-c","lineage":"google"`, `"by":"openai-m-b","lineage":"openai"`)
			}
		}, "replies"},
		{"a control", func(t testing.TB, r *receipt.Record) {
			for _, kind := range []string{"check", "ledger"} {
				edit(t, r, kind, `"good":false,"passed":true`, `"good":false,"passed":false`)
			}
		}, "replies"},
		{"lines", func(t testing.TB, r *receipt.Record) {
			for _, kind := range []string{"check", "ledger"} {
				edit(t, r, kind, `\tmutex   sync.Mutex`, `\tmutex   sync.RWMutex`)
			}
		}, "quotes"},
		{"the key", func(t testing.TB, r *receipt.Record) {
			key := r.Result().DrawKey
			edit(t, r, "ledger", key, "k"+key[1:])
		}, "ratios"},
		{"a ratio", func(t testing.TB, r *receipt.Record) {
			for _, kind := range []string{"check", "ledger"} {
				edit(t, r, kind, `"ratio":3`, `"ratio":5`)
			}
		}, "ratios"},
		{"the vendor's request", func(t testing.TB, r *receipt.Record) { edit(t, r, "reply", "req_loop", "req_real") }, ""},
		{"a node left out", func(t testing.TB, r *receipt.Record) {
			r.Nodes = slices.DeleteFunc(slices.Clone(r.Nodes), func(n tree.Node) bool { return n.Kind == "context" })
		}, "replies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, anew := range []bool{false, true} {
				r := council(t)
				c.edit(t, &r)
				conclude(t, &r, anew)
				got := verify(t, r, "").Failed()
				if !anew && !slices.Contains(got, "record") || anew && (len(got) > 0) != (c.found != "") || c.found != "" && !slices.Contains(got, c.found) {
					t.Errorf("hash made anew: %v, failed: %v, expected %q", anew, got, c.found)
				}
				if held := verify(t, r, original); held.Verified || !slices.Contains(held.Failed(), "record") {
					t.Error("the hash somebody else holds does not tell")
				}
			}
		})
	}
}
