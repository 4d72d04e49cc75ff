package rehearsal_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// room is a debate that is over.
type room struct {
	verdict.Ledger
	verdict verdict.Verdict
	nodes   []tree.Node
}

// folder writes files by name into a new folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hold runs a council of the panel over dir. With a context it works without tools.
func hold(t testing.TB, dir, question, background string) room {
	t.Helper()
	return holdWithin(t, dir, question, background, 12)
}

// holdWithin is hold with so many tool calls per turn.
func holdWithin(t testing.TB, dir, question, background string, calls int) room {
	t.Helper()
	var seats []debate.Seat
	for _, m := range rehearsal.Panel() {
		info := m.Info()
		seats = append(seats, debate.Seat{Model: m, Dir: dir, Info: table.Seat{ID: info.ID, Spec: info.ID, Model: info.ID, Lineage: info.Lineage, Price: info.Price}})
	}
	r := &debate.Room{
		Frame: table.Frame{Room: "test", Question: question, Options: motion.FindOptions(question), Rules: verdict.DefaultRules(), Seed: 7, Dir: dir,
			Limits: table.Limits{Rounds: 2, ToolCalls: calls}},
		Seats: seats, Context: background,
		Look: func(_ context.Context, c verdict.Claim) debate.Observation { return compare(dir, c.Evidence) },
	}
	if background == "" {
		r.Tools = builtin.ReadOnly()
	}
	if err := r.Run(context.Background(), record(), strategy.All()[0]); err != nil {
		t.Fatal(err)
	}
	return room{r.Ledger(), verdict.Decide(r.Ledger(), r.Frame.Rules), r.Nodes()}
}

// journal keeps a record in memory.
func record() journal.Journal {
	var mu sync.Mutex
	texts := map[string]string{}
	return journal.Journal{
		Append: func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) { return nodes, nil },
		Put: func(_ context.Context, text string) (string, error) {
			sum := sha256.Sum256([]byte(text))
			hash := hex.EncodeToString(sum[:])
			mu.Lock()
			defer mu.Unlock()
			texts[hash] = text
			return hash, nil
		},
		Text: func(_ context.Context, hash string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			return texts[hash], nil
		},
	}
}

// compare says whether the quote stands in the named line, or anywhere if no line is named.
func compare(dir string, e verdict.Evidence) debate.Observation {
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(e.File)))
	if err != nil {
		return debate.Observation{Result: verdict.Fail, Detail: "no such file"}
	}
	lines := strings.Split(string(raw), "\n")
	for i, l := range lines {
		if (e.Line == 0 || e.Line == i+1) && strings.Contains(strings.Join(strings.Fields(l), " "), strings.Join(strings.Fields(e.Quote), " ")) {
			var around strings.Builder
			for j := max(0, i-6); j < min(len(lines), i+7); j++ {
				fmt.Fprintf(&around, "%d\t%s\n", j+1, lines[j])
			}
			return debate.Observation{Result: verdict.Pass, Lines: around.String()}
		}
	}
	return debate.Observation{Result: verdict.Fail, Detail: "the file does not contain it"}
}

// votes are the texts of the options each seat voted for, or its status.
func (r room) votes() map[string]string {
	out := map[string]string{}
	for _, v := range r.Votes {
		out[strings.TrimPrefix(v.Seat, "rehearsal-")] = string(v.Status)
		for _, o := range r.Options {
			if v.Status == verdict.Voted && o.Key == v.Option {
				out[strings.TrimPrefix(v.Seat, "rehearsal-")] = o.Text
			}
		}
	}
	return out
}

func (r room) winner() string {
	for _, o := range r.Options {
		if o.Key == r.verdict.Winner {
			return o.Text
		}
	}
	return ""
}

