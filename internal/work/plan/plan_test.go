package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/work/plan"
)

const good = `# Plan: Make it better

- spec: specs/x.md
- decision: room/what-to-do-1a2b

## Approach

Least certain first.

## Steps

### 1. Change a

- files: ` + "`a.go`" + ` (change), b/new.go (new), old.go (delete)
- depends on: none
- do: Change ` + "`a`" + ` in a.go:1.

  Like this:

  ` + "```go" + `
  ### 7. this is no step
  - files: /etc/passwd
  ` + "```" + `
- check: ` + "`go test ./a`" + ` must pass
- check: look at it
- done when: it is better
- fixes: yes
- size: large

### 2. Use it

- files: b/new.go (change)
- depends on: 1
- do: Use it.
- check: ` + "`go test ./b`" + `
- claims: c1
- executor: big

## Risks

- files: none of this is a step

## Not in this plan

- f1: it is measured first
- f2:
- other things
`

func world() plan.World {
	return plan.World{Exists: func(name string) bool { return slices.Contains([]string{"a.go", "old.go", "c.go"}, name) },
		Allowed: func(command []string) error {
			if command[0] != "go" {
				return errors.New("not allowed")
			}
			return nil
		}}
}

func TestRead(t *testing.T) {
	p, faults := plan.Read(good)
	if len(faults) > 0 || len(p.Check(world())) > 0 {
		t.Fatal(faults, p.Check(world()))
	}
	a, b := p.Tasks[0], p.Tasks[1]
	if p.Title != "Make it better" || p.Approach != "Least certain first." || len(p.Tasks) != 2 || a.Title != "Change a" || !a.Fixes || a.Size != plan.Large ||
		len(a.Checks) != 2 || a.Checks[0].String() != "go test ./a" || len(a.Checks[1].Command) != 0 || !strings.Contains(a.Brief, "### 7. this is no step") ||
		a.Done != "it is better" || !slices.Equal(b.Needs, []string{"1"}) || !slices.Equal(b.Claims, []string{"c1"}) || b.Executor != "big" || b.Size != plan.Medium {
		t.Errorf("%+v", p)
	}
	for name, want := range map[string]plan.Action{"a.go": plan.Change, "b/new.go": plan.New, "old.go": plan.Delete, "b/other.go": ""} {
		if got, _ := a.Allows(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	step := func(n int, lines ...string) string {
		return fmt.Sprintf("### %d. Step %d\n- do: it\n- check: `go vet`\n- %s\n", n, n, strings.Join(lines, "\n- "))
	}
	var long strings.Builder
	for n := range 10_000 {
		long.WriteString(step(n+1, "depends on: none"))
	}
	for text, want := range map[string]string{
		"":                       "line 1: it has no steps",
		step(1, "depends on: 1"): "line 4: step 1 depends on step 1, which does not come before it",
		step(1, "depends on: 2") + step(2, "depends on: 1"):                              "line 4: step 1 depends on step 2",
		step(1, "a: b") + step(1, "a: b"):                                                "line 5: step 1 should have the number 2",
		step(1, "files: ../x (new)"):                                                     "line 4: step 1 names ../x, which is outside the project",
		step(1, "files: a.go, /etc/passwd"):                                              "step 1 names /etc/passwd, which is outside",
		step(1, "files: ~/.bashrc"):                                                      "step 1 names ~/.bashrc, which is outside",
		step(1, "files: a.go, ./a.go"):                                                   "line 4: step 1 names a.go twice",
		step(1, "files: a.go (maybe)"):                                                   `line 4: step 1 marks a.go as "maybe"`,
		step(1, "files: gone.go"):                                                        "line 1: step 1 is to change gone.go, which does not exist",
		step(1, "files: a.go (new)"):                                                     "line 1: step 1 is to add a.go, which exists",
		step(1, "size: huge"):                                                            `line 4: step 1 has the size "huge"`,
		step(1, "files: x (new)") + step(2, "files: x"):                                  "line 5: step 2 is to change x, which does not exist; mark it new, or depend on the step that adds it",
		step(1, "check: `rm -rf x`"):                                                     `line 4: step 1 has the check "rm -rf x": not allowed`,
		"### 1. X\n- do: as discussed\n- check: `go vet`\n":                              `line 1: step 1 relies on a text its agent does not see: "as discussed"`,
		"### 1. X\n- check: `go vet`\n":                                                  `line 1: step 1 has no line "- do: …"`,
		"### 1. X\n- do: it\n- check: look\n":                                            "line 1: step 1 has no check that code can run",
		"### 1. X\n- do: it\n- check: `go vet`\n### 2. X\n- do: it\n- check: `go vet`\n": "line 4: step 2 has the title of step 1",
		long.String(): "line 4001: it has 10000 steps; the limit is 1000",
	} {
		p, faults := plan.Read(text)
		if len(faults) == 0 {
			faults = p.Check(world())
		}
		var got []string
		for _, f := range faults[:min(len(faults), 50)] {
			got = append(got, f.String())
		}
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("%.60q: %.300q, want %q", text, got, want)
		}
	}
	p, _ := plan.Read(good)
	w := world()
	w.Points = []plan.Point{{ID: "c1"}, {ID: "c2", Kind: "accepted claim"}, {ID: "f1"}, {ID: "f2", Kind: "what would flip it"}}
	if faults := p.Check(w); len(faults) != 2 || !strings.Contains(faults[0].Why, "no step answers c2 (accepted claim)") ||
		!strings.Contains(faults[1].Why, "no step answers f2") || p.Decision != "what-to-do-1a2b" {
		t.Errorf("%v", faults)
	}
	w.Points, w.Project = nil, true
	p, _ = plan.Read("### 1. X\n- do: it\n")
	if faults := p.Check(w); len(faults) != 0 {
		t.Errorf("the project's checks do not count: %v", faults)
	}
}

// A schedule never breaks a dependency, never does two tasks on one file at once, and is at most 2 - 1/m times as long as any can be.
func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p plan.Plan
		n := rapid.IntRange(1, 30).Draw(t, "tasks")
		overlap := rapid.Bool().Draw(t, "overlap")
		for i := range n {
			one := plan.Task{ID: fmt.Sprint(i + 1), Size: rapid.SampledFrom([]plan.Size{plan.Small, plan.Medium, plan.Large}).Draw(t, "size"), Line: i}
			for j := range i {
				if rapid.IntRange(0, 5).Draw(t, "edge") == 0 {
					one.Needs = append(one.Needs, fmt.Sprint(j+1))
				}
			}
			if overlap {
				one.Files = []plan.File{{Name: fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "file")), Action: plan.Change}}
			}
			p.Tasks = append(p.Tasks, one)
		}
		m := rapid.IntRange(1, 8).Draw(t, "workers")
		slots, span := p.Schedule(m)
		if len(slots) != n {
			t.Fatalf("%d of %d tasks are scheduled", len(slots), n)
		}
		at := map[string]plan.Slot{}
		for _, s := range slots {
			at[s.Task] = s
		}
		longest := 0
		for _, w := range p.Critical() {
			longest = max(longest, w)
		}
		for _, a := range p.Tasks {
			for _, need := range a.Needs {
				if at[a.ID].Start < at[need].End {
					t.Fatalf("%s begins before %s ends", a.ID, need)
				}
			}
			for _, b := range p.Tasks {
				together := a.ID != b.ID && at[a.ID].Start < at[b.ID].End && at[b.ID].Start < at[a.ID].End
				if together && (a.Overlaps(b) || at[a.ID].Worker == at[b.ID].Worker) {
					t.Fatalf("%s and %s are done at once", a.ID, b.ID)
				}
			}
		}
		if bound := float64(max(longest, (p.Work()+m-1)/m)) * (2 - 1/float64(m)); !overlap && float64(span) > bound {
			t.Fatalf("it takes %d with %d workers; the bound is %.1f", span, m, bound)
		}
	})
}

// A plan in which every step depends on all before it is read at once: ways through it are not walked one by one.
func TestManyWays(t *testing.T) {
	var b strings.Builder
	needs := "none"
	for i := range 60 {
		fmt.Fprintf(&b, "### %d. Step %d\n\n- files: f%d (new)\n- depends on: %s\n- do: it\n- check: `go test`\n\n", i+1, i+1, i+1, needs)
		needs = strings.TrimPrefix(needs+fmt.Sprintf(", %d", i+1), "none, ")
	}
	p, faults := plan.Read(b.String())
	if faults = append(faults, p.Check(world())...); len(p.Tasks) != 60 || len(faults) != 0 {
		t.Errorf("%d steps, %v", len(p.Tasks), faults)
	}
}

// However a text is broken, it is read without a fall, and what is read depends on earlier steps only.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add("### 1. X\n- files: `\n- check: `` x\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, _ := plan.Read(text)
		p.Check(world())
		for i, one := range p.Tasks {
			for _, need := range one.Needs {
				if j := slices.IndexFunc(p.Tasks, func(u plan.Task) bool { return u.ID == need }); j < 0 || j >= i {
					t.Fatalf("step %s depends on %s", one.ID, need)
				}
			}
		}
	})
}
