// Package slash is the table of commands that a person types into a conversation: their names, completions and
// effects. It shows nothing itself; every front end applies the effects in its own way.
//
// A front end (the chat of cmd/talk, the full screen, an editor over ACP) makes an Env for a conversation and
// passes it each line that begins with a slash. Run finds the command and returns an Effect: a text to show, a
// file to write, a debate to start, a job to start. The Effect contains everything slow, and none of it has
// happened yet; the front end does it with its own means of asking, showing and stopping. So one table serves
// all of them, and a command behaves the same wherever it is typed.
//
// Three kinds of commands share the namespace, and the first of a name counts: those of the table here, those
// of the front end (Env.Own), and then those of a person or a project: pages (phase.Command) and skills. A page
// of a project takes effect only once Env.Trusted says that the person approved its very content.
//
// A conversation need not exist: Env.Tree is empty until the first command that sends a message, and settings
// chosen before wait in Env.Begin. Commands about earlier messages refuse until then (begun); those that send a
// message begin it (need).
//
// An error is an *engine.Refusal whose hint can be followed in a conversation, or an error of the engine. A
// command that failed has no Effect. An Env is for one goroutine; completion meanwhile works on a Copy.
// Completing never begins a conversation and never reports an error: it offers nothing.
package slash

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Command is a command that a line beginning with / can run. The functions get the Env of the call: a Command
// made from one Env can be run with its Copy.
type Command struct {
	Name string
	Args string // the arguments, for help: [] may be left out
	Doc  string // one line
	More string // more help; may be empty
	Also []string
	Like []string // words that people search for it by
	// Complete offers words for the last argument typed so far; nil: none.
	Complete func(ctx context.Context, env *Env, words []string) []string
	Run      func(ctx context.Context, env *Env, args string) (Effect, error)
}

// Effect is the effect of a command. The parts that are set are applied from the top down. Start comes after
// Text and Write, so that their output is above that of the job. Tree may have changed in the Env meanwhile: a
// front end follows the conversation that the Env names after Run.
type Effect struct {
	Text   string       // shown
	Last   bool         // if Text does not fit, its end matters most
	News   string       // the text of the node Told: shown, unless the front end shows that node
	Told   tree.ID      // empty: none
	Write  *File        // written
	Debate *rooms.Asked // to start; its decision is added with conversation.Conclude; nil: none
	Start  engine.Op    // runs as a job of the conversation: watched until it has ended
	Leave  bool         // the person leaves
}

// Env is the conversation that commands work on, and what they know of the world. A front end makes one and
// keeps it. The functions are called each time, so that what a person installs or approves during the
// conversation is available at once. Tiered, Width, Root, Own and Begin's entries may be left out; the other
// functions are called without a nil check.
type Env struct {
	Engine *engine.Engine
	Dir    string // the folder of the conversation
	Tree   string // the conversation; empty: it begins with the first command that needs one
	// Begin are settings to apply when the conversation is next changed: model, phase, mode.
	Begin map[string]string
	Root  tree.ID // the id of the next new conversation; empty: a new one
	// Own are commands that the front end executes before it calls Run. They are offered and explained with the
	// others, in place of those of the same name.
	Own   []Command
	Drops bool   // a person types, and may name any file by its absolute path, as terminals paste a dropped one
	Width int    // columns for drawing; 0: unlimited
	Login string // what logs in, for example: program login

	Phases    func() []phase.Phase
	Tiered    func(spec, tier string) string // adds the tier of a phase, which may be empty, to a spec that names no model
	Pages     func() []phase.Command         // a person's own, built-in ones and the project's
	Trusted   func(phase.Command) error      // returns an error unless the person approved the current content of a project's page
	Skills    func(ctx context.Context) []phase.Skill
	Templates func() []phase.Template
	Models    func(ctx context.Context) []string
	Files     func(ctx context.Context) []string // of the project
	Today     func() string
	Project   func() (dir string, err error) // the root of Dir's work tree, else Dir: notes and debates belong to the project
	Note      func(notes.Note) string        // a note with where it comes from, as lines
	Export    func(ctx context.Context, t conversation.Tree, format string) (string, error)
}

