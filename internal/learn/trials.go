package learn

import (
	"slices"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TrialsKind sums a room's control runs by judge, so that later rooms can measure their judges without reading every check there
// ever was. Earlier versions kept easier ones under another name ("controls"), which measure nothing any more.
const TrialsKind tree.Kind[Sheet] = "trials"

// Sheet is how the judges of one room did on its controls.
type Sheet struct {
	Judges []Trials `json:"judges"`
}

// Trials are how one model did on the controls of one room, by grade of evidence.
type Trials struct {
	Model    string           `json:"model"`
	Grade    verdict.Grade    `json:"grade"`
	Controls verdict.Controls `json:"controls"`
}

// Ran is when they were run.
type Ran struct {
	Trials
	At time.Time
}

// TrialsOf sums the control runs of a debate by who judged. Nobody judges for a rehearsal.
// Judges come in the order they first judged. A model in two seats is one judge.
func TrialsOf(res debate.Result) Sheet {
	out := []Trials{}
	if res.Rehearsal {
		return Sheet{out}
	}
	model := models(res)
	for _, k := range res.Checks {
		for _, t := range k.Trials {
			if model[k.By] == "" {
				continue
			}
			i := slices.IndexFunc(out, func(o Trials) bool { return o.Model == model[k.By] && o.Grade == t.Grade })
			if i < 0 {
				i, out = len(out), append(out, Trials{Model: model[k.By], Grade: t.Grade})
			}
			out[i].Controls = out[i].Controls.Count(t)
		}
	}
	return Sheet{out}
}

// models are the models of all who can judge, by seat.
func models(res debate.Result) map[string]string {
	out := map[string]string{}
	for _, s := range res.Seats {
		out[s.ID] = s.Model
	}
	if res.Judge != nil {
		out[res.Judge.ID] = res.Judge.Model
	}
	return out
}
