package builtin

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// block is a line of a program whose structure is its indentation.
type block struct {
	depth int
	text  string
}

func written(lines []block, unit string) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(strings.Repeat(unit, l.depth) + l.text + "\n")
	}
	return out.String()
}

// TestBlockStructure has a model replace some lines of a program by others, in each way models write indentation: with another
// step, further left, the beginning of the first line left out, flat, or the new lines as the file has them. Either the lines
// stand at the depth they were meant for, or the edit is refused.
func TestBlockStructure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	units := []string{"\t", "  ", "    ", "        "}
	made, refused := map[string]int{}, map[string]int{}
	for range 20_000 {
		unit := units[r.IntN(len(units))]
		var program []block
		for i, depth := 0, 0; i < 5+r.IntN(15); i++ {
			program = append(program, block{depth, fmt.Sprintf("line%d(a, b):", i)})
			depth = max(0, depth+1-r.IntN(3))
		}
		from := r.IntN(len(program))
		to := from + 1 + r.IntN(min(6, len(program)-from))
		was := program[from:to]
		least, most := was[0].depth, was[0].depth
		for _, b := range was {
			least, most = min(least, b.depth), max(most, b.depth)
		}
		now := slices.Clone(was)
		for range 1 + r.IntN(3) { // at depths around theirs, and lines taken out
			at := r.IntN(len(now) + 1)
			depth := least + r.IntN(most-least+2)
			if at > 0 {
				depth = min(depth, now[at-1].depth+1) // one step at a time, as in any program
			}
			now = slices.Insert(now, at, block{depth, fmt.Sprintf("new%d()", r.IntN(100))})
		}
		if r.IntN(2) == 0 {
			now = slices.Delete(now, len(now)-1, len(now))
		}
		way := []string{"another step", "further left", "cut", "cut, another step", "flat", "new as the file"}[r.IntN(6)]
		other := units[r.IntN(len(units))]
		left := 0
		switch way {
		case "further left":
			left = r.IntN(least + 1)
		case "cut", "cut, another step", "new as the file":
			if now[0] != was[0] {
				continue // nothing would tell
			}
			if way == "cut" {
				other = unit
			}
		case "flat":
			other = ""
		}
		shown := func(lines []block) string {
			var moved []block
			for _, b := range lines {
				moved = append(moved, block{max(0, b.depth-left), strings.ReplaceAll(b.text, " ", "  ")}) // so that only blanks differ, but do
			}
			return written(moved, other)
		}
		body, old, fresh := written(program, unit), shown(was), shown(now)
		if strings.HasPrefix(way, "cut") {
			old, fresh = strings.TrimLeft(old, " \t"), strings.TrimLeft(fresh, " \t")
		}
		if strings.ReplaceAll(old, "  b", " b") == written(was, unit) && other != unit {
			continue // nobody can tell that another step was meant
		}
		if way == "new as the file" {
			fresh = strings.ReplaceAll(written(now, unit), ", ", ",  ")
		}
		got, _, err := oneEdit{Old: old, New: fresh}.apply(body)
		if err != nil {
			if errors.Is(err, errIndent) {
				refused[way]++
			} else if !strings.Contains(err.Error(), "the same") {
				t.Fatalf("%s: %v\n%s\n%s", way, err, body, old)
			}
			continue
		}
		made[way]++
		want := written(slices.Concat(program[:from], now, program[to:]), unit)
		if squeeze(got) != squeeze(want) && (way != "flat" || least != most) {
			t.Fatalf("%s:\n%s\nold:\n%s\nnew:\n%s\ngave:\n%s\nwant:\n%s", way, body, old, fresh, got, want)
		}
	}
	t.Logf("made %v, refused %v", made, refused)
}

// squeeze makes blanks within lines one.
func squeeze(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		have := indent(line)
		out.WriteString(have + strings.Join(strings.Fields(line), " ") + "\n")
	}
	return out.String()
}
