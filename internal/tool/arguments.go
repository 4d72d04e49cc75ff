package tool

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
)

// aliases maps our name of an argument to the names that other agents use. Models learn those names and write them
// here, too. An alias counts only in a tool that has no argument of that very name.
var aliases = map[string][]string{
	"path":            {"file_path", "filePath", "filename", "file_name", "file", "target_file", "absolute_path", "directory", "dir"},
	"old":             {"old_string", "oldString", "old_str", "old_text", "search"},
	"new":             {"new_string", "newString", "new_str", "new_text", "replace", "replacement"},
	"all":             {"replace_all", "replaceAll", "replace_everywhere"},
	"content":         {"contents", "file_text", "file_content", "text"},
	"command":         {"cmd", "script"},
	"timeout_seconds": {"timeout", "timeout_ms"},
	"from":            {"offset", "start_line", "startLine", "line_start", "start"},
	"to":              {"end_line", "endLine", "line_end", "end"},
	"glob":            {"include", "file_pattern", "glob_pattern"},
	"pattern":         {"regex", "query", "search_pattern", "glob_pattern"},
	"ignore_case":     {"-i", "case_insensitive", "ignoreCase"},
	"edits":           {"changes", "replacements"},
	"items":           {"todos"},
	"question":        {"prompt"},
	"url":             {"uri", "link"},
	"patch":           {"input", "diff"},
	"id":              {"job_id", "task_id"},
}

// asides are arguments that models add for human readers; nothing depends on them.
var asides = []string{"description", "explanation", "reason", "reasoning", "thought", "toolCallReason"}

// Fitted returns arguments as the tool reads them: under its own names, each once, with values of the right types.
// Whoever judges a call before it runs must judge, and then run, these: another name for the same argument would pass
// unseen. Its errors are for the model.
func (t Tool) Fitted(args json.RawMessage) (json.RawMessage, error) {
	var shape *jsonschema.Schema
	if t.about != nil {
		shape = t.about().shape
	}
	fit, err := fitted(args, shape)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", t.Name, err)
	}
	return fit, nil
}

