// Package bus carries the messages between a hub and its workers (package fleet) over NATS, and holds the queue of tasks.
//
// A hub opens it with Open, which starts a server inside this process with an authority, keys and a queue of its own, or uses the
// cluster that its operator already runs. A worker gets in once, with a token that the hub made (Join), and connects with the key it
// made then (Dial). What a worker may publish and hear is in the credential that the hub signs for its key: its own calls, its own
// answers, and the next task of the queues it was granted. Nobody but the hub acknowledges a delivery.
//
// The queue is no truth: it may forget a task or hand it out twice. Whoever holds the truth puts back what is missing (Put does
// nothing for a task that is in the queue) and answers a claim for what is done with fleet.Gone.
//
// Workers that share a queue trust each other with its tasks: one can make the server drop another's delivery, which costs a lease and
// no result. Different trust needs different pools.
//
// No other package imports NATS.
package bus

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Errors of a worker's calls, for errors.Is. Unreachable: no answer in time, asking again is right. Refused: the hub answered that it
// will not, and asking again changes nothing. TooLarge: the message was not sent. Offer, which is Refused, too: it knows the worker, and
// another token would not help. Unknown: nobody joined under that name. Runs: another process
// answers with this key.
var (
	ErrUnreachable = errors.New("the hub does not answer")
	ErrRefused     = errors.New("the hub refused")
	ErrTooLarge    = errors.New("the message is too large")
	ErrUnknown     = errors.New("no worker is named")
	ErrRuns        = errors.New("already runs")
	ErrOffer       = fmt.Errorf("%w what this worker offers", ErrRefused)
)

const (
	maxPayload   = 8 << 20             // bytes of one message
	maxBody      = 256                 // bytes of a message in the queue, its header included; answers of the server's own are larger
	maxWaiting   = 16384               // workers that wait for one queue
	granted      = 24 * time.Hour      // how long a credential with rights lasts
	kept         = 90 * 24 * time.Hour // how long the one lasts that may only make an offer, without being renewed
	grantedThere = time.Hour           // the same where the hub cannot revoke it
	headRefuse   = "Socrates-Refused"
	headLater    = "Socrates-Later"
	headTask     = "Socrates-Task"
)

// inbox is where a worker's answers go, without the part that tells them apart. No worker's name has a "_".
func inbox(worker string) string { return "_INBOX_" + worker }

// hubInbox is where the hub's own answers go: no worker's inbox begins so.
const hubInbox = "_HUB"

// subjectOf is the subject of a task in a queue.
func subjectOf(queue, task string) string { return fleet.Tasks + "." + queue + "." + task }

// token is the form of names of queues and tasks: a part of a subject.
var token = pattern.Of(`^[A-Za-z0-9_-]{1,128}$`)

// tokens is an error if one of them cannot be part of a subject.
func tokens(what ...string) error {
	for _, w := range what {
		if !token().MatchString(w) {
			return fmt.Errorf("%q cannot name a queue or a task: use up to 128 letters, digits, dashes and underscores", w)
		}
	}
	return nil
}

// after is what follows the last of a subject's n-th dot; empty if it has fewer.
func after(subject string, n int) string {
	parts := strings.SplitN(subject, ".", n+1)
	if len(parts) <= n {
		return ""
	}
	return parts[n]
}
