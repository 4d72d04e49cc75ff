package page

import (
	"fmt"
	"net/http"

	"github.com/socrates-cli/socrates/internal/engine/evals"
	"github.com/socrates-cli/socrates/internal/eval/report"
)

// evals lists the evaluations, the newest first.
func (s *office) evals(r *http.Request, p *sheet) error {
	list, err := evals.In(s.Engine).List(r.Context())
	if err != nil {
		return err
	}
	p.part("/evals", "Evaluations", "Whether a panel is worth its cost, measured on questions with known answers.")
	if len(list) == 0 {
		p.put(`<p>No evaluations. Start one in a terminal; it shows the cost first:</p>` +
			`<p class="cmd"><code>socrates eval run</code></p>`)
		return nil
	}
	p.put(`<ul class="rows">`)
	for _, info := range list {
		state := "stopped; it can be resumed"
		if info.Running {
			state = "● running"
		} else if info.Ended {
			state = "done"
		}
		if info.Simulated {
			state += ", simulated: it says nothing about models"
		}
		p.row(pathOf("e", info.Name), info.Suite+": "+info.Name, fmt.Sprintf("%s, %s, %s, %s", state, count(info.Items, "question"),
			count(info.Seats, "seat"), count(len(info.Arms), "arm")), "", when(info.Started), "")
	}
	p.put("</ul>")
	return nil
}

// eval shows one evaluation: its result, its plots, and the tables behind them. The report is made from the record
// each time; nothing of it is kept.
func (s *office) eval(r *http.Request, p *sheet) error {
	name := r.PathValue("name")
	v, err := evals.In(s.Engine).Evaluation(r.Context(), name)
	if err != nil {
		return err
	}
	p.part("/evals", "Evaluation "+name, "")
	p.put(`<div class="report">%s</div>`, Raw(braced(report.Make(report.Record{Plan: v.Plan, Chosen: v.Chosen, Items: v.Items,
		Outcomes: v.Outcomes, Started: v.Started, Ended: v.Ended, Paid: v.Paid, Lost: v.Lost}).Article())))
	return nil
}
