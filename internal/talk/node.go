// Package talk is what is said in a conversation with an agent: the kinds of its nodes, from a person's word to the
// reply that ends a turn. It and the packages below it are pure.
//
// A turn is a path of nodes: [Said], then for each answer of the model a [Called] and the [Exchange] of its tool
// calls, then a [Reply]. A decision about each call is a [Judged] on the way, what the agent is told about itself a
// [Brief], a remark of the program a [Notice]. Package margin has what stands beside (settings, states of files,
// titles), material what a conversation is given to work with, asking what a person is asked, memory what outlasts
// it. Package view makes of a path what a model is shown, outline what people see.
//
// Bodies are part of the store for good: a field is added, never renamed, and its zero value means what was so
// before.
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
	// Title is what it began with, where that was no message.
	Title string `json:"title,omitempty"`
	// Imported: it came from a file, so that all it began with may be what strangers wrote, whatever its nodes say. A record leaves it
	// out, and importing one sets it.
	Imported bool `json:"imported,omitempty"`
}

// Said is what the person said, word for word. It is never summed up.
// It is a person's word unless Task says that an agent gave it.
type Said struct {
	Text string `json:"text"`
	Data string `json:"data,omitempty"` // what came by stdin, fenced when it is shown
	// Images are pictures and PDFs that came with it.
	Images []llm.Attachment `json:"images,omitempty"`
	// Typed is the command that stands for Text, where that is a page's: what a person is shown, and can bring back.
	Typed string `json:"typed,omitempty"`
	// Aside marks a side question: it hangs from the conversation, and the branch stays where it was.
	Aside bool `json:"aside,omitempty"`
	// Task is the call by which an agent gave this to another, which sees nothing of what was said before.
	Task string `json:"task,omitempty"`
	// Interjection is the message to a running turn that this is; such a node begins no turn of its own.
	Interjection tree.ID `json:"interjection,omitempty"`
}

// Shown is what a person reads of it.
func (s Said) Shown() string {
	text := s.Typed
	if text == "" {
		text = strings.TrimSpace(s.Text + "\n" + s.Data)
	}
	return strings.TrimSpace(text + "\n" + s.Attached())
}

// Attached names what is attached, for eyes and for models that see none.
func (s Said) Attached() string {
	var lines []string
	for _, a := range s.Images {
		lines = append(lines, a.Label())
	}
	return strings.Join(lines, "\n")
}

// Interjected is a message to a conversation whose model is at work. It hangs from the root; once the turn has taken it, a
// Said of the branch names it. A turn takes what was recorded since it began.
type Interjected struct {
	Text   string           `json:"text"`
	Data   string           `json:"data,omitempty"`   // texts of files that came with it
	Images []llm.Attachment `json:"images,omitempty"` // as with Said
	Branch string           `json:"branch"`           // whose turn is meant
}

// Called is a whole answer, recorded before its tools run or anything else is done about it, so that what was paid for
// outlives the program. The exchange or reply that follows says all of it again, and is what counts.
type Called struct {
	Message llm.Message `json:"message"`
	Model   string      `json:"model"`
	Usage   cost.Usage  `json:"usage"`
	MS      int64       `json:"ms"`
}

// ByItself says that the model made the call on its own, within a request whose usage nobody knows yet: it is a program with tools of
// its own.
func (c Called) ByItself() bool { return c.Usage == cost.Usage{} }

// Unfinished is the exchange of calls that were cut off with the process that ran them. begun has the ids of those that were let begin.
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

// Exchange is a model's tool calls and their results. Of a long result the text is the short face; the whole is kept
// under its hash.
// Messages are the model's answer and the results, as they go to a vendor again.
type Exchange struct {
	Messages []llm.Message     `json:"messages"`
	Model    string            `json:"model"`
	Usage    cost.Usage        `json:"usage"`
	MS       int64             `json:"ms"`
	Shows    []Show            `json:"shows,omitempty"` // one a call: what a person is shown of it
	Whole    map[string]string `json:"whole,omitempty"` // call id to the hash of the text that was too long
}

// Said is what the model said besides its calls.
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
	Interrupted State = "interrupted" // by the person; what had been said is kept
	Limited     State = "limit"       // turns, time, tokens or money ran out
	Denied      State = "denied"      // it ended because a permission was refused
	Failed      State = "failed"
)

// Reply ends a turn.
type Reply struct {
	Message llm.Message  `json:"message"`
	Model   string       `json:"model"`   // the spec it was asked by
	Answers string       `json:"answers"` // the model that really answered
	State   State        `json:"state"`
	Reason  string       `json:"reason,omitempty"` // of every state but done
	Kind    trouble.Kind `json:"kind,omitempty"`   // of a failure
	Usage   cost.Usage   `json:"usage"`            // of the last call alone
	Turns   int          `json:"turns"`            // model calls of the whole turn
	Before  string       `json:"before,omitempty"` // the beginning of an answer that was cut and continued; exchanges hold it, too
	MS      int64        `json:"ms"`
}

// Answer is all that the model answered.
func (r Reply) Answer() string { return r.Before + r.Message.Text() }

// Judged is a decision about a call.
// It is recorded before the call has an effect, whatever was decided.
type Judged struct {
	Call    string     `json:"call"` // its id
	Tool    string     `json:"tool"`
	Acts    []tool.Act `json:"acts"`
	Verdict string     `json:"verdict"` // allow, ask or deny, by the rules
	Reason  string     `json:"reason"`
	Rule    string     `json:"rule,omitempty"`
	Began   bool       `json:"began,omitempty"`   // it may begin, and is decided on as it goes
	Answer  string     `json:"answer,omitempty"`  // of the person: once, session, project or deny
	Because string     `json:"because,omitempty"` // why the person denied it, in their words
	Brings  bool       `json:"brings,omitempty"`  // it was let, and what it gives back may be what strangers wrote
	Alters  bool       `json:"alters,omitempty"`  // it was let, and may change files outside the project, which no snapshot contains
}

// Let says whether the call may act by it.
func (j Judged) Let() bool {
	return j.Verdict == "allow" || j.Began || j.Answer != "" && j.Answer != "deny"
}

// BriefKind is the system prompt that holds from its place on.
const BriefKind tree.Kind[Brief] = "brief"

// Brief is what an agent is told about itself and the project. Text is the hash of the whole. It stays while a conversation lasts: of
// another phase or mode the model is told where it begins.
type Brief struct {
	Text   string   `json:"text"`
	Shared int      `json:"shared,omitempty"` // how many bytes of it other conversations begin with, too
	Tools  []string `json:"tools,omitempty"`  // that the model is offered, names or globs, where not all are
	Phase  string   `json:"phase"`
	Mode   string   `json:"mode"`
	Told   string   `json:"told,omitempty"`  // of a later phase or mode; empty: Text says it
	Bare   bool     `json:"bare,omitempty"`  // without conventions and skills
	Notes  []string `json:"notes,omitempty"` // what a person should know of how it was made
}

// NoticeKind is a remark of the program's.
const NoticeKind tree.Kind[Notice] = "notice"

// Notice is a remark: for the person, or, with Model set, for the model.
type Notice struct {
	Text  string `json:"text"`
	Model bool   `json:"model,omitempty"`
	// Unkept says that no snapshot of the files could be taken.
	Unkept bool `json:"unkept,omitempty"`
}
