package work

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/parcel"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/review"
	"github.com/socrates-cli/socrates/internal/work/trace"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// What commands print with --output json that is no type of a run itself. Their fields are a contract with programs.
type (
	progress struct {
		Run     string             `json:"run"`
		State   work.State         `json:"state"`
		Running bool               `json:"running"`
		Died    bool               `json:"died"` // its process ended in the middle of it
		By      string             `json:"by,omitempty"`
		Steps   map[work.State]int `json:"steps"` // how many are in each state
		Head    string             `json:"head"`
		USD     float64            `json:"cost_usd"`
		// Programs that now run in its workspaces, and their use; known on Linux only.
		Programs int     `json:"programs"`
		CPU      float64 `json:"cpu_s"`
		Memory   int64   `json:"memory_bytes"`
		// Disk is the size of its folder; incomplete if it has very many files.
		Disk int64 `json:"disk_bytes"`
	}
	timetable struct {
		Workers  int         `json:"workers"`
		Makespan int         `json:"makespan"`
		Critical int         `json:"critical_path"`
		Work     int         `json:"work"`
		Slots    []plan.Slot `json:"slots"`
		By       []saving    `json:"by_workers"`
		Advised  int         `json:"advised"`
		// Steps is how they are carried out, with execute --dry-run.
		Steps *foreseenSteps `json:"steps,omitempty"`
	}
	saving struct {
		Workers  int `json:"workers"`
		Makespan int `json:"makespan"`
	}
	difference struct {
		Run   string `json:"run"`
		Step  string `json:"step"`
		From  string `json:"from"`
		To    string `json:"to"`
		Patch string `json:"patch"`
	}
	workspacePath struct {
		Run  string `json:"run"`
		Step string `json:"step"`
		Path string `json:"path"`
	}
	account struct {
		Run    string       `json:"run"`
		Report string       `json:"report"`
		Steps  []trace.Step `json:"steps"`
	}
	refined struct {
		came
		Failed string `json:"failed"` // why the request stays unchanged
	}
	analyzed struct {
		came
		Debate string       `json:"debate"` // empty: one model did it
		Points []plan.Point `json:"points"`
	}
	planned struct {
		came
		Plan plan.Plan `json:"plan"`
	}
	came struct {
		Type way.Phase `json:"type"`
		Run  string    `json:"run"`
		Text string    `json:"text"`
	}
	foreseenWay struct {
		Phases []foreseenPhase `json:"phases"`
		Checks [][]string      `json:"checks"`
		USD    float64         `json:"budget_usd"`
		Tokens int             `json:"max_tokens"`
		Steps  foreseenSteps   `json:"steps"`
	}
	// How steps are carried out, as a dry run says it. Durations are in seconds, 0: no limit.
	foreseenSteps struct {
		Mode    string  `json:"mode"`
		Race    int     `json:"race"`   // executors per step; below 2: one
		Judge   string  `json:"judge"`  // compares raced changes; empty: chosen at the start
		Review  string  `json:"review"` // reviews each proved step; empty: nobody
		Timeout float64 `json:"timeout_s"`
		Idle    float64 `json:"idle_timeout_s"`
		Check   float64 `json:"check_timeout_s"`
	}
	foreseenPhase struct {
		Phase way.Phase `json:"phase"`
		By    []string  `json:"by"`
		Does  string    `json:"does"`
	}
)

