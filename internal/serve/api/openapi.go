package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// object is an object of JSON.
type object = map[string]any

// openAPI describes the table as OpenAPI 3.1. It is made again at each request, which is rare.
func openAPI(version string) (any, error) {
	paths := object{}
	for _, t := range Routes() {
		op, err := t.operation()
		if err != nil {
			return nil, err
		}
		at, _ := paths[t.Path].(object)
		if at == nil {
			at = object{}
			paths[t.Path] = at
		}
		at[strings.ToLower(t.Method)] = op
	}
	problem, err := schemaOf(reflect.TypeFor[Problem]())
	if err != nil {
		return nil, err
	}
	return object{"openapi": "3.1.0",
		"info":  object{"title": "Socrates", "version": version, "description": "Several AI models argue from evidence; code decides."},
		"paths": paths,
		"components": object{"schemas": object{"Problem": problem},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}}}, nil
}

// operation describes a route for OpenAPI, with the engine's operations behind it as x-engine.
func (t Route) operation() (object, error) {
	op := object{"summary": t.Doc, "operationId": t.id(), "responses": object{}}
	if t.Scope != "" {
		op["security"] = []object{{"token": []guard.Scope{t.Scope}}}
	}
	if t.Ops != "" {
		op["x-engine"] = strings.Fields(t.Ops)
	}
	var params []object
	for _, name := range t.params() {
		params = append(params, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	if t.in != nil && t.in.Kind() == reflect.Struct {
		s, err := t.schema()
		if err != nil {
			return nil, err
		}
		params = t.describe(op, s, params)
	}
	if t.changes() {
		params = append(params, object{"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string"}})
	}
	answers := object{"description": "done"}
	if strings.HasSuffix(t.Path, "/events") {
		number := object{"type": "integer", "minimum": 0}
		params = append(params, object{"name": "after", "in": "query", "schema": number,
			"description": "the number of the last node you have"},
			object{"name": "Last-Event-ID", "in": "header", "schema": number, "description": "the same; it wins over after"})
		answers = object{"description": "server-sent events, until the client leaves or a debate ends",
			"content": object{"text/event-stream": object{"schema": object{"type": "string"}}}}
	}
	if len(params) > 0 {
		op["parameters"] = params
	}
	if t.out != nil {
		s, err := schemaOf(t.out)
		if err != nil {
			return nil, err
		}
		answers["content"] = object{"application/json": object{"schema": s}}
	}
	op["responses"] = object{strconv.Itoa(max(t.Status, 200)): answers, "default": object{"description": "a problem (RFC 9457)",
		"content": object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}}}}
	return op, nil
}

// describe puts the parameters of a route where they are in a request: in the query, or in the body.
func (t Route) describe(op object, s *jsonschema.Schema, params []object) []object {
	if len(s.Properties) == 0 {
		return params
	}
	if t.changes() && t.Method != "DELETE" {
		op["requestBody"] = object{"content": object{"application/json": object{"schema": s}}}
		return params
	}
	for _, name := range s.PropertyOrder {
		if p := s.Properties[name]; p != nil {
			params = append(params, object{"name": name, "in": "query", "description": p.Description, "schema": p})
		}
	}
	return params
}

// without returns a list without a name.
func without(list []string, name string) (out []string) {
	for _, one := range list {
		if one != name {
			out = append(out, one)
		}
	}
	return out
}

// id returns a name for generated clients: get_debates_name.
func (t Route) id() string {
	return strings.ToLower(t.Method) + strings.NewReplacer("/api/v1", "", "/", "_", "{", "", "}", "", ".", "_").Replace(t.Path)
}

// schemaOf returns the schema of a type. What the schema's maker cannot see through, such as a field with JSON, is
// any value.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{IgnoreInvalidTypes: true,
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}})
	if err == nil && t == reflect.TypeFor[Asked]() {
		delete(s.Properties, "client") // the client must not choose who asks
	}
	return s, err
}
