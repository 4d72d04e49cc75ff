package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Model is anything that answers: an API, another vendor's program, a script.
type Model interface {
	Info() Info
	// Stream yields deltas and ends with one whose End is set, or with one error, which is a *trouble.Error unless
	// ctx was cancelled. Breaking off the loop cancels the call. Safe for concurrent use. A model that keeps
	// processes or sessions alive also implements io.Closer.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Tier is what a user chooses instead of a model name; the catalogue says which model of a vendor it means.
type Tier string

// The tiers, cheapest first.
const (
	Small Tier = "small"
	Mid   Tier = "mid"
	Big   Tier = "big"
)

// Info is what is known of a model before it is called.
type Info struct {
	ID      string     // the vendor's name for the model, or the program's
	Lineage string     // the family whose errors it shares, for example "anthropic"; never empty
	Tier    Tier       // empty: unknown
	Window  int        // context window in tokens; 0: unknown
	Output  int        // most tokens of one answer; 0: unknown
	Efforts string     // efforts it accepts, words with spaces between; empty: unknown
	PDF     bool       // accepts PDFs
	Price   cost.Price // zero with Known false: unknown
	Acts    bool       // runs its own tools in Request.Dir instead of the ones in Request.Tools
	Held    bool       // the operating system keeps it from writing to Request.Dir, so it may share that folder with others
	Asks    bool       // acts, and can work in Request.Dir: it asks Request.Leave before each tool use
	Bound   string     // why the system cannot confine one that asks while it works; empty: it can
}

// OnlyReads says why a model that acts cannot work; empty if it can, or does not act.
func (i Info) OnlyReads() string {
	switch {
	case !i.Acts:
		return ""
	case !i.Asks:
		return "it does not ask before it changes files"
	}
	return i.Bound
}

// Takes returns an error if the model does not accept this effort. Of an unlisted model it is not known.
func (i Info) Takes(effort string) error {
	known := strings.Fields(i.Efforts)
	if effort == "" || len(known) == 0 || slices.Contains(known, effort) {
		return nil
	}
	return fmt.Errorf("%s does not support effort %s; it supports %s", i.ID, effort, strings.Join(known, ", "))
}

// Request is one call. The zero value of every field but Messages is fine.
type Request struct {
	System    string
	Shared    int             // how many bytes at the start of System are shared with other conversations; 0: unknown
	Messages  []Message       // the whole history, oldest first, ending with a user message
	Tools     []Spec          // empty: no tools
	Schema    json.RawMessage `json:",omitempty"` // JSON Schema of type object that the answer must follow; nil: free text
	MaxTokens int             // most tokens to generate; 0: the model's own limit
	Effort    string          // one of Info.Efforts; empty: the model's own
	Dir       string          // where a model that acts reads; empty: nowhere
	// Session names a conversation. Calls of one session extend one another's history, so an adapter may
	// keep a process warm or a prompt cached for it. Empty: no such promise.
	Session string
	// CacheKey names conversations with the same beginning: forks of a conversation have the same. Empty: Session.
	CacheKey string
	// Omits means that the session may have heard more than Messages contain, such as a reply that could not be used
	// and the request for a better one. A warm process that knows all of Messages, in order, is then kept.
	Omits bool
	// Leave lets a model that asks work in Dir instead of reading there. It gets each use of a program's own tool
	// before it happens, named and worded like a call of ours; its error is the program's answer. It may wait for a
	// person. Nil: the model only reads.
	Leave func(ctx context.Context, c Call) error `json:"-"`
	Vars  []string                                // variables for this besides its own: NAME=value
	// Patient means that somebody waits for the answer however long it takes: outages and a missing network are
	// waited out.
	Patient bool
	// Effect names the call in a record: repeated under the same name after a crash, it is the same call, and whoever
	// knows its result may report that. Empty: each call is another.
	Effect string
}

// Delta is one step of an answer. Exactly one field is set, except that the Result of a program's own action comes
// with its Call.
//
// Text and Think are pieces in order, cut anywhere but within a letter.
type Delta struct {
	Text   string
	Think  string
	Call   *Call // complete, never a fragment
	Result *Result
	Retry  *Retry      // the call failed and is repeated
	Note   string      // something a person may want to know; not part of the answer
	Usage  *cost.Usage // what the vendor has counted of the call so far, in case it fails; the last one counts
	End    *End
}

// Part reports whether it is part of an answer.
func (d Delta) Part() bool { return d.Retry == nil && d.Note == "" && d.Usage == nil }

// Retry tells a watcher why nothing is coming at the moment.
type Retry struct {
	Attempt int // the number of the failed attempt, from 1; 0: none failed, and the request waits for its turn
	Wait    time.Duration
	Err     *trouble.Error
	Void    bool // part of an answer had come and must be discarded
}

// Why says in a few words what the call waits for.
func (r *Retry) Why() string {
	if r.Attempt == 0 {
		return r.Err.Message
	}
	return fmt.Sprintf("attempt %d failed: %s", r.Attempt, r.Err.Message)
}

// Stop is why a model stopped.
type Stop string

// The reasons to stop. StopTools means the answer ended with calls that need results.
const (
	StopDone    Stop = "done"
	StopTools   Stop = "tools"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// End closes a complete answer.
type End struct {
	Stop    Stop
	Reason  string // why it refused, in the vendor's words; empty: not reported
	Usage   cost.Usage
	Message Message // the complete answer, as it must appear in the next request
	Model   string  // the model that really answered, as the vendor names it; may be empty
	Request string  // the vendor's id of the request, for looking it up there; empty: not reported
	Program string  // the vendor's program that answered with its version, if known; empty: no program took part
}

// Whole returns an error if the answer is not usable: refused, cut at its length, or empty.
func (e *End) Whole() error {
	switch {
	case e.Stop == StopRefusal:
		return &trouble.Error{Kind: trouble.Refused, Message: strings.TrimSuffix("it refused to answer: "+e.Reason, ": ")}
	case e.Stop == StopLength:
		return &trouble.Error{Kind: trouble.Context, Message: "its answer was cut at the token limit"}
	case strings.TrimSpace(e.Message.Text()) == "":
		return &trouble.Error{Kind: trouble.Empty, Message: "it returned an empty answer"}
	}
	return nil
}

// Collect drains a stream and returns its end. The error is the stream's own, or says that it ended without either.
func Collect(seq iter.Seq2[Delta, error]) (End, error) {
	for d, err := range seq {
		if err != nil {
			return End{}, err
		}
		if d.End != nil {
			return *d.End, nil
		}
	}
	return End{}, &trouble.Error{Kind: trouble.Malformed, Message: "the response was cut off"}
}

// Tokens estimates the tokens of a request: its bytes at three per token, and something for what surrounds them. It
// errs on the high side for English and code, and is used to reserve and to refuse, never to bill. Attachments are
// estimated.
func (r Request) Tokens() int {
	size := len(r.System) + len(r.Schema)
	for _, m := range r.Messages {
		size += m.Bytes()
	}
	for _, t := range r.Tools {
		size += len(t.Doc) + len(t.Schema)
	}
	return size/3 + 200
}
