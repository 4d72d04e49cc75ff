package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/pattern"
)

const (
	largestFile = 256 << 10 // bytes of a configuration file
	mostErrors  = 10        // told at once of one file
	deepest     = 8         // sections within sections
)

// Error is a mistake in the configuration. Message is one line that begins with the key if there is one.
// Programs go by the type; its text is whole and can be shown as it is.
type Error struct {
	File    string // or the variable or flag
	Line    int    // 0: unknown
	Message string
	Hint    string // what to do; may be empty
	Err     error  // cause; may be nil
}

// Error is the place, what is wrong, and in brackets what to do.
func (e *Error) Error() string {
	text := place(e.File, e.Line) + ": " + e.Message
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap is the system's error, if it was one.
func (e *Error) Unwrap() error { return e.Err }

// place is a file with its line, if that is known.
func place(file string, line int) string {
	if line > 0 {
		return file + ":" + strconv.Itoa(line)
	}
	return file
}

// given is one value in a file. Those of lists are items; others have text.
type given struct {
	key   string
	line  int
	text  string
	items []string
	lines []int // of the items
	list  bool
}

// document is a file that was read.
type document struct {
	file    string
	text    []byte
	root    *yaml.Node // of a document with a mapping; nil: the file is empty or missing
	private bool       // nobody else can read it
	values  []given
	errs    []error
}

// fail notes a mistake; beyond mostErrors nothing is noted any more.
func (d *document) fail(line int, hint, format string, args ...any) {
	if len(d.errs) < mostErrors {
		d.errs = append(d.errs, &Error{File: d.file, Line: line, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// read reads a file. A missing one is an empty document. The error is an *Error: the file is not YAML at all.
// What is wrong with single entries is in the document's errs.
// Size and depth are bounded, and anchors, aliases and merges refused: a project's file must not be able to grow in
// memory or hide what it sets.
func read(file string) (*document, error) {
	d := &document{file: file, private: true}
	text, info, err := setting.ReadFile(file, largestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		cause, _ := errors.AsType[*fs.PathError](err)
		message := err.Error()
		if cause != nil {
			message = "cannot be read: " + cause.Err.Error()
		}
		return nil, &Error{File: file, Message: message, Err: err}
	}
	d.text = text
	d.private = runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
	if d.root, err = decode(file, text); err != nil || d.root == nil {
		return d, err
	}
	d.walk("", d.root.Content[0], 0)
	return d, nil
}

var yamlLine = pattern.Of(`^(?:yaml: )?(?:line (\d+): )?`)

// decode returns nil without error for a text without a value.
func decode(file string, text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	root, next := &yaml.Node{}, &yaml.Node{}
	err := decoder.Decode(root)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if err = decoder.Decode(next); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			return nil, &Error{File: file, Line: next.Line, Message: "contains a second document", Hint: "remove the line ---"}
		}
	}
	if err != nil {
		found := yamlLine().FindStringSubmatch(err.Error())
		line, _ := strconv.Atoi(found[1])
		return nil, &Error{File: file, Line: line, Message: "not YAML: " + strings.TrimPrefix(err.Error(), found[0]), Err: err}
	}
	top := root.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, &Error{File: file, Line: top.Line, Message: "must be a mapping", Hint: "write lines such as debate: or seats:"}
	}
	return root, nil
}

// walk collects the entries below the mapping node, whose key is prefix.
// Tags of values are not looked at: each is read as text by the type of its setting, so that 1e3 or yes mean what the
// table says.
func (d *document) walk(prefix string, node *yaml.Node, depth int) {
	for i := 0; i+1 < len(node.Content) && len(d.errs) < mostErrors; i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		key := join(prefix, name.Value)
		if name.Kind != yaml.ScalarNode || name.Tag == "!!merge" || name.Anchor != "" {
			d.fail(name.Line, "write out the key", "only plain keys are allowed")
			continue
		}
		if value.Kind == yaml.AliasNode || value.Anchor != "" {
			d.fail(value.Line, "write out the value", "%s: anchors and aliases are not allowed", quoteKey(key))
			continue
		}
		if _, known := setting.Find(key); known {
			d.add(key, name.Line, value)
			continue
		}
		empty := value.Kind == yaml.ScalarNode && value.Tag == "!!null"
		switch {
		case key == listed && value.Kind == yaml.SequenceNode:
			d.number(key, value, depth)
		case setting.IsSection(key) && empty:
		case setting.IsSection(key) && value.Kind != yaml.MappingNode:
			d.fail(name.Line, "put its settings under it", "%s: is a section, not a value", quoteKey(key))
		case value.Kind == yaml.MappingNode && len(value.Content) > 0 && depth < deepest:
			d.walk(key, value, depth+1)
		default:
			d.fail(name.Line, setting.Nearest(key), "unknown key %s", quoteKey(key))
		}
	}
}

// listed is the section that may also be written as a list.
const listed = "events"

// number collects the entries below a section that is written as a list: its items are named 1, 2 and so on.
func (d *document) number(key string, list *yaml.Node, depth int) {
	for i, item := range list.Content {
		name := join(key, strconv.Itoa(i+1))
		if item.Kind != yaml.MappingNode || item.Anchor != "" || len(item.Content) == 0 {
			d.fail(item.Line, "write - on: [debate_ended], and below it command: or webhook:", "%s: must be a mapping", name)
			continue
		}
		d.walk(name, item, depth+1)
	}
}

// add enters the value of a known key.
func (d *document) add(key string, line int, value *yaml.Node) {
	for _, e := range d.values {
		if e.key == key {
			d.fail(line, "remove one of them", "%s: is already set on line %d", key, e.line)
			return
		}
	}
	row, _ := setting.Find(key)
	e := given{key: key, line: line, list: row.Type == setting.List}
	switch {
	case value.Kind == yaml.ScalarNode && value.Tag == "!!null":
		d.fail(line, "write a value or remove the line", "%s: has no value", key)
		return
	case e.list && value.Kind != yaml.SequenceNode:
		d.fail(line, "write [one, two]", "%s: must be a list", key)
		return
	case !e.list && value.Kind != yaml.ScalarNode:
		d.fail(line, "", "%s: must be a %s, not a list or a section", key, row.Type)
		return
	case e.list:
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode || item.Anchor != "" {
				d.fail(item.Line, "", "%s: every entry must be text", key)
				return
			}
			e.items, e.lines = append(e.items, item.Value), append(e.lines, item.Line)
		}
	default:
		e.text = value.Value
	}
	d.values = append(d.values, e)
}

// value checks an entry.
func (e given) value(s setting.Row) (any, error) {
	if e.list {
		return append([]string{}, e.items...), s.CheckItems(e.items)
	}
	return s.Parse(e.text)
}

// join is a key below another.
func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
