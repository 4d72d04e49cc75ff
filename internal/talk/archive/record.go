// Package archive moves a whole conversation to another store.
//
// A [Record] is one JSON value or lines of JSON: the nodes in order, the branches and labels, and the texts they name.
// It says nothing about the machine: folders do not count, it contains no grants, and texts that are missing here are
// omitted. [Read] checks all of it before it is used: one tree, known kinds, bodies that decode, refs that point into
// it, texts that match their hashes. The import (package engine/conversation) then assigns the nodes to a folder here
// and gives them new ids where theirs are taken.
package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// recordSchema is the prefix of the schema of every version of a record; recordVersion is the version this program writes.
const recordSchema, recordVersion = "socrates.tree/", "1"

// Record is a whole conversation in a form that can be moved to another store: its nodes in order, numbered from 1, the
// branches and labels that point at them, and the texts they name by hash. The same conversation makes the same record,
// byte for byte, in any store. Nodes refer to each other by their ids; only the import knows whether the ids can be
// kept.
type Record struct {
	Schema   string             `json:"schema"`
	Name     string             `json:"name"`
	Branch   string             `json:"branch"` // the current branch
	Branches map[string]tree.ID `json:"branches"`
	Labels   map[string]tree.ID `json:"labels"`
	Texts    map[string]string  `json:"texts,omitempty"` // by SHA-256
	Nodes    []tree.Node        `json:"nodes,omitempty"`
	// Counts, in a record that is written as lines, is how many of each follow the head; records of earlier versions have none.
	Counts *Counts `json:"counts,omitempty"`
}

// Counts is how many nodes and texts a record has.
type Counts struct {
	Nodes int `json:"nodes"`
	Texts int `json:"texts"`
}

// kinds are the kinds a record may contain, none of which means anything outside of conversations, each with a check of the body.
var kinds = map[string]func(tree.Node) bool{
	string(talk.RootKind):        reads(talk.RootKind),
	string(talk.SayKind):         reads(talk.SayKind),
	string(talk.ExchangeKind):    func(n tree.Node) bool { x, ok := talk.ExchangeKind.Of(n); return ok && whole(x) },
	string(talk.CalledKind):      reads(talk.CalledKind),
	string(talk.ReplyKind):       reads(talk.ReplyKind),
	string(margin.SetKind):       reads(margin.SetKind),
	string(talk.JudgeKind):       reads(talk.JudgeKind),
	string(margin.SnapKind):      reads(margin.SnapKind),
	string(material.SummaryKind): reads(material.SummaryKind),
	string(material.MergeKind):   reads(material.MergeKind),
	string(material.HandleKind):  reads(material.HandleKind),
	string(talk.BriefKind):       reads(talk.BriefKind),
	string(asking.NeedKind):      reads(asking.NeedKind),
	string(asking.AnswerKind):    reads(asking.AnswerKind),
	string(material.AddKind):     reads(material.AddKind),
	string(talk.NoticeKind):      reads(talk.NoticeKind),
	string(memory.RecallKind):    reads(memory.RecallKind),
	string(margin.TitleKind):     reads(margin.TitleKind),
}

// whole reports whether an exchange has messages, none of them empty: vendors refuse an empty one.
func whole(x talk.Exchange) bool {
	return len(x.Messages) > 0 && !slices.ContainsFunc(x.Messages, func(m llm.Message) bool { return len(m.Parts) == 0 })
}

func reads[T any](k tree.Kind[T]) func(tree.Node) bool {
	return func(n tree.Node) bool { _, ok := k.Of(n); return ok }
}

// hashed matches the hashes of texts that a node names.
var hashed = pattern.Of(`"[0-9a-f]{64}"`)

// Take makes a record of the nodes of a tree, with the name, branch, branches and labels of r. It omits which branch
// the tree was on, what was in the trash, and whether it was imported. text fetches a text by its hash, and returns
// false if it is not the hash of one of ours.
func (r Record) Take(nodes []tree.Node, text func(hash string) (string, bool)) Record {
	r.Schema, r.Texts = recordSchema+recordVersion, map[string]string{}
	for _, n := range nodes {
		if n.Kind == string(margin.SwitchKind) || n.Kind == string(talk.InterjectKind) || n.Kind == "trash" {
			continue
		}
		if root, ok := talk.RootKind.Of(n); ok && root.Imported {
			root.Imported = false
			n.Body = talk.RootKind.New("", "", root).Body
		}
		n.Seq = int64(len(r.Nodes) + 1)
		r.Nodes = append(r.Nodes, n)
		for _, h := range hashed().FindAllString(string(n.Body), -1) {
			h = h[1 : len(h)-1]
			if t, ok := text(h); ok {
				r.Texts[h] = t
			}
		}
	}
	return r
}

// JSON returns the record as one value.
func (r Record) JSON() (string, error) {
	raw, err := json.MarshalIndent(r, "", "  ")
	return string(raw) + "\n", err
}

