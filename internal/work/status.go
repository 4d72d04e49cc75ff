package work

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/accept"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// State is the state of a run or a step; the comments say which states each can have.
type State string

// Word is where a step is, in a word: nobody works on it while no process executes the run.
func (s State) Word(running bool) string {
	if s == Working && !running {
		return "stopped"
	}
	return string(s)
}

// The states. A run is asked, planned, open, done, failed or waits for a person.
const (
	Asked     State = "asked"   // of a run: it has no plan yet
	Planned   State = "planned" // of a run: planned and not begun
	Open      State = "open"    // of a run: begun and not ended
	Waiting   State = "waiting" // for the tasks it depends on
	Ready     State = "ready"
	Working   State = "working" // claimed, and not reported
	Done      State = "done"    // of a task: merged
	Failed    State = "failed"
	Person    State = "person" // a person decides
	Skipped   State = "skipped"
	Paused    State = "paused"    // of a run: nothing new begins until it is resumed
	Cancelled State = "cancelled" // of a run: running steps were stopped, too
	Blocked   State = "blocked"   // a dependency failed, or waits for a person
)

// Task is a task with its state, which follows from the nodes. Claim is its last one; Change is what was proved,
// Commit its merge on the branch.
type Task struct {
	plan.Task
	State    State             `json:"state"`
	Attempt  int               `json:"attempt"`
	Epoch    int               `json:"epoch"`
	Executor string            `json:"done_by,omitempty"`
	Given    string            `json:"given_to,omitempty"` // the executor a person chose; the plan may name another one
	Claim    *record.Claim     `json:"-"`                  // the last one
	Commit   string            `json:"commit,omitempty"`
	Change   string            `json:"change,omitempty"`
	Base     string            `json:"base,omitempty"`
	Why      []string          `json:"why,omitempty"`
	Clash    *record.Clash     `json:"clash,omitempty"`
	Usage    cost.Usage        `json:"usage"`
	MS       int64             `json:"ms"`
	Racers   []Racer           `json:"racers,omitempty"` // of its race; none: no race
	Stage    Stage             `json:"-"`                // of its last claim; empty: no claim
	Ran      []proof.Ran       `json:"-"`                // the checks of its last proof
	last     int               // the highest number of an attempt
	attempts map[int][2]string // its first commit, and its result
	approved string            // the commit a person approved
}

// Racer is one executor of a race as it stands.
type Racer struct {
	choice.Entrant
	Chosen bool `json:"chosen"`
	claim  record.Claim
}

// Status is a run as folded from its nodes. Usage counts tries, reviews and comparisons, not refining, analysing and
// planning, whose cost is in their conversations and debates.
type Status struct {
	Frame    record.Frame
	Way      way.Way
	Refined  *way.Refined  // nil: not yet
	Analyzed *way.Analyzed // nil: not yet
	Planned  *way.Planned  // nil: no plan yet
	Stopped  *way.Stopped  // the last failed phase; nil: none, or it was resumed
	Plan     plan.Plan
	Begun    *record.Begun
	Since    time.Time // when it began
	Tasks    []Task
	Head     string // of the run's branch
	Merges   []record.Merged
	State    State
	Halted   string        // why it is paused; empty: a person paused it
	Said     bool          // the last event is a person's message, which the run applies once it is resumed
	Found    bool          // it continued by itself after its process had died, and nothing was done since
	Bringing *accept.Begun // being accepted, and not recorded as done
	Taken    *accept.Taken
	Request  *accept.Taken // the newest acceptance with a pull or merge request
	Usage    cost.Usage    // of tasks
	Talks    []tree.ID     // the first nodes of conversations that began it, or went on with it
	Checks   int           // runs of checks
	CheckMS  int64
	// It is recorded as paused because its process died.
	pausedDead bool
	Died       bool // it is under way and no process is at it; set by whoever can see that, never by the nodes
}

