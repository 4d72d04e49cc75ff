package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/failure"
)

// Misfit says in words how a client's JSON object does not match a schema: the field, what it must be and what it was,
// with a hint that may be empty. An empty text means that nothing was found. It only words errors that a decoder or a
// validator found, so that no client reads names of Go types or of a library.
func Misfit(s *jsonschema.Schema, raw []byte) (text, hint string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("the JSON is invalid at byte %d", broken.Offset), ""
	} else if err != nil {
		return "the JSON ends too soon", ""
	}
	var names []string
	for _, name := range s.PropertyOrder {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}
	if _, object := v.(map[string]any); !object && len(names) > 0 {
		return "it must be an object, not " + called(v), "its fields: " + strings.Join(names, ", ")
	}
	m := misfits{}
	m.look(s, v, "")
	// A wrong value says more than a missing one, which may be null on purpose.
	for _, list := range [][]misfit{m.wrong, m.unknown, m.missing} {
		if len(list) > 0 {
			return list[0].text, list[0].hint
		}
	}
	return "", ""
}

type misfit struct{ text, hint string }

// misfits are what does not match, by what is worth saying first.
type misfits struct{ wrong, unknown, missing []misfit }

// look compares a value with its schema; at is its field, empty for the whole.
func (m *misfits) look(s *jsonschema.Schema, v any, at string) {
	kinds := slices.DeleteFunc(append(slices.Clone(s.Types), s.Type), func(k string) bool { return k == "" })
	switch v := v.(type) {
	case nil:
		if len(kinds) > 0 && !slices.Contains(kinds, "null") {
			m.missing = append(m.missing, misfit{at + " must be " + wanted(kinds) + ", not null", ""})
		}
		return
	case map[string]any:
		if len(kinds) == 0 || slices.Contains(kinds, "object") {
			m.fields(s, v, at)
			return
		}
	case []any:
		if len(kinds) == 0 || slices.Contains(kinds, "array") {
			for i, one := range v {
				if s.Items != nil {
					m.look(s.Items, one, fmt.Sprintf("%s[%d]", at, i))
				}
			}
			return
		}
	}
	is, n := "", json.Number("")
	switch v := v.(type) {
	case json.Number:
		is, n = "number", v
	case string:
		is = "string"
	case bool:
		is = "boolean"
	}
	number := is == "number"
	_, whole := n.Int64()
	if len(kinds) > 0 && !slices.Contains(kinds, is) && !(number && whole == nil && slices.Contains(kinds, "integer")) {
		m.wrong = append(m.wrong, misfit{at + " must be " + wanted(kinds) + ", not " + called(v), ""})
		return
	}
	f, _ := n.Float64()
	switch {
	case number && s.Minimum != nil && f < *s.Minimum:
		m.wrong = append(m.wrong, misfit{fmt.Sprintf("%s must be at least %g, not %s", at, *s.Minimum, n), ""})
	case number && s.Maximum != nil && f > *s.Maximum:
		m.wrong = append(m.wrong, misfit{fmt.Sprintf("%s must be at most %g, not %s", at, *s.Maximum, n), ""})
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, v):
		var names []string
		for _, one := range s.Enum {
			names = append(names, fmt.Sprint(one))
		}
		m.wrong = append(m.wrong, misfit{at + " must be one of " + strings.Join(names, ", ") + ", not " + called(v), ""})
	}
}

// fields compares an object with its schema.
func (m *misfits) fields(s *jsonschema.Schema, v map[string]any, at string) {
	if at != "" {
		at += "."
	}
	more := s.AdditionalProperties
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch p := s.Properties[name]; {
		case p != nil:
			m.look(p, v[name], at+name)
		case more != nil && more.Not != nil: // no others are allowed
			m.unknown = append(m.unknown, misfit{at + name + " is not a field here",
				failure.Nearest(name, slices.Sorted(maps.Keys(s.Properties)))})
		case more != nil:
			m.look(more, v[name], at+name)
		}
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			m.missing = append(m.missing, misfit{at + name + " is missing", ""})
		}
	}
}

// wanted names kinds of JSON in words.
func wanted(kinds []string) string {
	var out []string
	for _, k := range kinds {
		if word := map[string]string{"string": "a text", "boolean": "true or false", "integer": "a whole number", "number": "a number",
			"array": "a list", "object": "an object"}[k]; word != "" {
			out = append(out, word)
		}
	}
	return strings.Join(out, " or ")
}

// called names a value of JSON in words.
func called(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "the text " + strconv.Quote(clip(v, 40))
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}
