package cli

import (
	"cmp"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// acpAside is a piece of an answer that is the program's own word, not the model's. The zero value is nothing to tell.
type acpAside struct {
	retry string         // why it tries again; empty: it does not
	error *trouble.Error // why it gave up; nil: it did not
	// certain: no model says this. Otherwise the words might be a model's, unless the turn ends with them uncounted.
	certain bool
}

// acpDoubt is what is not settled yet in a turn.
type acpDoubt struct {
	held  string   // a piece that may be an error in the program's own words
	given acpAside // what it says then
	tried int      // calls of the model in a row that came to nothing, and the one under way
	why   string   // the last one failed, if the program said so
}

// chunk takes in a piece of an answer.
func (a *acpTalk) chunk(text string, say func(llm.Delta)) {
	var is acpAside
	own := false
	if a.aside != nil {
		is, own = a.aside(text)
	}
	if held := a.held; held != "" { // more comes: it was the model's
		a.held, a.given = "", acpAside{}
		a.say(held, say)
	}
	switch {
	case !own:
		a.say(text, say)
	case is.error != nil:
		a.held, a.given = text, is
	default:
		a.acted, a.why = true, is.retry // what follows is a new message
	}
}

// calling notes that the model is called, which is a retry if nothing came of the last call.
func (a *acpTalk) calling(say func(llm.Delta)) {
	if a.asked == 0 || !a.tells {
		return
	}
	if a.tried > 0 {
		say(llm.Delta{Retry: &llm.Retry{Attempt: a.tried, Err: classify(0, cmp.Or(a.why, "the model did not answer"), trouble.Overloaded)}})
	}
	a.tried, a.why = a.tried+1, ""
}

// verdict settles a piece that was held back, at the end of the turn.
func (a *acpTalk) verdict(counted bool, say func(llm.Delta)) error {
	held, is := a.held, a.given
	a.held, a.given = "", acpAside{}
	if held == "" || counted && !is.certain {
		a.say(held, say)
		return nil
	}
	return is.error
}
