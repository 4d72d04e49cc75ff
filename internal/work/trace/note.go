package trace

import (
	"strconv"
	"strings"
)

// Note returns the note on a step's commit, for those who have the repository and not the run: marks first, as in a
// message.
func (s Step) Note() string {
	var b strings.Builder
	say := func(name, text string) {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			b.WriteString(name + ": " + text + "\n")
		}
	}
	say("Socrates-Run", s.Run)
	say("Socrates-Task", s.ID)
	say("Socrates-Attempt", strconv.Itoa(s.Attempt))
	say("Socrates-Executor", s.Executor)
	say("Step", s.Title)
	say("Brief", s.Brief)
	say("Decision", s.Decision)
	for _, p := range s.Claims {
		say("Answers", p.ID+" ("+p.Kind+"): "+p.Text)
	}
	say("Models", strings.Join(s.Models, ", "))
	for _, r := range s.Checks {
		say("Check", strings.Join(r.Command, " ")+": "+r.After.String()+"; before: "+r.Base.String())
	}
	for _, r := range s.Reviews {
		for _, o := range r.Objections {
			say("Objection", r.By+": "+o.String())
		}
	}
	say("Person", strings.Join(s.Person, "; "))
	say("Cost", s.Usage.Money())
	return b.String()
}
