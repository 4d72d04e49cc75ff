package work

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/work/accept"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// State is where a run or a task is.
// It is used for runs and for steps; the comments say which states each can have.
type State string

// The states. A run is asked, planned, open, done, failed or waits for a person.
const (
	Asked     State = "asked"   // of a run: it has no plan yet
	Planned   State = "planned" // and has not begun
	Open      State = "open"    // of a run: begun and not at its end
	Waiting   State = "waiting" // for the tasks it depends on
	Ready     State = "ready"
	Working   State = "working" // claimed, and not reported
	Done      State = "done"    // of a task: merged
	Failed    State = "failed"
	Person    State = "person" // a person decides
	Skipped   State = "skipped"
	Paused    State = "paused"    // of a run: nothing new begins until it is resumed
	Cancelled State = "cancelled" // of a run: what was at work was stopped, too
	Blocked   State = "blocked"   // what it depends on failed, or waits for a person
)

// Task is a task as it stands.
// State follows from the nodes; Claim is the last one that was made for it; Change is what was proved, Commit what
// stands on the branch.
type Task struct {
	plan.Task
	State    State             `json:"state"`
	Attempt  int               `json:"attempt"`
	Epoch    int               `json:"epoch"`
	Executor string            `json:"done_by,omitempty"`
	Given    string            `json:"given_to,omitempty"` // whom a person gave it to; the plan may name another one
	Claim    *record.Claim     `json:"-"`                  // the last one
	Commit   string            `json:"commit,omitempty"`
	Change   string            `json:"change,omitempty"`
	Base     string            `json:"base,omitempty"`
	Why      []string          `json:"why,omitempty"`
	Clash    *record.Clash     `json:"clash,omitempty"`
	Usage    cost.Usage        `json:"usage"`
	MS       int64             `json:"ms"`
	Racers   []Racer           `json:"racers,omitempty"` // of its race; none: there was none
	Stage    Stage             `json:"-"`                // of its last claim; empty: it has none
	Ran      []proof.Ran       `json:"-"`                // the checks of its last proof
	last     int               // the highest number of an attempt
	attempts map[int][2]string // the commit it began with, and the one it brought
	approved string            // the commit a person let through
}

// Racer is one executor of a race as it stands.
type Racer struct {
	choice.Entrant
	Chosen bool `json:"chosen"`
	claim  record.Claim
}

// Status is a run as its nodes tell it.
// Usage counts tries, reviews and comparisons, not refining, analysing and planning, whose cost is in their
// conversations and debates.
type Status struct {
	Frame    record.Frame
	Way      way.Way
	Refined  *way.Refined  // nil: not yet
	Analyzed *way.Analyzed // nil: not yet
	Planned  *way.Planned  // nil: there is no plan yet
	Stopped  *way.Stopped  // the phase that failed last; nil: none did, or it was gone on with
	Plan     plan.Plan
	Begun    *record.Begun
	Since    time.Time // when it was begun
	Tasks    []Task
	Head     string // of the run's branch
	Merges   []record.Merged
	State    State
	Halted   string        // why it is paused; empty: a person paused it
	Said     bool          // a person's word is the last that happened; a run goes on from there once it is resumed
	Found    bool          // it went on by itself after its process had died, and nothing was done since
	Bringing *accept.Begun // being brought in, and not recorded as done
	Taken    *accept.Taken
	Request  *accept.Taken // the newest one by a pull or merge request
	Usage    cost.Usage    // of tasks
	Checks   int           // runs of checks
	CheckMS  int64
	died     bool // it is paused because its process died
	Died     bool // it is under way and no process is at it; set by whoever can see that, never by the nodes
}

// Ahead is the next phase on the run's way; empty: it is at its end. Of a run that executes, only its tasks say what is left.
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

// Accepted says that all of the result was brought in: what was merged since a part of it was, is not.
func (s *Status) Accepted() bool { return s.Taken != nil && s.Taken.Commit == s.Head }

// Behind is the last phase that is done; empty: none is.
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

