// Package people has the messages that people send to a debate, and their effects.
//
// The process that receives a [Message] records it at once; the room applies it at the next possible place of its protocol. An
// [Applied], a child of the message, records where it was applied and its effect, so a replay applies it at the same place. A message
// that cannot be applied is recorded as refused, with a sentence that says why. A [Need] goes the other way: the room asks a person.
package people

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of node. Their names are stored.
const (
	MessageKind tree.Kind[Message] = "word"   // a person's message: a child of the root
	AppliedKind tree.Kind[Applied] = "heed"   // its effect: a child of the message
	NeedKind    tree.Kind[Need]    = "person" // a person is needed
)

// Message is a person's message to a debate. It is a node of the room, whichever process recorded it; the room applies it at the next
// possible place in its protocol. Which fields are set depends on the verb; the others are empty.
type Message struct {
	Verb    string        `json:"verb"`
	Text    string        `json:"text,omitempty"`
	Seat    string        `json:"seat,omitempty"` // of drop and deadline; "all" of deadline
	Spec    string        `json:"spec,omitempty"` // of add
	Option  string        `json:"option,omitempty"`
	Against bool          `json:"against,omitempty"` // of claim: it speaks against Option
	Claim   string        `json:"claim,omitempty"`   // of veto
	Limit   time.Duration `json:"limit,omitempty"`   // of deadline
	File    string        `json:"file,omitempty"`    // of claim: where the quote is; of context: the shared file, with its content in Text
	Line    int           `json:"line,omitempty"`
	Quote   string        `json:"quote,omitempty"`
}

// Gist returns a message's text or, for a shared file, its name.
func (w Message) Gist() string {
	if w.Verb == Share {
		return w.File
	}
	return w.Text
}

// The verbs of a message.
const (
	Say      = "say"
	Pause    = "pause"
	Go       = "go"
	Answer   = "answer"
	Drop     = "drop"
	Join     = "add"
	Deadline = "deadline"
	Assert   = "claim"
	Veto     = "veto"
	Poll     = "check"
	Choose   = "choose"
	Share    = "context" // shares a file with all seats
	Outcome  = "outcome" // which answer was right: Option is right, wrong or an option
	LateVerb = "late"    // not from a person: what a seat said after its phase
)

// Applied records the effect of a message, and where in the protocol it was applied, so that a replay does the same.
type Applied struct {
	Message string      `json:"word"` // the node's id
	Point   string      `json:"place"`
	Verb    string      `json:"verb"`
	Text    string      `json:"text,omitempty"` // of the message
	Done    string      `json:"done"`           // its effect, in a sentence
	Refused bool        `json:"refused,omitempty"`
	Seat    *table.Seat `json:"seat,omitempty"` // the seat that joined
}

// Late reports whether this is not a person's message but a seat's answer that arrived after its phase.
func (h Applied) Late() bool { return h.Verb == LateVerb }

// Steers reports whether it can change the seats, the claims or when checking ends; a late answer can, too.
func (h Applied) Steers() bool {
	return !h.Refused && slices.Contains([]string{Answer, Drop, Join, Deadline, Assert, Veto, LateVerb}, h.Verb)
}

// Need is a question to the attending person. Only an attended room waits for the answer.
type Need struct {
	Key     string   `json:"key"`
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
}

// Verbs explain the commands of a message, in the order they are shown.
var Verbs = []struct{ Form, Doc string }{
	{"TEXT", "send a message to all seats; they read it with their next question"},
	{"/pause", "pause before the next round; running answers finish"},
	{"/go", "resume after a pause, or without answering a question"},
	{"/answer", "end the round and decide now"},
	{"/drop SEAT", "drop a seat (its vote stays)"},
	{"/add SPEC", "add a seat; it votes blind, or joins the discussion"},
	{"/deadline SEAT|all TIME", "set a seat's time limit per turn, including the running one"},
	{"/claim [for X|against X] TEXT [-- FILE:LINE QUOTE]", "add a claim of your own; it is checked but has no vote"},
	{"/veto CLAIM REASON", "veto a claim"},
	{"/check", "show the standing (also: /consensus); in a strategy with discussion, start the votes"},
	{"/choose OPTION [REASON]", "decide when your call is needed, such as in a tie"},
	{"/context add FILE[:FROM-TO]", "share a file with all seats; after the end, with the follow-up debate"},
	{"/outcome right|wrong|OPTION [REASON]", "after the end: say what turned out to be right; later debates learn from it"},
}

