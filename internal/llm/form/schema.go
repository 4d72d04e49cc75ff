package form

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Values lists the values of reply fields that have few, by path ("claims.kind" is in each of the claims).
type Values map[string][]any

// AnyOf makes such a list from the values a parser knows.
func AnyOf[T any](known ...T) []any {
	out := make([]any, len(known))
	for i, k := range known {
		out[i] = k
	}
	return out
}

// schemas caches the schemas. They differ by type and by the options of a question, so they are few, and making one
// takes half a millisecond.
var schemas sync.Map // of json.RawMessage by wanted

// wanted identifies a schema.
type wanted struct {
	of     reflect.Type
	values string
}

// Schema returns the JSON Schema of a reply: its fields, and the values of those that have few. It is shared: its
// bytes must not be changed.
func Schema[T any](values Values) json.RawMessage {
	of := reflect.TypeFor[T]()
	key := wanted{of, fmt.Sprintf("%#v", values)} // prints the paths in order
	raw, known := schemas.Load(key)
	if !known {
		s, err := jsonschema.For[T](nil)
		if err != nil {
			panic("llm: " + err.Error())
		}
		raw, _ = schemas.LoadOrStore(key, values.encode(s, of))
	}
	return raw.(json.RawMessage)
}

// encode sets the values in a fresh schema of a type.
func (values Values) encode(s *jsonschema.Schema, of reflect.Type) json.RawMessage {
	for path, some := range values {
		field := s
		for name := range strings.SplitSeq(path, ".") {
			if field = field.Properties[name]; field == nil {
				panic("llm: no field " + path + " in a reply of type " + of.String())
			}
			if field.Items != nil {
				field = field.Items
			}
		}
		field.Enum = some
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic("llm: " + err.Error())
	}
	return raw
}
