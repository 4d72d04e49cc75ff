package cmd

import (
	"bufio"
	"context"
	"os"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
)

// attended says whether a person sits here who sees the debate and can type.
func (a *app) attended() bool {
	return a.format == "text" && isTerminal(os.Stderr) && isTerminal(os.Stdin) && canListen
}

// A terminal that is asked to marks the beginning and end of what is pasted.
const markPastes, markNoPastes = "\x1b[?2004h", "\x1b[?2004l"

// escapeWait is how long the rest of a key may take that begins with an escape.
const escapeWait = 30 * time.Millisecond

// listen lets the person type to the debate below the live lines. What it returns gives the keyboard back.
func (a *app) listen(ctx context.Context, e *engine.Engine, view *progress) func() {
	if !a.attended() {
		return func() {}
	}
	var l line
	mark := func() { a.err.raw(markPastes) }
	restore, err := quietKeys(os.Stdin, func() { mark(); view.afresh() })
	if err != nil {
		return func() {} // it can still be told from another terminal
	}
	mark()
	view.prompt(l)
	go func() { // it ends with the program: a read of a terminal cannot be broken off
		in := keys{bufio.NewReader(os.Stdin), func() bool { return readable(os.Stdin, escapeWait) }}
		for {
			k, err := in.next()
			if err != nil {
				return
			}
			if k.name == "tab" {
				if fits := l.complete(commands(), view.seated()); len(fits) > 0 {
					a.tellPerson("  " + strings.Join(fits, "  ") + "\n")
				}
			}
			sent, enter := l.press(k)
			view.prompt(l)
			if enter {
				a.say(ctx, e, view, sent)
			}
		}
	}()
	return func() {
		a.err.raw(markNoPastes)
		restore()
	}
}

// commands are the words a line can begin with.
func commands() []string {
	out := []string{"/help"}
	for _, v := range debate.Verbs {
		if verb, _, _ := strings.Cut(v.Form, " "); strings.HasPrefix(verb, "/") {
			out = append(out, verb)
		}
	}
	return out
}

// say tells the running debate a line, or answers /help itself.
func (a *app) say(ctx context.Context, e *engine.Engine, view *progress, line string) {
	switch strings.TrimSpace(line) {
	case "":
		return
	case "/help", "/?":
		a.tellPerson(verbList("  ") + "\n")
		return
	}
	if view.needs(line) { // a bare letter answers the question for one
		line = "/choose " + line
	}
	w, err := parseWord(line)
	if err == nil {
		_, err = e.Do(ctx, engine.Tell{Room: a.room, Word: w})
	}
	if err == nil && w.Verb != debate.Choose && w.Verb != debate.Go {
		a.tellPerson("  noted: " + clip(strings.ReplaceAll(strings.TrimSpace(line), "\n", "⏎"), 60) + " (heard at the next step)\n")
	}
	if err != nil {
		a.tellPerson("not told: " + explain(err).message + " (/help lists what can be said; the up arrow brings it back)\n")
	}
}
