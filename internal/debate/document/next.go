package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/shell"
)

// next lists what to do: see the proof, settle what is open, look further.
func (p page) next() []Command {
	out := []Command{}
	if c, ok := p.proof(); ok {
		out = append(out, c)
	}
	show := "socrates debate show " + p.res.Room
	switch {
	case p.notice != "" || p.res.Panel.Voted == 0:
		return append(append(out, p.settle()...), Command{show + " --transcript", "every reply, word for word"})
	case p.percent(p.leading) > 0: // what to read comes before what to settle
		out = append(out, Command{show + " --explain", "the arithmetic, all claims"})
	}
	return append(out, p.settle()...)
}

// lifts describes the command that lifts a block.
const lifts = "lifts the block"

// Lift returns the command that lifts a block; empty: nothing blocks.
func (d Document) Lift() string {
	for _, c := range d.Next {
		if c.Does == lifts {
			return c.Line
		}
	}
	return ""
}

// longest is the limit of a command in columns: it must fit on a line and is never broken.
const longest = 74

// proof returns a command that shows what carried the answer: the check of one of its two claims if that was a command, else the
// quoted lines. What readers can see for themselves counts more than what a judge said.
func (p page) proof() (Command, bool) {
	if p.leading == "" {
		return Command{}, false
	}
	claims := p.claims(p.leading, true)
	if p.res.Outcome == verdict.Tie {
		claims = nil
	}
	for _, id := range p.res.Blocked { // the danger is what to look at
		if c, ok := p.claim(id); ok {
			claims = append([]debate.ClaimResult{c}, claims...)
		}
	}
	for _, c := range claims[:min(2, len(claims))] {
		for _, k := range p.checks(c) {
			if k.Kind == "command" && k.Result == verdict.Pass && len(k.Command) > 0 && c.Evidence.Expect != verdict.Fail {
				if run := shell.Quote(k.Command); wide(run) <= longest {
					return Command{run, "runs the check behind " + c.ID}, true
				}
			}
		}
	}
	for _, c := range claims[:min(2, len(claims))] {
		for _, k := range p.checks(c) {
			if k.Proof != nil && k.Proof.File != "" && k.Proof.Line > 0 && k.Result == verdict.Pass {
				show := fmt.Sprintf("sed -n %s %s", span(k.Proof.Line, c.Evidence.Quote), file(k.Proof.File))
				if wide(show) <= longest {
					return Command{show, "the line that " + c.ID + " quotes"}, true
				}
			}
		}
	}
	return Command{}, false
}

// file quotes a name so that a shell and a program take it for a file and nothing else.
func file(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return shell.Quote([]string{name})
}

// span returns the lines of a quote as a sed command.
func span(line int, quote string) string {
	if more := strings.Count(strings.TrimSpace(quote), "\n"); more > 0 {
		return fmt.Sprintf("%d,%dp", line, line+more)
	}
	return fmt.Sprintf("%dp", line)
}

// settle returns the commands with which a person decides what was left open.
func (p page) settle() (out []Command) {
	res := p.res
	choose := func(key string) Command {
		return Command{fmt.Sprintf("socrates debate tell %s \"/choose %s\"", res.Room, key), "chooses \"" + clip(p.option(key), 40) + "\""}
	}
	switch {
	case len(res.Blocked) > 0:
		for _, id := range res.Blocked {
			out = append(out, Command{fmt.Sprintf("socrates debate tell %s \"/veto %s REASON\"", res.Room, id), lifts})
		}
	case !res.Ended:
		return []Command{{"socrates debate show " + res.Room + " --follow", "follows it while it runs"},
			{"socrates debate resume " + res.Room, "resumes it if it has stopped"}}
	case p.notice != "":
		return []Command{{"socrates login", "connect a model, then ask for real"}}
	case res.Outcome == verdict.Ruled:
	case res.Outcome == verdict.NoQuorum && slices.ContainsFunc(res.Seats, missing):
		return []Command{{"socrates debate fork " + res.Room, "asks the missing seats again, reusing the answers received"}}
	case !res.Outcome.Decision():
		for i, o := range res.Options {
			if i < 2 {
				out = append(out, choose(o.Key))
			}
		}
	case res.NeedsPerson:
		out = append(out, Command{"socrates decisions confirm " + res.Room, "accepts " + p.leading})
		if other := res.Dissent.Option; other != "" {
			out = append(out, Command{"socrates decisions overrule " + res.Room + " " + other,
				"or chooses " + other + " instead"})
		}
	}
	return out
}
