package trust

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Servers reads the MCP servers of a file of them. A file that two readers could understand differently is an error: a name that
// occurs twice in an object, or mcpServers in another case.
// Servers that are no object are an error, too. No key mcpServers: there are none.
func Servers(raw []byte) (map[string]map[string]any, error) {
	if err := unique(raw); err != nil {
		return nil, err
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, err
	}
	if err := exact(file, []string{"mcpServers"}); err != nil {
		return nil, err
	}
	var servers map[string]map[string]any
	if said := file["mcpServers"]; said != nil {
		if err := json.Unmarshal(said, &servers); err != nil {
			return nil, fmt.Errorf("mcpServers: %w", err)
		}
	}
	return servers, nil
}

// fields are the keys of a definition that something reads. encoding/json would also take them in another case, which neither the
// search for files nor an eye that looks for "command" does.
var fields = []string{"on", "tools", "command", "timeout", "guard", "form", "type", "args", "env", "url", "headers", "disabled"}

// exact says in an error if a key is one of names in another case.
func exact[V any](object map[string]V, names []string) error {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		for _, name := range names {
			if key != name && strings.EqualFold(key, name) {
				return fmt.Errorf("it has %q; write it as %q", key, name)
			}
		}
	}
	return nil
}

// unique says in an error if a name occurs twice in an object: which one counts depends on the reader.
// It reads tokens rather than values, since a decoded object has lost what stood twice. The depth is bounded by the
// decoder.
func unique(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	type level struct {
		names map[string]bool // nil: a list
		value bool            // what comes next in an object is a value
	}
	var open []level
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if mark, ok := token.(json.Delim); ok && (mark == '}' || mark == ']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].names != nil {
			top := &open[n-1]
			if name, _ := token.(string); !top.value && top.names[name] {
				return fmt.Errorf("it has %q twice", name)
			} else if !top.value {
				top.names[name] = true
			}
			top.value = !top.value
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		}
	}
}
