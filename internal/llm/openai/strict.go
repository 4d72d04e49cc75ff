package openai

import "encoding/json"

// strict reports whether a schema follows the rules of strict mode: every object closed, all of its properties
// required. Other schemas must not be sent as strict, since the vendor rejects them. A schema that follows these may
// still break rarer rules; that is an error of the call, with the vendor's words.
func strict(schema json.RawMessage) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && strictNode(v)
}

// strictNode does this for a part of a schema.
func strictNode(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !strictNode(e) {
				return false
			}
		}
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) != len(properties) {
				return false
			}
		} else if v["type"] == "object" {
			return false
		}
		for _, e := range v {
			if !strictNode(e) {
				return false
			}
		}
	}
	return true
}
