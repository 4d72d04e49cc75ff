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
)

// read fills in the parameters of a route: from the body, from the query if it has none, and from the path. An
// unknown parameter is an error: a misspelt filter would list everything. Names in the path win over the body.
func (t Route) read(r *http.Request) (reflect.Value, error) {
	in := reflect.New(t.in)
	if t.in.Kind() != reflect.Struct {
		return in.Elem(), nil
	}
	if t.changes() && t.Method != http.MethodDelete {
		if err := readBody(r, in.Interface()); err != nil {
			return in, err
		}
	} else {
		for name, values := range r.URL.Query() {
			if err := set(in.Elem(), name, values); err != nil {
				return in, err
			}
		}
	}
	for _, name := range t.params() {
		if err := set(in.Elem(), name, []string{r.PathValue(name)}); err != nil {
			return in, err
		}
	}
	return in.Elem(), nil
}

// No body is an empty object.
func readBody(r *http.Request, into any) error {
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
		return &Problem{Status: http.StatusBadRequest, Detail: "unexpected body: " + err.Error()}
	}
	// Two objects are ambiguous.
	if d.More() {
		return &Problem{Status: http.StatusBadRequest, Detail: "extra data after the body's object"}
	}
	return nil
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
func set(v reflect.Value, name string, values []string) error {
	f, ok := field(v, name)
	if !ok {
		return &Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf("%q is not a parameter here", name)}
	}
	text := values[len(values)-1]
	var err error
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		f.SetBool(b)
	case reflect.Int, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		f.SetInt(n)
	case reflect.Slice:
		f.Set(reflect.ValueOf(values))
	default:
		err = errors.New("it is not a query parameter")
	}
	if err != nil {
		return &Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf("%s=%q is invalid", name, text)}
	}
	return nil
}

// etag makes a strong tag from a node's number.
func etag(seq int64) string { return `"` + strconv.FormatInt(seq, 10) + `"` }