// Copy returns a copy to work with while others read this Env.
func (env *Env) Copy() *Env {
	other := *env
	other.Begin = maps.Clone(env.Begin)
	return &other
}

// form matches a slash, a word, and what follows a blank or a colon.
var form = pattern.Of(`^/([A-Za-z?][A-Za-z0-9-]*)(?::?\s+((?s:.*)))?$`)

// Parse splits a line into the name of a command and its arguments. ok is false for a message to the model: any
// line that does not begin with / and a word. The name is in lower case. A colon after the name is ignored,
// because people write "/plan: …". A path such as /etc/hosts is no command: a second slash does not fit a name.
func Parse(line string) (name, args string, ok bool) {
	m := form().FindStringSubmatch(strings.TrimRight(line, " \t\n"))
	if m == nil {
		return "", "", false
	}
	return strings.ToLower(m[1]), strings.TrimSpace(m[2]), true
}

// Table returns every built-in command, by name.
func Table() []Command {
	all := slices.Concat(phases(), works(), turnCommands(), trees(), files(), memory(), decisions(), others())
	slices.SortFunc(all, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// All returns the table with the front end's own commands, the pages of commands, the available skills, and the
// prompts of connected MCP servers. A built-in name takes precedence. Looking for skills reads the disk, so it
// is not done for a name that the table has; see find.
func All(ctx context.Context, env *Env) []Command {
	all := env.table()
	for _, c := range slices.Concat(pages(env), skills(ctx, env), prompts(ctx, env)) {
		if !slices.ContainsFunc(all, func(have Command) bool { return have.is(c.Name) }) {
			all = append(all, c)
		}
	}
	return all
}

// table returns the table with the front end's own commands. If both have a name, the own command replaces only
// the help: Run stays ours, and the aliases of both work.
func (env *Env) table() []Command {
	all := Table()
	for _, own := range env.Own {
		if i := slices.IndexFunc(all, func(c Command) bool { return c.is(own.Name) }); i < 0 {
			all = append(all, own)
		} else {
			own.Run, own.Complete, own.Like, own.Also = all[i].Run, all[i].Complete, slices.Concat(own.Like, all[i].Like),
				slices.Compact(slices.Sorted(slices.Values(slices.Concat(own.Also, all[i].Also))))
			all[i] = own
		}
	}
	slices.SortStableFunc(all, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// is reports whether a name is the command's, or one of its aliases.
func (c Command) is(name string) bool { return c.Name == name || slices.Contains(c.Also, name) }

// Form shows how to type the command.
func (c Command) Form() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// find finds a command by name; the refusal of an unknown one names the nearest. It searches the table first,
// which costs nothing, then pages and skills.
func find(ctx context.Context, env *Env, name string) (Command, error) {
	var names []string
	like := ""
	for _, list := range []func() []Command{env.table, func() []Command { return All(ctx, env) }} { // skills are read from the disk
		names = nil
		for _, c := range list() {
			if c.is(name) {
				return c, nil
			}
			names = append(names, c.Name)
			if slices.Contains(c.Like, name) {
				like = cmp.Or(like, c.Name)
			}
		}
	}
	return Command{}, unknown(name, like, names)
}

// Run executes a line that Parse takes for a command, except what takes time, which is in the Effect's Start.
// Another line is refused as an unknown command with an empty name: call Parse first.
func Run(ctx context.Context, env *Env, line string) (Effect, error) {
	name, args, _ := Parse(line)
	c, err := find(ctx, env, name)
	if err != nil {
		return Effect{}, err
	}
	e, err := c.Run(ctx, env, args)
	if err != nil {
		return Effect{}, typable(err) // a failed command reports nothing
	}
	switch op := e.Start.(type) { // the run tells this conversation how it ends
	case runs.Execute:
		op.Talk, err = env.talk(ctx)
		e.Start = op
	case runs.Advance:
		op.Talk, err = env.talk(ctx)
		e.Start = op
	}
	return e, err
}

// talk is the first node of the conversation; empty: it has not begun.
func (env *Env) talk(ctx context.Context) (tree.ID, error) {
	t, _, err := env.open(ctx)
	return t.Root, err
}

// Offer is a completion of the last word of a line. Doc is empty unless it is a command.
type Offer struct {
	Word, Doc string
	Also      []string // aliases
	Alone     bool     // it is the name of a command without arguments
}

// Is reports whether a word is the complete offer.
func (o Offer) Is(word string) bool {
	name, command := strings.CutPrefix(word, "/")
	return o.Word == word || command && (strings.EqualFold(o.Word, word) || slices.Contains(o.Also, strings.ToLower(name)))
}

// Offer returns the completion for a command.
func (c Command) Offer() Offer {
	return Offer{Word: "/" + c.Name, Doc: c.Doc, Also: c.Also, Alone: c.Args == ""}
}

// Offers returns all words that could replace the last word of a line, whatever was typed of it: names of
// commands, or arguments of the command. It offers nothing for a line with a line break: such a text is a
// message with a slash in front.
func Offers(ctx context.Context, env *Env, line string) (out []Offer) {
	words := lastWords(line)
	switch {
	case words == nil:
	case len(words) == 1:
		for _, c := range All(ctx, env) {
			out = append(out, c.Offer())
		}
	default:
		if c, err := find(ctx, env, words[0][1:]); err == nil && c.Complete != nil {
			for _, w := range c.Complete(ctx, env, words[1:]) {
				out = append(out, Offer{Word: w})
			}
		}
	}
	return out
}

// lastWords returns the words of a line typed so far if it is a command; the last one is empty after a blank.
func lastWords(line string) []string {
	if !strings.HasPrefix(line, "/") || strings.Contains(line, "\n") {
		return nil
	}
	words := strings.Fields(line)
	if strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	return words
}

// Complete returns the offers that begin with what was typed of the last word.
func Complete(ctx context.Context, env *Env, line string) []string {
	words := lastWords(line)
	var offers []string
	for _, o := range Offers(ctx, env, line) {
		if strings.HasPrefix(o.Word, words[len(words)-1]) {
			offers = append(offers, o.Word)
		}
	}
	slices.Sort(offers)
	return slices.Compact(offers)
}

// Shell is the prefix of a line that is a shell command.
const Shell = "!"

// Message reports whether a line can be sent to a running turn: it is no command, for us or for the shell, and
// names no lines of a file.
func Message(text string) bool {
	_, _, command := Parse(text)
	lines := func(m mention) bool { return m.at && strings.Contains(m.name, ":") }
	return !command && !strings.HasPrefix(text, Shell) && !slices.ContainsFunc(mentions(text), lines)
}

// Interject makes a message to a running turn. Files that it names are attached: they cannot be added to the
// context while the turn runs.
func Interject(ctx context.Context, env *Env, text string) turns.Interject {
	attached, held, _ := env.mentioned(text, func() []string { return env.Files(ctx) })
	return turns.Interject{Tree: env.Tree, Text: text, Attach: append(attached, held...)}
}

// Say returns the effect of a line that is no command: it is sent, or run if it begins with Shell. The model
// sees the output of that with the next message.
func Say(ctx context.Context, env *Env, text string) (Effect, error) {
	command, shell := strings.CutPrefix(text, Shell)
	if err := env.need(ctx, strings.TrimSpace(command)); err != nil {
		return Effect{}, err
	}
	attached, missing, err := env.Mention(ctx, text)
	if err != nil {
		return Effect{}, err
	}
	if shell {
		return Effect{Start: turns.Exec{Tree: env.Tree, Command: strings.TrimSpace(command)}}, nil
	}
	e := Effect{Start: turns.Say{Tree: env.Tree, Text: text, Attach: attached}}
	if len(missing) > 0 {
		e.Text = "no such file: " + strings.Join(missing, ", ") + " (sent as text)"
	}
	return e, nil
}

// need begins the conversation, if there is none yet, and applies the settings it begins with. The model is
// checked before the conversation is made: an unknown one would otherwise leave an empty conversation behind.
// Settings are removed from Begin one by one as they are set, so a failure halfway sets none of them twice.
func (env *Env) need(ctx context.Context, title string) error {
	if env.Tree == "" {
		if model := env.Begin["model"]; model != "" { // without a usable model nothing begins
			if _, err := env.Engine.Do(ctx, turns.Set{Key: "model", Value: model}); err != nil {
				return err
			}
		}
		root, err := env.Engine.Do(ctx, conversation.NewTree{Title: title, Dir: env.Dir, Root: env.Root})
		if err != nil {
			return err
		}
		env.Root = ""
		nodes, err := conversation.In(env.Engine).Path(ctx, root)
		if err != nil {
			return err
		}
		r, _ := talk.RootKind.Of(nodes[0])
		env.Tree = r.Name
	}
	for _, key := range []string{"model", "phase", "mode"} {
		if value := env.Begin[key]; value != "" {
			if _, err := env.Engine.Do(ctx, turns.Set{Tree: env.Tree, Key: key, Value: value}); err != nil {
				return err
			}
		}
		delete(env.Begin, key)
	}
	return nil
}

// open returns the conversation and the path to its head. Before it has begun both are empty.
func (env *Env) open(ctx context.Context) (conversation.Tree, []tree.Node, error) {
	if env.Tree == "" {
		return conversation.Tree{}, nil, nil
	}
	t, err := conversation.In(env.Engine).Open(ctx, env.Tree)
	if err != nil {
		return t, nil, err
	}
	path, err := conversation.In(env.Engine).Path(ctx, t.Head)
	return t, path, err
}

// begun is open for commands that need an earlier message. If there is no conversation, the refusal says so.
func (env *Env) begun(ctx context.Context) (conversation.Tree, []tree.Node, error) {
	t, path, err := env.open(ctx)
	if err == nil && env.Tree == "" {
		err = &engine.Refusal{Message: "this conversation has no messages yet"}
	}
	return t, path, err
}

// Settings returns the settings at the head of the conversation, or those it will begin with. The map is the
// caller's. Begin wins over the conversation: it is newer.
func (env *Env) Settings(ctx context.Context) (map[string]string, error) {
	_, path, err := env.open(ctx)
	set := margin.Settings(path)
	for key, value := range env.Begin {
		set[key] = value
	}
	return set, err
}

// do executes an op and ignores its root: the conversation's name is known already. It does not begin a
// conversation.
func (env *Env) do(ctx context.Context, op engine.Op) error {
	_, err := env.Engine.Do(ctx, op)
	return err
}

// lack refuses a command with missing arguments.
func lack(c, needs string) error {
	return &engine.Refusal{Message: "/" + c + " needs " + needs, Hint: "see: /help " + c}
}

// columns formats words in two columns, or below each other if there is no room. The first column is at most 30
// letters wide; a longer word is alone in its line, with its text below. In less than 60 columns all are,
// unless every word is short.
func (env *Env) columns(pairs [][2]string) string {
	wide := 0
	for _, p := range pairs {
		wide = max(wide, len([]rune(p[0])))
	}
	narrow := env.Width > 0 && env.Width < 60 && wide > 12
	wide = min(wide, 30)
	var b strings.Builder
	for _, p := range pairs {
		row := fmt.Sprintf("  %-*s  %s", wide, p[0], p[1])
		if narrow {
			row = "  " + p[0] + "\n      " + p[1]
		} else if env.Width > 0 && len([]rune(p[0])) > wide { // below, in its column
			row = "  " + p[0] + "\n" + strings.Repeat(" ", wide+4) + p[1]
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}