// The output of commands that change something.
type (
	order struct {
		Run      string `json:"run"`
		Step     string `json:"step,omitempty"`
		Verb     string `json:"verb"`
		Executor string `json:"executor,omitempty"`
	}
	revised struct {
		Run     string     `json:"run"`
		Changed bool       `json:"changed"`
		Version int        `json:"version,omitempty"`
		Plan    *plan.Plan `json:"plan,omitempty"`
	}
	accepted struct {
		Run    string `json:"run"`
		Commit string `json:"commit"`
		How    string `json:"how"`
		Branch string `json:"branch"`
		URL    string `json:"url"`
		State  string `json:"request_state"`
	}
	exported struct {
		Run   string `json:"run"`
		File  string `json:"file"`
		Bytes int    `json:"bytes"`
	}
	imported struct {
		Run           string `json:"run"`
		Nodes         int    `json:"nodes"`
		Conversations int    `json:"conversations"`
	}
	reported struct {
		Run    string `json:"run"`
		Folder string `json:"folder"`
		Files  int    `json:"files"`
	}
	removed struct {
		Runs    []string  `json:"runs"`
		Deleted string    `json:"deleted,omitempty"` // if it is a draft
		Until   time.Time `json:"until"`
	}
	restored struct {
		Restored string `json:"restored"`
	}
	prompted struct {
		Prompt int `json:"prompt"`
	}
	dropped struct {
		Dropped int `json:"dropped"`
	}
	stopped struct {
		Stopped string `json:"stopped"` // the project's folder
	}
	emptied struct {
		Queue queue.Queue `json:"queue"`
	}
	oneIssue struct {
		Issue issue.Issue `json:"issue"`
	}
	allIssues struct {
		Issues []issues.Deleted `json:"issues"`
	}
	removedIssues struct {
		Deleted []int     `json:"deleted"`
		Number  int       `json:"number,omitempty"` // if it is a queued prompt
		Until   time.Time `json:"until"`
	}
	restoredIssue struct {
		Restored int `json:"restored"`
		Number   int `json:"number"`
	}
)

// newSchema is the command work schema.
func newSchema(a *commands) *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of --output json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := schema()
			if err != nil {
				return err
			}
			return a.Out.JSON(s)
		}}
}

// Schema describes what commands on runs print with --output json, under $defs by command: work why is "why", why
// FILE:LINE is "line", do with --dry-run is "ahead", and do, execute, resume and show print a "run", which with
// --output stream-json comes after a "node" for each thing that happened. pause, cancel, approve, retry, skip and
// reassign print an "order"; logs prints a "node" on each line; of a group in the group work the name has both words,
// as in "queue-add". Whatever fails prints "failed".
func (*Work) Schema() (*jsonschema.Schema, error) { return schema() }

// printed are the types of what commands print, by their names in the schema.
var printed = map[string]func(*jsonschema.ForOptions) (*jsonschema.Schema, error){
	"refine": jsonschema.For[refined], "analyze": jsonschema.For[analyzed], "plan": jsonschema.For[planned],
	"ahead": jsonschema.For[foreseenWay], "run": jsonschema.For[result], "node": jsonschema.For[tree.Node],
	"list": jsonschema.For[[]runs.Deleted], "status": jsonschema.For[progress], "next": jsonschema.For[[]work.Task],
	"schedule": jsonschema.For[timetable], "diff": jsonschema.For[difference], "open": jsonschema.For[workspacePath],
	"report": jsonschema.For[account], "report-out": jsonschema.For[reported], "review": jsonschema.For[[]review.Hunk],
	"trace": jsonschema.For[[]happened], "why": jsonschema.For[trace.Step], "line": jsonschema.For[runs.Origin],
	"order": jsonschema.For[order], "edit": jsonschema.For[revised], "accept": jsonschema.For[accepted],
	"export": jsonschema.For[exported], "import": jsonschema.For[imported], "verify": jsonschema.For[parcel.Report],
	"prune": jsonschema.For[[]runs.Disk], "rm": jsonschema.For[removed], "restore": jsonschema.For[restored],
	"queue": jsonschema.For[[]queues.Info], "queue-add": jsonschema.For[prompted], "queue-drop": jsonschema.For[dropped],
	"queue-stop": jsonschema.For[stopped], "queue-run": jsonschema.For[emptied],
	"issue": jsonschema.For[issue.Issue], "issue-new": jsonschema.For[oneIssue], "issue-list": jsonschema.For[allIssues],
	"issue-rm": jsonschema.For[removedIssues], "issue-restore": jsonschema.For[restoredIssue],
	"failed": jsonschema.For[out.Failed],
}

func schema() (*jsonschema.Schema, error) {
	whole := &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Defs: map[string]*jsonschema.Schema{}}
	whatever := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}}
	for name, of := range printed {
		s, err := of(whatever)
		if err != nil {
			return nil, err
		}
		s.AdditionalProperties = nil // lines of a stream have seq, ts and session as well
		whole.Defs[name] = s
	}
	// The board has a list for each column.
	board := &jsonschema.Schema{Type: "object", Required: runs.Columns,
		Properties: map[string]*jsonschema.Schema{"queued": whole.Defs["queue"]}}
	for _, column := range runs.Columns {
		board.Properties[column] = whole.Defs["list"]
	}
	whole.Defs["board"] = board
	return whole, nil
}
