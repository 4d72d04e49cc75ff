// Package talk defines the kinds of nodes in a conversation with an agent, from a person's message to the reply that
// ends a turn. It and the packages below it are pure.
//
// A turn is a path of nodes: [Said], then for each answer of the model a [Called] and the [Exchange] of its tool calls,
// then a [Reply]. In between, a [Judged] is a decision about a call, a [Brief] is the agent's system prompt, and a
// [Notice] is a remark of the program. Package margin has what is recorded beside the messages (settings, states of
// files, titles), material what a conversation is given to work with, asking the questions to the person, and memory
// what outlasts a conversation. Package view turns a path into what a model is shown, outline into what people see.
//
// Bodies stay in the store forever: a field may be added but never renamed, and its zero value means what was true before it was added.
package talk

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of a conversation's nodes.
const (
	RootKind     tree.Kind[Root]     = "tree"
	SayKind      tree.Kind[Said]     = "say"
	CalledKind   tree.Kind[Called]   = "called"
	ExchangeKind tree.Kind[Exchange] = "exchange"
	ReplyKind    tree.Kind[Reply]    = "answer"
	JudgeKind    tree.Kind[Judged]   = "permission"

	InterjectKind tree.Kind[Interjected] = "interjection"
)

// Root begins a tree.
type Root struct {
	Name string `json:"name"`
	Dir  string `json:"dir"` // the project folder
	// Title is how the conversation began, if not with a message.
	Title string `json:"title,omitempty"`
	// Imported: it came from a file, so any of it may have been written by strangers, whatever its nodes say. A record omits the field, and
	// an import sets it.
	Imported bool `json:"imported,omitempty"`
}

// Said is a message of the person, word for word, unless Task is set: then an agent sent it. It is never summarized.
type Said struct {
	Text string `json:"text"`
	Data string `json:"data,omitempty"` // text from stdin, fenced when it is shown
	// Images are the pictures and PDFs attached to it.
	Images []llm.Attachment `json:"images,omitempty"`
	// Typed is the command that Text was made from, if it comes from a page: what a person is shown, and can recall.
	Typed string `json:"typed,omitempty"`
	// Aside marks a side question: it is a child of the conversation, but the branch does not move to it.
	Aside bool `json:"aside,omitempty"`
	// Task is the call by which one agent gave this task to another, which sees none of the earlier messages.
	Task string `json:"task,omitempty"`
	// Interjection is the message to a running turn that this node repeats; such a node begins no turn.
	Interjection tree.ID `json:"interjection,omitempty"`
}

// Shown is the message as people read it.
func (s Said) Shown() string {
	text := s.Typed
	if text == "" {
		text = strings.TrimSpace(s.Text + "\n" + s.Data)
	}
	return strings.TrimSpace(text + "\n" + s.Attached())
}

// Attached names the attachments, for people and for models that cannot see them.
func (s Said) Attached() string {
	var lines []string
	for _, a := range s.Images {
		lines = append(lines, a.Label())
	}
	return strings.Join(lines, "\n")
}

// Interjected is a message to a conversation whose model is working. It is a child of the root; once the turn has read it, a Said on the
// branch names it. A turn reads the messages recorded since it began.
type Interjected struct {
	Text   string           `json:"text"`
	Data   string           `json:"data,omitempty"`   // texts of attached files
	Images []llm.Attachment `json:"images,omitempty"` // as in Said
	Branch string           `json:"branch"`           // the branch whose turn is meant
}

// Called is a complete answer, recorded before its tools run or anything else happens, so that what was paid for
// survives a crash. The exchange or reply that follows repeats all of it, and is the one that counts.
type Called struct {
	Message llm.Message `json:"message"`
	Model   string      `json:"model"`
	Usage   cost.Usage  `json:"usage"`
	MS      int64       `json:"ms"`
}

// ByItself reports whether the model made the call on its own, within a request whose usage is not known yet: it is a program with
// its own tools.
func (c Called) ByItself() bool { return c.Usage == cost.Usage{} }

// Unfinished is the exchange for calls that were cut off when their process ended. begun has the ids of those allowed to begin.
func (c Called) Unfinished(begun map[string]bool) Exchange {
	x := Exchange{Model: c.Model, Usage: c.Usage, MS: c.MS}
	results := llm.Message{Role: llm.User}
	for _, call := range c.Message.Calls() {
		text, line := "this call had not begun when Socrates exited: it changed nothing", "not begun when Socrates exited"
		if begun[call.ID] {
			line = "cut off when Socrates exited"
			text = "Socrates exited before the result of this call was recorded: how far it got is not known, so look before you repeat it"
		}
		results.Parts = append(results.Parts, llm.Result{ID: call.ID, Name: call.Name, Failed: true, Text: text})
		x.Shows = append(x.Shows, Show{Call: call.ID, Line: strings.TrimSpace(call.Name+" "+call.Gist()) + ": " + line, Failed: true})
	}
	x.Messages = []llm.Message{c.Message, results}
	return x
}

