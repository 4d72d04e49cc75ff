// Package talk is what a conversation with an agent consists of: the kinds of its nodes, and what a model is shown of a
// path through them. It is pure.
package talk

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
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
	SetKind      tree.Kind[Set]      = "set"
	JudgeKind    tree.Kind[Judged]   = "permission"
	SnapKind     tree.Kind[Snap]     = "snapshot"
	SummaryKind  tree.Kind[Summary]  = "summary"
	MergeKind    tree.Kind[Merged]   = "merge"
	HandleKind   tree.Kind[Handle]   = "handle"
	SwitchKind   tree.Kind[Switch]   = "switch"

	InterjectKind tree.Kind[Interjected] = "interjection"
)

// Root begins a tree.
type Root struct {
	Name string `json:"name"`
	Dir  string `json:"dir"` // the project folder
	// Title is what it began with, where that was no message.
	Title string `json:"title,omitempty"`
}

// Said is what the person said, word for word. It is never summed up.
type Said struct {
	Text string `json:"text"`
	Data string `json:"data,omitempty"` // what came by stdin, fenced when it is shown
	// Typed is the command that stands for Text, where that is a page's: what a person is shown, and can bring back.
	Typed string `json:"typed,omitempty"`
	// Aside marks a side question: it hangs from the conversation, and the branch stays where it was.
	Aside bool `json:"aside,omitempty"`
	// Task is the call by which an agent gave this to another, which sees nothing of what was said before.
	Task string `json:"task,omitempty"`
	// Interjection is the message to a running turn that this is; such a node begins no turn of its own.
	Interjection tree.ID `json:"interjection,omitempty"`
}

// Interjected is a message to a conversation whose model is at work. It hangs from the root; once the turn has taken it, a
// Said of the branch names it. A turn takes what was recorded since it began.
type Interjected struct {
	Text   string `json:"text"`
	Branch string `json:"branch"` // whose turn is meant
}

// Called is a whole answer, recorded before its tools run or anything else is done about it, so that what was paid for
// outlives the program. The exchange or reply that follows says all of it again, and is what counts.
type Called struct {
	Message llm.Message `json:"message"`
	Model   string      `json:"model"`
	Usage   llm.Usage   `json:"usage"`
	MS      int64       `json:"ms"`
}

// Unfinished is the exchange of calls that were cut off with the program that ran them.
func (c Called) Unfinished() Exchange {
	x := Exchange{Model: c.Model, Usage: c.Usage, MS: c.MS}
	results := llm.Message{Role: llm.User}
	for _, call := range c.Message.Calls() {
		results.Parts = append(results.Parts, llm.Result{ID: call.ID, Name: call.Name, Failed: true,
			Text: "the program ended while this ran: what it did is not known, so look before you repeat it"})
		x.Shows = append(x.Shows, Show{Call: call.ID, Line: strings.TrimSpace(call.Name+" "+call.Gist()) + ": the program ended while it ran", Failed: true})
	}
	x.Messages = []llm.Message{c.Message, results}
	return x
}

// Exchange is a model's tool calls and their results. Of a long result the text is the short face; the whole is kept
// under its hash.
type Exchange struct {
	Messages []llm.Message     `json:"messages"`
	Model    string            `json:"model"`
	Usage    llm.Usage         `json:"usage"`
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

// whole says whether an exchange has messages, and each of them something in it: vendors refuse an empty one.
func (x Exchange) whole() bool {
	return len(x.Messages) > 0 && !slices.ContainsFunc(x.Messages, func(m llm.Message) bool { return len(m.Parts) == 0 })
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
	Message llm.Message `json:"message"`
	Model   string      `json:"model"`   // the spec it was asked by
	Answers string      `json:"answers"` // the model that really answered
	State   State       `json:"state"`
	Reason  string      `json:"reason,omitempty"` // of every state but done
	Kind    llm.Kind    `json:"kind,omitempty"`   // of a failure
	Usage   llm.Usage   `json:"usage"`            // of the last call alone
	Turns   int         `json:"turns"`            // model calls of the whole turn
	Before  string      `json:"before,omitempty"` // the beginning of an answer that was cut and continued; exchanges hold it, too
	MS      int64       `json:"ms"`
}

// Answer is all that the model answered.
func (r Reply) Answer() string { return r.Before + r.Message.Text() }

// Set changes how the conversation goes on below it: model, phase, mode, or a file in the context. An empty Value unsets.
type Set struct {
	Key   string `json:"key"` // model, phase, mode, title, "file:PATH"
	Value string `json:"value"`
}

// Judged is a decision about a call.
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
}

