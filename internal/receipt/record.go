// Package receipt has the record of a debate outside a store: it packs a record into an export, reads it again, and verifies it on
// any machine.
//
// A record is lines of JSON: every text with its hash before the first node that names it, the nodes in the order of their commit,
// and last, if the debate itself wrote the record, its result. [Lines] and [Pack] write one, [Read] reads one. An export carries it:
// a JSON object in a field ([Attached], [Fill]), an HTML page in an element nobody sees ([Page]); [Open] finds it in either, or in
// lines. A decision in Markdown names the hash of its record and carries none.
//
// [Verify] recomputes everything that follows from a record, with the code of this version: votes, claims and stances from the
// replies, draws from their key, judgements from the judges' replies, the verdict from the ledger, and last what the export says from
// all of these. It asks no model, reads no project and no store, and writes nothing. It cannot know three things and says so: whether
// a vendor gave the answers in the record (see [Provenance]), what a command did on another machine, and whether a text was worded by
// another version or edited. Such a finding is unknown, never ok.
//
// A person compares the hash of a record with somebody else's copy: changing a record and everything that follows from it changes the
// hash. The seal of an export is weaker. It only distinguishes an edited export from one that another version wrote.
//
// Input may come from anybody. Sizes are limited during unpacking, an object with a duplicate key is refused, and an [Error] says
// whether a file is something else or a record that was changed.
package receipt

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Most limits the size of a record to read, in bytes. A larger one is cut off there, which reads as a file that is not a record.
const Most = 1 << 30

// Record is a debate as it is passed on. Make one with Read or Open; they verify only that each text matches its hash.
type Record struct {
	Nodes []tree.Node
	Texts map[string]string            // the texts that nodes name, by their SHA-256
	Hash  string                       // its SHA-256 as the export states it; empty: not stated
	Other map[string][]json.RawMessage // lines of types that are not part of a debate, by type
	said  json.RawMessage              // the result as the export states it; nil: not stated
	page  string                       // of an HTML export: the page without its record

	edited bool // the export's seal is broken
}

// Error says why a file is not a record. Foreign: it is something else; otherwise it is a record that was modified or cut.
type Error struct {
	Message, Hint string
	Foreign       bool
}

// Error returns only the message: the hint is printed below it.
func (e *Error) Error() string { return e.Message }

// Result returns the result that the export states; nil: it states none. It is not verified: Verify says whether it follows.
func (r Record) Result() *debate.Result {
	res := &debate.Result{}
	if r.said == nil || json.Unmarshal(r.said, res) != nil {
		return nil
	}
	return res
}

// Text opens a text of the record by its hash.
func (r Record) Text(hash string) (string, bool) {
	t, ok := r.Texts[hash]
	return t, ok
}

// line has the fields of a record's line, whatever its type.
type line struct {
	Type   string     `json:"type"`
	SHA256 string     `json:"sha256,omitempty"`
	Text   string     `json:"text,omitempty"`
	Node   *tree.Node `json:"node,omitempty"`
	Seq    int64      `json:"seq,omitempty"`
}

// Read reads the lines of a record, as `--record` writes them. name is used in errors.
//
// Numbered lines must have no gap, so a removed line is detected. With an error it returns what was read before.
func Read(name string, in io.Reader) (Record, error) {
	r := Record{Texts: map[string]string{}, Other: map[string][]json.RawMessage{}}
	dec := json.NewDecoder(bufio.NewReader(io.LimitReader(in, Most)))
	for n := int64(1); ; n++ {
		var raw json.RawMessage
		var l line
		err := dec.Decode(&raw)
		if err == nil {
			err = json.Unmarshal(raw, &l)
		}
		if errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return r, &Error{Message: fmt.Sprintf("%s is not a debate record (byte %d: %v)", name, dec.InputOffset(), err), Foreign: true}
		}
		if l.Seq != 0 && l.Seq != n {
			return r, &Error{Message: fmt.Sprintf("%s was modified: line %d is numbered %d, so lines are missing or were added", name, n,
				l.Seq), Hint: "export it again: socrates debate export NAME --format record --out FILE"}
		}
		if err := r.take(l, raw, dec.InputOffset()); err != nil {
			return r, &Error{Message: fmt.Sprintf("%s was modified: %v", name, err)}
		}
	}
}

