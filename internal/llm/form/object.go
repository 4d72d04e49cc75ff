// Package form defines the form of a model's reply: its schema, and how to find the object in it.
//
// [Schema] makes the JSON Schema of a Go type, with the values a question allows; [Object] finds the reply in what a
// model wrote, also where the vendor does not hold it to a schema. A reply is one object. Prose around it is ignored;
// a second, different one is an error, since whoever read the first could not know which is meant.
package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Object finds the one JSON object in text that has the wanted key. Prose around it is allowed; two different
// objects, or one that names a key twice with different values, are errors: that would be voting twice.
func Object[T any](text, key string) (T, error) {
	var found, zero T
	var raw []byte
	for _, candidate := range objects(text) {
		has, doubled := keys(candidate, key)
		switch {
		case !has:
			continue
		case raw != nil && !bytes.Equal(compact(raw), compact(candidate)):
			return zero, fmt.Errorf("it contains two different JSON objects with %q", key)
		case doubled != "":
			return zero, fmt.Errorf("%q is given twice with different values", doubled)
		}
		raw = candidate
	}
	if raw == nil {
		return zero, fmt.Errorf("it contains no JSON object with %q", key)
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return zero, fmt.Errorf("its JSON does not have the required form: %w", err)
	}
	return found, nil
}

// objects returns every outermost {...} in text that is valid JSON.
func objects(text string) [][]byte {
	var out [][]byte
	rest := text
	for range 200 { // starts tried: a hostile reply must not cost quadratic time
		i := strings.IndexByte(rest, '{')
		if i < 0 || len(out) == 16 {
			break
		}
		var raw json.RawMessage
		dec := json.NewDecoder(strings.NewReader(rest[i:]))
		if dec.Decode(&raw) == nil {
			out = append(out, raw)
			rest = rest[i+int(dec.InputOffset()):]
		} else {
			rest = rest[i+1:]
		}
	}
	return out
}

// compact returns JSON without blanks, for comparison.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// keys reports whether an object has a key at its top level, and names one that appears twice there with different
// values.
func keys(raw []byte, key string) (has bool, doubled string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.Token()
	seen := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return false, ""
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return false, ""
		}
		k := fmt.Sprint(name)
		if have, ok := seen[k]; ok && !bytes.Equal(compact(have), compact(value)) {
			doubled = k
		}
		seen[k] = value
		has = has || k == key && string(value) != "null"
	}
	return has, doubled
}
