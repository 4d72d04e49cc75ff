package drift_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/drift"
)

// site is a project with a history.
type site struct {
	t   testing.TB
	dir string
}

func (s site) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+s.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write gives files their text; empty: it removes them.
func (s site) write(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.dir, name)
		if text == "" {
			if err := os.Remove(path); err != nil {
				s.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s site) commit(subject string, files map[string]string) (hash string) {
	s.write(files)
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", subject)
	return s.git("rev-parse", "HEAD")
}

const (
	store = "package store\n\nfunc Open() {\n\tdb.SetMaxOpenConns(1) // one writer connection\n}\n"
	pool  = "package pool\n\n// A pool lets many readers in at the same time.\nvar Size = 8\n"
)

func newSite(t testing.TB) site {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	s := site{t, t.TempDir()}
	s.git("init", "-q")
	s.commit("begin", map[string]string{"store.go": store, "pool.go": pool, "other.go": "package other\n"})
	return s
}

// basis is a decision for A: a's quote of the store was verified by b, b's of the pool was found by code and refuted by a.
func basis() drift.Basis {
	l := verdict.Ledger{DrawKey: "key",
		Options: []verdict.Option{{Key: "A", Text: "one writer"}, {Key: "B", Text: "a pool"}},
		Votes: []verdict.Vote{{Seat: "a", Lineage: "x", Status: verdict.Voted, Option: "A"}, {Seat: "b", Lineage: "y", Status: verdict.Voted, Option: "B"},
			{Seat: "c", Lineage: "z", Status: verdict.Voted, Option: "B"}},
		Claims: []verdict.Claim{
			{ID: "c1", Seat: "a", Text: "The store opens one connection.", Impact: 5, Option: "A", Supports: true, Put: true,
				Evidence: verdict.Evidence{Kind: "quote", File: "store.go", Line: 4, Quote: "db.SetMaxOpenConns(1) // one writer connection"}},
			{ID: "c2", Seat: "b", Text: "A pool lets readers in.", Impact: 2, Option: "B", Supports: true, Put: true,
				Evidence: verdict.Evidence{Kind: "quote", File: "pool.go", Line: 3, Quote: "A pool lets many readers in at the same time."}},
			{ID: "c3", Seat: "c", Text: "Nobody looked.", Impact: 1, Option: "B", Supports: true, Put: true, Evidence: verdict.Evidence{Kind: "none"}},
		},
		Checks: []verdict.Check{
			{ID: "k1", Claim: "c1", Kind: "quote", Result: verdict.Pass, Grade: verdict.Matched, Ratio: 1, Proof: &verdict.Proof{File: "store.go", Line: 4}},
			{ID: "k2", Claim: "c2", Kind: "quote", Result: verdict.Pass, Grade: verdict.Matched, Ratio: 1, Proof: &verdict.Proof{File: "pool.go", Line: 3}},
			{ID: "k3", Claim: "c1", Kind: "entailment", Result: verdict.Pass, Grade: verdict.Entailed, Ratio: 3, By: "b", Lineage: "y", Asked: "drawn"},
			{ID: "k4", Claim: "c1", Kind: "entailment", Result: verdict.Pass, Grade: verdict.Entailed, Ratio: 3, By: "c", Lineage: "z", Asked: "confirming"},
		}}
	return drift.Basis{Schema: "socrates.basis/1", Room: "one-writer-abcd", Question: "One writer or a pool?", Ledger: l, Rules: verdict.DefaultRules()}
}

func (s site) check(since string, look func(context.Context, verdict.Claim) debate.Observation, b drift.Basis) drift.Report {
	s.t.Helper()
	p, err := drift.Open(s.t.Context(), s.dir, since)
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Close()
	p.Look = look
	all, err := p.Check(s.t.Context(), []drift.Basis{b})
	if err != nil {
		s.t.Fatal(err)
	}
	return all[0]
}

func told(c drift.Cite) string {
	out := string(c.State)
	if c.Now != nil {
		out += fmt.Sprintf(" %s:%d", c.Now.File, c.Now.Line)
	}
	if c.Commit != nil {
		out += " by " + c.Commit.Subject
	}
	return out
}

func TestStates(t *testing.T) {
	moved := strings.Replace(store, "func Open", "// Open opens it.\nfunc Open", 1)
	without := "package store\n\nfunc Open() {}\n"
	for _, c := range []struct {
		name   string
		change func(s site)
		want   string
		holds  bool
	}{
		{"nothing", func(site) {}, "true", true},
		{"reformatted", func(s site) {
			s.commit("wrap", map[string]string{"store.go": strings.Replace(store, "(1) // one", "(1)\n\t// one", 1)})
		}, "true", true},
		{"white space", func(s site) {
			s.commit("indent", map[string]string{"store.go": strings.Replace(store, "\tdb.", "\t\t  db.", 1)})
		}, "true", true},
		{"moved down", func(s site) { s.commit("comment", map[string]string{"store.go": moved}) }, "moved store.go:5", true},
		{"edited", func(s site) {
			s.commit("raise", map[string]string{"store.go": strings.Replace(store, "(1)", "(8)", 1)})
			s.commit("later", map[string]string{"store.go": strings.Replace(store, "(1)", "(9)", 1)})
		}, "changed by raise", false},
		{"edited, not committed", func(s site) { s.write(map[string]string{"store.go": without}) }, "changed", false},
		{"a number grew", func(s site) {
			s.commit("two", map[string]string{"store.go": strings.Replace(store, "connection", "connections", 1)})
		}, "changed by two", false},
		{"deleted", func(s site) { s.commit("drop", map[string]string{"store.go": ""}) }, "gone by drop", false},
		{"renamed", func(s site) { s.commit("rename", map[string]string{"store.go": "", "db/store.go": store}) }, "moved db/store.go:4 by rename", true},
		{"renamed, then edited", func(s site) {
			s.commit("rename", map[string]string{"store.go": "", "db/store.go": store})
			s.commit("edit", map[string]string{"db/store.go": without})
		}, "changed by edit", false},
		{"renamed twice", func(s site) {
			s.commit("rename", map[string]string{"store.go": "", "db/store.go": store})
			s.commit("again", map[string]string{"db/store.go": "", "db.go": store})
		}, "moved db.go:4 by again", true},
		{"moved to another file", func(s site) {
			s.commit("split", map[string]string{"store.go": without, "open.go": strings.Replace(moved, "package store", "package store\n", 1)})
		}, "moved open.go:6 by split", true},
		{"moved, not committed", func(s site) { s.write(map[string]string{"store.go": "", "new.go": store}) }, "moved new.go:4", true},
		{"a copy was there before", func(s site) {
			s.commit("copy", map[string]string{"copy.go": store})
			s.commit("drop", map[string]string{"store.go": without})
		}, "changed by drop", false},
		{"copied twice", func(s site) {
			s.commit("split", map[string]string{"store.go": without, "one.go": store, "two.go": store})
		}, "changed by split", false},
		{"came back", func(s site) {
			s.commit("drop", map[string]string{"store.go": without})
			s.commit("revert", map[string]string{"store.go": store})
			s.commit("drop again", map[string]string{"store.go": without})
		}, "changed by drop again", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			c.change(s)
			r := s.check("", nil, basis())
			if len(r.Cites) != 2 || told(r.Cites[0]) != c.want || told(r.Cites[1]) != "true" || r.Holds != c.holds {
				t.Fatalf("%s, %s, holds %v", told(r.Cites[0]), told(r.Cites[1]), r.Holds)
			}
			if r.Cites[0].Ratio != 3 || r.Cites[1].Ratio != 1 {
				t.Errorf("ratios %v, %v", r.Cites[0].Ratio, r.Cites[1].Ratio)
			}
			if r.Before.Key != "A" || !c.holds && (r.After.Key != "B" || r.Changes[0] != "winner") {
				t.Errorf("before %+v, after %+v, %v", r.Before, r.After, r.Changes)
			}
		})
	}
}