// take adds a line. Lines of unknown types go to Other.
func (r *Record) take(l line, raw json.RawMessage, at int64) error {
	switch {
	case l.Type == "text":
		if sum := sha256.Sum256([]byte(l.Text)); hex.EncodeToString(sum[:]) != l.SHA256 {
			return fmt.Errorf("a text near byte %d does not match its hash", at)
		}
		r.Texts[l.SHA256] = l.Text
	case l.Type == "node" && l.Node != nil:
		r.Nodes = append(r.Nodes, *l.Node)
	case l.Type == "result":
		var stated debate.Result
		if err := json.Unmarshal(raw, &stated); err != nil {
			return fmt.Errorf("its last line cannot be read: %w", err)
		}
		// Of two results, one reader would use the first and another the last.
		if r.said != nil {
			return errors.New("it states two results")
		}
		if name := twice(raw); name != "" {
			return fmt.Errorf("its result says %q twice", name)
		}
		r.Hash, r.said = stated.Record, raw
	default:
		r.Other[l.Type] = append(r.Other[l.Type], raw)
	}
	return nil
}

// hashes finds the texts that a node names. Everything that looks like a hash counts, so a body need not be decoded.
var hashes = pattern.Of(`"[0-9a-f]{64}"`)

// Named returns the hashes that a node names, each once: of texts, and of files and outputs that are not part of the record.
func Named(n tree.Node) []string {
	var out []string
	seen := map[string]bool{}
	for _, h := range hashes().FindAllString(string(n.Body), -1) {
		if h = h[1 : len(h)-1]; !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

// Pack encodes a record as one word for an export: its lines without numbers, compressed, in base64. Each line goes through clean
// first.
func Pack(nodes []tree.Node, text func(hash string) (string, bool), clean func(string) string) (string, error) {
	lines, err := Lines(nodes, text, clean)
	if err != nil {
		return "", err
	}
	return Compress(lines)
}

// Lines writes nodes and the texts they name in the form that Read reads. Each line goes through clean first. A text is written once,
// before the first node that names it. A hash unknown to text is omitted: it may be a file's, and Verify reports missing prompts and
// replies.
func Lines(nodes []tree.Node, text func(hash string) (string, bool), clean func(string) string) ([]byte, error) {
	var lines bytes.Buffer
	put := func(l line) error {
		raw, err := json.Marshal(l)
		lines.WriteString(clean(string(raw)) + "\n")
		return err
	}
	out := map[string]bool{}
	for _, n := range nodes {
		for _, h := range Named(n) {
			t, ok := text(h)
			if !ok || out[h] {
				continue
			}
			out[h] = true
			if err := put(line{Type: "text", SHA256: h, Text: t}); err != nil {
				return nil, fmt.Errorf("pack the record: %w", err)
			}
		}
		if err := put(line{Type: "node", Node: &n}); err != nil {
			return nil, fmt.Errorf("pack the record: %w", err)
		}
	}
	return lines.Bytes(), nil
}

// Compress encodes a text as one word: gzip in base64.
func Compress(text []byte) (string, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(text)
	if err = errors.Join(err, zip.Close()); err != nil {
		return "", fmt.Errorf("compress: %w", err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// mostUnpacked limits the text of a word, in bytes.
const mostUnpacked = 256 << 20

// Decompress decodes a word of Compress.
func Decompress(word string) ([]byte, error) {
	zip, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(word)))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(zip, mostUnpacked+1))
	if len(text) > mostUnpacked {
		return nil, fmt.Errorf("it unpacks to more than %d MB", mostUnpacked>>20)
	}
	return text, err
}

// unpack reads the record that an export carries.
func unpack(name, packed string) (Record, error) {
	lines, err := Decompress(packed)
	if err != nil {
		return Record{}, &Error{Message: name + " was modified: the record it carries cannot be unpacked: " + err.Error()}
	}
	r, err := Read("the record in "+name, bytes.NewReader(lines))
	if e, ok := errors.AsType[*Error](err); ok {
		e.Foreign = false // the export says that it is one
	}
	return r, err
}
