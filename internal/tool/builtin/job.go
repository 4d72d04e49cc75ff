package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// jobStart is of effect Runs, and is decided about like bash.
var jobStart = register(tool.New("job_start",
	"Starts a shell script in the background, such as a server or a watcher. It ends with "+
		"the conversation.", tool.Runs, startJob))

// jobOutput is of effect Talks: the job was decided about when it began.
var jobOutput = register(tool.New("job_output",
	"Shows a background job's new output and whether it is running.",
	tool.Talks, lookAtJob))

// jobKill is of effect Talks: whoever started a job may end it.
var jobKill = register(tool.New("job_kill", "Ends a background job.", tool.Talks, killJob))

// mostJobs is how many may run at once.
const mostJobs = 8

// jobs are the background jobs of a conversation. A job stays on the list after its end, so that its output can still
// be read; numbers are never reused. The lock of the list is taken before that of a job.
type jobs struct {
	mu  sync.Mutex
	all []*job
}

// job is a running script. mu guards out and what is known after its end; done is closed then.
type job struct {
	id     int
	text   string
	cancel context.CancelFunc
	done   chan struct{}

	mu  sync.Mutex
	out ends
	// How many bytes of the output the model has seen.
	seen   int
	status int
	over   string // what the system reported about its end
	err    error
}

// newJob returns a job that run must still begin and add must number.
func newJob(text string, cancel context.CancelFunc) *job {
	return &job{text: text, cancel: cancel, done: make(chan struct{})}
}

// run runs a script to its end. Its remaining programs are ended before done is closed.
func (j *job) run(ctx context.Context, s *shell.Session, script *shell.Script, env tool.Env) {
	defer close(j.done)
	status, err := s.Run(ctx, script, hooks(ctx, env), j)
	over := together(env)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.status, j.over, j.err = status, over, err
}

// add gives a job its number.
func (js *jobs) add(j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.all = append(js.all, j)
	j.id = len(js.all)
}

// Write implements io.Writer.
func (j *job) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.Write(p)
}

// Close ends all jobs and waits until they have ended.
func (js *jobs) Close() error {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.all {
		j.cancel()
	}
	for _, j := range js.all {
		<-j.done
	}
	return nil
}

// Busy reports whether one is running.
func (js *jobs) Busy() bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	return slices.ContainsFunc(js.all, (*job).running)
}

// find returns the job of a number; its error is for the model.
func (js *jobs) find(id int) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.all {
		if j.id == id {
			return j, nil
		}
	}
	return nil, fmt.Errorf("there is no job %d; job_start returns the number of its job", id)
}

// running reports whether the job, or anything left of it, still runs.
func (j *job) running() bool {
	select {
	case <-j.done:
		return false
	default:
		return true
	}
}

// jobStartArgs is a script without a time limit.
type jobStartArgs struct {
	Command string `json:"command" jsonschema:"a bash script"`
}

// startJob starts a script in a shell of its own, in the current folder of the conversation's shell. It outlives the
// call, and ends by the person, the model or the end of the conversation.
func startJob(ctx context.Context, a jobStartArgs, env tool.Env) (tool.Output, error) {
	if env.Session == nil {
		return tool.Output{}, errors.New("a job needs a conversation")
	}
	w, err := shop(env)
	if err != nil {
		return tool.Output{}, fmt.Errorf("start a shell: %w", err)
	}
	script, err := allowed(ctx, env, w.session, a.Command)
	if err != nil {
		return tool.Output{}, err
	}
	js := tool.Of(env.Session, func() *jobs { return &jobs{} })
	js.mu.Lock()
	defer js.mu.Unlock()
	if live := slices.DeleteFunc(slices.Clone(js.all), func(j *job) bool { return !j.running() }); len(live) >= mostJobs {
		return tool.Output{}, fmt.Errorf("%d jobs are already running; end one with job_kill", mostJobs)
	}
	s, err := shell.NewSession(w.session.Context().Dir, variables(env, w.temp.Path))
	if err != nil {
		return tool.Output{}, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the call
	j := newJob(a.Command, cancel)
	js.all = append(js.all, j)
	j.id = len(js.all)
	tool.BackgroundOf(env.Session).Add(j.shown())
	env.Out = nil
	go j.run(running, s, script, env)
	return output(fmt.Sprintf("Job %d runs. Look at it with job_output, end it with job_kill.\n", j.id), "job %d: %s", j.id,
		firstLine(a.Command)), nil
}

// jobOutputArgs is a job, and how long to wait for its end before showing it.
type jobOutputArgs struct {
	ID      int `json:"id" jsonschema:"the number job_start gave"`
	Seconds int `json:"wait_seconds,omitempty" jsonschema:"wait this long for it to end, 60 at most"`
}

// lookAtJob shows each part of a job's output once. What exceeds a page is cut from the beginning: in a server's log
// the newest counts.
func lookAtJob(ctx context.Context, a jobOutputArgs, env tool.Env) (tool.Output, error) {
	j, err := tool.Of(env.Session, func() *jobs { return &jobs{} }).find(a.ID)
	if err != nil {
		return tool.Output{}, err
	}
	if a.Seconds > 0 {
		select {
		case <-j.done:
		case <-ctx.Done():
		case <-time.After(min(time.Duration(a.Seconds), 60) * time.Second):
		}
	}
	running := j.running()
	j.mu.Lock()
	defer j.mu.Unlock()
	text := j.out.since(j.seen)
	if j.seen = j.out.total; !running {
		text, j.over = text+j.over, ""
	}
	state := j.state(running)
	return output(fmt.Sprintf("[job %d: %s]\n%s", j.id, state, text), "job %d: %s", j.id, state), nil
}

// state describes the state of a job in words. The caller holds mu.
func (j *job) state(running bool) string {
	switch {
	case running:
		return "running"
	case errors.Is(j.err, context.Canceled):
		return "was ended"
	case j.err != nil:
		return "ended: " + j.err.Error()
	}
	return fmt.Sprintf("ended with status %d", j.status)
}

// shown returns the job as the person sees it. The model still has to be shown what they look at.
func (j *job) shown() tool.Job {
	return tool.Job{ID: j.id, Command: j.text, Look: func() (tail, state string, running bool) {
		running = j.running()
		j.mu.Lock()
		defer j.mu.Unlock()
		return clean.Text(string(j.out.tail)), j.state(running), running
	}, End: func() {
		j.cancel()
		<-j.done
	}}
}

// since returns what was written after the first seen bytes: the newest part if that is more than is kept or shown.
func (e *ends) since(seen int) string {
	fresh := e.total - seen
	kept := min(fresh, len(e.tail), most)
	text := clean.Text(string(e.tail[len(e.tail)-kept:]))
	if kept == fresh {
		return text
	}
	return fmt.Sprintf("[%d bytes left out here]\n", fresh-kept) + text
}

// jobKillArgs is a job.
type jobKillArgs struct {
	ID int `json:"id" jsonschema:"the number job_start gave"`
}

// killJob returns when the job has ended. It is no error if the job has ended already.
func killJob(_ context.Context, a jobKillArgs, env tool.Env) (tool.Output, error) {
	j, err := tool.Of(env.Session, func() *jobs { return &jobs{} }).find(a.ID)
	if err != nil {
		return tool.Output{}, err
	}
	j.shown().End()
	return output(fmt.Sprintf("Job %d has ended.\n", j.id), "job %d ended", j.id), nil
}
