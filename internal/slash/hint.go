package slash

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// inShell maps hints with shell commands to what is typed in a conversation instead.
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
	{pattern.Of(`socrates tree redo$`), "/redo"},
	{pattern.Of(`socrates tree exec "([^"]+)"$`), "! $1"},
	{pattern.Of(`socrates work (resume|pause|cancel|accept|export|approve|retry|skip|reassign|board)\b`), "/work $1"},
	{pattern.Of(`socrates work list\b`), "/work"},
	{pattern.Of(`socrates work replan\b`), "/replan"},
	{pattern.Of(`socrates execute\b`), "/exec"},
	{pattern.Of(`socrates plan "…", or /plan in a conversation`), "/plan, then say what to do"},
}

// elsewhere matches the name of a conversation after that of a node; in a conversation it is always the current
// one.
var elsewhere = pattern.Of(`(branch, label or node) (.+) in \S+$`)

// allowIt is how the shell's commands have one check of a plan allowed.
var allowIt = pattern.Of(`; allow it with --allow-check .*`)

// typable rewrites an error's hint with commands that can be typed in a conversation. It changes a copy: the
// refusal belongs to the engine, which may pass it to others.
func typable(err error) error {
	if wrong, ok := errors.AsType[*runs.Wrong](err); ok {
		said := allowIt().ReplaceAllString(wrong.Error(), "; allow the plan's checks with --allow-checks")
		return &engine.Refusal{Message: said, Err: err}
	}
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok {
		return err
	}
	said := *refused
	said.Message = elsewhere().ReplaceAllString(said.Message, "$1 named $2")
	said.Hint = Here(said.Hint)
	return &said
}

// Ended is why what a typed line began has failed, with a hint that can be followed where commands are typed and repeats what the line
// names.
func Ended(line string, err error) error {
	wrong, ok := errors.AsType[*runs.Wrong](err)
	if !ok {
		return typable(err)
	}
	said := &engine.Refusal{Message: allowIt().ReplaceAllString(wrong.Error(), ""), Hint: "repair it: /plan", Err: err}
	if said.Message != wrong.Error() { // it is the one fault that a word of the person repairs
		command, args, _ := Parse(line)
		if command != "exec" && command != "execute" {
			args = ""
		}
		said.Hint = "allow the plan's checks: " + strings.TrimSpace("/exec --allow-checks "+args)
	}
	return said
}

// Here is a text about what to do next, with the commands of the shell as they are typed into a conversation.
func Here(text string) string {
	for _, h := range inShell {
		text = h.is().ReplaceAllString(text, h.here)
	}
	return text
}

// onScreen maps commands of the full screen to their equivalents in a line-based conversation; empty: none.
var onScreen = map[string]string{"changes": "!git diff", "close": "/quit", "compare": "/diff A B", "copy": "/history 1", "log": "",
	"runs": "/work", "seats": "socrates seats", "settings": "socrates config", "spent": "/cost", "tab": "", "theme": ""}

// unknown refuses an unknown command. Its hint is an equivalent: by the name of another front end, by the name
// that other programs use for it (like; empty: none), else the command of the nearest name.
func unknown(name, like string, names []string) error {
	hint := "list commands: /help; to send it as a message, type a space before the /"
	if here, ok := onScreen[name]; ok {
		return &engine.Refusal{Message: "/" + name + " works only on the full screen: socrates --continue", Hint: here}
	}
	if best := cmp.Or(like, spelling.Nearest(name, names)); best != "" {
		hint = "did you mean /" + best + "?"
	}
	return &engine.Refusal{Message: "unknown command /" + name, Hint: hint}
}