// TestNoEvidenceLeft: votes alone still give the answer, and nothing that spoke for it is left. A short quote follows its file to a new
// name that is not committed yet.
func TestNoEvidenceLeft(t *testing.T) {
	b := basis()
	b.Ledger.Votes[1].Option, b.Ledger.Votes[2].Option = "A", "A"
	b.Ledger.Checks, b.Ledger.Claims[0].Evidence.Quote = b.Ledger.Checks[:2], "func Open"
	b.Ledger.Checks[0].Proof.Line = 3
	s := newSite(t)
	s.write(map[string]string{"store.go": "", "new.go": store})
	if r := s.check("", nil, b); !r.Holds || told(r.Cites[0]) != "moved new.go:3" {
		t.Errorf("renamed: %s, changes %v", told(r.Cites[0]), r.Changes)
	}
	s.write(map[string]string{"new.go": ""})
	r := s.check("", nil, b)
	if r.Holds || r.After.Key != "A" || fmt.Sprint(r.Changes) != "[evidence]" {
		t.Errorf("gone: %s, changes %v, after %+v", told(r.Cites[0]), r.Changes, r.After)
	}
}

// A quote that carries nothing may fall: the verdict is the same, and it is said all the same.
func TestHoldsWithoutIt(t *testing.T) {
	s := newSite(t)
	s.commit("smaller", map[string]string{"pool.go": "package pool\n"})
	r := s.check("", nil, basis())
	if !r.Holds || told(r.Cites[1]) != "changed by smaller" || r.Before.P != r.After.P {
		t.Errorf("%s, %+v", told(r.Cites[1]), r)
	}
}

