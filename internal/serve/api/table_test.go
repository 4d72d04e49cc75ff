package api

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// elsewhere says of what the engine can do and no route offers, why.
var elsewhere = map[string]string{
	"rooms.Fork":                        "it is made with the settings of the debate's folder: socrates debate fork",
	"rooms.Revisit":                     "it is made with the settings of the debate's folder: socrates decisions revisit",
	"rooms.Library.Names":               "completes what is typed in a shell; GET /api/v1/debates?q= finds names",
	"rooms.Library.Blocked":             "is for who holds decisions against the code; a debate says itself that it is blocked",
	"rooms.Report":                      "is told by the run that carries a decision out",
	"rooms.Library.Play":                "for the parts of the engine",
	"conversation.Import":               "takes what a stranger wrote into a project; a person does that at the terminal: socrates tree import",
	"turns.Background":                  "is a key of who watches a command run at a terminal",
	"turns.Settle":                      "is for who shows a conversation that a crash cut off; the next turn does it as well",
	"turns.Library.Jobs":                "is for who watches at a terminal, as turns.Background",
	"turns.Library.Prompts":             "completes what is typed; POST /api/v1/trees/{name}/turns takes one as its text",
	"conversation.Typed":                "is for what is typed at a terminal, so that it can be brought back there",
	"conversation.Library.Title":        "is in every row of GET /api/v1/trees",
	"conversation.Library.Unnamed":      "is for who ends a conversation that was begun unasked",
	"conversation.Library.Keeper":       "is no data: it reads and writes a project's files; GET /api/v1/trees/{name}/diff shows them",
	"conversation.Library.PruneFiles":   "removes for good; a person does that at the terminal: socrates tree prune",
	"conversation.Library.Missed":       "for the parts of the engine",
	"conversation.Library.Lock":         "for the parts of the engine",
	"conversation.Library.Grow":         "for the parts of the engine",
	"conversation.Library.GrowFrom":     "for the parts of the engine",
	"conversation.Library.RestoreFiles": "for the parts of the engine",
	"turns.Library.Turn":                "of a job of this process; GET /api/v1/trees/{name}/prompt has model, phase and mode",
	"turns.Library.Handles":             "names what GET /api/v1/trees/{name}/prompt shows",
	"turns.Library.AwaitTitle":          "waits; the events of a conversation tell it",
	"turns.Library.AwaitRead":           "waits; the events of a conversation tell it",
	"rooms.Ask":                         "reads words and flags as a person types them; POST /api/v1/debates takes them apart",
	"notes.Library.NoteOf":              "finds by node what GET /api/v1/notes/{number} finds by number",
	"evals.Eval":                        "costs more than anything else here and reads suites from files: socrates eval",
	"evals.Resume":                      "as evals.Eval",
	"runs.Plan":                         "a plan is a file that a person has read: socrates execute plan.md",
	"runs.Begin":                        "begins with a person's words and limits at the terminal: socrates do",
	"runs.Keep":                         "takes in a plan that was written by hand, in a conversation: /useplan",
	"queues.Add":                        "takes a person's words, files and limits: socrates work queue add",
	"queues.Drop":                       "as queues.Add",
	"queues.Run":                        "begins runs, as runs.Begin: socrates work queue run",
	"queues.Stop":                       "as queues.Run",
	"queues.Library.List":               "is told beside the runs on the page of runs: socrates work queue list",
	"runs.Execute":                      "is typed into a conversation: /exec",
	"runs.Library.Read":                 "holds a plan's text against a project before it is kept: socrates execute --dry-run",
	"runs.Library.Fits":                 "is asked before a prompt is queued: socrates work queue add",
	"runs.Library.By":                   "is in GET /api/v1/runs",
	"runs.Library.Died":                 "is asked as a screen or a server begins",
	"runs.Reword":                       "a person edits a text at a gate of the terminal: socrates do --interactive",
	"runs.Retake":                       "happens as a screen or a server begins: the setting work.died says how",
	"runs.Library.Usual":                "is how the settings of work.* have runs done: GET /api/v1/settings",
	"runs.Library.Latest":               "is for /exec without a name",
	"runs.Library.Conversation":         "is the button of a decision's page; a program says /plan itself",
	"runs.Library.Owed":                 "is part of what a planner is told",
	"runs.Library.Report":               "is a document: socrates work report",
	"runs.Library.Review":               "is a long text to read: socrates work review",
	"runs.Library.Disk":                 "looks through folders, which takes long: socrates work prune --dry-run",
	"runs.Mutate":                       "takes the machine for a minute, for a person who reviews: socrates work review",
	"runs.Rebase":                       "a person looks at what came meanwhile: socrates work rebase",
	"runs.Import":                       "takes in a file; a person does that at the terminal: socrates work import",
	"runs.Library.Parcel":               "is a file with all of a run: socrates work export",
	"runs.Prune":                        "removes for good; a person does that at the terminal: socrates work prune",
	"runs.Library.Step":                 "is made of many nodes for one step: socrates work why",
	"runs.Library.Origin":               "reads the project's files and history: socrates why",
	"runs.Library.Checks":               "runs gh under the person's login: socrates work accept --pr --wait",
	"runs.Accept":                       "changes the project's own branch; a person does that at the terminal: socrates work accept",
	"runs.Library.Space":                "is no data: it opens a folder",
	"Engine.Do":                         "is what the routes do",
	"Engine.Wait":                       "waits; events tell the end of a job",
	"Engine.Close":                      "ends the server",
	"Engine.Busy":                       "of jobs of this process; lists say what runs in any",
	"Engine.Recorded":                   "of a job of this process; events have numbers",
	"Engine.Expire":                     "is done with each deletion",
	"Engine.MirrorOf":                   "is for who reads the copy that GET /api/v1/mirror makes",
	"Engine.Mirrored":                   "as Engine.MirrorOf",
}

