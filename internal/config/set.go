package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/private"
)

// Set writes one value into a configuration file, which is made if it is missing, and keeps its comments and blank
// lines. value is as on the command line; a list is "a, b" or [a, b]. An unknown key or an invalid value is an *Error and
// leaves the file alone. The file is replaced at once and only its owner can read it; a link stays a link and what it
// leads to is replaced. Two calls at the same time do not mix, but one of them may be lost.
// Whether the whole configuration would still load is not asked: two settings may only be right together.
func Set(file, key, value string) error {
	row, ok := setting.Find(key)
	if !ok {
		return &Error{File: file, Message: "unknown key " + quoteKey(key), Hint: setting.Nearest(key)}
	}
	v, err := row.Parse(value)
	if err != nil {
		return &Error{File: file, Message: key + ": " + err.Error(), Err: err}
	}
	return rewrite(file, func(d *document) ([]byte, error) {
		n := node(row, value, v)
		return d.changed(key, func(want map[string]string, root *yaml.Node) error {
			want[key] = content(n)
			return d.put(root, "", key, n)
		})
	})
}

// Unset takes a key out of a configuration file, under the conditions of Set. One that is not there leaves the file alone.
func Unset(file, key string) error {
	if _, ok := setting.Find(key); !ok {
		return &Error{File: file, Message: "unknown key " + quoteKey(key), Hint: setting.Nearest(key)}
	}
	return rewrite(file, func(d *document) ([]byte, error) {
		if !slices.ContainsFunc(d.values, func(e given) bool { return e.key == key }) {
			return nil, nil
		}
		return d.changed(key, func(want map[string]string, root *yaml.Node) error {
			delete(want, key)
			take(root, "", key)
			return nil
		})
	})
}

// rewrite replaces a file by what change makes of it; nil: it stays.
func rewrite(file string, change func(d *document) ([]byte, error)) error {
	target, err := destination(file)
	if err != nil {
		return err
	}
	before, err := read(target)
	if err != nil {
		return err
	}
	text, err := change(before)
	if err != nil || text == nil {
		return err
	}
	if err := private.Replace(target, text); err != nil {
		return &Error{File: file, Message: "cannot be written: " + err.Error(), Err: err}
	}
	return nil
}

// take removes key from a mapping below which prefix has led, and the sections that are empty then.
func take(mapping *yaml.Node, prefix, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		here, below := join(prefix, mapping.Content[i].Value), mapping.Content[i+1]
		if strings.HasPrefix(key, here+".") && below.Kind == yaml.MappingNode {
			if take(below, here, key); len(below.Content) > 0 {
				continue
			}
		} else if here != key {
			continue
		}
		mapping.Content = slices.Delete(mapping.Content, i, i+2)
		return
	}
}

// node is a value as YAML. A scalar is written as the person wrote it.
func node(s setting.Row, text string, v any) *yaml.Node {
	n := &yaml.Node{}
	if list, ok := v.([]string); ok {
		n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
		for _, entry := range list {
			item := &yaml.Node{}
			item.SetString(entry)
			n.Content = append(n.Content, item)
		}
		return n
	}
	n.SetString(text)
	if s.Type == setting.Count || s.Type == setting.Amount {
		n.Tag = "" // no quotes around numbers
	}
	return n
}

// changed returns the text of the document after the value of key was changed. Every other entry is what it was.
// The result is read back and compared before it is used. YAML that cannot be changed without touching other lines is
// left to the person.
func (d *document) changed(key string, change func(want map[string]string, root *yaml.Node) error) ([]byte, error) {
	want := map[string]string{}
	for _, e := range d.values {
		want[e.key] = e.text + strings.Join(e.items, "\n")
	}
	root := d.root
	if root == nil {
		root = &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
	}
	if err := change(want, root.Content[0]); err != nil {
		return nil, err
	}
	if len(root.Content[0].Content) == 0 {
		return []byte{}, nil
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("writing %s: %w", d.file, err)
	}
	text := out.Bytes()
	if d.root == nil {
		text = slices.Concat(d.text, text) // comments alone have no node to hang on
	}
	for _, candidate := range [][]byte{spaced(d.text, text), text} {
		if maps.Equal(d.contents(candidate), want) {
			return candidate, nil
		}
	}
	return nil, &Error{File: d.file, Message: key + ": cannot be changed without changing other lines", Hint: "edit the file by hand"}
}

