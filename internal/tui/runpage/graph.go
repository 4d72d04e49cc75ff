package runpage

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/work"
)

// row is a step in the graph: below the last step it depends on.
type row struct{ id, rails string }

// rows returns the steps of a run as a tree. A step that depends on several is below the last of them.
func rows(s work.Status) (out []row) {
	below := map[string][]string{}
	for _, t := range s.Tasks {
		under := ""
		if len(t.Needs) > 0 {
			under = t.Needs[len(t.Needs)-1]
		}
		below[under] = append(below[under], t.ID)
	}
	var walk func(under, before string)
	walk = func(under, before string) {
		for i, id := range below[under] {
			rail, next := "├─", "│ "
			if i == len(below[under])-1 {
				rail, next = "└─", "  "
			}
			if under == "" {
				rail, next = "", ""
			}
			out = append(out, row{id, before + rail})
			walk(id, before+next)
		}
	}
	walk("", "")
	return out
}

// critical returns the longest chain of remaining steps.
func critical(s work.Status) string {
	weight := s.Plan.Critical()
	var chain []string
	for at := ""; ; {
		next := ""
		for _, t := range s.Tasks {
			follows := at == "" && t.State != work.Done && t.State != work.Skipped
			for _, need := range t.Needs {
				if need == at {
					follows = true
				}
			}
			if follows && (next == "" || weight[t.ID] > weight[next]) {
				next = t.ID
			}
		}
		if next == "" {
			break
		}
		at, chain = next, append(chain, next)
	}
	if len(chain) < 2 {
		return ""
	}
	return "critical path " + strings.Join(chain, " → ")
}