// sound fails the test if a seat failed or a quote is not where it is said to be.
func (r room) sound(t testing.TB) {
	t.Helper()
	for _, v := range r.Votes {
		if v.Status != verdict.Voted && v.Status != verdict.Abstained {
			t.Errorf("%s: %s, %s", v.Seat, v.Status, v.Reason)
		}
	}
	for _, k := range r.Checks {
		if k.Kind == "quote" && k.Result != verdict.Pass {
			t.Errorf("%s: %+v is misquoted: %s", k.ID, *r.Claim(k.Claim), k.Detail)
		}
	}
	for _, reply := range exchange.ReplyKind.All(r.nodes) {
		if reply.State != exchange.Answered || reply.Usage.Output == 0 || reply.Usage.USD != 0 {
			t.Errorf("%s: %s %s, %+v", reply.Key, reply.State, reply.Reason, reply.Usage)
		}
	}
}

// show logs what was said, for who looks into a failure.
func (r room) show(t testing.TB) {
	for _, v := range r.Votes {
		t.Logf("%s %s %s: %s", v.Seat, v.Status, v.Option, v.Reason)
	}
	for _, c := range r.Claims {
		t.Logf("%s %s %s %v %s", c.ID, c.Seat, c.Option, c.Supports, c.Text)
	}
	for _, k := range r.Checks {
		t.Logf("%s %s %s %s %s [%s]", k.ID, k.Claim, k.Kind, k.Result, k.Detail, k.Control)
	}
}

const storeQuestion = "Should the store keep one writer connection or use a pool?"

var storeProject = map[string]string{
	"go.mod": "module example.org/x\n",
	"internal/store/store.go": `// Package store keeps what was said.
package store

// Store has one writer connection, so that no two transactions wait for each other.
type Store struct {
	writer *Conn // the only connection that writes
	readers *Pool
}

// Readers come from a pool and are never blocked.
func (s *Store) Reader() *Conn { return s.readers.Take() }
`,
	"internal/web/web.go": "package web\n\nfunc Serve() {}\n",
	"docs/decisions.md":   "# Decisions\n\nThe store has one writer connection per process.\nA pool must never write to the store.\n",
	"README.md":           "# x\n\nAsk: " + storeQuestion + "\n",
}

func TestCouncilOverAProject(t *testing.T) {
	dir := folder(t, storeProject)
	r := hold(t, dir, storeQuestion, "")
	r.sound(t)
	defer r.show(t)
	if !r.verdict.Outcome.Decision() || r.winner() != "keep one writer connection" {
		t.Errorf("%s for %q: %s", r.verdict.Outcome, r.winner(), r.verdict.Reason)
	}
	votes := r.votes()
	if votes["reader"] != r.winner() || votes["librarian"] != r.winner() || votes["skeptic"] != "use a pool" {
		t.Errorf("voted %v", votes)
	}
	quotes, judged, stances := 0, 0, 0
	for _, k := range r.Checks {
		switch {
		case k.Kind == "quote":
			quotes++
		case k.Kind == "entailment" && k.Result == verdict.Pass:
			judged++
		}
	}
	for _, c := range r.Claims {
		for _, s := range c.Stances {
			if s.Verb == verdict.Agree || s.Verb == verdict.Object {
				stances++
			}
		}
		if c.Evidence.File == "README.md" {
			t.Errorf("%s takes the question for evidence: %s", c.ID, c.Evidence.Quote)
		}
	}
	if quotes < 3 || judged == 0 || stances == 0 {
		t.Errorf("%d quotes checked, %d claims found entailed, %d stances taken", quotes, judged, stances)
	}
}

func TestSameQuestionSameLedger(t *testing.T) {
	dir := folder(t, storeProject)
	first, err := json.Marshal(hold(t, dir, storeQuestion, "").timeless())
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(hold(t, dir, storeQuestion, "").timeless())
	if err != nil || string(first) != string(second) {
		t.Errorf("two runs differ: %v\n%s\n%s", err, first, second)
	}
}

// timeless is the ledger without how long its checks took.
func (r room) timeless() verdict.Ledger {
	for i := range r.Checks {
		r.Checks[i].MS = 0
	}
	return r.Ledger
}