// contents reads a text back into its entries.
func (d *document) contents(text []byte) map[string]string {
	again := document{file: d.file}
	if root, err := decode(d.file, text); err == nil && root != nil {
		again.walk("", root.Content[0], 0)
	}
	out := map[string]string{}
	for _, e := range again.values {
		out[e.key] = e.text + strings.Join(e.items, "\n")
	}
	return out
}

// content is what a node holds, without its comments.
func content(n *yaml.Node) string {
	var items []string
	for _, item := range n.Content {
		items = append(items, item.Value)
	}
	return n.Value + strings.Join(items, "\n")
}

// put sets key, whose first part is prefix, in a mapping below which prefix has led.
func (d *document) put(mapping *yaml.Node, prefix, key string, value *yaml.Node) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		here, old := join(prefix, mapping.Content[i].Value), mapping.Content[i+1]
		switch {
		case here == key:
			value.LineComment, value.HeadComment, value.FootComment = old.LineComment, old.HeadComment, old.FootComment
			if old.Kind == yaml.SequenceNode && value.Kind == yaml.SequenceNode && len(value.Content) > 0 {
				value.Style = old.Style
			}
			mapping.Content[i+1] = value
			return nil
		case !strings.HasPrefix(key, here+"."):
			continue
		case old.Kind == yaml.MappingNode:
			return d.put(old, here, key, value)
		case old.Kind == yaml.ScalarNode && old.Tag == "!!null":
			old.Kind, old.Tag, old.Value = yaml.MappingNode, "!!map", ""
			return d.put(old, here, key, value)
		case old.Kind == yaml.SequenceNode && here == listed:
			return &Error{File: d.file, Line: old.Line, Message: here + ": is a list there", Hint: "edit the file by hand"}
		default:
			return &Error{File: d.file, Line: old.Line, Message: here + ": is a section, not a value", Hint: "put its settings under it"}
		}
	}
	first, rest, deeper := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(key, prefix), "."), ".")
	name := &yaml.Node{}
	name.SetString(first)
	if !deeper {
		mapping.Content = append(mapping.Content, name, value)
		return nil
	}
	below := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	mapping.Content = append(mapping.Content, name, below)
	return d.put(below, strings.TrimSuffix(key, "."+rest), key, value)
}

// spaced puts the blank lines of before, which YAML forgets, back above the same lines of after.
// Only blank lines are put back; indentation and quotes are YAML's.
func spaced(before, after []byte) []byte {
	old := strings.Split(string(before), "\n")
	var out []string
	at := 0
	for _, line := range strings.Split(string(after), "\n") {
		if i := follow(old, at, strings.TrimSpace(line)); i >= 0 {
			if i > 0 && strings.TrimSpace(old[i-1]) == "" && len(out) > 0 && out[len(out)-1] != "" {
				out = append(out, "")
			}
			at = i + 1
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n"))
}

// follow finds line in lines from at on: the next line that is not blank if it has the same key, else the same line
// further down. It returns -1 if there is none.
func follow(lines []string, at int, line string) int {
	key, _, _ := strings.Cut(line, ":")
	first := true
	for i := at; i < len(lines) && line != ""; i++ {
		text := strings.TrimSpace(lines[i])
		if text == line || first && strings.HasPrefix(text, key+":") {
			return i
		}
		first = first && text == ""
	}
	return -1
}

// destination follows links, so that the link itself is kept.
func destination(file string) (string, error) {
	target, err := filepath.EvalSymlinks(file)
	if err == nil {
		return target, nil
	}
	if _, there := os.Lstat(file); there == nil {
		return "", &Error{File: file, Message: "is a broken symbolic link", Hint: "remove it", Err: err}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	return "", &Error{File: file, Message: "cannot be found: " + err.Error(), Err: err}
}
