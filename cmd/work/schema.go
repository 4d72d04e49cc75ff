package work

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

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
)

// What commands print with --output json that is nothing a run has itself. Their fields are a contract with programs.
type (
	progress struct {
		Run     string             `json:"run"`
		State   work.State         `json:"state"`
		Running bool               `json:"running"`
		Steps   map[work.State]int `json:"steps"` // how many are in each state
		Head    string             `json:"head"`
		USD     float64            `json:"cost_usd"`
	}
	timetable struct {
		Workers  int         `json:"workers"`
		Makespan int         `json:"makespan"`
		Critical int         `json:"critical_path"`
		Work     int         `json:"work"`
		Slots    []plan.Slot `json:"slots"`
		By       []saving    `json:"by_workers"`
		Advised  int         `json:"advised"`
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
	place struct {
		Run  string `json:"run"`
		Step string `json:"step"`
		Path string `json:"path"`
	}
	account struct {
		Run    string       `json:"run"`
		Report string       `json:"report"`
		Steps  []trace.Step `json:"steps"`
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

// Schema is what commands on runs print with --output json, under $defs by command: work why is "why", why FILE:LINE is "line", and do,
// execute, resume and show print a "run", which with --output stream-json comes after a "node" for each thing that happened.
func (*Work) Schema() (*jsonschema.Schema, error) { return schema() }

func schema() (*jsonschema.Schema, error) {
	whole := &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Defs: map[string]*jsonschema.Schema{}}
	for name, of := range map[string]func(*jsonschema.ForOptions) (*jsonschema.Schema, error){
		"run": jsonschema.For[result], "node": jsonschema.For[tree.Node], "list": jsonschema.For[[]runs.Info],
		"status": jsonschema.For[progress],
		"next":   jsonschema.For[[]work.Task], "schedule": jsonschema.For[timetable], "diff": jsonschema.For[difference],
		"open": jsonschema.For[place], "report": jsonschema.For[account], "review": jsonschema.For[[]review.Hunk],
		"trace": jsonschema.For[[]happened], "why": jsonschema.For[trace.Step], "line": jsonschema.For[runs.Origin],
		"prune": jsonschema.For[[]runs.Disk], "verify": jsonschema.For[parcel.Report], "queue": jsonschema.For[[]queue.Queue],
		"issue": jsonschema.For[issue.Issue], "failed": jsonschema.For[out.Failed],
	} {
		s, err := of(nil)
		if err != nil {
			return nil, err
		}
		s.AdditionalProperties = nil // lines of a stream have seq, ts and session as well
		whole.Defs[name] = s
	}
	return whole, nil
}
