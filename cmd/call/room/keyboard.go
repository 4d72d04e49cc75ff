package room

import (
	"context"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/out"
)

// listen lets the person type to the debate below the live lines. The returned function gives the keyboard back. Keys
// are read one by one and not echoed by the terminal: a typed line must survive the redrawing of the lines above it.
func (a *Rooms) listen(ctx context.Context, e *engine.Engine, view *progress) func() {
	if a.Lend != nil { // the keyboard's owner lends it
		return a.Lend(func(next func() (keyboard.Key, error)) { a.hear(ctx, e, view, next) })
	}
	if !a.Asks() {
		return func() {}
	}
	mark := func() { a.Out.Err.Raw(keyboard.MarkPastes) }
	restore, err := keyboard.Quiet(os.Stdin, func() { mark(); view.afresh() })
	if err != nil {
		return func() {} // the debate can still be told from another terminal
	}
	mark()
	in := keyboard.Of(os.Stdin)
	go a.hear(ctx, e, view, in.Next) // it ends with the program: a read of a terminal cannot be interrupted
	return func() {
		restore()
		a.Out.Err.Raw(keyboard.MarkNoPastes)
	}
}

// hear sends typed lines to the debate. It ends when there are no more keys; one that waits for a key as the debate
// ends hears nothing anymore and is harmless.
func (a *Rooms) hear(ctx context.Context, e *engine.Engine, view *progress, next func() (keyboard.Key, error)) {
	var l keyboard.Line
	for {
		view.prompt(l.Row())
		k, err := next()
		if err != nil {
			return
		}
		if k.Name == "tab" {
			if fits := l.Complete(said(l.Before(), view.seated())); len(fits) > 0 {
				a.Out.Tell("  " + strings.Join(fits, "  ") + "\n")
			}
		}
		if sent, enter := l.Press(k); enter {
			view.prompt(l.Row())
			a.say(ctx, e, view, sent)
		}
	}
}

// say sends a line to the running debate, or answers /help itself.
func (a *Rooms) say(ctx context.Context, e *engine.Engine, view *progress, line string) {
	switch strings.TrimSpace(line) {
	case "":
		return
	case "/help", "/?":
		a.Out.Tell(VerbList("  ") + "\n")
		return
	}
	key, why, waits := view.choice(line)
	if key != "" { // an option answers the question of which to choose
		line = strings.TrimSpace("/choose " + key + " " + why)
	}
	w, err := ParseMessage(line)
	if err == nil && waits && w.Verb == people.Say {
		a.Out.Tell("not sent: no seat is asked anymore; " + view.answers() + "\n")
		return
	}
	if err == nil {
		_, err = e.Do(ctx, rooms.Tell{Room: a.Out.Room, Message: w})
	}
	if err == nil && w.Verb != people.Choose && w.Verb != people.Go {
		a.Out.Tell("  noted: " + out.Clip(strings.ReplaceAll(strings.TrimSpace(line), "\n", "⏎"), 60) + " (delivered at the next step)\n")
	}
	if err != nil {
		a.Out.Tell("not sent: " + failure.Explain(err).Message + " (/help lists the commands; press the up arrow to edit it)\n")
	}
}
