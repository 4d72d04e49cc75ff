package plan

import (
	"cmp"
	"slices"
)

// Slot is when a task would run, in units of a small task.
type Slot struct {
	Task   string `json:"task"`
	Worker int    `json:"worker"` // from 1
	Start  int    `json:"start"`
	End    int    `json:"end"`
}

// Schedule simulates a plan with a number of workers, if sizes were right and nothing failed: a free worker takes the
// ready task that most other work waits for. Tasks that touch the same file do not run at once. workers is 1 or more.
// Time is in units of a small step; sizes are guesses, so it compares plans and predicts nothing.
func (p Plan) Schedule(workers int) (slots []Slot, makespan int) {
	weight, end := p.Critical(), map[string]int{}
	free := make([]int, workers)
	left := slices.Clone(p.Tasks)
	running := map[string]Slot{}
	for now := 0; len(left) > 0; {
		for {
			ready := slices.DeleteFunc(slices.Clone(left), func(t Task) bool { return !p.ready(t, now, end, running) })
			worker := slices.IndexFunc(free, func(at int) bool { return at <= now })
			if len(ready) == 0 || worker < 0 {
				break
			}
			t := slices.MaxFunc(ready, func(a, b Task) int {
				return cmp.Or(cmp.Compare(weight[a.ID], weight[b.ID]), -cmp.Compare(a.Line, b.Line))
			})
			s := Slot{t.ID, worker + 1, now, now + t.Size.Weight()}
			slots, end[t.ID], free[worker], running[t.ID] = append(slots, s), s.End, s.End, s
			left = slices.DeleteFunc(left, func(u Task) bool { return u.ID == t.ID })
			makespan = max(makespan, s.End)
		}
		next := makespan
		for id, s := range running {
			if s.End > now {
				next = min(next, s.End)
			} else {
				delete(running, id)
			}
		}
		if next <= now {
			break // the rest depends on tasks that do not exist
		}
		now = next
	}
	return slots, makespan
}

// ready reports whether a step could begin: its dependencies have ended, and no running step touches the same files.
func (p Plan) ready(t Task, now int, end map[string]int, running map[string]Slot) bool {
	for _, need := range t.Needs {
		if at, ok := end[need]; !ok || at > now {
			return false
		}
	}
	for id, s := range running {
		if u, _ := p.Task(id); s.End > now && t.Overlaps(u) {
			return false
		}
	}
	return true
}

// Work returns the weight of all tasks together: the time of one worker.
func (p Plan) Work() (sum int) {
	for _, t := range p.Tasks {
		sum += t.Size.Weight()
	}
	return sum
}

// Advise returns the smallest number of workers, up to most, with which a plan takes at most 5 % longer than with any
// other number: each further one costs room and conflicts, and saves nothing worth it.
func (p Plan) Advise(most int) int {
	spans := make([]int, 0, most)
	for n := 1; n <= min(most, max(1, len(p.Tasks))); n++ {
		_, span := p.Schedule(n)
		spans = append(spans, span)
	}
	best := slices.Min(spans)
	return 1 + slices.IndexFunc(spans, func(span int) bool { return 20*span <= 21*best })
}
