package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
)

// Agent is a model that shows what a turn of an agent looks like, without a network or a key. By rule it keeps a list
// of steps, searches the project for the words of the question, reads the place that has most of them, counts its
// lines with a command, and answers. Asked to write notes, it writes what it found to NotesFile; asked to rename a
// word, it does so in the file that has it most often. Otherwise it changes nothing. It is free, holds no state and
// is safe for concurrent use.
func Agent() llm.Model { return agent{} }

// NotesFile is the one file the agent writes.
const NotesFile = "rehearsal-notes.md"

// agent has no state: it derives its progress from the conversation.
type agent struct{}

// Info returns that of a model of no vendor.
func (agent) Info() llm.Info {
	return llm.Info{ID: "rehearsal-agent", Lineage: "rule-agent", Tier: llm.Small, Price: cost.Price{Known: true}}
}

// Stream performs one step of its work.
func (a agent) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if ctx.Err() != nil {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		w := readWork(req)
		calls, text := w.next()
		d := draft.New(a.Info(), yield)
		d.Usage.Input = w.size / 4
		for piece := range pieces(text) {
			if d.Usage.Output += len(piece) / 4; piece != "" && !d.Text(piece) {
				return
			}
		}
		for i, c := range calls {
			c.ID = fmt.Sprintf("rehearsal-%d-%d-%d", w.turn, w.rounds+1, i+1)
			if d.Usage.Output += len(c.Args) / 4; !d.Call(c) {
				return
			}
		}
		d.End()
	}
}

// work is what an agent was asked and has done about it so far.
type work struct {
	asked        string
	tools        map[string]bool
	results      map[string]llm.Result // the last result of each tool since the question
	rounds, turn int
	size         int
}

// readWork reads what was done since the last message of a person. The last text of that message is theirs.
func readWork(req llm.Request) work {
	w := work{tools: map[string]bool{}, results: map[string]llm.Result{}, size: len(req.System)}
	for _, t := range req.Tools {
		w.tools[t.Name] = true
	}
	for _, m := range req.Messages {
		w.size += m.Bytes()
		said, answered := "", false
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Result:
				w.results[p.Name], answered = p, true
			case llm.Text:
				said = p.Text // the program's text about phase and mode comes before the person's words
			}
		}
		switch {
		case answered:
			w.rounds++
		case m.Role == llm.User:
			w.asked, w.results, w.rounds = said, map[string]llm.Result{}, 0
			w.turn++
		}
	}
	return w
}

// agentSteps are the steps as the todo list has them; notingSteps are those for writing notes.
var (
	agentSteps  = []string{"Search the project for the words of the request", "Read the best place", "Count its lines"}
	notingSteps = []string{agentSteps[0], agentSteps[1], "Write down what was found", "Count the lines"}
)

// noting are the stems of the words that ask for notes.
var noting = set("writ note")

// notes reports whether the person asked for notes.
func (w work) notes() bool {
	return slices.ContainsFunc(wordsOf(w.asked), func(word word) bool { return noting[word.stem] })
}

// todo returns the calls for a list with so many steps done.
func (w work) todo(done int) []llm.Call {
	if w.notes() {
		return w.steps(notingSteps, done)
	}
	return w.steps(agentSteps, done)
}

// steps returns a call of the todo list, with so many of all done and the next one begun.
func (w work) steps(all []string, done int) []llm.Call {
	type item struct {
		Text  string `json:"text"`
		State string `json:"state"`
	}
	var items []item
	for i, text := range all {
		state := "open"
		switch {
		case i < done:
			state = "done"
		case i == done:
			state = "doing"
		}
		items = append(items, item{text, state})
	}
	return w.call("todo", map[string]any{"items": items})
}

// call returns a call of a tool; none if there is no such tool.
func (w work) call(tool string, args map[string]any) []llm.Call {
	raw, _ := json.Marshal(args) // texts only
	if !w.tools[tool] {
		return nil
	}
	return []llm.Call{{Name: tool, Args: raw}}
}

// asking are the stems of words that ask where something is, and say nothing about what.
var asking = set("defin declar implement locat call happen find show tell explain look read function method variabl")

// sought returns the words of a request to search for. A name of one letter counts only if the request has nothing
// else.
func sought(asked string) []string {
	words := slices.DeleteFunc(contentWords(asked), func(stem string) bool { return noting[stem] })
	if telling := slices.DeleteFunc(slices.Clone(words), func(stem string) bool { return asking[stem] }); len(telling) > 0 {
		return telling[:min(len(telling), 5)]
	}
	var names []string
	for _, w := range wordsOf(asked) {
		if utf8.RuneCountInString(w.text) == 1 && w.text != "a" && w.text != "I" {
			names = append(names, w.text)
		}
	}
	if len(names) > 0 {
		return names
	}
	return words[:min(len(words), 5)]
}

