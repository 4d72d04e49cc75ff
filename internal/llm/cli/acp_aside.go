package cli

import (
	"cmp"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// acpAside is a piece of an answer that comes from the program, not the model. The zero value has nothing to report.
type acpAside struct {
	retry string         // why it tries again; empty if it does not
	error *trouble.Error // why it gave up; nil if it did not
	// certain: no model says this. Otherwise the words might be a model's, unless the turn ends without a count of
	// tokens.
	certain bool
}

// acpDoubt is what is still undecided in a turn.
type acpDoubt struct {
	held  string   // a piece that may be an error in the program's own words
	given acpAside // what that piece means then
	tried int      // calls of the model in a row that produced nothing, including the current one
	why   string   // why the last one failed, if the program said so
}

// chunk processes a piece of an answer.
func (a *acpTalk) chunk(text string, say func(llm.Delta)) {
	var is acpAside
	own := false
	if a.aside != nil {
		is, own = a.aside(text)
	}
	if held := a.held; held != "" { // more follows, so it was the model's
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

// calling notes that the model is called, which is a retry if the last call produced nothing.
func (a *acpTalk) calling(say func(llm.Delta)) {
	if a.asked == 0 || !a.tells {
		return
	}
	if a.tried > 0 {
		say(llm.Delta{Retry: &llm.Retry{Attempt: a.tried, Err: classify(0, cmp.Or(a.why, "the model did not answer"), trouble.Overloaded)}})
	}
	a.tried, a.why = a.tried+1, ""
}

// verdict decides about a piece that was held back, at the end of the turn.
func (a *acpTalk) verdict(counted bool, say func(llm.Delta)) error {
	held, is := a.held, a.given
	a.held, a.given = "", acpAside{}
	if held == "" || counted && !is.certain {
		a.say(held, say)
		return nil
	}
	return is.error
}
