package slash

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission/kept"
)

// grants lists what the person allowed for longer than one call, or revokes it.
func grants(ctx context.Context, env *Env, args string) (Effect, error) {
	if _, _, err := env.begun(ctx); err != nil {
		return Effect{}, err
	}
	l := turns.In(env.Engine)
	all, err := l.Grants(ctx, env.Tree)
	if err != nil {
		return Effect{}, err
	}
	words := strings.Fields(args)
	if len(words) > 0 && words[0] == "revoke" {
		ids := words[1:]
		switch {
		case len(ids) == 0:
			return Effect{}, lack("permission", "no argument, words to search for, or revoke with numbers or all")
		case len(ids) == 1 && ids[0] == "all":
			ids = numbers(all)
		}
		if len(ids) == 0 {
			return Effect{Text: "nothing to revoke: no grants here"}, nil
		}
		_, err := env.Engine.Do(ctx, turns.Revoke{Tree: env.Tree, IDs: ids})
		return Effect{Text: "revoked: " + strings.Join(ids, ", ") + "; such calls need approval again"}, err
	}
	var list [][2]string
	for _, g := range all {
		if text := clean.Reveal(g.String()); containsAll(g.Tool+" "+text, words) {
			list = append(list, [2]string{g.ID, g.Tool + ", " + text})
		}
	}
	switch {
	case len(list) > 0:
		return Effect{Text: env.columns(list) + "\nrevoke one: /permission revoke " + list[0][0]}, nil
	case len(all) > 0:
		return Effect{Text: "no grant contains these words; list all: /permission"}, nil
	}
	return Effect{Text: "no grants: every approval here was for a single call"}, nil
}

// numbers returns the numbers by which grants are named.
func numbers(all []kept.Granted) (ids []string) {
	for _, g := range all {
		ids = append(ids, g.ID)
	}
	return ids
}

// containsAll reports whether a text contains all words, in any case.
func containsAll(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}

// grantWords complete what may follow /permission.
func grantWords(ctx context.Context, env *Env, words []string) []string {
	if len(words) < 2 {
		return []string{"revoke"}
	}
	all, err := turns.In(env.Engine).Grants(ctx, env.Tree)
	if words[0] != "revoke" || err != nil {
		return nil
	}
	return append(numbers(all), "all")
}
