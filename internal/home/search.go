package home

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/websearch"
)

// Tools returns the tools of agents here.
func (g *Gate) Tools() []tool.Tool { return append(builtin.All(), g.search()...) }

// search returns the tool for the search engine that the person chose; none if they chose none.
func (g *Gate) search() []tool.Tool {
	cfg, err := g.home.Settings.Load()
	if err != nil || cfg.String("search.engine") == "" { // settings that cannot be read are reported where they are used
		return nil
	}
	return []tool.Tool{builtin.Search(g.engine)}
}

// engine returns the search engine that the person chose, with its key.
func (g *Gate) engine() (websearch.Engine, error) {
	cfg, err := g.home.Settings.Load()
	if err != nil {
		return websearch.Engine{}, err
	}
	key, err := cfg.Secret("search.key").Reveal(os.LookupEnv)
	if err != nil {
		return websearch.Engine{}, failure.New(failure.ExitAuth, "auth", "search.key: "+err.Error(), "")
	}
	g.home.Learn(key)
	return websearch.Engine{Name: cfg.String("search.engine"), Base: cfg.String("search.url"), Key: key}, nil
}

// seatSearch returns the search tool for seats of a debate. Nobody is asked there: the setting allows it, and a
// rule that denies or asks forbids it. The person's consent is the setting debate.web, so the policy gets a
// rule that allows the tool and still lets any other rule forbid it.
func (g *Gate) seatSearch() []tool.Tool {
	cfg, err := g.home.Settings.Load()
	if err != nil || cfg.String("debate.web") != "on" {
		return nil
	}
	all := g.search()
	if len(all) == 0 {
		g.home.Warn("debate.web is on, but search.engine is not set: seats cannot search the web")
	}
	for i, t := range all {
		all[i].Run = func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
			p, err := g.Policy(env.Dir, "")
			if err != nil {
				return tool.Output{}, err
			}
			p.Rules = append(slices.Clone(p.Rules), permission.Rule{Verdict: permission.Allow, Tool: t.Name})
			env.Allow = func(_ context.Context, acts ...tool.Act) error {
				if p.Judge(t.Name, acts...).Verdict != permission.Allow {
					return errors.New("a rule or the mode forbids web searches here")
				}
				return nil
			}
			return t.Run(ctx, args, env)
		}
	}
	return all
}