// Where a person decided, it is the panel's verdict that is compared: their choice stands until that changes to another.
func TestRuled(t *testing.T) {
	for chosen, holds := range map[string]bool{"A": false, "B": true} {
		s, b := newSite(t), basis()
		b.Ledger.Ruling = &verdict.Ruling{Option: chosen}
		if r := s.check("", nil, b); !r.Holds || r.Before.Key != "A" || r.Chosen != b.Ledger.Text(chosen) {
			t.Errorf("%s chosen: %+v", chosen, r)
		}
		s.commit("drop", map[string]string{"store.go": "package store\n"})
		if r := s.check("", nil, b); r.Holds != holds || r.After.Key != "B" {
			t.Errorf("%s chosen: %+v", chosen, r)
		}
	}
}

// Since a revision, only what changed after it is looked at, and what fell before it is not its fault.
func TestSince(t *testing.T) {
	s := newSite(t)
	s.commit("raise", map[string]string{"store.go": strings.Replace(store, "(1)", "(8)", 1)})
	after := s.commit("other", map[string]string{"other.go": "package another\n"})
	for since, want := range map[string]string{"HEAD": "unchecked", "HEAD~1": "unchecked", "HEAD~2": "changed by raise", after[:12]: "unchecked"} {
		r := s.check(since, nil, basis())
		if told(r.Cites[0]) != want || r.Holds != (want == "unchecked") {
			t.Errorf("since %s: %s, holds %v", since, told(r.Cites[0]), r.Holds)
		}
	}
	s.commit("again", map[string]string{"store.go": "package store\n"}) // it fell before, and its file changed since
	if r := s.check(after, nil, basis()); told(r.Cites[0]) != "unchecked by raise" || !r.Holds {
		t.Errorf("%s, holds %v", told(r.Cites[0]), r.Holds)
	}
	renamed := newSite(t)
	base := renamed.commit("rename", map[string]string{"store.go": "", "db.go": store})
	renamed.commit("edit", map[string]string{"db.go": "package store\n"})
	if r := renamed.check(base, nil, basis()); told(r.Cites[0]) != "changed by edit" || r.Holds {
		t.Errorf("%s, holds %v: a file that was renamed before changed since", told(r.Cites[0]), r.Holds)
	}
	if r := renamed.check("HEAD", nil, basis()); told(r.Cites[0]) != "unchecked by edit" || !r.Holds {
		t.Errorf("%s, holds %v", told(r.Cites[0]), r.Holds)
	}
	if _, err := drift.Open(t.Context(), s.dir, "no-such"); err == nil {
		t.Error("an unknown revision was taken")
	}
	if _, err := drift.Open(t.Context(), t.TempDir(), "HEAD"); err == nil {
		t.Error("a folder without history was compared")
	}
}

