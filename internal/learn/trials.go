package learn

import (
	"slices"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TrialsKind sums a room's control runs by judge, so that later rooms can measure their judges without reading all checks ever made.
// Earlier versions recorded easier controls under another name ("controls"), which no longer count.
const TrialsKind tree.Kind[Sheet] = "trials"

// Sheet has the results of one room's judges on its controls.
type Sheet struct {
	Judges []Trials `json:"judges"`
}

// Trials are the results of one model on the controls of one room, for one grade of evidence.
type Trials struct {
	Model    string           `json:"model"`
	Grade    verdict.Grade    `json:"grade"`
	Controls verdict.Controls `json:"controls"`
}

// Ran is Trials and when they ran.
type Ran struct {
	Trials
	At time.Time
}

// TrialsOf sums the control runs of a debate by judge; a rehearsal has none. Judges are in the order in which they first judged. A
// model in two seats is one judge.
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

// models returns the models of all possible judges, by seat.
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