// Ahead returns the next phase on the run's way; empty: it is at its end. For an executing run only its tasks say
// what is left.
func (s *Status) Ahead() way.Phase {
	for _, p := range s.Way.Phases {
		switch {
		case p == way.Refine && s.Refined != nil, p == way.Analyze && s.Analyzed != nil && s.Analyzed.Text != "",
			p == way.Plan && s.Planned != nil:
		default:
			return p
		}
	}
	return ""
}

// Accepted reports that the whole result was accepted: later merges are not.
func (s *Status) Accepted() bool { return s.Taken != nil && s.Taken.Commit == s.Head }

// Behind returns the last finished phase; empty: none.
func (s *Status) Behind() way.Phase {
	switch {
	case s.Planned != nil:
		return way.Plan
	case s.Analyzed != nil && s.Analyzed.Text != "":
		return way.Analyze
	case s.Refined != nil:
		return way.Refine
	}
	return ""
}

// Options returns those of its execution.
func (s *Status) Options() record.Options {
	if s.Begun != nil {
		return s.Begun.Options
	}
	return s.Way.Options
}

// Merged returns the finished tasks.
func (s *Status) Merged() (done []plan.Task) {
	for _, t := range s.Tasks {
		if t.State == Done {
			done = append(done, t.Task)
		}
	}
	return done
}

// Answered returns points of the decision, by their ids.
func (s *Status) Answered(ids []string) (points []plan.Point) {
	if s.Planned == nil {
		return nil
	}
	for _, p := range s.Planned.Points {
		if slices.Contains(ids, p.ID) {
			points = append(points, p)
		}
	}
	return points
}

// Space returns the folder of its workspaces; empty: it has not begun.
func (s *Status) Space() string {
	if s.Begun == nil {
		return ""
	}
	return s.Begun.Space
}

// Held reports that a person stopped the run, until it is resumed.
func (s *Status) Held() bool { return s.State == Paused || s.State == Cancelled }

// Because is why it is paused, or rests, as part of a sentence; empty: a person paused it.
func (s *Status) Because() string {
	switch {
	case s.pausedDead, s.Died:
		return "its process died"
	case s.Halted == "":
		return ""
	}
	return "no step can start: " + s.Halted
}

// UnderWay reports that the run's process is in the middle of executing it: nothing ended it, and nobody stopped it.
// If no process executes it, that process died.
func (s *Status) UnderWay() bool {
	if s.Stopped != nil || s.Said || s.Held() {
		return false
	}
	return s.State == Open || s.Begun == nil && s.Ahead() != ""
}

// Rests says that the run has ended, or stopped and nobody has said anything about it since. It is for runs that no process executes.
func (s *Status) Rests() bool {
	return !s.Said && (s.State != Asked || s.Stopped != nil || s.UnderWay())
}

// Title returns the title of the run, on one line.
func (s *Status) Title() string {
	if s.Plan.Title != "" {
		return s.Plan.Title
	}
	first, _, _ := strings.Cut(strings.TrimSpace(s.Frame.Asked), "\n")
	return first
}

// Task finds a task by its number.
func (s *Status) Task(id string) *Task {
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Tasks[i]
}

// replan replaces the plan by a new version. A merged or unchanged task keeps its results; another one starts over. A
// step is unchanged only if its text is the same (plan.Task.Same); changed files or checks make it a new one.
func (s *Status) replan(p way.Planned) {
	was := *s
	s.Planned, s.Plan, s.Tasks = &p, p.Plan, nil
	for _, t := range p.Plan.Tasks {
		next := Task{Task: t, State: Waiting}
		if old := was.Task(t.ID); old != nil && (old.State == Done || old.Same(t)) {
			next, next.Task = *old, t
		} else if old != nil {
			next.Attempt, next.last, next.attempts = old.Attempt, old.last, old.attempts
			next.Epoch, next.Usage, next.MS = old.Epoch, old.Usage, old.MS
		}
		s.Tasks = append(s.Tasks, next)
	}
	if s.State = Open; s.Begun == nil {
		s.State = Planned
	}
}

