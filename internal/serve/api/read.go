package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/failure"
)

// read fills in the parameters of a route: from the body, from the query if it has none, and from the path. An
// unknown parameter is an error: a misspelt filter would list everything. Names in the path win over the body.
func (t Route) read(r *http.Request) (reflect.Value, error) {
	in := reflect.New(t.in)
	if t.in.Kind() != reflect.Struct {
		return in.Elem(), nil
	}
	if t.changes() && t.Method != http.MethodDelete {
		if err := t.readBody(r, in.Interface()); err != nil {
			return in, err
		}
	} else {
		for name, values := range r.URL.Query() {
			if err := t.set(in.Elem(), name, values); err != nil {
				return in, err
			}
		}
	}
	for _, name := range t.params() {
		if err := t.set(in.Elem(), name, []string{r.PathValue(name)}); err != nil {
			return in, err
		}
	}
	return in.Elem(), nil
}

// No body is an empty object.
func (t Route) readBody(r *http.Request, into any) error {
	raw, err := io.ReadAll(r.Body)
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &Problem{Status: http.StatusRequestEntityTooLarge, Detail: fmt.Sprintf("the body is longer than %d bytes", tooLong.Limit)}
	} else if err != nil {
		return &Problem{Status: http.StatusBadRequest, Detail: "the body ends too soon"}
	}
	if len(raw) == 0 {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return &Problem{Status: http.StatusUnsupportedMediaType, Detail: "the body must be application/json"}
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	// A misspelt field must not be ignored.
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return t.misfit(raw)
	}
	// Two objects are ambiguous.
	if d.More() {
		return &Problem{Status: http.StatusBadRequest, Detail: "extra data after the body's object", Hint: "send one object"}
	}
	return nil
}

// misfit says what in a body is not as the route's description has it.
func (t Route) misfit(raw []byte) error {
	p := &Problem{Status: http.StatusBadRequest, Detail: "the body is not as GET /openapi.json describes it"}
	s, err := t.schema()
	if err != nil {
		return err
	}
	if what, hint := door.Misfit(s, raw); what != "" {
		p.Detail, p.Hint = "the body is wrong: "+what, hint
	}
	return p
}

// schema describes what a route takes besides the names in its path.
func (t Route) schema() (*jsonschema.Schema, error) {
	if t.in == nil || t.in.Kind() != reflect.Struct {
		return &jsonschema.Schema{}, nil
	}
	s, err := schemaOf(t.in)
	if err != nil {
		return nil, err
	}
	for _, name := range t.params() {
		delete(s.Properties, name)
		s.Required = without(s.Required, name)
	}
	return s, nil
}

// Takes lists the names of what a route takes besides those in its path: fields of its body, or of its query.
func (t Route) Takes() (names []string) {
	s, err := t.schema()
	if err != nil {
		return nil
	}
	for _, name := range s.PropertyOrder {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// field finds a field by its name in JSON.
func field(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// set sets the field of a parameter's name. The last of repeated values counts, unless the field is a list.
func (t Route) set(v reflect.Value, name string, values []string) error {
	f, ok := field(v, name)
	if !ok {
		return &Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf("%q is not a parameter here", name),
			Hint: failure.Nearest(name, t.Takes())}
	}
	text, want := values[len(values)-1], ""
	var err error
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		want = "true or false"
		f.SetBool(b)
	case reflect.Int, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		want = "a whole number"
		f.SetInt(n)
	case reflect.Slice:
		f.Set(reflect.ValueOf(values))
	default:
		err = errors.New("it is not a query parameter")
	}
	if err != nil {
		return &Problem{Status: http.StatusBadRequest, Detail: strings.TrimSuffix(fmt.Sprintf("%s=%q is invalid: it must be %s", name,
			text, want), ": it must be ")}
	}
	return nil
}

// etag makes a strong tag from a node's number.
func etag(seq int64) string { return `"` + strconv.FormatInt(seq, 10) + `"` }
