package slash

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk/margin"
)

// DebateFlags are the flags of `socrates debate` that apply in a conversation. Those that say where the
// decision is written, or choose the exit code, do not.
var DebateFlags = []string{"allow-check", "allow-source", "budget", "context", "economy", "effort", "files", "follow", "grace", "judge",
	"max-tokens", "moderator", "no-history", "option", "preset", "rounds", "seat", "seat-timeout", "seed", "strategy",
	"timeout", "tool-calls"}

// bare are the flags without a value.
var bare = []string{"no-history"}

// ReadDebate splits a line into its flags and its question. Flags come before or after the question. A word
// that looks like a flag within the question is a part of it; before the question it is a mistake, and the
// refusal names the nearest flag. White space within the question is kept, because a question may hold a table
// or a log.
func ReadDebate(line string) (rooms.Asked, error) {
	var d rooms.Asked
	var question strings.Builder // white space is kept: it may be data
	for rest := strings.TrimSpace(line); rest != ""; {
		word, after := nextWord(rest)
		name, value, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		known := strings.HasPrefix(word, "--") && slices.Contains(DebateFlags, name)
		if !known {
			if strings.HasPrefix(word, "--") && question.Len() == 0 {
				return rooms.Asked{}, unknownFlag(name)
			}
			after = strings.TrimLeftFunc(after, unicode.IsSpace)
			question.WriteString(rest[:len(rest)-len(after)])
			rest = after
			continue
		}
		rest = strings.TrimLeftFunc(after, unicode.IsSpace)
		switch {
		case slices.Contains(bare, name):
			d.Flags = append(d.Flags, "--"+name)
			continue
		case !given && rest == "":
			return rooms.Asked{}, lack("debate", "a value after --"+name)
		case !given:
			value, after = nextWord(rest)
			rest = strings.TrimLeftFunc(after, unicode.IsSpace)
		}
		d.Flags = append(d.Flags, "--"+name+"="+Unquoted(value))
	}
	if d.Question = Unquoted(strings.TrimSpace(question.String())); d.Question == "" {
		return rooms.Asked{}, lack("debate", "a question")
	}
	return d, nil
}

// nextWord returns the first word of a text, with its quotes, and the rest. A quote counts at the beginning of
// a word or a value.
func nextWord(text string) (word, rest string) {
	begins := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case begins && (c == '"' || c == '\''):
			if end := strings.IndexByte(text[i+1:], c); end >= 0 {
				i += end + 1
			}
			begins = false
		case c == ' ' || c == '\t' || c == '\n':
			return text[:i], text[i:]
		default:
			begins = c == '='
		}
	}
	return text, ""
}

// unknownFlag refuses a flag, and for --record explains how to get the record of a debate once there is one.
func unknownFlag(name string) error {
	refusal := &engine.Refusal{Message: "/debate has no flag --" + name, Hint: "its flags: --" + strings.Join(DebateFlags, ", --")}
	if near := spelling.Nearest(name, DebateFlags); near != "" {
		refusal.Hint = "did you mean --" + near + "?"
	} else if slices.Contains([]string{"out", "record", "adr", "export"}, name) {
		refusal.Hint = "once it has decided: socrates debate export"
	}
	return refusal
}

// DebateLine formats a question as it is typed after /debate. ReadDebate parses it back, so a line can be
// stored and read again.
func DebateLine(d rooms.Asked) string {
	var words []string
	for _, f := range d.Flags {
		if name, value, ok := strings.Cut(f, "="); ok && strings.ContainsAny(value, " \t") {
			f = name + `="` + value + `"`
		}
		words = append(words, f)
	}
	return strings.Join(append(words, d.Question), " ")
}

// startDebate starts a debate with the files of the conversation. A file in the conversation is named once,
// even if a flag names it too. The conversation is begun before the debate, so that the decision can be added
// to it.
func startDebate(ctx context.Context, env *Env, line string) (Effect, error) {
	d, err := ReadDebate(line)
	if err != nil {
		return Effect{}, err
	}
	if env.Tree != "" {
		set, err := env.Settings(ctx)
		if err != nil {
			return Effect{}, err
		}
		for _, name := range margin.Files(set) {
			if one := "--files=" + name; !slices.Contains(d.Flags, one) {
				d.Flags = append(d.Flags, one)
			}
		}
	}
	return Effect{Debate: &d}, env.need(ctx, d.Question)
}

// debateWords offers flags, but only after a dash: a question is the person's own.
func debateWords(_ context.Context, env *Env, words []string) (out []string) {
	if len(words) == 0 || !strings.HasPrefix(words[len(words)-1], "-") {
		return nil
	}
	for _, name := range DebateFlags {
		out = append(out, "--"+name)
	}
	return out
}
