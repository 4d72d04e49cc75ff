package room

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/learn"
)

// Outcome records which option of a debate turned out to be right, and reports what was recorded. In text the
// sentence goes to stderr, since nothing was asked for; a program gets what was learned.
func (a *Rooms) Outcome(ctx context.Context, e *engine.Engine, res debate.Result, message people.Message) error {
	if _, err := e.Do(ctx, rooms.Tell{Room: res.Room, Message: message}); err != nil {
		return err
	}
	known, err := rooms.In(e).Knowledge(ctx)
	if err != nil {
		return err
	}
	lesson := known.Last(res.Room)
	if a.Out.Format != "text" {
		return a.Out.JSON(lesson)
	}
	a.Out.Tell(learned(lesson, res) + "\nSee what was learned: socrates panel\n")
	return nil
}

// learned describes an outcome in a sentence.
func learned(l learn.Lesson, res debate.Result) string {
	option := func(key string) string {
		for _, o := range res.Options {
			if o.Key == key {
				return o.Text
			}
		}
		return key
	}
	switch {
	case l.Truth != "" && l.Winner != "" && res.Winner == "": // for example a blocked one
		return "Recorded for " + l.Room + ": " + option(l.Truth) + " was right; the panel made no decision and leaned to " +
			option(l.Winner) + "."
	case l.Truth == "":
		return "Recorded for " + l.Room + ": " + option(l.Winner) + " was wrong."
	case l.Truth == l.Winner:
		return "Recorded for " + l.Room + ": the panel was right (" + option(l.Truth) + ")."
	case l.Winner == "":
		return "Recorded for " + l.Room + ": " + option(l.Truth) + " was right; the panel had no winner."
	}
	return "Recorded for " + l.Room + ": " + option(l.Truth) + " was right; the panel's answer was wrong."
}
