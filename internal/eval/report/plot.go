package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// plot is a figure of the report.
type plot struct{ title, svg string }

// plots returns the figures that have data.
func (r Report) plots() []plot {
	var out []plot
	for _, p := range []plot{
		{"Right answers, with 95 % intervals", r.bars()},
		{"Differences in points, with 95 % intervals", r.forest()},
		{"Risk and coverage: share of wrong answers when only the most confident are kept", r.curves()},
		{"Right answers and cost per item", r.costs()},
	} {
		if p.svg != "" {
			out = append(out, p)
		}
	}
	return out
}

// The dimensions of every figure.
const (
	wide  = 720.0
	left  = 170.0 // where the scale begins
	right = 690.0 // where it ends
	row   = 24.0
)

// sheet is a figure being drawn.
type sheet struct {
	strings.Builder
	height float64
}

func newSheet(height float64, says string) *sheet {
	s := &sheet{height: height}
	fmt.Fprintf(s, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n", wide, height, html.EscapeString(says))
	return s
}

func (s *sheet) end() string { return s.String() + "</svg>\n" }

func (s *sheet) text(x, y float64, anchor, class, words string) {
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, html.EscapeString(words))
}

func (s *sheet) line(x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(s, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

func (s *sheet) dot(x, y float64, color string) {
	fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>`+"\n", x, y, color)
}

// interval draws a value with its interval.
func (s *sheet) interval(x func(float64) float64, i statistics.Interval, y float64, color string) {
	stroke := `stroke="` + color + `" stroke-width="2"`
	s.line(x(i.Low), y, x(i.High), y, stroke)
	s.line(x(i.Low), y-4, x(i.Low), y+4, stroke)
	s.line(x(i.High), y-4, x(i.High), y+4, stroke)
	s.dot(x(i.Value), y, color)
}

// axis draws the marks of a scale below the figure and grid lines through it.
func (s *sheet) axis(x func(float64) float64, marks []float64, name func(float64) string) {
	for _, m := range marks {
		s.line(x(m), 4, x(m), s.height-20, `class="grid"`)
		s.text(x(m), s.height-6, "middle", "soft", name(m))
	}
}

// scale maps low to the left end and high to the right one.
func scale(low, high float64) func(float64) float64 {
	if high <= low {
		high = low + 1
	}
	return func(v float64) float64 { return left + (right-left)*(min(max(v, low), high)-low)/(high-low) }
}

// color returns one of ten colours, in turn.
func color(i int) string { return fmt.Sprintf("var(--c%d)", i%10) }

var tenths = []float64{0, .2, .4, .6, .8, 1}

func hundred(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// bars draws how often each arm is right, with the oracle last.
func (r Report) bars() string {
	s := newSheet(row*float64(len(r.Arms)+1)+34, "accuracy of each arm with its interval")
	x := scale(0, 1)
	s.axis(x, tenths, hundred)
	y := 18.0
	for i, a := range r.Arms {
		if a.Items > 0 {
			fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="12" fill="%s" opacity=".3"/>`+"\n", left, y-6,
				x(a.Accuracy.Value)-left, color(i))
			s.interval(x, a.Accuracy, y, color(i))
		}
		s.text(left-8, y+4, "end", "", clip(a.Name, 22))
		y += row
	}
	s.text(left-8, y+4, "end", "soft", "oracle")
	s.interval(x, r.Oracle, y, "var(--soft)")
	return s.end()
}

// forest draws the differences around a line at 0, on a symmetric scale.
func (r Report) forest() string {
	if len(r.Comparisons) == 0 {
		return ""
	}
	s := newSheet(row*float64(len(r.Comparisons))+34, "difference of each pair of arms with its interval")
	most := .05
	for _, c := range r.Comparisons {
		most = max(most, math.Abs(c.Difference.Low), math.Abs(c.Difference.High))
	}
	most = math.Ceil(most*20) / 20
	x := scale(-most, most)
	s.axis(x, []float64{-most, -most / 2, 0, most / 2, most}, func(v float64) string { return fmt.Sprintf("%+.1f", 100*v) })
	y := 18.0
	for i, c := range r.Comparisons {
		s.text(left-8, y+4, "end", "", clip(c.Arm+" − "+c.Against, 25))
		s.interval(x, c.Difference, y, color(i))
		y += row
	}
	return s.end()
}

