package tui

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

const shopPlan = `# Plan: Sessions end after an hour

### 1. Add an expiry column

- files: a.sql (new)
- do: Add the column.
- check: ` + "`go test ./store`" + `

### 2. Migrate old sessions

- files: b.sql (new)
- depends on: 1
- do: Fill it in.

### 3. Expire on read

- files: c.go (new)
- depends on: 1
- do: Compare the times.
- check: ` + "`go test ./store`" + `

### 4. Sweep in the background

- files: d.go (new)
- do: Delete old rows once a minute.

### 5. Document it

- files: README.md (change)
- depends on: 3, 4
- do: Say so.
`

// shop is a run of which a step is merged, one fails, one waits for the person, one is at work and one for others.
func (s *stage) shop() {
	p, faults := plan.Read(shopPlan)
	if len(faults) > 0 {
		s.t.Fatal(faults)
	}
	at := func(n tree.Node) tree.Node { n.At = time.Now(); return n }
	root := at(record.FrameKind.New("", "person", record.Frame{Run: "sessions", Dir: s.dir, Asked: "End sessions."}))
	ran := []proof.Ran{{Command: []string{"go", "test", "./store"}, Own: true, Base: proof.Outcome{Code: 1},
		After: proof.Outcome{Passed: true}}}
	claim := func(task string) tree.Node {
		return at(record.ClaimKind.New(root.ID, "code", record.Claim{Key: task + "/1", Task: task, Epoch: 1, Attempt: 1,
			Executor: "scripted", Base: "b0"}))
	}
	nodes := []tree.Node{root, at(way.PlanKind.New(root.ID, "plan.md", way.Planned{Version: 1, Plan: p, By: "plan.md"})),
		at(record.BeginKind.New(root.ID, "person", record.Begun{Key: "begin", Space: filepath.Join(s.dir, "none"),
			Options: record.Options{Executors: []string{"scripted"}, Mode: "balanced", Parallel: 3, USD: 5}})),
		claim("1"), at(record.ProofKind.New(root.ID, "code", record.Proven{Key: "1/1/1", Task: "1", Commit: "c1",
			Verdict: proof.Verdict{State: proof.Proved, Checks: ran}})),
		at(record.MergeKind.New(root.ID, "code", record.Merged{Key: "1", Task: "1", Attempt: 1, Change: "c1", Onto: "b0",
			Commit: "0123456789abcdef"})),
		claim("2"), at(record.GiveUpKind.New(root.ID, "code", record.GivenUp{Key: "2/1", Task: "2",
			Why: []string{"go vet: failed with status 1"}})),
		claim("3"), at(record.GiveUpKind.New(root.ID, "code", record.GivenUp{Key: "3/1", Task: "3", Person: true, Commit: "c3",
			Why: []string{"it changes wal.go, which is not among the files of its step, \x1b[31mred\x1b[m"}})),
		claim("4")}
	if _, err := s.store.AppendTo(s.Ctx, "run/sessions", "", root.ID, nodes...); err != nil {
		s.t.Fatal(err)
	}
	said, err := s.engine.Do(s.Ctx, conversation.NewTree{Name: "sessions-4-1", Dir: s.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.store.Append(s.Ctx, at(talk.ExchangeKind.New(said, "scripted", talk.Exchange{
		Messages: []llm.Message{llm.AssistantText("The sweep runs once a minute.")},
		Shows:    []talk.Show{{Line: "Wrote d.go +41"}}}))); err != nil {
		s.t.Fatal(err)
	}
	s.do(queues.Add{Dir: s.dir, Text: "Sweep more often"})
	s.write("/runs")
	s.press("enter")
	s.wait(time.Second)
}

// A run whose debate waits for the person says so, wherever it is seen, and Enter leads there.
func TestRunDebates(t *testing.T) {
	onStage(t, func(s *stage) {
		s.level()
		s.begin(20 * time.Second)
		room := s.current().Kept().Name
		root := record.FrameKind.New("", "person", record.Frame{Run: "limits", Dir: s.dir, Asked: "Add a limit."})
		root.At = time.Now()
		if _, err := s.store.AppendTo(s.Ctx, "run/limits", "", root.ID, root,
			way.AnalyzeKind.New(root.ID, "code", way.Analyzed{Room: room})); err != nil {
			s.t.Fatal(err)
		}
		s.write("/runs limits")
		s.press("enter")
		s.wait(2 * time.Second)
		s.golden("run-debates")
		s.press("enter")
		s.wait(time.Second)
		if got := s.current().Kept(); got.Page != "debate" || got.Name != room {
			t.Errorf("enter leads to %s %s", got.Page, got.Name)
		}
	})
}

func TestRunFrames(t *testing.T) {
	onStage(t, func(s *stage) {
		s.shop()
		s.inked("run-board")
		s.press("x") // the prompt is above the run
		s.wait(time.Second)
		if s.seen("Sweep more often") {
			t.Error("the prompt is still there")
		}
		s.press("enter")
		s.wait(2 * time.Second)
		s.inked("run-page")
		s.press("down", "tab", "tab") // the agents, then the step
		s.golden("run-step")
		s.press("?")
		s.golden("run-help")
	})
}