var claimForm = pattern.Of(`(?s)^(?:(for|against)\s+(\S+)\s+)?(.*?)(?:\s+--\s+(\S+?):(\d+)\s+(.+))?$`)

// ParseMessage reads what a person typed: a text that begins with a slash is a command, any other goes to all seats. Its error is a
// sentence for the person who typed it. Texts that are too long are cut here, before they are recorded.
func ParseMessage(text string) (Message, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Message{}, fmt.Errorf("the message is empty")
	}
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return Message{Verb: Say, Text: clean.Short(text, table.MaxQuote)}, nil
	}
	verb, rest, _ := strings.Cut(rest, " ")
	rest = strings.TrimSpace(rest)
	first, more, _ := strings.Cut(rest, " ")
	w := Message{Verb: strings.ToLower(verb)}
	if w.Verb == "consensus" {
		w.Verb = Poll
	}
	switch w.Verb {
	case Pause, Go, Answer, Poll:
		if rest != "" {
			return w, fmt.Errorf("/%s takes no arguments", w.Verb)
		}
		return w, nil
	case Drop:
		w.Seat = rest
	case Join:
		w.Spec = rest
	case Veto:
		if w.Claim, w.Text = strings.ToLower(first), clean.OneLine(more, table.MaxClaim); w.Claim != "" && w.Text == "" {
			return w, fmt.Errorf("/veto needs a reason, which the record keeps: /veto %s REASON", w.Claim)
		}
	case Choose, Outcome:
		w.Option, w.Text = first, clean.OneLine(more, table.MaxClaim)
	case Deadline:
		var err error
		if w.Seat = first; more != "" {
			if w.Limit, err = time.ParseDuration(strings.TrimSpace(more)); err != nil || w.Limit <= 0 {
				return w, fmt.Errorf("invalid time %q; write 90s or 5m", clean.OneLine(more, 40))
			}
			return w, nil
		}
		// A deadline without a time: the error below says how to write one.
		rest = ""
	case Assert:
		m := claimForm().FindStringSubmatch(rest)
		w.Against, w.Option, w.Text = m[1] == "against", m[2], clean.OneLine(m[3], table.MaxClaim)
		w.File, w.Quote = m[4], clean.Short(m[6], table.MaxQuote)
		w.Line, _ = strconv.Atoi(m[5])
		if rest != "" && len(strings.Fields(w.Text)) < 2 {
			return w, fmt.Errorf("a claim must be a sentence, not %q: %s", w.Text, formOf(w.Verb))
		}
	case Share:
		if first != "add" || more == "" {
			return w, fmt.Errorf("/context needs a file: %s", formOf(w.Verb))
		}
		w.File = clean.OneLine(strings.TrimSpace(more), table.MaxClaim)
		return w, nil
	default:
		return w, fmt.Errorf("unknown command /%s", clean.OneLine(w.Verb, 40))
	}
	if rest == "" {
		return w, fmt.Errorf("/%s needs an argument: %s", w.Verb, formOf(w.Verb))
	}
	return w, nil
}

// formOf returns how a verb is written, for an error.
func formOf(verb string) string {
	for _, v := range Verbs {
		if strings.HasPrefix(v.Form, "/"+verb) {
			return v.Form
		}
	}
	return ""
}

// Typed returns a message in the form that ParseMessage reads.
func (w Message) Typed() string {
	words := []string{"/" + w.Verb}
	switch w.Verb {
	case Say:
		return w.Text
	case Drop:
		words = append(words, w.Seat)
	case Join:
		words = append(words, w.Spec)
	case Veto:
		words = append(words, w.Claim, w.Text)
	case Choose, Outcome:
		words = append(words, w.Option, w.Text)
	case Deadline:
		words = append(words, w.Seat, w.Limit.String())
	case Assert:
		if w.Option != "" {
			words = append(words, map[bool]string{true: "against", false: "for"}[w.Against], w.Option)
		}
		words = append(words, w.Text)
		if w.File != "" {
			words = append(words, "--", fmt.Sprintf("%s:%d", w.File, w.Line), w.Quote)
		}
	case Share:
		words = append(words, "add", w.File)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}
