// Package parcel is a run outside of a store: its record, the conversations of its agents and its commits in one
// file, which anybody can verify, and take to another machine.
//
// A file is lines of JSON: a head, the record's texts and nodes, the conversations, the commits as a pack of git's,
// and a last line with the hash of all before it. Write cleans secrets from everything but the commits; Open checks
// form, names and hashes and trusts nothing else; Verify computes the run again in an empty folder.
//
// The hash shows accidents and partial edits. A forger can compute it, so whoever needs more compares it with a copy
// that somebody else has.
//
// Nodes in a file name no folder of the machine that wrote it (Move), and a head can hold nothing but names and
// commits, because both become paths and arguments of git here.
package parcel

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// schema is the schema of the files that this version writes.
const schema = "socrates.run/1"

// Head is the first line of a file.
type Head struct {
	Type    string      `json:"type"` // run
	Schema  string      `json:"schema"`
	Run     string      `json:"run"`
	Program string      `json:"program"`          // the version that wrote it
	Bottom  string      `json:"bottom,omitempty"` // the commit whose history is left out; empty: the run has not begun
	Refs    [][2]string `json:"refs,omitempty"`
}

// Parcel is a run as a file. Its nodes name no folder: whoever imports it chooses one.
type Parcel struct {
	Head
	Nodes   []tree.Node
	Texts   map[string]string
	Talks   []archive.Record // the conversations of its agents
	Objects []byte           // a pack of git's
	Hash    string           // of all lines before the last
}

// objects, conversation and end are lines of a file.
type objects struct {
	Type   string `json:"type"`
	Pack   string `json:"pack"` // in base64
	SHA256 string `json:"sha256"`
}

// conversation is a line that carries an agent's conversation.
type conversation struct {
	Type   string         `json:"type"`
	Record archive.Record `json:"record"`
}

// end is the last line: the hash of all before it.
type end struct {
	Type   string `json:"type"`
	SHA256 string `json:"sha256"`
}

// Move replaces the folders in a run's nodes: that of the project and that of the workspaces. The conversations that started it are left
// out: they are those of another store. Everything else stays, byte for byte.
func Move(nodes []tree.Node, project, space string) ([]tree.Node, error) {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n tree.Node) bool { return n.Kind == string(way.TalkKind) })
	for i, n := range nodes {
		var body any
		if f, ok := record.FrameKind.Of(n); ok {
			f.Dir = project
			body = f
		} else if b, ok := record.BeginKind.Of(n); ok {
			b.Space = space
			body = b
		} else {
			continue
		}
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		nodes[i].Body = raw
	}
	return nodes, nil
}

// nowhere replaces a folder in a file.
const nowhere = "."

// Write makes a file of a run. Every line but the commits goes through clean.
// Two calls give the same bytes for the same run.
func (p Parcel) Write(clean func(string) string) ([]byte, error) {
	var b bytes.Buffer
	put := func(line any, clean func(string) string) error {
		raw, err := json.Marshal(line)
		b.WriteString(clean(string(raw)) + "\n")
		return err
	}
	p.Type, p.Schema = "run", schema
	nodes, err := Move(p.Nodes, nowhere, nowhere)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		nodes[i].Seq = int64(i + 1)
	}
	lines, err := receipt.Lines(nodes, func(hash string) (string, bool) { t, ok := p.Texts[hash]; return t, ok }, clean)
	if err = errors.Join(err, put(p.Head, clean)); err != nil {
		return nil, err
	}
	b.Write(lines)
	for _, t := range p.Talks {
		if err := put(conversation{"conversation", t}, clean); err != nil {
			return nil, err
		}
	}
	same := func(s string) string { return s }
	if len(p.Objects) > 0 {
		if err := put(objects{"objects", base64.StdEncoding.EncodeToString(p.Objects), sum(p.Objects)}, same); err != nil {
			return nil, err
		}
	}
	err = put(end{"end", sum(b.Bytes())}, same)
	return b.Bytes(), err
}

// sum formats a hash as in the file.
func sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// sound refuses a head whose words could be more than names: a run becomes a folder's name here, and commits and refs
// become arguments of git. Options of git begin with a dash, so neither a commit nor a ref may.
func (h Head) sound() error {
	switch {
	case !tree.GoodName(h.Run):
		return fmt.Errorf("invalid run name %q", h.Run)
	case h.Bottom != "" && !isCommit(h.Bottom):
		return fmt.Errorf("%q is not a commit", h.Bottom)
	}
	for _, r := range h.Refs {
		if !strings.HasPrefix(r[0], "refs/") || strings.Contains(r[0], "..") || strings.ContainsAny(r[0], " \x00\n") || !isCommit(r[1]) {
			return fmt.Errorf("%q is not a branch of a run", r[0])
		}
	}
	return nil
}

// isCommit reports whether a word is the full name of a git object.
func isCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Open reads a file and its checksums. name is its name in errors. Errors are *receipt.Error: Foreign for another
// kind of file, else the file was modified.
func Open(name string, raw []byte) (Parcel, error) {
	p := Parcel{}
	first, _, _ := bytes.Cut(raw, []byte("\n"))
	if json.Unmarshal(first, &p.Head) != nil || p.Type != "run" || p.Schema != schema {
		return p, &receipt.Error{Foreign: true, Message: name + " is not an exported run",
			Hint: "create one: socrates work export RUN --out FILE"}
	}
	modified := func(format string, args ...any) error {
		return &receipt.Error{Message: name + " was modified: " + fmt.Sprintf(format, args...),
			Hint: "export it again: socrates work export " + p.Run + " --out FILE"}
	}
	if err := p.Head.sound(); err != nil {
		return p, modified("%v", err)
	}
	r, err := receipt.Read(name, bytes.NewReader(raw))
	if err != nil {
		return p, err
	}
	p.Nodes, p.Texts = r.Nodes, r.Texts
	last := bytes.LastIndexByte(bytes.TrimRight(raw, "\n"), '\n') + 1
	var e end
	if len(r.Other["end"]) != 1 || json.Unmarshal(raw[last:], &e) != nil || e.Type != "end" {
		return p, modified("its last line is missing")
	}
	if p.Hash = sum(raw[:last]); p.Hash != e.SHA256 {
		return p, modified("SHA-256 mismatch: computed %.12s…, recorded %.12s…", p.Hash, e.SHA256)
	}
	for _, line := range r.Other["conversation"] {
		var c struct{ Record json.RawMessage }
		if err := json.Unmarshal(line, &c); err != nil {
			return p, modified("%v", err)
		}
		t, err := archive.Read(bytes.NewReader(c.Record))
		if err != nil {
			return p, modified("%v", err)
		}
		p.Talks = append(p.Talks, t)
	}
	for _, line := range r.Other["objects"] {
		var o objects
		if err := json.Unmarshal(line, &o); err != nil {
			return p, modified("%v", err)
		}
		if p.Objects, err = base64.StdEncoding.DecodeString(o.Pack); err != nil || sum(p.Objects) != o.SHA256 {
			return p, modified("its commits do not match their hash")
		}
	}
	if s, ok := work.Read(p.Nodes); !ok || s.Frame.Run != p.Run || (s.Begun != nil) != (len(p.Objects) > 0) {
		return p, modified("its nodes are not those of run %s", p.Run)
	}
	for _, c := range record.Commits(p.Nodes) {
		if c != "" && !isCommit(c) {
			return p, modified("%q is not a commit", c)
		}
	}
	return p, nil
}
