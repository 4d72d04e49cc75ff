package slash

import (
	"errors"
	"regexp"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// inShell are hints that name a command of the shell, and what is typed into a conversation for the same.
var inShell = []struct {
	is   func() *regexp.Regexp
	here string
}{
	{pattern.Of(`socrates tree show (\S+ )?--nodes`), "/tree"},
	{pattern.Of(`socrates tree branches \S+`), "/branches"},
	{pattern.Of(`socrates tree leaves \S+`), "/leaves"},
	{pattern.Of(`socrates tree switch \S+ (\S+)`), "/switch $1"},
	{pattern.Of(`--model; list them: socrates seats`), "/models"},
	{pattern.Of(`socrates tree list$`), "/history"},
}

// typable is an error whose hint can be followed where commands are typed.
// It changes a copy: the refusal belongs to the engine, which may hand it to others.
func typable(err error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok {
		return err
	}
	said := *refused
	for _, h := range inShell {
		said.Hint = h.is().ReplaceAllString(said.Hint, h.here)
	}
	return &said
}