// Snap is the state of the project's files at this place.
type Snap struct {
	Tree    string   `json:"tree"`
	Why     string   `json:"why"` // before, after, restoring (about to be) or restored
	Left    []string `json:"left,omitempty"`
	Files   []string `json:"files,omitempty"`   // that were written or removed to bring them there
	Removed []string `json:"removed,omitempty"` // those of Files that were removed
	Stays   []string `json:"stays,omitempty"`   // what git ignores, came since and was not removed
	Edited  []string `json:"edited,omitempty"`  // those of Files that somebody had changed since, whose changes Kept holds
	// Kept is the state they were in when they were brought back, if it was not the one last known.
	Kept string `json:"kept,omitempty"`
	// Was is the state they were last known in before they were brought back.
	Was string `json:"was,omitempty"`
	// Goal is the state they were to become, of one that says restoring; Began is that one, of a restored that ended it. If none did, it
	// was broken off.
	Goal  string  `json:"goal,omitempty"`
	Began tree.ID `json:"began,omitempty"`
	// Undid is what was taken back: the first node of a turn, or that of another bringing back. Empty: what lay ahead of
	// a node a person went to.
	Undid tree.ID `json:"undid,omitempty"`
	// Head is the commit the project was at; where files were brought back, the one it was at when they were like that.
	// Empty there: the repository is on another branch by now.
	Head   string `json:"head,omitempty"`
	Branch string `json:"branch,omitempty"` // of Head
	On     string `json:"on,omitempty"`     // the branch that was checked out when files were brought back, if another one
	// Commits were made since then, newest first, as "hash subject". They stay when files are brought back.
	Commits []string `json:"commits,omitempty"`
}

// Summary is a view of the nodes from From to To, both on the path above it: a model is shown Text, and what the person
// said word for word. Nothing is lost: the nodes stay.
type Summary struct {
	From tree.ID `json:"from"`
	To   tree.ID `json:"to"`
	Text string  `json:"text"`
	// Usage is what it took to write it.
	Usage llm.Usage `json:"usage,omitzero"`
}

// Merged brings the conclusion of another branch back.
type Merged struct {
	From   tree.ID `json:"from"` // the head of that branch
	Branch string  `json:"branch"`
	Text   string  `json:"text"`
	Debate bool    `json:"debate,omitempty"` // it is what the debate of that name decided; From is its root
}

// Handle refers to something that lies elsewhere, with the hash of what it was when it was looked at.
type Handle struct {
	URI    string `json:"uri"`             // file:PATH, http(s)://…, bash:NODE/CALL
	Title  string `json:"title,omitempty"` // what a person calls it, for example the command; empty: its URI
	Face   string `json:"face"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Blob   string `json:"blob,omitempty"` // where the bytes are kept; empty: only the hash is
	// Held: it stands for a file in the context. A model is shown the newest one of a file, as long as it is set.
	Held bool `json:"held,omitempty"`
}

// Name is what a person calls it.
func (h Handle) Name() string {
	scheme, rest, _ := strings.Cut(h.URI, ":")
	if h.Title != "" {
		rest = h.Title
	}
	return scheme + ":" + rest
}

// Switch names the branch a tree is on. The newest one is what its ref points at.
type Switch struct {
	Branch string `json:"branch"`
}

// UseKind says which conversation is meant in a project when none is named: the newest one of the project holds. These
// nodes are a tree of their own.
const UseKind tree.Kind[Used] = "use"

// Used names a conversation by its root, so that another name changes nothing.
type Used struct {
	Dir  string  `json:"dir"`
	Tree tree.ID `json:"tree"`
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