// curves draws the share of wrong answers when only the most confident are kept. The scale ends at the highest risk.
func (r Report) curves() string {
	height := max(300, 18*float64(len(r.Arms))+30)
	s := newSheet(height, "risk-coverage curve of each arm")
	top := .05
	for _, a := range r.Arms {
		for _, p := range a.Curve {
			top = max(top, p.Risk)
		}
	}
	top = math.Ceil(top*20) / 20
	x := scale(0, 1)
	y := func(v float64) float64 { return height - 24 - (height-40)*v/top }
	s.axis(x, tenths, hundred)
	for _, v := range []float64{0, top / 2, top} {
		s.line(left, y(v), right, y(v), `class="grid"`)
		s.text(left-8, y(v)+4, "end", "soft", fmt.Sprintf("%.1f %%", 100*v))
	}
	for i, a := range r.Arms {
		if len(a.Curve) == 0 {
			continue
		}
		var points []string
		for _, p := range a.Curve {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(p.Coverage), y(p.Risk)))
		}
		fmt.Fprintf(s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), color(i))
		last := a.Curve[len(a.Curve)-1]
		s.dot(x(last.Coverage), y(last.Risk), color(i))
		s.dot(14, 16+18*float64(i), color(i))
		s.text(24, 20+18*float64(i), "start", "", clip(a.Name, 18))
	}
	return s.end()
}

// costs draws accuracy against dollars, or against tokens if not every arm has a price. All arms have the same unit: dollars and
// tokens are not mixed.
func (r Report) costs() string {
	type dot struct {
		name      string
		cost      float64
		right     statistics.Interval
		colorFrom int
	}
	priced := !slices.ContainsFunc(r.Arms, func(a Arm) bool { return a.Items > 0 && (a.Usage.Source == cost.Unknown || a.Usage.USD == 0) })
	var all []dot
	most := 0.0
	for i, a := range r.Arms {
		cost := float64(a.Usage.Total())
		if priced {
			cost = a.Usage.USD
		}
		if a.Items > 0 && cost > 0 {
			cost /= float64(a.Items)
			all = append(all, dot{a.Name, cost, a.Accuracy, i})
			most = max(most, cost)
		}
	}
	if len(all) < 2 {
		return ""
	}
	height := max(300, 18*float64(len(r.Arms))+30)
	s := newSheet(height, "accuracy against cost of each arm")
	x := scale(0, most*1.05)
	y := func(v float64) float64 { return height - 24 - (height-40)*v }
	unit := func(v float64) string { return fmt.Sprintf("%.0f tok", v) }
	if priced {
		unit = func(v float64) string { return fmt.Sprintf("$%.4f", v) }
	}
	s.axis(x, []float64{0, most / 4, most / 2, most * 3 / 4, most}, unit)
	for _, v := range tenths {
		s.line(left, y(v), right, y(v), `class="grid"`)
		s.text(left-8, y(v)+4, "end", "soft", hundred(v))
	}
	for _, p := range all {
		s.line(x(p.cost), y(p.right.Low), x(p.cost), y(p.right.High), `stroke="`+color(p.colorFrom)+`" stroke-width="2"`)
		s.dot(x(p.cost), y(p.right.Value), color(p.colorFrom))
		s.dot(14, 16+18*float64(p.colorFrom), color(p.colorFrom))
		s.text(24, 20+18*float64(p.colorFrom), "start", "", clip(p.name, 18))
	}
	return s.end()
}
