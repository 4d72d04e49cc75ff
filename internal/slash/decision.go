package slash

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/drift/account"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// debateOf explains how to name a debate.
const debateOf = "DEBATE is a name listed by /history, or last for the project's newest."

// decisions are the commands by which a person rules on decisions of debates.
func decisions() []Command {
	return []Command{
		{Name: "confirm", Args: "DEBATE [REASON]", Doc: "confirm a decision that needs your call", More: debateOf,
			Complete: first(debateNames), Run: confirm},
		{Name: "overrule", Args: "DEBATE OPTION [REASON]", Doc: "choose another option when your call is needed", More: debateOf,
			Complete: first(debateNames), Run: overrule},
		{Name: "supersede", Args: "OLD NEW [REASON]", Doc: "mark a debate's decision as superseded by another's", More: debateOf,
			Complete: every(debateNames), Run: supersede},
		{Name: "check", Args: "[DEBATE]", Doc: "check if a debate's decision still holds", Like: []string{"outdated", "decisions", "today"},
			More:     debateOf + " The default is the newest. Commands behind a decision are not run again.",
			Complete: first(debateNames), Run: check},
		{Name: "outcome", Args: "DEBATE right|wrong|OPTION [REASON]", More: debateOf,
			Doc: "record what turned out to be right; later debates learn from it", Complete: first(debateNames), Run: outcome},
	}
}

// mostNames is how many debates are offered.
const mostNames = 200

func debateNames(ctx context.Context, env *Env) []string {
	names, _ := rooms.In(env.Engine).Names(ctx, "", mostNames) // without completions the name is typed
	return append(names, "last")
}

// debate resolves a debate's name to its full name.
func (env *Env) debate(ctx context.Context, name string) (string, error) {
	if name != "last" {
		return name, nil
	}
	dir, err := env.Project()
	if err != nil {
		return "", err
	}
	return rooms.In(env.Engine).Last(ctx, dir)
}

func confirm(ctx context.Context, env *Env, args string) (Effect, error) {
	name, why, _ := strings.Cut(args, " ")
	if name == "" {
		return Effect{}, lack("confirm", "a debate")
	}
	name, err := env.debate(ctx, name)
	if err != nil {
		return Effect{}, err
	}
	res, err := rooms.Named(ctx, rooms.In(env.Engine), name)
	if err != nil {
		return Effect{}, err
	}
	leading, err := rooms.Leading(res)
	if err != nil {
		return Effect{}, err
	}
	return env.rule(ctx, name, people.Message{Verb: people.Choose, Option: leading, Text: strings.TrimSpace(why)})
}

func overrule(ctx context.Context, env *Env, args string) (Effect, error) {
	name, said, _ := strings.Cut(args, " ")
	if strings.TrimSpace(said) == "" {
		return Effect{}, lack("overrule", "a debate and an option")
	}
	name, err := env.debate(ctx, name)
	if err != nil {
		return Effect{}, err
	}
	word, err := people.ParseMessage("/" + people.Choose + " " + said)
	if err != nil {
		return Effect{}, err
	}
	return env.rule(ctx, name, word)
}

// check reports whether the evidence of a decision still holds in the project, and the verdict without evidence
// that does not.
func check(ctx context.Context, env *Env, args string) (Effect, error) {
	name, err := env.debate(ctx, cmp.Or(strings.TrimSpace(args), "last"))
	if err != nil {
		return Effect{}, err
	}
	nodes, err := rooms.In(env.Engine).Trunk(ctx, name)
	if err != nil {
		return Effect{}, err
	}
	basis, ok := drift.From(nodes)
	if !ok {
		return Effect{}, &engine.Refusal{Message: name + " contains no decision that can be checked",
			Hint: "it has not ended, or no seat voted"}
	}
	project, err := drift.Open(ctx, basis.Dir, "")
	if err != nil {
		return Effect{}, err
	}
	defer project.Close()
	reports, err := project.Check(ctx, []drift.Basis{basis})
	if err != nil {
		return Effect{}, err
	}
	return Effect{Text: strings.TrimSpace(account.Of(reports, env.Width))}, nil
}

// rule makes an ended debate decide as the person says. A conversation that contains the panel's result also
// gets the new one.
func (env *Env) rule(ctx context.Context, name string, word people.Message) (Effect, error) {
	root, err := env.Engine.Do(ctx, rooms.Tell{Room: name, Message: word})
	if err == nil {
		err = env.Engine.Wait(root) // the record is replayed: nobody is asked
	}
	if err != nil {
		return Effect{}, err
	}
	res, err := rooms.In(env.Engine).Result(ctx, root)
	if err != nil {
		return Effect{}, err
	}
	text := "decided by you in " + name + ": " + optionText(res, res.Winner)
	if env.Tree == "" {
		return Effect{Text: text}, nil
	}
	_, way, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	brought := func(n tree.Node) bool { m, ok := material.MergeKind.Of(n); return ok && m.Debate && m.From == root }
	if slices.ContainsFunc(way, brought) {
		text += "; noted in this conversation"
		err = env.do(ctx, conversation.Conclude{Tree: env.Tree, Room: name})
	}
	return Effect{Text: text}, err
}

func supersede(ctx context.Context, env *Env, args string) (Effect, error) {
	words := strings.Fields(args)
	if len(words) < 2 {
		return Effect{}, lack("supersede", "the old decision and the one that replaces it")
	}
	for i := range 2 {
		var err error
		if words[i], err = env.debate(ctx, words[i]); err != nil {
			return Effect{}, err
		}
	}
	_, err := env.Engine.Do(ctx, rooms.Supersede{Old: words[0], New: words[1], Reason: strings.Join(words[2:], " ")})
	return Effect{Text: words[0] + " is superseded by " + words[1]}, err
}

// outcome tells a debate which option turned out to be right. The text is parsed like a message to a debate, so
// both accept the same words.
func outcome(ctx context.Context, env *Env, args string) (Effect, error) {
	name, said, _ := strings.Cut(args, " ")
	if strings.TrimSpace(said) == "" {
		return Effect{}, lack("outcome", "a debate and right, wrong or an option")
	}
	word, err := people.ParseMessage("/outcome " + said)
	if err != nil {
		return Effect{}, err
	}
	if name, err = env.debate(ctx, name); err != nil {
		return Effect{}, err
	}
	_, err = env.Engine.Do(ctx, rooms.Tell{Room: name, Message: word})
	return Effect{Text: "outcome of " + name + " recorded: " + word.Option}, err
}

// optionText returns the original text of a debate's option.
func optionText(res debate.Result, key string) string {
	for _, o := range res.Options {
		if o.Key == key {
			return o.Text
		}
	}
	return key
}
