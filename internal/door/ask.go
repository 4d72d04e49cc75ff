package door

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/debate/strategy"
)

// Ask is a client's request for a debate. Everything in it can only narrow what the person's settings allow. The zero
// Ask is refused because it has no question. It is the JSON that a client sends and that mcp host reads, so its field
// names are part of both.
type Ask struct {
	Question string   `json:"question" jsonschema:"the question, put neutrally, with the alternatives in it: \"Should X use A or B?\""`
	Options  []string `json:"options,omitempty" jsonschema:"the possible answers, if the question does not name them"`
	Files    []string `json:"files,omitempty" jsonschema:"project files every seat is shown: a path, a folder, a glob, path:from-to"`
	Context  string   `json:"context,omitempty" jsonschema:"facts the files do not show, at most 15 lines, without an opinion"`
	Seats    []string `json:"seats,omitempty" jsonschema:"seats that debate, from those that socrates seats lists as ready; default: the person's default panel"`
	Strategy string   `json:"strategy,omitempty" jsonschema:"debate strategy; leave it out for the default"`
	Preset   string   `json:"preset,omitempty" jsonschema:"one of the person's presets, such as quick or deep"`
	Rounds   int      `json:"rounds,omitempty" jsonschema:"maximum rounds of cross-examination; can only lower the person's limit"`
	Budget   float64  `json:"budget_usd,omitempty" jsonschema:"spending limit in USD; can only lower the person's limit"`
	Wait     *int     `json:"wait,omitempty" jsonschema:"seconds to wait for the decision before answering with state running"`
	Retry    string   `json:"idempotency_key,omitempty" jsonschema:"calls with one key join one debate for an hour; default: the arguments"`
	Client   string   `json:"client,omitempty"` // who asks; set by us, not by the client
}

// The limits of a request. Question in letters, context in bytes, waits in seconds.
const (
	maxQuestion = 8000
	maxContext  = 64 << 10
	usualWait   = 50
	maxWait     = 280
)

// Key returns the key of the request, in a folder. A retry has the same one. It does not depend on how long a client
// waits or who it is; a key chosen by the client replaces everything else.
func (a Ask) Key(dir string) string {
	same := a
	same.Wait, same.Client = nil, ""
	if a.Retry != "" {
		same = Ask{Retry: a.Retry}
	}
	raw, _ := json.Marshal(same) // of strings and numbers
	sum := sha256.Sum256(append(raw, dir...))
	return hex.EncodeToString(sum[:])[:32]
}

// check refuses an invalid request before a process is started for it. What depends on settings is checked in that
// process, which knows them.
func (a Ask) check() error {
	switch {
	case strings.TrimSpace(a.Question) == "":
		return errors.New(`no question given; ask one with its alternatives: "Should X use A or B?"`)
	case utf8.RuneCountInString(a.Question) > maxQuestion:
		return fmt.Errorf("the question is longer than %d characters; name files instead", maxQuestion)
	case len(a.Context) > maxContext:
		return fmt.Errorf("the context is %d bytes; the limit is %d; name files instead", len(a.Context), maxContext)
	case len(a.Options) == 1:
		return errors.New("a debate needs at least two options; add another, or leave them out")
	case a.Budget < 0 || a.Rounds < 0:
		return errors.New("budget_usd and rounds cannot be negative")
	}
	return nil
}

// schemaOf returns the schema of a tool's arguments, with what tags cannot express. It panics if a type has no
// schema, which a test finds first.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		panic("door: " + err.Error())
	}
	delete(s.Properties, "client")
	if wait := s.Properties["wait"]; wait != nil {
		wait.Types, wait.Type = nil, "integer"
		wait.Minimum, wait.Maximum, wait.Default = new(float64), new(float64(maxWait)), json.RawMessage(fmt.Sprint(usualWait))
	}
	if how := s.Properties["strategy"]; how != nil {
		for _, one := range strategy.All() {
			how.Enum = append(how.Enum, one.Name)
		}
	}
	for _, p := range s.Properties { // lists that may be null in Go are lists for a client
		if len(p.Types) > 0 {
			p.Type, p.Types = cmp.Or(p.Types[len(p.Types)-1], p.Type), nil
		}
	}
	return s
}
