package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/store"
)

// Problem is an error in the form of RFC 9457, with the exit code that the same failure gives a command.
type Problem struct {
	Type     string `json:"type" jsonschema:"always about:blank; reason identifies the problem"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail" jsonschema:"what was wrong"`
	Hint     string `json:"hint,omitempty" jsonschema:"what to do"`
	Reason   string `json:"reason" jsonschema:"one word"`
	ExitCode int    `json:"exit_code" jsonschema:"exit code of a command that fails this way"`
}

// Error returns the message, without the hint.
func (p *Problem) Error() string { return p.Detail }

// statuses maps exit codes to statuses.
var statuses = map[int]int{failure.ExitUsage: http.StatusBadRequest, failure.ExitConfig: http.StatusConflict,
	failure.ExitAuth: http.StatusServiceUnavailable, failure.ExitProvider: http.StatusServiceUnavailable,
	failure.ExitDenied: http.StatusForbidden,
	failure.ExitLimit:  http.StatusPaymentRequired, failure.ExitSchema: http.StatusUnprocessableEntity,
	failure.ExitTasks:   http.StatusConflict,
	failure.ExitSteered: http.StatusConflict, failure.ExitUnkept: http.StatusConflict}

// usual is what a Problem of a status says if nothing else is known.
type usual struct {
	code         int
	reason, hint string
}

// usually completes the problems that only a server has.
var usually = map[int]usual{
	http.StatusUnauthorized:          {failure.ExitAuth, "auth", ""},
	http.StatusPaymentRequired:       {failure.ExitLimit, "limit", ""},
	http.StatusForbidden:             {failure.ExitDenied, "denied", ""},
	http.StatusNotFound:              {failure.ExitUsage, "unknown", ""},
	http.StatusMethodNotAllowed:      {failure.ExitUsage, "method", ""},
	http.StatusConflict:              {failure.ExitUsage, "refused", ""},
	http.StatusPreconditionFailed:    {failure.ExitUsage, "changed", ""},
	http.StatusRequestEntityTooLarge: {failure.ExitUsage, "too-large", "send less, or name files of the project"},
	http.StatusUnsupportedMediaType:  {failure.ExitUsage, "media-type", "send the header Content-Type: application/json"},
	http.StatusMisdirectedRequest: {failure.ExitUsage, "host", "use the address that the server printed, or allow the name: socrates " +
		"serve --host NAME"},
	http.StatusTooManyRequests:    {failure.ExitProvider, "rate-limit", ""},
	http.StatusBadGateway:         {failure.ExitSchema, "schema", ""},
	http.StatusServiceUnavailable: {failure.ExitProvider, "unavailable", ""},
}

// ProblemOf converts an error. A Problem stays one, with its title filled in; for other errors the exit code decides,
// then the kind of error.
func ProblemOf(err error) Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		out := *p
		out.Type, out.Title = "about:blank", http.StatusText(p.Status)
		u, ok := usually[p.Status]
		if !ok {
			u = usual{failure.ExitUsage, "usage", ""}
		}
		out.ExitCode, out.Reason, out.Hint = cmp.Or(p.ExitCode, u.code), cmp.Or(p.Reason, u.reason), cmp.Or(p.Hint, u.hint)
		return out
	}
	f := failure.Explain(err)
	status := cmp.Or(statuses[f.Code], http.StatusInternalServerError)
	_, refused := errors.AsType[*engine.Refusal](err)
	switch {
	case errors.Is(err, store.ErrNotFound):
		status = http.StatusNotFound
	case refused:
		status = http.StatusConflict
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		status = http.StatusServiceUnavailable
	}
	return Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: f.Message, Hint: f.Hint,
		Reason: f.Reason, ExitCode: f.Code}
}

// Fail answers with a problem.
// Headers that were set before, such as Retry-After, stay.
func (h *Host) Fail(w http.ResponseWriter, err error) {
	p := ProblemOf(err)
	raw, _ := json.Marshal(p) // of strings and numbers
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	w.Write([]byte(h.Clean(string(raw)) + "\n"))
}
