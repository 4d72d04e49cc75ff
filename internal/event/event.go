// Package event sends events of debates and conversations to a program's stdin or a webhook, as CloudEvents 1.0.
//
// It is told after the fact and at most once, and what fails changes nothing but a sentence to the user.
//
// A [Hook] is somebody who wants to hear of some kinds of [Event]; a [Teller] tells them while the program goes on.
// The id of an event is that of the node that says so, so a receiver that hears of one twice, from two processes, can
// tell. Nothing is told again in a later run: what was missed can be read from the store. Events are small whatever
// the debate holds; a receiver that wants more asks for it by name. Programs get what a login has of the environment
// and no key (package process); webhooks are signed if a secret is set, and no redirect is followed, because the
// address itself may be one.
package event

import (
	"encoding/json"
	"strings"
	"time"
)

// Name is what happened.
type Name string

// What can happen.
const (
	Started    Name = "debate_started"
	Consensus  Name = "consensus_reached" // a debate has named a winner
	Person     Name = "person_needed"     // it has not, or it asks a person something
	Ended      Name = "debate_ended"
	Permit     Name = "permission_asked" // a conversation waits for a person
	TurnDone   Name = "turn_done"        // what was said was answered, or ended otherwise
	RunStarted Name = "run_started"      // a plan is about to be carried out
	TaskDone   Name = "task_done"        // a step of it is merged
	TaskFailed Name = "task_failed"      // nobody is left to do it
	Conflict   Name = "conflict"         // two steps do not go together
	RunDone    Name = "run_done"         // a run has come as far as it goes by itself
)

// Event is something that happened, once.
// Data must not change any more once it was told.
type Event struct {
	Name Name
	ID   string // of the node that says so: the same event has the same id, whoever tells it
	At   time.Time
	// Subject is the debate or the tree of which Data tells: a Debate or a Turn.
	Subject string
	Data    any
}

// Debate is what is told of a debate: small, whatever the debate holds.
type Debate struct {
	Room      string   `json:"room"`
	Question  string   `json:"question"`
	Folder    string   `json:"folder"`
	Outcome   string   `json:"outcome,omitempty"` // this and what follows: once it has ended
	Winner    string   `json:"winner,omitempty"`  // the option's text; empty: none won
	Score     *float64 `json:"score,omitempty"`
	ExitCode  *int     `json:"exit_code,omitempty"`
	Rehearsal bool     `json:"rehearsal,omitempty"` // no model took part
	Test      bool     `json:"test,omitempty"`      // nothing happened: it is a trial of the wiring
}

// Turn is what is told of a turn of a conversation: what was said and what came of it. Of tokens and money it tells what
// the turn used until then.
type Turn struct {
	Tree    string   `json:"tree"`
	Said    string   `json:"said,omitempty"` // empty: it is an answer to the same once more
	Folder  string   `json:"folder"`
	Model   string   `json:"model"`
	Phase   string   `json:"phase"`
	Mode    string   `json:"mode"`
	Tool    string   `json:"tool,omitempty"` // that waits for the person
	Asks    []string `json:"asks,omitempty"` // what would happen, or the question
	Why     string   `json:"why,omitempty"`
	State   string   `json:"state,omitempty"` // this and what follows: once it has ended
	Reason  string   `json:"reason,omitempty"`
	Denied  int      `json:"denied,omitempty"` // calls that were refused
	Calls   int      `json:"calls"`            // of the model
	Tokens  Tokens   `json:"tokens"`
	USD     float64  `json:"cost_usd"`
	Known   bool     `json:"cost_known"`
	Changed []string `json:"files_changed"`
	Test    bool     `json:"test,omitempty"`
}

// Run is what is told of a run of a plan.
type Run struct {
	Run       string   `json:"run"`
	Title     string   `json:"title"`
	Folder    string   `json:"folder"`
	Step      string   `json:"step,omitempty"` // it is about
	StepTitle string   `json:"step_title,omitempty"`
	Why       []string `json:"why,omitempty"`
	State     string   `json:"state,omitempty"` // of the run, once it has ended: done, failed or person
	Steps     int      `json:"steps"`
	Done      int      `json:"done"` // steps that are merged
	USD       float64  `json:"cost_usd"`
	Test      bool     `json:"test,omitempty"`
}

// Tokens are those a turn used; In has those of the cache.
type Tokens struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// JSON is the event in the structured form of CloudEvents 1.0.
func (e Event) JSON() ([]byte, error) {
	return json.Marshal(struct {
		Version string    `json:"specversion"`
		ID      string    `json:"id"`
		Source  string    `json:"source"`
		Type    string    `json:"type"` // dev.socrates.debate.started and its like
		Subject string    `json:"subject"`
		Time    time.Time `json:"time"`
		Content string    `json:"datacontenttype"`
		Data    any       `json:"data"`
	}{"1.0", e.ID, "https://github.com/socrates-cli/socrates", "dev.socrates." + strings.ReplaceAll(string(e.Name), "_", "."), e.Subject,
		e.At.UTC(), "application/json", e.Data})
}