// Options are those of its execution.
func (s *Status) Options() record.Options {
	if s.Begun != nil {
		return s.Begun.Options
	}
	return s.Way.Options
}

// Merged are the tasks that are done.
func (s *Status) Merged() (done []plan.Task) {
	for _, t := range s.Tasks {
		if t.State == Done {
			done = append(done, t.Task)
		}
	}
	return done
}

// Answered are points of the decision, by their ids.
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

// Space is the folder in which its steps are done; empty: it has not begun.
func (s *Status) Space() string {
	if s.Begun == nil {
		return ""
	}
	return s.Begun.Space
}

// Held says that a person stopped the run, until it is resumed.
func (s *Status) Held() bool { return s.State == Paused || s.State == Cancelled }

// Because is why it is paused, or rests, as part of a sentence; empty: a person paused it.
func (s *Status) Because() string {
	switch {
	case s.died, s.Died:
		return "its process died"
	case s.Halted == "":
		return ""
	}
	return "no step can start: " + s.Halted
}

// UnderWay says that whoever carries the run out is in the middle of it: nothing ended it, and nobody stopped it. Without a process at
// it, that process died.
func (s *Status) UnderWay() bool {
	if s.Stopped != nil || s.Said || s.Held() {
		return false
	}
	return s.State == Open || s.Begun == nil && s.Ahead() != ""
}

// Title is what the run is about, on one line.
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

// replan puts a version of the plan in the place of the one before. A task that is merged, or as it was, keeps what it came to; another
// one starts over.
// A step keeps its results only if its text is the same (plan.Task.Same); changed files or checks make it a new one.
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

// apply folds the body of one node in, which was committed at a time. Nodes must come in their order.
func (s *Status) apply(at time.Time, body any) {
	failed, isStop := body.(way.Stopped)
	if s.Stopped = nil; isStop { // whatever else comes, it goes on
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
		s.State, s.Halted, s.died = State(v.State), v.Why, v.Died
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

// applyToTask takes in what happens to a task. What has no task any more, since the plan has a new version, costs all the same.
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

// addUsage takes in what was used for a task.
func (s *Status) addUsage(task string, u cost.Usage) {
	if t := s.Task(task); t != nil {
		t.Usage = t.Usage.Add(u)
	}
	s.Usage = s.Usage.Add(u)
}

// addClaim takes in a claim: its number, and whose lane of a race it is.
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

// Brought is what an attempt began with, and the commit it brought last. ok: it brought one.
func (t *Task) Brought(attempt int) (base, commit string, ok bool) {
	one := t.attempts[attempt]
	return one[0], one[1], one[1] != ""
}

// applyChoice takes in how a race ended.
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

// reset has a task begin again.
func (t *Task) reset() {
	t.State, t.approved, t.Clash, t.Claim, t.Racers = Waiting, "", nil, nil, nil
}

// applyOrder takes what a person said.
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

// markReady says of tasks that are not at their end whether they can begin.
// Needs come earlier in the plan, so one pass is enough.
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

// Outcome is what a run came to whose tasks are all at an end or blocked.
// One failed step makes the run failed, even if a person is asked about another.
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

// Reasons are why a task is where it is, on one line.
func (t Task) Reasons() string { return strings.Join(t.Why, "; ") }

// Left are the tasks that are neither merged nor skipped.
func (s *Status) Left() (left []Task) {
	for _, t := range s.Tasks {
		if t.State != Done && t.State != Skipped {
			left = append(left, t)
		}
	}
	return left
}

// Next are the tasks that could begin, those first that most other work waits for.
// A step that was at work when its process died counts as ready: its claim is renewed.
func (s *Status) Next() (ready []Task) {
	weight := s.Plan.Critical()
	for _, t := range s.Tasks {
		if t.State == Ready || t.State == Working { // a process that is gone was at work on the latter
			ready = append(ready, t)
		}
	}
	slices.SortStableFunc(ready, func(a, b Task) int { return cmp.Compare(weight[b.ID], weight[a.ID]) })
	return ready
}
