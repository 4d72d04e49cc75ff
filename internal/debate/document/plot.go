package document

import (
	"fmt"
	"math"
	"strings"
)

// The figure has log-odds on its vertical axis, so that equal evidence moves an equal distance; its edge is 99 to 1.
const (
	plotLeft, plotMiddle, plotHalf = 62., 114., 80.
	plotStep, plotLeast, plotRight = 52., 450., 128.
	columnLeast, columnRight       = 372., 72. // in a column
)

// plotY returns the vertical position of log-odds.
func plotY(odds float64) float64 {
	return plotMiddle - plotHalf*max(-1, min(1, odds/math.Log(99)))
}

// moved draws how votes and checks moved the answer against its strongest rival.
func (w *web) moved() {
	moves := w.d.Moves
	if len(moves) == 0 {
		return
	}
	least, beside := plotLeast, plotRight
	if w.column {
		least, beside = columnLeast, columnRight
	}
	inner := max(least, plotStep*float64(len(moves)))
	step, right := inner/float64(len(moves)), plotLeft+inner
	w.put(`<figure><div class="wide" tabindex="0" role="region" aria-label="Figure: how the answer moved">`)
	w.put(`<svg class="fig moved" viewBox="0 0 %.0f 240" width="%.0f" role="img" aria-labelledby="mv-t mv-d">`, right+beside,
		right+beside)
	w.put(`<title id="mv-t">How the answer moved</title><desc id="mv-d">%s</desc>`, esc(w.told()))
	for _, odds := range []float64{math.Log(99), math.Log(9), math.Log(3), 0, -math.Log(3), -math.Log(9), -math.Log(99)} {
		class := "gr"
		if odds == 0 {
			class = "ax"
		}
		y := plotY(odds)
		w.put(`<path class="%s" d="M%.1f %.1fH%.1f"/>`, class, plotLeft, y, right)
		w.put(`<text class="sm end" x="54" y="%.1f">%s</text>`, y+4, w.tick(odds))
	}
	votes := 0
	for i, m := range moves {
		x := plotLeft + step*(float64(i)+.5)
		before, after := plotY(m.Before), plotY(m.After)
		from := plotLeft
		if i > 0 {
			from = x - step
		}
		w.put(`<path class="step" d="M%.1f %.1fH%.1f"/>`, from, before, x)
		class, label := "ink", m.Label
		if m.Lineage != "" {
			class = fmt.Sprintf("s%d", MarkOf(w.d.Seats, m.Lineage))
			votes++
		} else if m.Passed {
			label += " " + string(holds)
		} else {
			label += " " + string(fails)
		}
		w.put(`<rect class="%s" x="%.1f" y="%.1f" width="10" height="%.1f"/><text class="sm mid" x="%.1f" y="212">%s</text>`,
			class, x-5, min(before, after), max(2, math.Abs(before-after)), x, esc(clip(label, int(step/6))))
	}
	w.group("votes", plotLeft, plotLeft+step*float64(votes))
	w.group("checks", plotLeft+step*float64(votes), right)
	last := moves[len(moves)-1]
	y := plotY(last.After)
	w.put(`<path class="step" d="M%.1f %.1fH%.1f"/><circle class="ink" cx="%.1f" cy="%.1f" r="4"/>`, right-step/2, y, right+6, right+6, y)
	w.put(`<text class="lab" x="%.1f" y="%.1f">%s</text></svg></div></figure>`+"\n", right+16, y+4, esc(w.end(last)))
}

// tick labels a line of the figure with its probability, or with the odds if no probability may be shown.
func (w *web) tick(odds float64) string {
	switch for1 := math.Exp(math.Abs(odds)); {
	case w.d.Percent > 0:
		return fmt.Sprintf("%.0f %%", 100/(1+math.Exp(-odds)))
	case odds == 0:
		return "even"
	case odds < 0:
		return fmt.Sprintf("1 to %.0f", for1)
	default:
		return fmt.Sprintf("%.0f to 1", for1)
	}
}

// group labels some of the steps, below them.
func (w *web) group(name string, from, to float64) {
	if to-from > 1 {
		w.put(`<path class="ax" d="M%.1f 221H%.1f"/><text class="lab mid" x="%.1f" y="237">%s</text>`, from+6, to-6, (from+to)/2, name)
	}
}

// end returns the label of the last dot. If no model took part, it has no number.
func (w *web) end(last Move) string {
	switch {
	case math.Abs(last.After) < 1e-9:
		return "tied"
	case w.d.Percent == 0:
		return "leads"
	}
	return fmt.Sprintf("%d %%", last.Percent)
}

// told describes the figure in words.
func (w *web) told() string {
	var steps []string
	for _, m := range w.d.Moves {
		what := m.Label + "'s vote"
		if m.Lineage == "" {
			what = m.Label + "'s check"
		}
		way := "raises"
		if m.After < m.Before {
			way = "lowers"
		}
		steps = append(steps, what+" "+way+" it")
	}
	return capital(strings.Join(steps, ", ")) + "."
}