func TestCommands(t *testing.T) {
	b := basis()
	b.Ledger.Claims[0].Evidence = verdict.Evidence{Kind: "command", Command: []string{"go", "test"}}
	b.Ledger.Checks[0] = verdict.Check{ID: "k1", Claim: "c1", Kind: "command", Result: verdict.Pass, Grade: verdict.Executed, Ratio: 3}
	for _, k := range []int{2, 3} {
		b.Ledger.Checks[k].Grade = verdict.Executed
	}
	s := newSite(t)
	runs := 0
	for _, c := range []struct {
		o    *debate.Observation
		want string
	}{{nil, "unchecked"}, {&debate.Observation{Result: verdict.Pass}, "true"}, {&debate.Observation{Result: verdict.Fail}, "changed"},
		{&debate.Observation{Result: verdict.Pass, Same: true}, "changed"}, {&debate.Observation{Result: verdict.Skipped}, "unchecked"}} {
		var look func(context.Context, verdict.Claim) debate.Observation
		if c.o != nil {
			look = func(context.Context, verdict.Claim) debate.Observation { runs++; return *c.o }
		}
		if r := s.check("", look, b); told(r.Cites[0]) != c.want || r.Holds == (c.want == "changed") {
			t.Errorf("%+v: %s, holds %v", c.o, told(r.Cites[0]), r.Holds)
		}
	}
	if runs != 4 {
		t.Errorf("%d runs", runs)
	}
}

// A basis goes through a decision file and comes out the same, whatever the file's line ends.
func TestMark(t *testing.T) {
	b := basis()
	mark, err := b.Mark(func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"# Q\n\n" + mark, strings.ReplaceAll("# Q\n\n"+mark, "\n", "\r\n"), mark + "appended by a person\n"} {
		got, ok := drift.Read(text)
		if d := verdict.Differences(b, got); !ok || len(d) > 0 {
			t.Errorf("%v, %v", ok, d)
		}
	}
	for _, text := range []string{"", "# Q\n", strings.Replace(mark, "H4sI", "AAAA", 1), mark[:len(mark)/2]} {
		if _, ok := drift.Read(text); ok {
			t.Errorf("%.60q was read", text)
		}
	}
}

// BenchmarkCheck holds 1,000 decisions of seven quotes each against a project of 200 files.
func BenchmarkCheck(b *testing.B) {
	s := site{b, b.TempDir()}
	var line strings.Builder
	files := map[string]string{}
	for f := range 200 {
		line.Reset()
		for i := range 400 {
			fmt.Fprintf(&line, "\tline %d of file %d says what it says, at some length\n", i+1, f)
		}
		files[fmt.Sprintf("f%d.go", f)] = line.String()
	}
	s.git("init", "-q")
	s.commit("begin", files)
	var pages []string
	for n := range 1000 {
		d := basis()
		d.Ledger.Claims, d.Ledger.Checks = nil, nil
		for i := range 7 {
			f, at, id := (n*7+i)%200, (n*13+i*29)%400+1, fmt.Sprintf("c%d", i+1)
			seat := []string{"a", "b", "c"}[i%3]
			d.Ledger.Claims = append(d.Ledger.Claims, verdict.Claim{ID: id, Seat: seat, Text: fmt.Sprintf("Claim %d of decision %d.", i, n), Impact: 2,
				Option: map[string]string{"a": "A", "b": "B", "c": "B"}[seat], Supports: true, Put: true, Evidence: verdict.Evidence{Kind: "quote",
					File: fmt.Sprintf("f%d.go", f), Line: at, Quote: fmt.Sprintf("line %d of file %d says what it says, at some length", at, f)}})
			d.Ledger.Checks = append(d.Ledger.Checks, verdict.Check{ID: fmt.Sprintf("k%d", i+1), Claim: id, Kind: "quote", Result: verdict.Pass,
				Grade: verdict.Matched, Ratio: 1, Proof: &verdict.Proof{File: fmt.Sprintf("f%d.go", f), Line: at}})
		}
		mark, err := d.Mark(func(s string) string { return s })
		if err != nil {
			b.Fatal(err)
		}
		pages = append(pages, mark)
	}
	for b.Loop() {
		var all []drift.Basis
		for _, text := range pages {
			d, ok := drift.Read(text)
			if !ok {
				b.Fatal("a basis was not read")
			}
			all = append(all, d)
		}
		p, err := drift.Open(b.Context(), s.dir, "")
		if err != nil {
			b.Fatal(err)
		}
		reports, err := p.Check(b.Context(), all)
		if err != nil || len(reports) != 1000 || len(reports[999].Cites) != 7 || reports[999].Cites[6].State != drift.True {
			b.Fatalf("%d reports, %v", len(reports), err)
		}
		p.Close()
	}
	b.ReportMetric(float64(len(pages[0])), "bytes/decision")
}
