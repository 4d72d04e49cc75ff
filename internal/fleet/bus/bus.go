// Package bus carries the messages between a hub and its workers (package fleet) over NATS, and holds the queue of
// tasks.
//
// A hub opens it with Open, which starts a server inside this process with an authority, keys and a queue of its own,
// or uses the cluster that its operator already runs. A worker joins once, with a token from the hub (Join), and
// connects with the key it made then (Dial). The credential that the hub signs for its key says what a worker may
// publish and receive: its own calls, its own answers, and the next task of the queues it was granted. Only the hub
// acknowledges a delivery.
//
// The queue is not authoritative: it may lose a task or deliver it twice. The owner of the table of tasks puts back
// what is missing (Put does nothing for a task that is in the queue) and answers a claim for a finished task with
// fleet.Gone.
//
// Workers that share a queue trust each other with its tasks: one can make the server drop another's delivery, which
// costs a lease but no result. Workers that do not trust each other need different pools.
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

// Errors of a worker's calls, for errors.Is. Unreachable: no answer in time; retry. Refused: the hub refused; a retry
// changes nothing. TooLarge: the message was not sent. Offer, which is also Refused: the hub knows the worker, and
// another token would not help. Unknown: nobody joined under that name. Runs: another process uses this key.
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
	maxBody      = 256                 // bytes of a message in the queue, including its header; the server's own answers are larger
	maxWaiting   = 16384               // workers waiting for one queue
	granted      = 24 * time.Hour      // lifetime of a credential with rights
	kept         = 90 * 24 * time.Hour // lifetime of one that may only make an offer, unless renewed
	grantedThere = time.Hour           // the first, if the hub cannot revoke it
	headRefuse   = "Socrates-Refused"
	headLater    = "Socrates-Later"
	headTask     = "Socrates-Task"
)

// inbox is the prefix of a worker's answers. No worker's name contains a "_".
func inbox(worker string) string { return "_INBOX_" + worker }

// hubInbox is the prefix of the hub's own answers: no worker's inbox begins with it.
const hubInbox = "_HUB"

// subjectOf returns the subject of a task in a queue.
func subjectOf(queue, task string) string { return fleet.Tasks + "." + queue + "." + task }

// token matches names of queues and tasks: a part of a subject.
var token = pattern.Of(`^[A-Za-z0-9_-]{1,128}$`)

// tokens returns an error if one of them cannot be part of a subject.
func tokens(what ...string) error {
	for _, w := range what {
		if !token().MatchString(w) {
			return fmt.Errorf("%q cannot name a queue or a task: use up to 128 letters, digits, dashes and underscores", w)
		}
	}
	return nil
}

// after returns what follows a subject's n-th dot; empty if it has fewer.
func after(subject string, n int) string {
	parts := strings.SplitN(subject, ".", n+1)
	if len(parts) <= n {
		return ""
	}
	return parts[n]
}