// apply folds the body of one node, committed at a time. Nodes must come in order.
func (s *Status) apply(at time.Time, body any) {
	if talk, ok := body.(way.Talk); ok {
		s.Talks = append(s.Talks, talk.Root)
		return
	}
	failed, isStop := body.(way.Stopped)
	if s.Stopped = nil; isStop { // any other node means that it continues
		s.Stopped = &failed
	}
	s.Said = false
	switch body.(type) {
	case record.Tried, record.Checked, record.Merged, way.Refined, way.Analyzed, way.Planned:
		s.Found = false
	case record.Found:
		s.Found = true
	}
	switch v := body.(type) {
	case way.Way:
		s.Way = v
	case way.Refined:
		s.Refined = &v
	case way.Analyzed:
		s.Analyzed = &v
	case way.Planned:
		s.replan(v)
		s.Said = s.Begun != nil
	case record.Begun:
		s.Begun, s.Head, s.State, s.Since = &v, v.Base.Commit, Open, at
	case record.Order:
		s.applyOrder(v)
	case record.Moved:
		s.applyMove(v)
	case record.Ended:
		s.State, s.Halted, s.pausedDead = State(v.State), v.Why, v.Died
	case accept.Begun:
		if s.Bringing = &v; v.Commit == "" {
			s.Bringing = nil
		}
	case accept.Taken:
		s.Taken, s.Bringing = &v, nil
		if v.URL != "" {
			s.Request = &v
		}
	default:
		s.applyToTask(body)
	}
}

// applyToTask applies a node of a task. If the new plan no longer has the task, its cost still counts.
func (s *Status) applyToTask(body any) {
	task := func(id string) *Task {
		if t := s.Task(id); t != nil {
			return t
		}
		return &Task{attempts: map[int][2]string{}} // nobody reads it
	}
	switch v := body.(type) {
	case record.Claim:
		t := task(v.Task)
		t.addClaim(v)
		t.State, t.Claim, t.Attempt, t.Epoch, t.Executor, t.Base, t.Why = Working, &v, v.Attempt, v.Epoch, v.Executor, v.Base, nil
		t.Stage, s.State = Writing, Open
	case record.Tried:
		t := task(v.Task)
		t.MS, t.Stage = t.MS+v.MS, Checks
		t.attempts[v.Attempt] = [2]string{t.attempts[v.Attempt][0], v.Commit}
		s.addUsage(v.Task, v.Usage)
	case record.Proven:
		t := task(v.Task)
		if t.Ran, t.Stage = v.Verdict.Checks, Writing; v.Verdict.State == proof.Proved {
			t.Stage = InQueue
		}
	case objection.Review:
		s.addUsage(v.Task, v.Usage)
	case choice.Look:
		s.addUsage(v.Task, v.Usage)
	case choice.Choice:
		task(v.Task).applyChoice(v)
	case record.Checked:
		s.Checks, s.CheckMS = s.Checks+1, s.CheckMS+v.MS
	case record.Clash:
		t := task(v.Task)
		t.Clash, t.Stage = &v, Conflict
	case record.Merged:
		t := task(v.Task)
		t.State, t.Commit, t.Change, t.Why = Done, v.Commit, v.Change, nil
		s.Head, s.Merges = v.Commit, append(s.Merges, v)
	case record.GivenUp:
		t := task(v.Task)
		if t.State, t.Why, t.Change = Failed, v.Why, v.Commit; v.Person {
			t.State = Person
		}
	}
}

// addUsage adds usage to a task.
func (s *Status) addUsage(task string, u cost.Usage) {
	if t := s.Task(task); t != nil {
		t.Usage = t.Usage.Add(u)
	}
	s.Usage = s.Usage.Add(u)
}

// addClaim applies a claim: its number, and its racer.
func (t *Task) addClaim(c record.Claim) {
	if t.last = max(t.last, c.Attempt); t.attempts == nil {
		t.attempts = map[int][2]string{}
	}
	t.attempts[c.Attempt] = [2]string{c.Base, t.attempts[c.Attempt][1]}
	if c.Racer == 0 {
		return
	}
	r := Racer{Entrant: choice.Entrant{Attempt: c.Attempt, Executor: c.Executor, Base: c.Base}, claim: c}
	i := slices.IndexFunc(t.Racers, func(r Racer) bool { return r.Attempt == c.Attempt })
	switch {
	case i >= 0:
		t.Racers[i].claim = c
	case len(t.Racers) > 0 && c.Racer == 1: // another race
		t.Racers = []Racer{r}
	default:
		t.Racers = append(t.Racers, r)
	}
}