// recordText and recordNode are lines of a record that is written as lines.
type recordText struct {
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// Lines returns the record as lines: its head, its texts, its nodes.
func (r Record) Lines() (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	head := r
	head.Texts, head.Nodes, head.Counts = nil, nil, &Counts{len(r.Nodes), len(r.Texts)}
	err := enc.Encode(head)
	for _, h := range slices.Sorted(maps.Keys(r.Texts)) {
		if err == nil {
			err = enc.Encode(recordText{h, r.Texts[h]})
		}
	}
	for _, n := range r.Nodes {
		if err == nil {
			err = enc.Encode(n)
		}
	}
	return b.String(), err
}

// Error says why something is not a record of a conversation.
type Error struct{ Message, Hint string }

// Error returns the message alone: the hint is printed below it.
func (e *Error) Error() string { return e.Message }

func bad(format string, args ...any) error {
	return &Error{"not an exported conversation: " + fmt.Sprintf(format, args...), "export one with: socrates tree export --format json"}
}

// Read reads a record in either form and checks all of it.
func Read(from io.Reader) (Record, error) {
	dec := json.NewDecoder(from)
	var r Record
	if err := dec.Decode(&r); err != nil {
		return r, bad("%v", err)
	}
	version, ours := strings.CutPrefix(r.Schema, recordSchema)
	if !ours {
		return r, &Error{"not an exported conversation", "export one with: socrates tree export --format json"}
	}
	if version != recordVersion {
		return r, &Error{"written by a newer socrates (" + r.Schema + "; this version reads " + recordSchema + recordVersion + ")",
			"install the newer version"}
	}
	if r.Texts == nil {
		r.Texts = map[string]string{}
	}
	for dec.More() {
		var line struct {
			recordText
			tree.Node
		}
		if err := dec.Decode(&line); err != nil {
			return r, bad("near byte %d: %v", dec.InputOffset(), err)
		}
		if line.SHA256 != "" {
			r.Texts[line.SHA256] = line.Text
		} else {
			r.Nodes = append(r.Nodes, line.Node)
		}
	}
	if c := r.Counts; c != nil && *c != (Counts{len(r.Nodes), len(r.Texts)}) {
		return r, &Error{fmt.Sprintf("it is incomplete: it has %d of %d nodes and %d of %d texts",
			len(r.Nodes), c.Nodes, len(r.Texts), c.Texts), "export or copy it again"}
	}
	r.Counts = nil
	return r, r.Check()
}

// Check requires one tree: every node below an earlier one, and every ref and text valid. It makes the bodies of nodes
// compact, in the slice that r shares with its caller, so that equal records are equal bytes.
func (r Record) Check() error {
	known := map[tree.ID]bool{}
	for i, n := range r.Nodes {
		var compact bytes.Buffer
		switch _, root := talk.RootKind.Of(n); {
		case len(n.ID) != 26 || !tree.CleanName(string(n.ID)) || known[n.ID]:
			return bad("node %d has the id %q", i+1, n.ID)
		case (i == 0) != root || (i == 0) != (n.Parent == "") || i > 0 && !known[n.Parent]:
			return bad("node %s has no parent before it", n.ID)
		case kinds[n.Kind] == nil:
			return &Error{"it contains a node of the unknown kind " + n.Kind, "if a newer socrates wrote it, install that version"}
		case json.Compact(&compact, n.Body) != nil || compact.Len() == 0 || compact.Bytes()[0] != '{' || !kinds[n.Kind](n):
			return bad("node %s has no readable content", n.ID)
		}
		r.Nodes[i].Body = compact.Bytes()
		known[n.ID] = true
	}
	if len(r.Nodes) == 0 {
		return bad("it has no nodes")
	}
	if r.Branches[r.Branch] == "" {
		return bad("its current branch %q does not exist", r.Branch)
	}
	for _, refs := range []map[string]tree.ID{r.Branches, r.Labels} {
		for name, head := range refs {
			if !tree.GoodBranch(name) || !known[head] {
				return bad("%q does not point to one of its nodes", name)
			}
		}
	}
	for h, t := range r.Texts {
		if sum := sha256.Sum256([]byte(t)); hex.EncodeToString(sum[:]) != h {
			return bad("the text %.12s does not match its hash", h)
		}
	}
	return nil
}

// Replace returns the record with ids and hashes replaced everywhere: in nodes and their bodies, in refs and texts. It
// replaces every occurrence of the old text, so other may contain only ids and hashes, which cannot mean anything else.
func (r Record) Replace(other map[string]string) Record {
	if len(other) == 0 {
		return r
	}
	var pairs []string
	for old, new := range other {
		pairs = append(pairs, old, new)
	}
	in := strings.NewReplacer(pairs...)
	out := r
	out.Nodes, out.Branches, out.Labels = nil, map[string]tree.ID{}, map[string]tree.ID{}
	for _, n := range r.Nodes {
		n.ID, n.Parent, n.Body = tree.ID(in.Replace(string(n.ID))), tree.ID(in.Replace(string(n.Parent))),
			json.RawMessage(in.Replace(string(n.Body)))
		out.Nodes = append(out.Nodes, n)
	}
	for name, head := range r.Branches {
		out.Branches[name] = tree.ID(in.Replace(string(head)))
	}
	for name, head := range r.Labels {
		out.Labels[name] = tree.ID(in.Replace(string(head)))
	}
	return out
}
