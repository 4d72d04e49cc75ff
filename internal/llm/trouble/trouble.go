// Package trouble classifies failed model calls by what can be done about them.
//
// Every adapter ends a failed call with an [*Error], unless the context ended it. Its Kind decides what happens:
// whether the call is repeated, whether another model takes over, what a person is told to do, and which exit code a
// command has. It is therefore deliberately coarse. Message is one line in the vendor's words, without secrets.
package trouble

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/plain"
)

// Kind classifies a failure by what can be done about it.
type Kind string

// The kinds of failure.
const (
	Auth       Kind = "auth"        // key or login missing, wrong or expired
	Quota      Kind = "quota"       // the account has nothing left
	RateLimit  Kind = "rate-limit"  // too many requests now
	Overloaded Kind = "overloaded"  // the vendor is out of capacity or broken (5xx, 529)
	Context    Kind = "context"     // the request does not fit the window
	BadRequest Kind = "bad-request" // the vendor rejects the request as it is
	Network    Kind = "network"     // no connection, or it was cut
	Stall      Kind = "stall"       // connected, then silent for too long
	Malformed  Kind = "malformed"   // bytes that are not the protocol
	Crash      Kind = "crash"       // a program ended or could not start
	Refused    Kind = "refused"     // it would not answer, or requested what it may not have
	Empty      Kind = "empty"       // it said it succeeded and said nothing
)

// Error describes a failed call. Message is the vendor's sentence, one line.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status; 0: none
	RetryAfter time.Duration // the wait that the vendor asked for; 0: none
	Message    string
	Err        error `json:"-"` // cause; may be nil
	Unsent     bool  // the request was never sent
	Offline    bool  // because this machine has no network
}

// Error begins with the kind, which logs and scripts look for; without a message it has the cause's text.
func (e *Error) Error() string {
	msg := e.Message
	if msg == "" && e.Err != nil {
		msg = e.Err.Error()
	}
	return string(e.Kind) + ": " + strings.TrimSpace(msg)
}

// MarshalJSON writes what another machine gets: without the cause, except its text if there is no other.
func (e *Error) MarshalJSON() ([]byte, error) {
	type told Error
	t := told(*e)
	if t.Message == "" && e.Err != nil {
		t.Message = e.Err.Error()
	}
	return json.Marshal(t)
}

// Unwrap returns the cause, so that a cancelled context is recognized.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed a little later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case RateLimit, Overloaded, Network, Stall, Malformed, Empty:
		return true
	}
	return false
}

// As finds the *Error in err's chain. Other errors become Network with err as cause; nil stays nil.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Network, Message: plain.Text(err.Error()), Err: err}
}

// KindOfStatus maps an HTTP status to a Kind the way the four protocols use them.
func KindOfStatus(status int) Kind {
	switch {
	case status == 401 || status == 403:
		return Auth
	case status == 402:
		return Quota
	case status == 408:
		return Network
	case status == 413:
		return Context
	case status == 429:
		return RateLimit
	case status >= 500:
		return Overloaded
	}
	return BadRequest
}
