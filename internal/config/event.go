package config

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/config/setting"
)

// Event is someone outside whom the user wants told: either a command or a webhook is set.
type Event struct {
	Name    string // of the section; 1, 2 and so on in a list
	On      []string
	Command []string // words; the program is a name or an absolute path
	Webhook string
	Secret  setting.Secret // signs what goes to the webhook; zero: nothing does
}

// Events returns whom to tell, lists in their order.
// Load has checked them: each says on what, and has one target.
func (c *Config) Events() []Event {
	var names []string
	for key := range c.origins {
		if parts := strings.Split(key, "."); parts[0] == listed && c.value(key) != nil {
			names = append(names, parts[1])
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		n, _ := strconv.Atoi(a)
		m, _ := strconv.Atoi(b)
		return cmp.Or(cmp.Compare(n, m), strings.Compare(a, b))
	})
	var out []Event
	for _, name := range slices.Compact(names) {
		at := listed + "." + name + "."
		hook, _ := c.value(at + "webhook").(setting.Webhook)
		secret, _ := c.value(at + "secret").(setting.Secret)
		e := Event{Name: name, On: c.Strings(at + "on"), Command: c.Strings(at + "command"), Webhook: string(hook), Secret: secret}
		if len(e.Command) > 0 {
			if program, err := setting.Absolute(e.Command[0]); err == nil { // it was checked; a name stays one
				e.Command[0] = program
			}
		}
		out = append(out, e)
	}
	return out
}

// events checks what single settings cannot: that each event says on what, and whom to tell in one way.
func (l *loader) events() {
	if len(l.errs) > 0 {
		return // what is missing may be what was misspelt
	}
	for _, e := range l.config.Events() {
		var at origin
		for _, field := range []string{"on", "command", "webhook", "secret"} {
			if o, ok := l.config.winner(listed + "." + e.Name + "." + field); ok && (at.File == "" || o.Line < at.Line) {
				at = o
			}
		}
		fail := func(message, hint string) { l.fail(at.File, at.Line, listed+"."+e.Name, errors.New(message), hint) }
		switch {
		case len(e.On) == 0:
			fail("has no events", "add on: [debate_ended]")
		case len(e.Command) == 0 && e.Webhook == "":
			fail("has no target", "add command: [program, argument] or webhook: https://…")
		case len(e.Command) > 0 && e.Webhook != "":
			fail("has both a command and a webhook", "split it into two entries")
		case len(e.Command) > 0 && !e.Secret.IsZero():
			fail("has a secret, which only webhooks use", "remove it")
		case len(e.Command) > 0 && strings.ContainsAny(e.Command[0], `/\`) && !filepath.IsAbs(e.Command[0]):
			fail("the program must be a name or an absolute path: debates run in many folders", "write ~/… for your home folder")
		}
	}
}
