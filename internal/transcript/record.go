package transcript

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// mostBranches bounds the ways of a conversation that get a name; the others stay as nodes.
const mostBranches = 200

var letters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// record is what was gathered as a conversation of ours. The same transcript makes the same record.
//
// Where an entry has no time it has that of the entry before: nodes are never older than what they answer. Only
// fields of the transcript go in, no clock and no lot.
func (b *builder) record() archive.Record {
	r := archive.Record{Branch: "main", Branches: map[string]tree.ID{}, Labels: map[string]tree.ID{}}
	text := map[string]string{}
	r.Name = b.treeName()
	if b.entries[0].when.IsZero() {
		b.entries[0].when = b.when
	}
	root := b.node(-1, "root", "code", b.entries[0].when, talk.RootKind.New("", "code", talk.Root{Name: r.Name}))
	nodes := []tree.Node{root}
	if title := clean.Line(b.title); title != "" {
		n := margin.TitleKind.New(root.ID, "code", margin.Title{Text: title})
		nodes = append(nodes, b.node(-1, "title", "code", root.At, n))
	}
	stands, parents := make([]tree.ID, len(b.entries)), map[int]bool{}
	at := b.entries[0].when
	for i, e := range b.entries {
		above := root.ID
		if e.parent >= 0 {
			above = stands[e.parent]
		}
		parents[e.parent] = true
		if e.when.IsZero() {
			e.when = at
		}
		at = e.when
		n := b.told(i, above, stands, text)
		nodes = append(nodes, b.node(i, "", n.By, e.when, n))
		stands[i] = nodes[len(nodes)-1].ID
	}
	r = r.Take(nodes, func(hash string) (string, bool) { t, ok := text[hash]; return t, ok })
	b.refs(&r, stands, parents)
	return r
}

// refs names the ways of the conversation: the one that was gone on with last is the main one.
func (b *builder) refs(r *archive.Record, stands []tree.ID, parents map[int]bool) {
	r.Branches["main"] = r.Nodes[0].ID
	if b.last >= 0 { // else it was rewound to its beginning
		r.Branches["main"] = stands[b.last]
	}
	for i := range b.entries {
		if n := len(r.Branches); !parents[i] && i != b.last && n < mostBranches {
			r.Branches[fmt.Sprintf("branch-%d", n+1)] = stands[i]
		}
	}
	for label, i := range b.labels {
		if tree.GoodBranch(label) {
			r.Labels[label] = stands[i]
		}
	}
}

// treeName is a name for the conversation: the program's, and the beginning of what it called the conversation.
func (b *builder) treeName() string {
	var id strings.Builder
	for _, r := range strings.ToLower(b.session) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			id.WriteRune(r)
		}
	}
	if id.Len() == 0 {
		sum := sha256.Sum256([]byte(b.entries[0].say))
		id.WriteString(hex.EncodeToString(sum[:]))
	}
	short := id.String()
	return b.program.name + "-" + short[max(0, len(short)-8):]
}

// node gives a node the id that this place of this conversation always has, and its time.
// The time makes ids sort as they were said; program, session, place and content make them the same whenever it is
// read.
func (b *builder) node(i int, what, by string, at time.Time, n tree.Node) tree.Node {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%s\n%s", b.program.name, b.session, i, what, n.Body))
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(max(0, at.UnixMilli()))<<16)
	copy(raw[6:], sum[:])
	n.ID, n.By, n.At = tree.ID(letters.EncodeToString(raw[:])), by, at
	return n
}

// told is an entry as a node.
// An answer with calls is an exchange, one without a reply: the form a turn of ours has.
func (b *builder) told(i int, above tree.ID, stands []tree.ID, text map[string]string) tree.Node {
	e := b.entries[i]
	switch {
	case e.say != "":
		return talk.SayKind.New(above, "person", talk.Said{Text: e.say})
	case e.added != "":
		return material.AddKind.New(above, b.by(e), material.Added{Role: "user", Text: e.added, From: b.program.name})
	case e.summary != "":
		s := material.Summary{Text: e.summary}
		if e.from >= 0 {
			s.From, s.To = stands[b.entries[e.from].first], stands[e.from]
		}
		return material.SummaryKind.New(above, b.by(e), s)
	}
	message := llm.Message{Role: llm.Assistant}
	x := talk.Exchange{Model: e.model}
	results := llm.Message{Role: llm.User}
	for _, p := range e.parts {
		c, ok := p.(llm.Call)
		if !ok {
			message.Parts = append(message.Parts, p)
			continue
		}
		r := b.outcome(e, c)
		c.ID, c.Name = plain(c.ID), plain(c.Name)
		r.ID, r.Name = c.ID, c.Name
		// A long result is shown as a part, and whole under its hash, as one of our own tools' is.
		if face := handle.Face(r.Text); face != r.Text {
			sum := sha256.Sum256([]byte(r.Text))
			hash := hex.EncodeToString(sum[:])
			text[hash] = r.Text
			if x.Whole == nil {
				x.Whole = map[string]string{}
			}
			x.Whole[c.ID], r.Text = hash, face
		}
		message.Parts, results.Parts = append(message.Parts, c), append(results.Parts, r)
		x.Shows = append(x.Shows, talk.Show{Call: c.ID, Line: strings.TrimSpace(c.Name + " " + c.Gist()), Failed: r.Failed})
	}
	if len(results.Parts) == 0 {
		if message.Text() == "" { // reasoning alone is no answer to anybody
			message.Parts = nil
		}
		r := talk.Reply{Message: message, Model: e.model, Answers: e.model, State: talk.Done, Turns: 1}
		return talk.ReplyKind.New(above, b.by(e), r)
	}
	x.Messages = []llm.Message{message, results}
	return talk.ExchangeKind.New(above, b.by(e), x)
}

// outcome is the result of a call; one that never got any says so.
func (b *builder) outcome(e remark, c llm.Call) llm.Result {
	if r, ok := e.results[c.ID]; ok {
		return r
	}
	return llm.Result{Failed: true, Text: "the transcript has no result of this call: its effects are unknown"}
}

// by is who an entry is by: the model, or the program where no model is known.
func (b *builder) by(e remark) string {
	if e.model != "" {
		return e.model
	}
	return b.program.name
}

// plain is an id or a name as every vendor takes it: letters, digits, dashes and underscores, at most 64.
func plain(s string) string {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool { return !ok(r) }) {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	kept := strings.Map(func(r rune) rune {
		if ok(r) {
			return r
		}
		return '_'
	}, s[:min(len(s), 40)])
	return kept + "_" + hex.EncodeToString(sum[:4])
}
