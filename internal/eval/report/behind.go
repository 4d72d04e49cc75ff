package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// stand measures how many lineages back an arm's answers, over the outcomes that record it. Older records do not.
func (a *Arm) stand() {
	l := Lineages{By: []Stand{}}
	items, hits, sum := map[int]int{}, map[int]float64{}, 0
	for _, o := range a.outcomes {
		if o.Lineages != nil {
			l.Items++
			sum += *o.Lineages
			items[*o.Lineages]++
			hits[*o.Lineages] += credit(o.Right)
		}
	}
	if l.Items == 0 {
		return
	}
	l.Mean = float64(sum) / float64(l.Items)
	for _, n := range slices.Sorted(maps.Keys(items)) {
		l.By = append(l.By, Stand{n, items[n], statistics.Wilson(hits[n], float64(items[n]))})
	}
	a.Lineages = &l
}

// orderEffect measures how far an arm's answers depend on the order of the options.
func (a *Arm) orderEffect() {
	var n, same, right float64
	for id, turned := range a.swapped {
		o, ok := a.outcomes[id]
		if !ok || o.Answer == "" || turned.Answer == "" {
			continue
		}
		n++
		same += credit(o.Class == turned.Class)
		right += credit(turned.Right)
	}
	if len(a.swapped) > 0 {
		a.Swap = &Swap{int(n), statistics.Wilson(same, n), statistics.Wilson(right, n)}
	}
}

// behind returns the table of lineages behind answers.
func (r Report) behind() table {
	t := table{title: "Lineages behind the answers, and right answers by their number",
		header: []string{"arm", "mean", "lineages", "items", "right", "95 %"}}
	for _, a := range r.Arms {
		if a.Lineages == nil {
			continue
		}
		name, mean := clip(a.Name, 20), fmt.Sprintf("%.2f", a.Lineages.Mean)
		for _, s := range a.Lineages.By {
			t.rows = append(t.rows, []string{name, mean, fmt.Sprint(s.Lineages), fmt.Sprint(s.Items), percent(s.Accuracy.Value),
				span(s.Accuracy)})
			name, mean = "", ""
		}
	}
	return t
}

// turned returns the table of answers with the options in reverse order.
func (r Report) turned() table {
	t := table{title: "Same answers with the options in reverse order?",
		header: []string{"arm", "items", "same %", "95 %", "right then"}}
	for _, a := range r.Arms {
		if a.Swap == nil {
			continue
		}
		row := []string{clip(a.Name, 20), fmt.Sprint(a.Swap.Items), "-", "", "-"}
		if a.Swap.Items > 0 {
			row = []string{row[0], row[1], percent(a.Swap.Same.Value), span(a.Swap.Same), percent(a.Swap.Right.Value)}
		}
		t.rows = append(t.rows, row)
	}
	t.notes = []string{"of the choices answered both ways; answers that differ only by chance count as different"}
	return t
}
