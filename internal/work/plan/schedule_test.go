package plan_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/plan"
)

var sizes = []plan.Size{plan.Small, plan.Small, plan.Small, plan.Medium, plan.Medium, plan.Large}

// long is the number of plans: the second one if SOCRATES_STRESS is set.
func long(short, whole float64) float64 {
	if os.Getenv("SOCRATES_STRESS") != "" {
		return whole
	}
	return short
}

// known is a plan whose shortest makespan is known because it was cut out of a schedule in which no worker is ever idle: each task may
// depend on what had ended when it began there.
func known(rnd *rand.Rand, workers int) (p plan.Plan, optimum int) {
	optimum = 9 + rnd.IntN(40)
	type slot struct{ start, end int }
	var slots []slot
	var all []plan.Task
	for range workers {
		for at := 0; at < optimum; {
			s := sizes[rnd.IntN(len(sizes))]
			if at+s.Weight() > optimum {
				s = plan.Small
			}
			all = append(all, plan.Task{Size: s})
			slots = append(slots, slot{at, at + s.Weight()})
			at += s.Weight()
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slots[a].start - slots[b].start })
	for i, at := range order { // whoever depends on it comes later
		t := all[at]
		t.ID, t.Line, t.Files = fmt.Sprint(i+1), i, []plan.File{{Name: fmt.Sprint("f", i), Action: plan.New}}
		for j := range i { // those that end as it begins make it hard
			gap := slots[at].start - slots[order[j]].end
			if gap == 0 && rnd.IntN(2) == 0 || gap > 0 && rnd.IntN(40) == 0 {
				t.Needs = append(t.Needs, fmt.Sprint(j+1))
			}
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p, optimum
}

// TestMakespan: a schedule is never longer than 2 − 1/m times the shortest, and on average at most 5 % longer.
func TestMakespan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 3))
	over, worst, n := 0.0, 0.0, 0
	for i := range int(long(48, 800)) {
		workers := 1 + i%16
		p, optimum := known(rnd, workers)
		slots, span := p.Schedule(workers)
		if len(slots) != len(p.Tasks) || span < optimum {
			t.Fatalf("%d of %d tasks in %d, and %d is the least", len(slots), len(p.Tasks), span, optimum)
		}
		ratio := float64(span) / float64(optimum)
		if ratio > 2-1/float64(workers) {
			t.Errorf("%d workers take %d, and %d is the least", workers, span, optimum)
		}
		over, worst, n = over+ratio-1, max(worst, ratio), n+1
	}
	t.Logf("%d plans: %.1f %% over the shortest on average, at most %.2f times", n, 100*over/float64(n), worst)
	if over/float64(n) > 0.05 {
		t.Errorf("%.1f %% over on average", 100*over/float64(n))
	}
}

// random is a plan as people write them: some chains, some fans, and now and then two tasks on one file.
func random(rnd *rand.Rand) (p plan.Plan) {
	n := 3 + rnd.IntN(38)
	spread := 1 + rnd.IntN(8)
	for i := range n {
		task := plan.Task{ID: fmt.Sprint(i + 1), Line: i, Size: sizes[rnd.IntN(len(sizes))]}
		file := i
		if rnd.IntN(10) == 0 {
			file = rnd.IntN(n)
		}
		task.Files = []plan.File{{Name: fmt.Sprint("f", file), Action: plan.Change}}
		for j := max(0, i-spread); j < i; j++ {
			if rnd.IntN(spread+1) == 0 {
				task.Needs = append(task.Needs, fmt.Sprint(j+1))
			}
		}
		p.Tasks = append(p.Tasks, task)
	}
	return p
}

// clash is the assumed chance that two changes made at once, of tasks that name no file in common, do not go together.
const clash = 0.02

// together says whether the changes of two steps go together in one of the worlds that are drawn: that is a matter of the two, and not of
// how many workers there are.
func together(world, a, b int) bool {
	rnd := rand.New(rand.NewPCG(uint64(world), uint64(min(a, b))<<32|uint64(max(a, b))))
	return rnd.Float64() >= clash
}

