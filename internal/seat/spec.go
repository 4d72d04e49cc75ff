// Package seat is how a person writes who sits at a table: what a spec such as openai:big, acp:goose or rehearsal:slow means, the name a
// seat gets of it, and which seats may sit together.
//
// A spec is a name, perhaps with a model after a colon: a connection and a model or tier (openai:big), an agent
// (acp:COMMAND), a seat of another machine (worker:NAME/SEAT), a recorded script (script:FILE), a simulated seat
// (sim:ACCURACY/LINEAGE) or the offline panel
// (rehearsal). This package reads the form and says what does not go together; whether there is a connection of that
// name, and which model a tier is, package home knows. Its errors are failures of usage with a hint, ready for the
// person who wrote the spec.
//
// Seats that no model answers for never sit beside models: what came of such a table would look like a decision.
package seat

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Rehearses says whether a spec is the offline panel, which rehearsal:slow is, too.
// The error is that of a rehearsal with a model, which it has none of; the spec is a rehearsal all the same.
func Rehearses(spec string) (bool, error) {
	name, pace, _ := strings.Cut(spec, ":")
	if name == scheme.Rehearsal && pace != "" && pace != scheme.Slowly {
		return true, NoModels(name, pace)
	}
	return name == scheme.Rehearsal, nil
}

// NoModels is the failure of a rehearsal spec with a model.
func NoModels(name, model string) error {
	return failure.Usage("seat "+name+":"+model+": the rehearsal panel is rule-based and has no models",
		"leave out :"+model+", or write :"+scheme.Slowly+" for a slower pace")
}

// AtTier is a spec with a tier, if one is given, in place of its model.
func AtTier(spec, tier string) string {
	if tier == "" {
		return spec
	}
	return Name(spec) + ":" + tier
}

// NextID is the id of one more seat at a table where the ids in used are taken.
// It counts the id in used. The first seat of a spec keeps the plain id, the second gets -2, or the next number that
// is free.
func NextID(used map[string]int, spec string) string {
	id := ID(spec)
	n := used[id]
	if used[id]++; n == 0 {
		return id
	}
	for { // another spec may have that id by itself: ollama:llama-2 beside two of ollama:llama
		n++
		if next := fmt.Sprintf("%s-%d", id, n); used[next] == 0 {
			used[next]++
			return next
		}
	}
}

// ID makes a short name of a spec: anthropic:big is anthropic-big, script:dir/x.yaml is x, acp:goose acp is goose.
// Two specs may have one id: NextID tells their seats apart. The id is lower-case letters, digits, dots and dashes.
func ID(spec string) string {
	name, model, _ := strings.Cut(spec, ":")
	if scheme.Of(spec).Rules {
		model = ""
	}
	if name == scheme.Script {
		model = model[strings.LastIndexAny(model, `/\`)+1:]
		name, model = strings.TrimSuffix(strings.TrimSuffix(model, ".yaml"), ".yml"), ""
	}
	if name == scheme.Agent {
		if p, err := Agent(model); err == nil {
			name, model = p.Name, ""
		}
	}
	if where, there, ok := scheme.Elsewhere(spec); ok {
		name, model = ID(there), where
	}
	if name == scheme.Simulated {
		model, _, _ = strings.Cut(model, ",") // who it is, not what is assumed of it
	}
	if model != "" {
		name += "-" + model
	}
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return strings.Trim(clean, "-.")
}

// Agent is the program behind the command line that follows in an agent's spec.
func Agent(line string) (cli.Program, error) {
	argv, err := cli.Split(line)
	if err != nil {
		return cli.Program{}, failure.Usage("seat acp:"+line+": "+err.Error(),
			`write the command that starts the agent on stdin and stdout, for example "`+scheme.Agent+`:`+cli.AgentExample+`"`)
	}
	return cli.Agent(argv), nil
}

// Name is what stands before the colon of a spec: the connection, or the kind of seat.
func Name(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	return name
}
