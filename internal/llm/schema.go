package llm

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Values are the fields of a reply that have few values, by path ("claims.kind" is in each of the claims), and these.
type Values map[string][]any

// AnyOf makes values of what a parser knows.
func AnyOf[T any](known ...T) []any {
	out := make([]any, len(known))
	for i, k := range known {
		out[i] = k
	}
	return out
}

// shapes are the schemas of types without their values, by type: deriving one takes half a millisecond.
var shapes sync.Map

// ReplySchema is the JSON Schema of a reply: its fields, and the values of those that have few.
func ReplySchema[T any](values Values) json.RawMessage {
	of := reflect.TypeFor[T]()
	shape, known := shapes.Load(of)
	if !known {
		s, err := jsonschema.For[T](nil)
		if err != nil {
			panic("llm: " + err.Error())
		}
		shape, _ = shapes.LoadOrStore(of, s)
	}
	s := shape.(*jsonschema.Schema).CloneSchemas()
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
