// Package seat reads how a person writes the seats of a panel: what a spec such as openai:big, acp:goose or rehearsal:slow means, the
// id its seat gets, and which seats may be in one panel.
//
// A spec is a name, perhaps with a model after a colon: a connection and a model or tier (openai:big), an agent (acp:COMMAND), a seat
// of another machine (worker:NAME/SEAT), a recorded script (script:FILE), a simulated seat (sim:ACCURACY/LINEAGE) or the offline
// panel (rehearsal). This package reads the form and says what cannot be combined; package home knows whether a connection of that
// name exists, and which model a tier is. Its errors are usage failures with a hint, for the person who wrote the spec.
//
// Seats without a model are never in one panel with models: its result would look like a decision.
package seat

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Rehearses reports whether a spec is the offline panel; rehearsal:slow is one, too. The error is for a rehearsal with a model, which
// does not exist; the spec is still a rehearsal.
func Rehearses(spec string) (bool, error) {
	name, pace, _ := strings.Cut(spec, ":")
	if name == scheme.Rehearsal && pace != "" && pace != scheme.Slowly {
		return true, NoModels(name, pace)
	}
	return name == scheme.Rehearsal, nil
}

// NoModels returns the failure for a rehearsal spec with a model.
func NoModels(name, model string) error {
	return failure.Usage("seat "+name+":"+model+": the rehearsal panel is rule-based and has no models",
		"leave out :"+model+", or write :"+scheme.Slowly+" for a slower pace")
}

// AtTier returns a spec with its model replaced by a tier, if one is given.
func AtTier(spec, tier string) string {
	if tier == "" {
		return spec
	}
	return Name(spec) + ":" + tier
}

// NextID returns the id for one more seat in a panel where the ids in used are taken, and counts it in used. The first seat of a spec
// gets the plain id, the second gets -2, or the next free number.
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

// ID makes a short name from a spec: anthropic:big is anthropic-big, script:dir/x.yaml is x, acp:goose acp is goose. Two specs may
// have the same id: NextID makes their seats' ids different. An id has lower-case letters, digits, dots and dashes.
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
		model, _, _ = strings.Cut(model, ",") // the part that identifies it, not its assumed behaviour
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

// Agent returns the program that the command line in an agent's spec starts.
func Agent(line string) (cli.Program, error) {
	argv, err := cli.Split(line)
	if err != nil {
		return cli.Program{}, failure.Usage("seat acp:"+line+": "+err.Error(),
			`write the command that starts the agent on stdin and stdout, for example "`+scheme.Agent+`:`+cli.AgentExample+`"`)
	}
	return cli.Agent(argv), nil
}

// Name returns the part of a spec before the colon: the connection, or the kind of seat.
func Name(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	return name
}
