// Package fleet is the protocol between a hub and its workers: the names of subjects, and the messages as JSON.
//
// A hub gives tasks to workers on other machines. A task is one call of a model: a seat's turn, or an executor's. Four calls carry
// it, each a request that the hub answers:
//
//   - claim: a worker takes a task that the queue handed it, and gets its epoch and what is to be done.
//   - beat: it is still at work. The answer tells it to go on, or that it must stop.
//   - node: a part of the answer, numbered from 0 and sent again until the hub has it.
//   - done: how the call ended.
//
// A task has one epoch, a counter in the hub's database. Only the hub raises it, when it grants a claim; every write carries it, and
// is refused with Stale unless it is the current one. So a worker that slept through its lease changes nothing any more.
// The queue decides only who hears of a task first; the truth is in the hub's database (package lease).
//
// The package imports nothing that talks to a network. Names of workers, pools and seats are checked by Named before they become
// part of a subject.
package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// named is the form of the names of workers and pools.
var named = pattern.Of(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// Named is an error if a worker or a pool cannot be called so.
func Named(name string) error {
	if !named().MatchString(name) {
		return fmt.Errorf("%q is not a name: use up to 32 lower-case letters, digits and dashes", name)
	}
	return nil
}

// Queue is the name of the queue of what a pool offers: the pool, and what tells a seat's spec from others. It is a token of NATS
// subjects and the name of a consumer.
func Queue(pool, seat string) string {
	sum := sha256.Sum256([]byte(seat))
	return pool + "_" + hex.EncodeToString(sum[:6])
}

// Offer is what a worker has, said when it connects and when that changes.
type Offer struct {
	Build  string    `json:"build"`            // the worker's version
	Speaks int       `json:"speaks,omitempty"` // see package release; 0: the first
	Clock  time.Time `json:"clock,omitzero"`   // what time the worker has
	Pools  []string  `json:"pools,omitempty"`  // besides its own, which is called as it is
	Seats  []Seat    `json:"seats"`
}

// Seat is a model that a worker lets others ask.
type Seat struct {
	Spec  string   `json:"spec"`  // as the worker's owner would write it: claude, openai:big
	Slots int      `json:"slots"` // how many calls at once; at least 1
	Info  llm.Info `json:"info"`
}

// Admitted is the hub's answer to an offer.
type Admitted struct {
	Paused     bool          `json:"paused,omitempty"` // it is to take nothing until it is told otherwise
	Build      string        `json:"build,omitempty"`  // the hub's version
	Speaks     int           `json:"speaks,omitempty"` // see package release; 0: the first
	Credential string        `json:"credential"`       // a JWT for the worker's key, with the rights for what it offers
	Queues     []string      `json:"queues"`           // one for each seat and pool, in the order of seats, then pools
	Lease      time.Duration `json:"lease"`            // without a beat for so long, the task goes to another
	Beat       time.Duration `json:"beat"`             // how often to beat
	Web        string        `json:"web"`              // https://HOST:PORT, where code and large requests are
	Refused    string        `json:"refused,omitempty"`
}

// Verdict is what the hub says of a worker's call.
type Verdict string

// The verdicts. OK: it counts. Stale: another holds the task, or nobody may any more: stop, and send nothing of it again. Busy:
// another holds it and lives. Gone: there is no such task, or it is done. Cancel: stop, and report done. Drain: finish this one, and
// claim no more. Again: make your offer again, for what is granted has changed.
const (
	OK     Verdict = "ok"
	Stale  Verdict = "stale"
	Busy   Verdict = "busy"
	Gone   Verdict = "gone"
	Cancel Verdict = "cancel"
	Drain  Verdict = "drain"
	Again  Verdict = "again"
)

// Claim takes a task. Inst tells runs of the same worker apart: a new one takes over what the old one held. Without it the task is
// handed back.
// Reply is the subject by which the queue's delivery is acknowledged; only the hub uses it.
type Claim struct {
	Task  string `json:"task"`
	Inst  string `json:"inst"`
	Reply string `json:"reply"`
}

// Claimed answers a claim. Without OK only Verdict is set.
type Claimed struct {
	Verdict Verdict         `json:"verdict"`
	Epoch   int             `json:"epoch,omitempty"`
	Seat    string          `json:"seat,omitempty"`    // the spec that is to answer
	Request json.RawMessage `json:"request,omitempty"` // an llm.Request without its functions; empty: it is at Web, under the task
	Base    string          `json:"base,omitempty"`    // the commit to work on; empty: no files are needed
	Works   bool            `json:"works,omitempty"`   // it may change files, and must ask before each use of a tool
	Pass    string          `json:"pass,omitempty"`    // lets this epoch fetch from Web and push to it
}

// Beat says that a worker is at work.
type Beat struct {
	Task  string `json:"task"`
	Inst  string `json:"inst"`
	Epoch int    `json:"epoch"`
}

// Node is a part of an answer. First is the number of its first delta.
type Node struct {
	Task   string      `json:"task"`
	Epoch  int         `json:"epoch"`
	First  int         `json:"first"`
	Deltas []llm.Delta `json:"deltas"`
}

// Done is how a call ended. Count is how many deltas it had in all. Those that the hub does not have yet may come with it; a hub that
// does not take them says so by Told.Have.
type Done struct {
	Task   string         `json:"task"`
	Epoch  int            `json:"epoch"`
	Count  int            `json:"count"`
	First  int            `json:"first,omitempty"` // the number of the first of Deltas
	Deltas []llm.Delta    `json:"deltas,omitempty"`
	Failed *trouble.Error `json:"failed,omitempty"` // nil: the last delta has its end
	Commit string         `json:"commit,omitempty"` // what it made of the files, pushed before; empty: it changed nothing
}

// May asks whether a program may use one of its tools. The same N asks again, until there is an answer.
type May struct {
	Task  string   `json:"task"`
	Epoch int      `json:"epoch"`
	N     int      `json:"n"`
	Call  llm.Call `json:"call"`
}

// Told answers a beat, a node, a done or a may. Have is how many deltas the hub has, of a node or a done; with fewer than its Count the
// task goes on. Busy answers a may that nobody has
// decided yet.
type Told struct {
	Verdict Verdict `json:"verdict"`
	Have    int     `json:"have,omitempty"`
	No      string  `json:"no,omitempty"` // why a tool may not be used
}

// The subjects. A worker publishes to those that end with its own name and to no other.
const (
	Tasks   = "task"      // task.QUEUE: the stream; a message's body is the task's name
	Stream  = "TASKS"     // its name
	OfferTo = "hub.offer" // hub.offer.WORKER, and so on
	ClaimTo = "hub.claim"
	BeatTo  = "hub.beat"
	NodeTo  = "hub.node"
	DoneTo  = "hub.done"
	MayTo   = "hub.may"
	Join    = "hub.join" // with a join token alone
	Control = "ctl"      // ctl.WORKER: the hub says Cancel or Drain of a task without waiting for a beat
)
