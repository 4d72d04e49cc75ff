package phase

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Command is a page that a person starts with /NAME: a prompt that the agent is told as if they had typed it. It is text
// and nothing else; no part of it is run, and what the person types goes into the prompt, never into a shell.
// SHA256 is what a person approves of a project's page; whoever runs one compares it again.
type Command struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc"`
	Args   string   `json:"args,omitempty"`  // what may follow the name, for help: <issue> [branch]
	Tools  []string `json:"tools,omitempty"` // as a phase has them; the phase must allow them, too; empty: all of the phase
	Prompt string   `json:"prompt"`          // with $ARGUMENTS, $1 to $99, and $$ for a dollar
	File   string   `json:"file,omitempty"`  // empty: it comes with the program
	SHA256 string   `json:"sha256"`          // of the whole page
	// Project: it comes with the project. It may only be used once the person has trusted this very content.
	Project bool `json:"project,omitempty"`
}

// ProjectCommands is where a project keeps commands, relative to its folder.
const ProjectCommands = ".socrates/commands"

// Commands returns the commands of the user's folder, of the program and of the project, by name, and what is wrong with
// pages that cannot be used. The user's take the place of the program's; a project's only add to them. Either folder may
// be empty or missing; a project's is never left through a link.
// A project that cannot be opened is told as wrong, and the others are there.
func Commands(userDir, project string) ([]Command, []error) {
	places := append(page.Folders(userDir), page.Folder{FS: own, At: "command"})
	var wrong []error
	if project != "" {
		root, err := os.OpenRoot(project)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("looking for commands of the project: %w", err))
		} else {
			defer root.Close()
			places = append(places, page.Inside(root, ProjectCommands))
		}
	}
	pages := page.SearchPath{Places: places, Form: page.Form{Noun: "command", MaxText: maxPrompt, Keys: []string{"args", "tools"},
		Empty: "write the prompt for the agent"}}
	theirs := filepath.Join(project, filepath.FromSlash(ProjectCommands))
	all, more := page.All(pages, func(name string) (Command, error) {
		p, err := pages.Find(name)
		if err != nil {
			return Command{}, err
		}
		c := Command{Name: p.Name, Doc: p.Doc, Args: p.Get("args"), Tools: p.List("tools"), Prompt: p.Text, File: p.File, SHA256: p.SHA256,
			Project: project != "" && p.File != "" && filepath.Dir(p.File) == theirs}
		return c, checkTools(p, c.Tools)
	})
	return all, append(wrong, more...)
}

// argument is a place in a prompt that something is put into, or the escape of a dollar.
var argument = pattern.Of(`\$(\$|ARGUMENTS\b|[1-9][0-9]?\b)`)

// Expand is the prompt for what the person typed behind the name: $ARGUMENTS is all of it, $1 the first word. Words are
// parted at blanks, unless quotes hold them together. A prompt that has no place for it gets it at the end. What is put
// in is not looked at again. An argument that is missing is an error, a sentence.
// Quotes that are never closed are an error only where words are counted: with $ARGUMENTS an apostrophe is an
// apostrophe.
func (c Command) Expand(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	words, open := words(typed)
	used, most := false, 0
	text := argument().ReplaceAllStringFunc(c.Prompt, func(mark string) string {
		if mark == "$$" {
			return "$"
		}
		used = true
		if mark == "$ARGUMENTS" {
			return typed
		}
		n, _ := strconv.Atoi(mark[1:]) // it is a number
		if most = max(most, n); n > len(words) {
			return ""
		}
		return words[n-1]
	})
	switch {
	case most > 0 && open:
		return "", fmt.Errorf("/%s: unmatched quotation mark", c.Name)
	case most > len(words):
		return "", fmt.Errorf("/%s needs %s: %s", c.Name, count(most, "argument"), strings.TrimSpace("/"+c.Name+" "+c.Args))
	case !used && typed != "":
		text += "\n\n" + typed
	}
	return text, nil
}

// count is a number with its noun, in the plural if need be.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// words parts a line at blanks. Quotes of either kind hold blanks together, an apostrophe within a word does not. open: a
// quote was not closed.
func words(line string) (out []string, open bool) {
	var word strings.Builder
	var quote rune
	within := false
	end := func() {
		if within {
			out = append(out, word.String())
		}
		word.Reset()
		within = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'' && !within):
			quote, within = r, true
		case quote == 0 && unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			within = true
		}
	}
	end()
	return out, quote != 0
}
