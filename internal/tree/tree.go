// Package tree is the conversation tree: immutable nodes with a parent, and movable refs. It is pure.
//
// A [Node] is one thing said or done: a question, an answer, a check, a verdict. Nodes form trees by their Parent; a
// node without one is a root, and the id of its root names a tree. A [Ref] points at a node and moves, like a branch in
// git. A conversation, on one branch, is the path from the root to the head of that branch's ref.
//
// A node's Kind says what it means. A package that owns a body declares a [Kind] of that type, makes nodes with New and
// reads them with Of, so a body has one Go type and no registry lists them all. Readers skip unknown kinds, so older
// programs can read newer trees.
//
// A node is never changed after it is made: a correction is another node. Package store assigns its Seq and stores it;
// this package reads and writes nothing, and its values may be copied and shared freely.
package tree

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ID identifies a node. IDs sort by the millisecond they were made in. The empty ID identifies no node.
type ID string

var alphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID makes an ID from the time and 80 random bits, like a ULID: 26 lower-case letters and digits. Two IDs of the
// same millisecond have no order; the order of commit is a node's Seq.
func NewID() ID {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16)
	// It overwrites the two low bytes, which the shift left empty, and never fails: see crypto/rand.Read.
	rand.Read(b[6:])
	return ID(alphabet.EncodeToString(b[:]))
}

// Short is the end of the ID, enough to tell nodes apart on a screen.
func (id ID) Short() string {
	if len(id) > 8 {
		return string(id[len(id)-8:])
	}
	return string(id)
}

// Node is one immutable thing said or done. Its JSON is the disk format, the stream format and the export format.
type Node struct {
	Seq    int64 `json:"seq"` // order of commit in this store; 0: not stored yet
	ID     ID    `json:"id"`
	Parent ID    `json:"parent,omitempty"` // empty: a root
	// Kind says how to read Body; By and At come from the node's author, not from the store.
	Kind string    `json:"kind"`
	By   string    `json:"by"` // author: a seat, "person" ("person:NAME" for people of a hub) or "code"
	At   time.Time `json:"at"`
	// Body is a JSON object. The store cleans its strings before it stores them.
	Body json.RawMessage `json:"body"`
}

// Kind ties a node's kind to the type of its body. The package that defines a body declares its Kind. The value is what
// Node.Kind contains in every store and export: it is never renamed.
type Kind[T any] string

// New makes an unstored node. It panics if body cannot be encoded as JSON, which is a programmer's mistake.
//
// The time is cut to milliseconds, the precision of the store, so that a node equals itself when it is read again.
func (k Kind[T]) New(parent ID, by string, body T) Node {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("node %s: %v", k, err))
	}
	return Node{ID: NewID(), Parent: parent, Kind: string(k), By: by, At: time.Now().UTC().Truncate(time.Millisecond), Body: raw}
}

// Of decodes n's body. It returns false if n is of another kind or its body does not decode; null is no body. Of a body
// that a newer program wrote, it decodes the fields that are known here.
func (k Kind[T]) Of(n Node) (T, bool) {
	var body T
	if n.Kind != string(k) || string(n.Body) == "null" || json.Unmarshal(n.Body, &body) != nil {
		return body, false
	}
	return body, true
}

// Body is Of for callers that switch on the body's type; nil where Of returns false.
func (k Kind[T]) Body(n Node) any {
	if body, ok := k.Of(n); ok {
		return body
	}
	return nil
}

// All decodes the body of every node of this kind, in order.
func (k Kind[T]) All(nodes []Node) []T {
	var out []T
	for _, n := range nodes {
		if body, ok := k.Of(n); ok {
			out = append(out, body)
		}
	}
	return out
}

// Ref is a named, movable pointer to a node, for example room/calm-heron. At is the time of its last move.
type Ref struct {
	Name string    `json:"name"`
	Head ID        `json:"head"`
	At   time.Time `json:"at"`
}

// Path returns the nodes from the root to leaf; nodes may be in any order. It returns false if a link is missing. It
// costs the number of nodes; a store reads paths with a query of its own.
func Path(nodes []Node, leaf ID) ([]Node, bool) {
	byID := make(map[ID]Node, len(nodes))
	for _, n := range nodes {
		byID[n.ID] = n
	}
	var path []Node
	for id := leaf; id != ""; {
		n, ok := byID[id]
		// A cycle of parents counts as a missing link: without the length the walk would not end.
		if !ok || len(path) > len(nodes) {
			return nil, false
		}
		path = append(path, n)
		id = n.Parent
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path, true
}

// Person is a node's By for the person who uses the program.
const Person = "person"

// Named is the By of one of a hub's people: Person with their name.
func Named(name string) string { return Person + ":" + name }

// ByPerson reports whether a node's By is a person, and which of a hub's people; the name is empty for the person who runs the program.
func ByPerson(by string) (name string, ok bool) {
	name, named := strings.CutPrefix(by, Person+":")
	if named {
		return name, true
	}
	return "", by == Person
}
