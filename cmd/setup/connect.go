package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/project/idea"
	"github.com/socrates-cli/socrates/internal/seat"
)

// way is one way to connect a model. do returns once it is over; what it changed is found by discovering again.
type way struct {
	title, note string
	do          func(ctx context.Context) error
}

// Connect lets a person at a terminal who has no model connect one: by a program, a key, a browser or a local server,
// all discovered before. An empty line does what enter says, without a model. It discovers again after every choice,
// since the person may have signed in or started something elsewhere. connected is false without an error if the
// person leaves.
func (s *Setup) Connect(ctx context.Context, enter string) (connected bool, _ error) {
	a := s.Call
	ctx, end := a.Ended(ctx)
	defer end()
	for {
		found, err := a.Home.Seats.Discover(ctx)
		if err != nil {
			return false, err
		}
		if said, ok := panelOf(found); ok {
			a.Out.Tell(said + "\n")
			return true, nil
		}
		all, err := waysOf(a, found)
		if err != nil {
			return false, err
		}
		a.Out.Ask("No model is connected yet. Nothing leaves this machine until you connect one.\n\n")
		for i, w := range all {
			a.Out.Ask(strings.TrimRight(fmt.Sprintf("%3d  %-24s %s", i+1, w.title, w.note), " ") + "\n")
		}
		line, err := askLine(ctx, a, "\nNumber ("+enter+"): ")
		if err != nil || line == "" {
			return false, err
		}
		n := numbered(all, line)
		if n == 0 {
			a.Out.Ask("Type one of the numbers from 1 to " + strconv.Itoa(len(all)) + ".\n\n")
			continue
		}
		// An interrupt leaves the list; after a failure it is printed again.
		if err := all[n-1].do(ctx); ctx.Err() != nil {
			return false, err
		} else if err != nil { // report it and print the list again
			f := failure.Explain(err)
			a.Out.Ask(f.Message + "\n")
		}
		a.Out.Ask("\n")
	}
}

// numbered returns the number of the way that a line chooses, by number or by words of its title; 0: none. Words that
// fit several titles choose none.
func numbered(all []way, line string) (n int) {
	if n, err := strconv.Atoi(line); err == nil && n > 0 && n <= len(all) {
		return n
	}
	for i, w := range all {
		if strings.Contains(strings.ToLower(w.title), strings.ToLower(line)) {
			if n > 0 {
				return 0
			}
			n = i + 1
		}
	}
	return n
}

// panelOf names the seats of a debate; ok is false if only rule-based ones are available.
func panelOf(found []home.Found) (said string, ok bool) {
	var names []string
	for _, f := range found {
		if f.Used && f.IsModel() {
			names = append(names, f.Spec)
		}
	}
	switch len(names) {
	case 0:
		return "", false
	case 1:
		return names[0] + " answers. A second family makes debates stronger: socrates login", true
	}
	return fmt.Sprintf("%d model families can debate: %s", len(names), strings.Join(names, ", ")), true
}

// waysOf returns the ways to connect a model: what is installed already comes first, then what costs least effort.
func waysOf(a *call.Call, found []home.Found) (all []way, _ error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var keys, servers []string
	for _, f := range found {
		name := strings.TrimSuffix(seat.Name(f.Spec), "-cli")
		switch {
		// A ready seat needs no way, and a configured one is the person's own choice.
		case f.Ready || f.Source == "config":
		case f.Source == "program" && f.Path != "":
			all = append(all, way{"Sign in with " + name, "installed · " + out.Homely(f.Why), func(ctx context.Context) error {
				return inTerminal(ctx, f.Path)
			}})
		case f.Source == "key" && name != home.SignsIn:
			keys = append(keys, name)
		case f.Source == "local":
			servers = append(servers, name)
		}
	}
	look := func(context.Context) error { return nil } // discovery runs again anyway
	return append(all,
		way{"Sign in to " + home.SignsIn, "opens your browser; one account, many families", func(ctx context.Context) error {
			return loginTo(ctx, a, home.SignsIn, loginFlags{})
		}},
		way{"Add an API key", few(keys), func(ctx context.Context) error { return loginTo(ctx, a, "", loginFlags{}) }},
		way{"Use a local model", strings.Join(servers, " or ") + ": start it, then choose this", look},
		way{"Install a coding agent", "claude, codex, gemini …, then choose this", look},
		way{"Write a config file", "every setting, commented out", func(context.Context) error { return writeConfig(a) }},
		way{"Take the tour", "offline, 90 seconds: debate, edit, undo, check", func(ctx context.Context) error {
			return inTerminal(ctx, self, "demo")
		}}), nil
}

// few lists the first of several names.
func few(names []string) string {
	const named = 3
	if more := len(names) - named; more > 0 {
		return strings.Join(names[:named], ", ") + fmt.Sprintf(", %d more", more)
	}
	return strings.Join(names, ", ")
}

// inTerminal lends the terminal to a program. The program's exit code is no error of ours. It must not return before
// the program has ended, because both would read the same keys.
func inTerminal(ctx context.Context, argv ...string) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil
	}
	return err
}

// ideaTime limits the search of a folder for a question to propose.
const ideaTime = 2 * time.Second

// propose suggests a question about the folder to a person who has just connected a model. It is a courtesy and never
// fails: if it takes too long or finds nothing, it prints nothing.
func propose(ctx context.Context, a *call.Call) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return // nothing is lost
	}
	ctx, cancel := context.WithTimeout(ctx, ideaTime)
	defer cancel()
	ideas := idea.For(ctx, dir)
	if len(ideas) == 0 {
		return
	}
	command := "run"
	if ideas[0].Debate {
		command = "debate"
	}
	a.Out.Tell(fmt.Sprintf("Try it here: socrates %s %q  (%s)\n", command, ideas[0].Text, ideas[0].Why))
}
