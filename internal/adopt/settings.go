package adopt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// claudeSettings are where Claude Code keeps hooks and permissions.
var claudeSettings = []string{".claude/settings.json", ".claude/settings.local.json"}

// mine has a piece that is an entry of settings go to the person's file, if it is the person's.
func (f *finder) mine(p *Piece) {
	if f.own != nil {
		p.Below, p.To = f.own.dir, f.own.settings
	}
}

// settings are hooks of a settings file.
// A file that cannot be read is one piece that is left out: nobody should believe that its hooks hold.
func (f *finder) settings() {
	for _, from := range claudeSettings {
		raw, ok := f.read(from)
		if !ok {
			continue
		}
		var said struct{ Hooks map[string][]group }
		if err := json.Unmarshal([]byte(raw), &said); err != nil {
			f.leave(Hook, path.Base(from), from, "it cannot be read: "+err.Error())
			continue
		}
		for _, event := range slices.Sorted(maps.Keys(said.Hooks)) {
			for i, g := range said.Hooks[event] {
				f.hooks(from, event, i, g)
			}
		}
	}
}

// group is hooks that share an event and the tools they are for.
type group struct {
	Matcher string
	Hooks   []struct {
		Type, Command string
		Timeout       float64
	}
}

// events are our events by theirs.
var events = map[string]string{"PreToolUse": "before_tool", "PostToolUse": "after_tool", "UserPromptSubmit": "prompt",
	"SessionStart": "session_start", "Stop": "turn_done", "PreCompact": "compact", "PermissionRequest": "permission"}

// names are matchers that are lists of tools. Others are patterns, which could mean anything.
var names = pattern.Of(`^[A-Za-z0-9_]+(\|[A-Za-z0-9_]+)*$`)

// hooks enters the commands of one group. Each has a name from its place in the file, so it keeps it as long as the
// file's order does. What such a hook reads and prints is in the other agent's form; "form" says so.
func (f *finder) hooks(from, event string, nth int, g group) {
	for k, h := range g.Hooks {
		name := plain(fmt.Sprintf("claude-%s-%d-%d", event, nth+1, k+1))
		if strings.Contains(from, ".local.") {
			name += "-local"
		}
		ours, known := events[event]
		entry := map[string]any{"on": []string{ours}, "form": "claude", "command": []string{"sh", "-c", h.Command}}
		var tools []string
		all := g.Matcher == "" || g.Matcher == "*" || g.Matcher == ".*"
		for _, theirs := range strings.Split(g.Matcher, "|") {
			if strings.HasPrefix(theirs, "mcp__") {
				tools = append(tools, theirs)
			}
			tools = append(tools, Tools[theirs]...)
		}
		byTool := ours == "before_tool" || ours == "after_tool" || ours == "permission"
		switch {
		case !known:
			f.leave(Hook, name, from, "no equivalent event here for "+event)
			continue
		case h.Type != "command" || h.Command == "":
			f.leave(Hook, name, from, "only hooks that are commands run here")
			continue
		case byTool && !all && (!names().MatchString(g.Matcher) || len(tools) == 0):
			f.leave(Hook, name, from, "no equivalent tool here for "+g.Matcher)
			continue
		case byTool && !all:
			slices.Sort(tools)
			entry["tools"] = slices.Compact(tools)
		}
		if h.Timeout >= 1 {
			entry["timeout"] = fmt.Sprintf("%ds", int(min(h.Timeout, 600)))
		}
		text, err := yaml.Marshal(entry)
		if err != nil {
			continue
		}
		p := Piece{Kind: Hook, Name: name, From: from, To: ".socrates/hooks.yaml", Text: string(text), value: entry,
			merge: intoYAML(entry, "hooks", name)}
		f.mine(&p)
		f.add(p)
	}
}

// intoYAML puts a value into a file: below two keys, or at the end of the list that is there.
// Comments and order of the file stay. A scalar is put into a list, which begins if there is none.
func intoYAML(value any, keys ...string) merge {
	return func(was []byte) ([]byte, error) {
		var doc yaml.Node
		if err := yaml.Unmarshal(was, &doc); err != nil {
			return nil, fmt.Errorf("it is not YAML: %w", err)
		}
		empty := doc.Kind == 0 && len(bytes.TrimSpace(was)) > 0
		if doc.Kind == 0 {
			doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
		}
		var leaf yaml.Node
		if err := leaf.Encode(value); err != nil {
			return nil, err
		}
		if leaf.Kind == yaml.ScalarNode {
			word := leaf
			leaf = yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{&word}}
		}
		changed, err := enter(doc.Content[0], &leaf, keys)
		if err != nil || !changed {
			return was, err
		}
		var b bytes.Buffer
		enc := yaml.NewEncoder(&b)
		enc.SetIndent(2)
		if empty { // comments without anything to stand by
			b.Write(bytes.TrimRight(was, "\n"))
			b.WriteString("\n")
		}
		err = enc.Encode(&doc)
		return b.Bytes(), err
	}
}

// enter puts a leaf below keys of a mapping. A list takes what it does not hold; anything else must be free or the same.
// It works on nodes and not on values, so that what it does not touch keeps its comments.
func enter(in, leaf *yaml.Node, keys []string) (changed bool, err error) {
	if in.Kind != yaml.MappingNode {
		return false, errTaken
	}
	for i := 0; i+1 < len(in.Content); i += 2 {
		if in.Content[i].Value != keys[0] {
			continue
		}
		have := in.Content[i+1]
		switch {
		case len(keys) > 1:
			return enter(have, leaf, keys[1:])
		case leaf.Kind == yaml.SequenceNode && have.Kind == yaml.SequenceNode:
			if slices.ContainsFunc(have.Content, func(n *yaml.Node) bool { return n.Value == leaf.Content[0].Value }) {
				return false, nil
			}
			have.Content = append(have.Content, leaf.Content[0])
			return true, nil
		}
		var a, b any
		have.Decode(&a)
		leaf.Decode(&b)
		if fmt.Sprint(a) == fmt.Sprint(b) {
			return false, nil
		}
		return false, errTaken
	}
	value := leaf
	for _, key := range slices.Backward(keys[1:]) {
		value = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, value}}
	}
	in.Content = append(in.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: keys[0]}, value)
	return true, nil
}