// next returns what the agent says and calls next.
func (w work) next() ([]llm.Call, string) {
	if calls, text, ok := w.renamed(); ok {
		return calls, text
	}
	words := sought(w.asked)
	_, searched := w.results["grep"]
	wrote, tried := w.results["write"]
	_, counted := w.results["bash"]
	_, read := w.results["read"]
	hits := w.hits()
	switch {
	case !searched && w.tools["grep"] && len(words) > 0:
		calls := append(w.todo(0), w.call("grep", map[string]any{"pattern": anyOf(words), "ignore_case": true})...)
		return append(calls, w.call("glob", map[string]any{"pattern": NotesFile})...), "First I search for the words of your request."
	case !read && len(hits) > 0 && w.tools["read"]:
		calls := append(w.todo(1), w.call("read", map[string]any{"path": best(hits)})...)
		if strings.Contains(w.results["glob"].Text, NotesFile) && best(hits) != NotesFile {
			calls = append(calls, w.call("read", map[string]any{"path": NotesFile})...)
		}
		return calls, "Most of them are in " + best(hits) + "."
	case !tried && len(hits) > 0 && w.tools["write"] && w.notes():
		return append(w.todo(2), w.call("write", map[string]any{"path": NotesFile, "content": notes(w.asked, hits)})...), ""
	case tried && !wrote.Failed && !counted && w.tools["bash"]:
		return append(w.todo(3), w.call("bash", map[string]any{"command": "wc -l " + NotesFile})...), ""
	case !w.notes() && len(hits) > 0 && !counted && w.tools["bash"]:
		return append(w.todo(2), w.call("bash", map[string]any{"command": "wc -l " + asArgument(best(hits))})...), ""
	}
	return nil, w.answer(words, hits)
}

// hits returns the lines of the project that contain words of the request, by file.
func (w work) hits() map[string][]string {
	out := map[string][]string{}
	if r := w.results["grep"]; !r.Failed {
		readHits(r.Text, func(file string, number int, text string) {
			if file != NotesFile {
				out[file] = append(out[file], fmt.Sprintf("%s:%d: %s", file, number, strings.TrimSpace(text)))
			}
		})
	}
	return out
}

// best returns the file with most hits, the first of them by name.
func best(hits map[string][]string) string {
	files := slices.Sorted(maps.Keys(hits))
	return slices.MaxFunc(files, func(a, b string) int { return len(hits[a]) - len(hits[b]) })
}

// mostNoted limits the lines noted for a file.
const mostNoted = 10

// notes returns the content of NotesFile.
func notes(asked string, hits map[string][]string) string {
	return fmt.Sprintf("# Rehearsal\n\nAsked: %s\n\n", strings.Join(strings.Fields(asked), " ")) + places(hits)
}

// places lists the lines that were found.
func places(hits map[string][]string) string {
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(hits)) {
		for _, l := range hits[file][:min(len(hits[file]), mostNoted)] {
			fmt.Fprintf(&b, "- `%s`\n", strings.ReplaceAll(l, "`", "'"))
		}
		if more := len(hits[file]) - mostNoted; more > 0 {
			fmt.Fprintf(&b, "- `%s`: %s more\n", file, count(more, "line"))
		}
	}
	return b.String()
}

// ruled begins the agent's answers.
const ruled = "This is a rehearsal: I follow rules and understand nothing.\n\n"

// answer says what the turn found.
func (w work) answer(words []string, hits map[string][]string) string {
	lines := 0
	for _, l := range hits {
		lines += len(l)
	}
	wrote, tried := w.results["write"]
	found := fmt.Sprintf("%s in %s: %s", count(lines, "line"), count(len(hits), "file"), strings.Join(words, ", "))
	switch {
	case len(words) == 0:
		return ruled + "Your request has no words I could look for. Ask about something in the project."
	case lines == 0:
		return ruled + fmt.Sprintf("I found nothing in the project about %s.", strings.Join(words, ", "))
	case !w.notes():
		return ruled + found + ":\n\n" + places(hits) +
			"\nNothing was changed. Ask me to *write notes* on it to see a change and how it is undone."
	case !tried:
		return ruled + found + ". I may not write here, so I leave no notes."
	case wrote.Failed:
		return ruled + found + ". My notes were not written: " + strings.TrimSpace(wrote.Text)
	}
	return ruled + found + ". They are in `" + NotesFile + "`.\n\n" +
		"`/undo` removes that file again, or in a shell `socrates tree undo`; `socrates tree show` shows this conversation."
}

// asArgument quotes a file's name as one word of a command.
func asArgument(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }

// count returns a number of things, in words.
func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