// TestEveryOperation holds the table against what the engine says it can do: each operation and query has a row, or a reason.
func TestEveryOperation(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../engine/operations.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, r := range Routes() {
		for _, op := range strings.Fields(r.Ops) {
			rows[op] = true
		}
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`\[([A-Za-z][\w.]*)\]`).FindAllStringSubmatch(f.Doc.Text(), -1) {
		switch name := m[1]; name {
		case "New", "Of", "Core", "Refusal", "TrashTime":
		default:
			listed[name] = true
			if _, why := elsewhere[name]; !rows[name] && !why {
				t.Errorf("%s has neither a route nor a reason to have none", name)
			}
			if _, why := elsewhere[name]; rows[name] && why {
				t.Errorf("%s has a route: it needs no reason", name)
			}
		}
	}
	for name := range rows {
		if !listed[name] {
			t.Errorf("a route names %s, which the engine does not have", name)
		}
	}
	for name := range elsewhere {
		if !listed[name] {
			t.Errorf("a reason names %s, which the engine does not have", name)
		}
	}
}

// TestTable: what looks asks for little, unless it is about people and money and changes nothing; names and operation ids are unique; the whole is valid JSON.
func TestTable(t *testing.T) {
	seen, ids := map[string]bool{}, map[string]bool{}
	for _, r := range Routes() {
		if seen[r.Pattern()] || ids[r.id()] {
			t.Errorf("%s stands in the table twice", r.Pattern())
		}
		seen[r.Pattern()], ids[r.id()] = true, true
		if r.changes() && r.Scope == "" || !r.changes() && r.Scope.Covers(guard.Debate) && r.Scope != guard.Admin {
			t.Errorf("%s: scope %q", r.Pattern(), r.Scope)
		}
		if r.Doc == "" || r.raw == nil && !r.do.IsValid() || r.Tagged && r.Method != http.MethodGet {
			t.Errorf("%s: %+v", r.Pattern(), r)
		}
	}
	doc, err := openAPI("test")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(doc)
	if err != nil || len(raw) < 20_000 || strings.Contains(string(raw), `"client"`) {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}