// fitted converts what a model wrote: names of other agents become ours, and values of another type are converted
// where the meaning is certain. Without a shape names stay as they are, and only duplicates are resolved: the last of
// two values under one name counts, as in encoding/json.
func fitted(args json.RawMessage, shape *jsonschema.Schema) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	var given any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if err := dec.Decode(&given); err != nil {
		return nil, fmt.Errorf("they are not valid JSON: %w", err)
	}
	fields, ok := given.(map[string]any)
	switch {
	case !ok && shape == nil:
		return nil, errors.New("they must be one JSON object")
	case !ok:
		return nil, fmt.Errorf("they must be one JSON object with %s", list(names(shape)))
	case shape != nil:
		if err := fitObject(fields, shape, ""); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a hook may look for a > in a command
	if err := enc.Encode(fields); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// decode reads arguments, converted by fitted.
func decode(args json.RawMessage, into any, shape *jsonschema.Schema) error {
	fit, err := fitted(args, shape)
	if err != nil {
		return err
	}
	return json.Unmarshal(fit, into)
}

// names returns the arguments that a schema knows, including nested ones.
func names(s *jsonschema.Schema) (all []string) {
	for name, one := range s.Properties {
		all = append(all, name)
		if one.Items != nil {
			for inner := range one.Items.Properties {
				all = append(all, name+"[]."+inner)
			}
		}
	}
	slices.Sort(all)
	return all
}

// fitObject converts fields to what the schema requires, in place. at is their place, such as "edits[1].".
func fitObject(fields map[string]any, s *jsonschema.Schema, at string) error {
	rename(fields, s)
	for _, name := range s.Required {
		if v, ok := fields[name]; !ok || v == nil {
			return fmt.Errorf("%s is missing; they are %s", at+name, list(names(s)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, known := s.Properties[name]
		switch {
		case !known && slices.Contains(asides, name):
			delete(fields, name)
			continue
		case !known:
			return fmt.Errorf("unknown argument %q; valid: %s", at+name, list(names(s)))
		case fields[name] == nil: // null means left out, as some models write it
			delete(fields, name)
			continue
		}
		value, err := fit(fields[name], one, at+name)
		if err != nil {
			return err
		}
		fields[name] = value
	}
	return nil
}

// rename replaces other agents' names of arguments by ours.
func rename(fields map[string]any, s *jsonschema.Schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) { // an alias may belong to two arguments: choose the same one each time
		for _, other := range aliases[name] {
			_, taken := fields[name]
			value, given := fields[other]
			if _, ours := s.Properties[other]; taken || ours || !given {
				continue
			}
			delete(fields, other)
			if name == "timeout_seconds" {
				value = seconds(value)
			}
			fields[name] = value
		}
	}
	count, err := strconv.Atoi(fmt.Sprint(fields["limit"])) // the number of lines, from agents that use a limit
	if _, ours := s.Properties["limit"]; !ours && s.Properties["to"] != nil && fields["to"] == nil && err == nil && count > 0 {
		from, _ := strconv.Atoi(fmt.Sprint(fields["from"]))
		fields["to"] = json.Number(strconv.Itoa(max(from, 1) + count - 1))
		delete(fields, "limit")
	}
}

// seconds converts a timeout that may be in milliseconds: nobody waits for a thousand seconds, so 1000 and more are
// milliseconds, rounded up.
func seconds(value any) any {
	if ms, err := strconv.ParseFloat(fmt.Sprint(value), 64); err == nil && ms >= 1000 {
		return json.Number(strconv.Itoa(int(ms+999) / 1000))
	}
	return value
}

// fit converts a value to what the schema requires: a number in quotes becomes a number, a single value a list of
// one, JSON in a string its value. Anything that needs a guess is an error that names the argument by at.
func fit(value any, s *jsonschema.Schema, at string) (any, error) {
	kind := s.Type
	for _, k := range s.Types {
		if k != "null" {
			kind = k
		}
	}
	text, isText := value.(string)
	switch kind {
	case "integer":
		if n, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(value)), 64); err == nil && n == float64(int64(n)) {
			return int64(n), nil
		}
		return nil, wrong(at, "a whole number", value)
	case "number":
		if n, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(value)), 64); err == nil {
			return n, nil
		}
		return nil, wrong(at, "a number", value)
	case "boolean":
		if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(fmt.Sprint(value)))); err == nil {
			return b, nil
		}
		return nil, wrong(at, "true or false", value)
	case "string":
		switch v := value.(type) {
		case string:
			return v, nil
		case json.Number, bool:
			return fmt.Sprint(v), nil
		}
		return nil, wrong(at, "a text", value)
	case "array":
		if isText && json.Unmarshal([]byte(text), &value) != nil || !isList(value) {
			value = []any{value} // a single element
		}
		return fitList(value.([]any), s, at)
	case "object":
		fields, ok := value.(map[string]any)
		if !ok && isText {
			ok = json.Unmarshal([]byte(text), &fields) == nil
		}
		if !ok {
			return nil, wrong(at, "an object", value)
		}
		return fields, fitObject(fields, s, at+".")
	}
	return value, nil
}

// isList reports whether a decoded value is a list.
func isList(value any) bool {
	_, ok := value.([]any)
	return ok
}

// fitList fits each element of a list in place.
func fitList(list []any, s *jsonschema.Schema, at string) (any, error) {
	if s.Items == nil {
		return list, nil
	}
	for i, one := range list {
		fitted, err := fit(one, s.Items, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		list[i] = fitted
	}
	return list, nil
}

// wrong returns the error of a value of the wrong kind.
func wrong(at, must string, value any) error {
	is := "a text"
	switch value.(type) {
	case json.Number, float64, int64:
		is = "a number"
	case bool:
		is = "true or false"
	case []any:
		is = "a list"
	case map[string]any:
		is = "an object"
	}
	if text, ok := value.(string); ok && len(text) < 40 {
		is = strconv.Quote(text)
	}
	return errors.New(at + " must be " + must + ", not " + is)
}

// list joins names for a sentence.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
