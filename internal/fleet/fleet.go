// Package fleet is the protocol between a hub and its workers: the names of subjects, and the messages as JSON.
//
// A hub gives tasks to workers on other machines. A task is one call of a model: a seat's turn, or an executor's. It
// uses four calls, each a request that the hub answers:
//
//   - claim: a worker takes a task that the queue delivered, and gets its epoch and request.
//   - beat: it is still working. The answer tells it to continue or to stop.
//   - node: a part of the answer, numbered from 0 and repeated until the hub has it.
//   - done: how the call ended.
//
// A task has one epoch, a counter in the hub's database. Only the hub raises it, when it grants a claim; every write
// carries it, and is refused with Stale unless it is the current one. So a worker that slept through its lease
// changes nothing. The queue only decides who gets a task first; the hub's database (package lease) is authoritative.
//
// The package imports nothing that talks to a network. Names of workers, pools and seats are checked by Named before
// they become part of a subject.
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

// named matches the names of workers and pools.
var named = pattern.Of(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// Named returns an error for an invalid name of a worker or a pool.
func Named(name string) error {
	if !named().MatchString(name) {
		return fmt.Errorf("%q is not a name: use up to 32 lower-case letters, digits and dashes", name)
	}
	return nil
}

// Queue returns the name of the queue for a seat of a pool: the pool, and a hash of the seat's spec. It is a token of
// NATS subjects and the name of a consumer.
func Queue(pool, seat string) string {
	sum := sha256.Sum256([]byte(seat))
	return pool + "_" + hex.EncodeToString(sum[:6])
}

// Offer is what a worker provides, sent when it connects and on changes.
type Offer struct {
	Build  string    `json:"build"`            // the worker's version
	Speaks int       `json:"speaks,omitempty"` // see package release; 0: the first
	Clock  time.Time `json:"clock,omitzero"`   // the worker's time
	Pools  []string  `json:"pools,omitempty"`  // besides its own, which has its name
	Seats  []Seat    `json:"seats"`
}

// Seat is a model that a worker provides.
type Seat struct {
	Spec  string   `json:"spec"`  // as the worker's owner writes it: claude, openai:big
	Slots int      `json:"slots"` // concurrent calls; at least 1
	Info  llm.Info `json:"info"`
}

// Admitted is the hub's answer to an offer.
type Admitted struct {
	Paused     bool          `json:"paused,omitempty"` // it must take nothing until told otherwise
	Build      string        `json:"build,omitempty"`  // the hub's version
	Speaks     int           `json:"speaks,omitempty"` // see package release; 0: the first
	Credential string        `json:"credential"`       // a JWT for the worker's key, with the rights for what it offers
	Queues     []string      `json:"queues"`           // one for each seat and pool, in the order of seats, then pools
	Lease      time.Duration `json:"lease"`            // after this long without a beat, the task goes to another
	Beat       time.Duration `json:"beat"`             // the interval of beats
	Web        string        `json:"web"`              // https://HOST:PORT of code and large requests
	Refused    string        `json:"refused,omitempty"`
}

// Verdict is the hub's answer to a worker's call.
type Verdict string

// The verdicts. OK: it counts. Stale: another worker holds the task, or none may: stop, and send nothing more for it.
// Busy: another live worker holds it. Gone: there is no such task, or it is done. Cancel: stop, and report done.
// Drain: finish this one, and claim no more. Again: repeat your offer, because the grant has changed.
const (
	OK     Verdict = "ok"
	Stale  Verdict = "stale"
	Busy   Verdict = "busy"
	Gone   Verdict = "gone"
	Cancel Verdict = "cancel"
	Drain  Verdict = "drain"
	Again  Verdict = "again"
)

// Claim takes a task. Inst identifies a run of the worker: a new one takes over the tasks of the old. Without it the
// task is returned. Reply is the subject by which the queue's delivery is acknowledged; only the hub uses it.
type Claim struct {
	Task  string `json:"task"`
	Inst  string `json:"inst"`
	Reply string `json:"reply"`
}

// Claimed answers a claim. Unless the verdict is OK only Verdict is set.
type Claimed struct {
	Verdict Verdict         `json:"verdict"`
	Epoch   int             `json:"epoch,omitempty"`
	Seat    string          `json:"seat,omitempty"`    // the spec of the answering seat
	Request json.RawMessage `json:"request,omitempty"` // an llm.Request without its functions; empty: fetch it from Web, by the task
	Base    string          `json:"base,omitempty"`    // the commit to work on; empty: no files are needed
	Works   bool            `json:"works,omitempty"`   // it may change files, and must ask before each use of a tool
	Pass    string          `json:"pass,omitempty"`    // allows this epoch to fetch from Web and push to it
}

// Beat reports that a worker is working.
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

// Done is how a call ended. Count is the total number of its deltas. It may carry those that the hub does not have
// yet; a hub that does not accept them says so by Told.Have.
type Done struct {
	Task   string         `json:"task"`
	Epoch  int            `json:"epoch"`
	Count  int            `json:"count"`
	First  int            `json:"first,omitempty"` // the number of the first of Deltas
	Deltas []llm.Delta    `json:"deltas,omitempty"`
	Failed *trouble.Error `json:"failed,omitempty"` // nil: the last delta has its end
	Commit string         `json:"commit,omitempty"` // the pushed changes of files; empty: none
}

// May asks whether a program may use one of its tools. The same N asks again, until there is an answer.
type May struct {
	Task  string   `json:"task"`
	Epoch int      `json:"epoch"`
	N     int      `json:"n"`
	Call  llm.Call `json:"call"`
}

// Told answers a beat, a node, a done or a may. Have is how many deltas the hub has, for a node or a done; with fewer
// than its Count the task is not over. Busy answers a may that nobody has decided yet.
type Told struct {
	Verdict Verdict `json:"verdict"`
	Have    int     `json:"have,omitempty"`
	No      string  `json:"no,omitempty"` // why a tool may not be used
}

// The subjects. A worker publishes only to those that end with its own name.
const (
	Tasks   = "task"      // task.QUEUE: the stream; a message's body identifies the task
	Stream  = "TASKS"     // its name
	OfferTo = "hub.offer" // hub.offer.WORKER, and so on
	ClaimTo = "hub.claim"
	BeatTo  = "hub.beat"
	NodeTo  = "hub.node"
	DoneTo  = "hub.done"
	MayTo   = "hub.may"
	Join    = "hub.join" // with only a join token
	Control = "ctl"      // ctl.WORKER: the hub sends Cancel or Drain for a task without waiting for a beat
)
