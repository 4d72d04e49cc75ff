package cmd

import (
	"bufio"
	"context"
	"os"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
)

// attended says whether a person sits here who sees the debate and can type.
func (a *app) attended() bool {
	return a.format == "text" && isTerminal(os.Stderr) && isTerminal(os.Stdin) && canListen
}

// listen lets the person type to the debate below the live lines. What it returns gives the keyboard back.
func (a *app) listen(ctx context.Context, e *engine.Engine, view *progress) func() {
	if !a.attended() {
		return func() {}
	}
	restore, err := quietKeys(os.Stdin)
	if err != nil {
		return func() {} // it can still be told from another terminal
	}
	view.prompt("")
	go func() { // it ends with the program: a read of a terminal cannot be broken off
		keys, line := bufio.NewReader(os.Stdin), ""
		for {
			r, _, err := keys.ReadRune()
			if err != nil {
				return
			}
			switch {
			case r == '\n' || r == '\r':
				view.prompt("")
				a.say(ctx, e, view, line)
				line = ""
				continue
			case r == 0x7f || r == '\b':
				if runes := []rune(line); len(runes) > 0 {
					line = string(runes[:len(runes)-1])
				}
			case r == 0x15: // ctrl-U
				line = ""
			case r == 0x1b:
				skipEscape(keys)
			case unicode.IsPrint(r):
				line += string(r)
			}
			view.prompt(line)
		}
	}()
	return restore
}

// skipEscape takes the rest of a key such as an arrow.
func skipEscape(keys *bufio.Reader) {
	if keys.Buffered() == 0 {
		return
	}
	if b, _ := keys.ReadByte(); b != '[' && b != 'O' {
		return
	}
	for keys.Buffered() > 0 {
		if b, _ := keys.ReadByte(); b >= '@' && b <= '~' {
			return
		}
	}
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
		a.tellPerson("  noted: " + clip(strings.TrimSpace(line), 60) + " (heard at the next step)\n")
	}
	if err != nil {
		a.tellPerson("not told: " + err.Error() + " (/help lists what can be said)\n")
	}
}