// Exchange is a model's tool calls and their results. A long result is shortened here, and the whole text is stored
// under its hash. Messages are the model's answer and the results, as they are sent to a vendor again.
type Exchange struct {
	Messages []llm.Message     `json:"messages"`
	Model    string            `json:"model"`
	Usage    cost.Usage        `json:"usage"`
	MS       int64             `json:"ms"`
	Shows    []Show            `json:"shows,omitempty"` // one per call: what a person is shown of it
	Whole    map[string]string `json:"whole,omitempty"` // call id to the hash of the text that was too long
}

// Said is the model's text besides its calls.
func (x Exchange) Said() string {
	if len(x.Messages) == 0 {
		return ""
	}
	return x.Messages[0].Text()
}

// Show is what a person sees of one call.
type Show struct {
	Call   string   `json:"call"` // its id
	Line   string   `json:"line"`
	Diff   string   `json:"diff,omitempty"`
	Wrote  []string `json:"wrote,omitempty"`
	MS     int64    `json:"ms"`
	Failed bool     `json:"failed,omitempty"`
}

// State is how a turn ended.
type State string

// The states of a reply.
const (
	Done        State = "done"
	Interrupted State = "interrupted" // by the person; text so far is kept
	Limited     State = "limit"       // turns, time, tokens or money ran out
	Denied      State = "denied"      // it ended because a permission was refused
	Failed      State = "failed"
)

// Reply ends a turn.
type Reply struct {
	Message llm.Message  `json:"message"`
	Model   string       `json:"model"`   // the spec of the model that was asked
	Answers string       `json:"answers"` // the model that actually answered
	State   State        `json:"state"`
	Reason  string       `json:"reason,omitempty"` // for every state but done
	Kind    trouble.Kind `json:"kind,omitempty"`   // for a failure
	Usage   cost.Usage   `json:"usage"`            // of the last call alone
	Turns   int          `json:"turns"`            // model calls of the whole turn
	Before  string       `json:"before,omitempty"` // the beginning of an answer that was cut and continued; exchanges hold it, too
	MS      int64        `json:"ms"`
}

// Answer is the whole answer of the model.
func (r Reply) Answer() string { return r.Before + r.Message.Text() }

// Judged is a decision about a call. It is recorded before the call has any effect, whatever the decision.
type Judged struct {
	Call    string     `json:"call"` // its id
	Tool    string     `json:"tool"`
	Acts    []tool.Act `json:"acts"`
	Verdict string     `json:"verdict"` // allow, ask or deny, by the rules
	Reason  string     `json:"reason"`
	Rule    string     `json:"rule,omitempty"`
	Began   bool       `json:"began,omitempty"`   // the call may start, and its parts are decided on as they run
	Answer  string     `json:"answer,omitempty"`  // the person's: once, session, project or deny
	Because string     `json:"because,omitempty"` // why the person denied it, in their words
	Brings  bool       `json:"brings,omitempty"`  // it was allowed, and its output may be written by strangers
	Alters  bool       `json:"alters,omitempty"`  // it was allowed, and may change files outside the project, which no snapshot contains
}

// Let reports whether the decision allows the call to act.
func (j Judged) Let() bool {
	return j.Verdict == "allow" || j.Began || j.Answer != "" && j.Answer != "deny"
}

// BriefKind is the system prompt from this node on.
const BriefKind tree.Kind[Brief] = "brief"

// Brief is what an agent is told about itself and the project. Text is the hash of the whole. It stays the same throughout a conversation:
// a later phase or mode is told to the model at the point where it begins.
type Brief struct {
	Text   string   `json:"text"`
	Shared int      `json:"shared,omitempty"` // how many of its first bytes it shares with other conversations
	Tools  []string `json:"tools,omitempty"`  // the tools the model is offered, names or globs, if not all
	Phase  string   `json:"phase"`
	Mode   string   `json:"mode"`
	Told   string   `json:"told,omitempty"`  // the text about a later phase or mode; empty: Text contains it
	Bare   bool     `json:"bare,omitempty"`  // without conventions and skills
	Notes  []string `json:"notes,omitempty"` // what a person should know about how it was made
}

// NoticeKind is a remark of the program.
const NoticeKind tree.Kind[Notice] = "notice"

// Notice is a remark: for the person or, if Model is set, for the model.
type Notice struct {
	Text  string `json:"text"`
	Model bool   `json:"model,omitempty"`
	// Unkept means that no snapshot of the files could be taken.
	Unkept bool `json:"unkept,omitempty"`
}
