package room

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/failure"
)

// said returns completions for the last word typed to a debate: a command, or after it a seat.
func said(typed string, seats []string) []string {
	switch blanks := strings.Count(typed, " "); {
	case !strings.HasPrefix(typed, "/") || blanks > 1:
		return nil
	case blanks == 1:
		return seats
	}
	return Commands()
}

// Commands are the words a line can begin with.
func Commands() []string {
	list := []string{"/help"}
	for _, v := range people.Verbs {
		if verb, _, _ := strings.Cut(v.Form, " "); strings.HasPrefix(verb, "/") {
			list = append(list, verb)
		}
	}
	return list
}

// VerbList lists the messages a person can send.
func VerbList(indent string) string {
	var b strings.Builder
	for _, v := range people.Verbs {
		form := v.Form
		if len(form) > 24 {
			form += "\n" + indent + strings.Repeat(" ", 24)
		}
		fmt.Fprintf(&b, "%s%-24s %s\n", indent, form, v.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

// ParseMessage parses what a person typed. Text without a slash is a message to all seats.
func ParseMessage(text string) (people.Message, error) {
	w, err := people.ParseMessage(text)
	if err != nil {
		return w, failure.Usage(err.Error(), "list the commands with: socrates debate tell --help")
	}
	return w, nil
}