// Brought returns the first commit of an attempt, and its last result; ok reports whether there is one.
func (t *Task) Brought(attempt int) (base, commit string, ok bool) {
	one := t.attempts[attempt]
	return one[0], one[1], one[1] != ""
}

// applyChoice applies the result of a race.
func (t *Task) applyChoice(c choice.Choice) {
	for i := range t.Racers {
		for _, e := range c.Entrants {
			if e.Attempt == t.Racers[i].Attempt {
				t.Racers[i].Entrant, t.Racers[i].Chosen = e, e.Attempt == c.Best
			}
		}
		if r := t.Racers[i]; r.Chosen {
			t.Claim, t.Attempt, t.Epoch, t.Executor, t.Base = &r.claim, r.Attempt, r.claim.Epoch, r.Executor, r.Base
		}
	}
}

// reset makes a task start over.
func (t *Task) reset() {
	t.State, t.approved, t.Clash, t.Claim, t.Racers = Waiting, "", nil, nil, nil
}

// applyOrder applies a person's order.
func (s *Status) applyOrder(w record.Order) {
	s.Said = w.Verb != "resume"
	switch w.Verb {
	case "pause":
		s.State = Paused
		return
	case "cancel":
		s.State = Cancelled
		return
	}
	if s.State = Open; s.Begun == nil {
		s.State = map[bool]State{true: Planned, false: Asked}[s.Planned != nil]
	}
	t := s.Task(w.Task)
	if t == nil || t.State == Done {
		return
	}
	switch w.Verb {
	case "approve":
		t.State, t.approved = Waiting, w.Commit
	case "retry":
		t.reset()
	case "reassign":
		if t.Given = w.Executor; t.State == Failed || t.State == Person || t.State == Working {
			t.reset()
		}
	case "skip":
		t.State = Skipped
	}
}

// markReady marks whether unfinished tasks can begin. Dependencies come earlier in the plan, so one pass is enough.
func (s *Status) markReady() {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.State != Waiting {
			continue
		}
		t.State = Ready
		for _, need := range t.Needs {
			switch u := s.Task(need); u.State {
			case Done, Skipped:
			case Failed, Person, Blocked:
				t.State, t.Why = Blocked, []string{"step " + need + " " + blocks[u.State]}
			default:
				if t.State == Ready {
					t.State = Waiting
				}
			}
		}
	}
}

var blocks = map[State]string{Failed: "failed", Person: "waits for a person", Blocked: "is blocked"}

// Outcome returns the state of a run whose tasks have all ended or are blocked. One failed step makes the run failed,
// even if another waits for a person.
func (s *Status) Outcome() State {
	out := Done
	for _, t := range s.Tasks {
		switch t.State {
		case Failed:
			return Failed
		case Person:
			out = Person
		}
	}
	return out
}

// Reasons returns why a task is in its state, on one line.
func (t Task) Reasons() string { return strings.Join(t.Why, "; ") }

// Left returns the tasks that are neither merged nor skipped.
func (s *Status) Left() (left []Task) {
	for _, t := range s.Tasks {
		if t.State != Done && t.State != Skipped {
			left = append(left, t)
		}
	}
	return left
}

// Next returns the tasks that could begin, those that most other work waits for first. A step that was running when
// its process died counts as ready: its claim is renewed.
func (s *Status) Next() (ready []Task) {
	weight := s.Plan.Critical()
	for _, t := range s.Tasks {
		if t.State == Ready || t.State == Working { // the latter ran in a process that is gone
			ready = append(ready, t)
		}
	}
	slices.SortStableFunc(ready, func(a, b Task) int { return cmp.Compare(weight[b.ID], weight[a.ID]) })
	return ready
}