// simulate has workers do a plan in a drawn world, one event after the other: whoever is free takes the ready step that most other work
// waits for. A step that ends and does not go together with one that was merged since it began is done again at once, on top of that.
func simulate(p plan.Plan, workers, world int) (makespan, cost, conflicts int) {
	weight := p.Critical()
	type running struct{ task, start, end int }
	var at []running
	merged, begun := map[string]int{}, map[int]bool{} // when; which
	ready := func(i int) bool {
		if begun[i] {
			return false
		}
		for _, need := range p.Tasks[i].Needs {
			if _, ok := merged[need]; !ok {
				return false
			}
		}
		return !slices.ContainsFunc(at, func(r running) bool { return p.Tasks[i].Overlaps(p.Tasks[r.task]) })
	}
	for now := 0; len(merged) < len(p.Tasks); {
		for len(at) < workers {
			best := -1
			for i := range p.Tasks {
				if ready(i) && (best < 0 || weight[p.Tasks[i].ID] > weight[p.Tasks[best].ID]) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			begun[best], at = true, append(at, running{best, now, now + p.Tasks[best].Size.Weight()})
		}
		next := slices.MinFunc(at, func(a, b running) int { return cmp.Or(a.end-b.end, a.task-b.task) })
		k := slices.Index(at, next)
		now, cost = next.end, cost+next.end-next.start
		clashes := slices.ContainsFunc(p.Tasks, func(u plan.Task) bool {
			when, ok := merged[u.ID]
			return ok && when > next.start && !together(world, next.task, u.Line)
		})
		if clashes {
			conflicts++
			at[k].start, at[k].end = now, now+next.end-next.start
			continue
		}
		merged[p.Tasks[next.task].ID] = now
		at, makespan = slices.Delete(at, k, k+1), max(makespan, now)
	}
	return makespan, cost, conflicts
}

// worlds is how many are drawn for each plan; what a number of workers comes to is their mean.
const worlds = 20

// TestSimulatedWorkers is simulated: what 1 to 16 workers would take for random plans. With the advised number it is within 5 % of the best.
func TestSimulatedWorkers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 4))
	const most = 16
	plans := long(40, 1000)
	var spans, costs, conflicts [most + 1]float64
	advised, best, hired := 0.0, 0.0, 0.0
	for range int(plans) {
		p := random(rnd)
		one, least := float64(p.Work()), 0.0
		var by [most + 1]float64
		for n := 1; n <= most; n++ {
			var span, cost, clashes float64
			for world := range worlds {
				a, b, c := simulate(p, n, world)
				span, cost, clashes = span+float64(a)/worlds, cost+float64(b)/worlds, clashes+float64(c)/worlds
			}
			spans[n], costs[n], conflicts[n] = spans[n]+span/one, costs[n]+cost/one, conflicts[n]+clashes
			if by[n] = span; least == 0 || span < least {
				least = span
			}
		}
		a := p.Advise(most)
		hired += float64(a)
		_, planned := p.Schedule(a)
		_, shortest := p.Schedule(most)
		if float64(planned) > 1.05*float64(shortest) {
			t.Errorf("%d workers are advised, who take %d, and %d take %d", a, planned, most, shortest)
		}
		advised, best = advised+by[a], best+least
	}
	t.Log("simulated: workers, makespan and cost beside one worker's, conflicts a plan")
	for n := 1; n <= most; n++ {
		t.Logf("%2d  %.3f  %.3f  %.2f", n, spans[n]/plans, costs[n]/plans, conflicts[n]/plans)
	}
	t.Logf("with the advised number, %.1f on average, the makespan is %.1f %% above the best", hired/plans, 100*(advised/best-1))
	if advised > 1.05*best {
		t.Errorf("with the advised number the makespan is %.1f %% above the best", 100*(advised/best-1))
	}
}
