package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
)

// accepted returns a schema without those lists of values that contain an empty one: for them the service refuses the
// whole request ("enum[0]: cannot be empty", seen in reports of 2025 and 2026). Then any text is allowed there, which
// the reader of the reply checks. The order of the properties stays, since models answer in it.
func accepted(schema json.RawMessage) json.RawMessage {
	const key = `"enum":`
	out := slices.Clone(schema)
	for from := 0; ; {
		at := bytes.Index(out[from:], []byte(key))
		if at < 0 {
			return out
		}
		begin := from + at
		from = begin + len(key)
		values := json.NewDecoder(bytes.NewReader(out[from:]))
		var list []any
		// a property may have this name
		if values.Decode(&list) != nil || !slices.ContainsFunc(list, func(v any) bool { return v == nil || v == "" }) {
			continue
		}
		end := from + int(values.InputOffset())
		if rest := bytes.TrimLeft(out[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ',' {
			end = len(out) - len(rest) + 1
		} else if ahead := bytes.TrimRight(out[:begin], " \t\r\n"); len(ahead) > 0 && ahead[len(ahead)-1] == ',' {
			begin = len(ahead) - 1
		}
		out, from = slices.Delete(out, begin, end), begin
	}
}
