package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Agent is a model that shows what a turn of an agent looks like, without a network or a key. By rule it keeps a list of steps, searches
// the project for the words of what it was asked, reads the place that speaks of them most, writes what it found to NotesFile, counts its
// lines with a command, and answers. Asked to rename a word, it does so in the file that has it most. It is free, holds no
// state and is safe for concurrent use.
func Agent() llm.Model { return agent{} }

// NotesFile is the one file the agent writes.
const NotesFile = "rehearsal-notes.md"

type agent struct{}

func (agent) Info() llm.Info {
	return llm.Info{ID: "rehearsal-agent", Lineage: "rule-agent", Tier: llm.Small, Price: llm.Price{Known: true}}
}

func (a agent) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if ctx.Err() != nil {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		w := readWork(req)
		calls, text := w.next()
		d := llm.NewDraft(a.Info(), yield)
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

// work is what an agent was asked and did about it so far.
type work struct {
	asked        string
	tools        map[string]bool
	results      map[string]llm.Result // the last of each tool since it was asked
	rounds, turn int
	size         int
}

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
				said = p.Text // what the program says of phase and mode comes before the person's words
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

// agentSteps are the steps as the list of things to do has them.
var agentSteps = []string{"Search the project for the words of the request", "Read the best place", "Write down what was found", "Count the lines"}

// todo is the list with so many steps done.
func (w work) todo(done int) []llm.Call { return w.steps(agentSteps, done) }

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

// call is a call of a tool; none if there is no such tool.
func (w work) call(tool string, args map[string]any) []llm.Call {
	raw, _ := json.Marshal(args) // texts only
	if !w.tools[tool] {
		return nil
	}
	return []llm.Call{{Name: tool, Args: raw}}
}

// next is what the agent says and calls next.
func (w work) next() ([]llm.Call, string) {
	if calls, text, ok := w.renamed(); ok {
		return calls, text
	}
	words := contentWords(w.asked)
	words = words[:min(len(words), 5)]
	_, searched := w.results["grep"]
	wrote, tried := w.results["write"]
	_, counted := w.results["bash"]
	_, read := w.results["read"]
	hits := w.hits()
	switch {
	case !searched && w.tools["grep"] && len(words) > 0:
		calls := append(w.todo(0), w.call("grep", map[string]any{"pattern": anyOf(words), "ignore_case": true})...)
		return append(calls, w.call("glob", map[string]any{"pattern": NotesFile})...), "I look for the words of your request first."
	case !read && len(hits) > 0 && w.tools["read"]:
		calls := append(w.todo(1), w.call("read", map[string]any{"path": best(hits)})...)
		if strings.Contains(w.results["glob"].Text, NotesFile) && best(hits) != NotesFile {
			calls = append(calls, w.call("read", map[string]any{"path": NotesFile})...)
		}
		return calls, "Most of them are in " + best(hits) + "."
	case !tried && len(hits) > 0 && w.tools["write"]:
		return append(w.todo(2), w.call("write", map[string]any{"path": NotesFile, "content": notes(w.asked, hits)})...), ""
	case tried && !wrote.Failed && !counted && w.tools["bash"]:
		return append(w.todo(3), w.call("bash", map[string]any{"command": "wc -l " + NotesFile})...), ""
	}
	return nil, w.answer(words, hits)
}

// hits are the lines of the project that hold words of the request, by file.
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

// best is the file with most hits, the first of them by name.
func best(hits map[string][]string) string {
	files := slices.Sorted(maps.Keys(hits))
	return slices.MaxFunc(files, func(a, b string) int { return len(hits[a]) - len(hits[b]) })
}

// mostNoted bounds the lines that are written down for a file.
const mostNoted = 10

func notes(asked string, hits map[string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Rehearsal\n\nAsked: %s\n\n", strings.Join(strings.Fields(asked), " "))
	for _, file := range slices.Sorted(maps.Keys(hits)) {
		for _, l := range hits[file][:min(len(hits[file]), mostNoted)] {
			fmt.Fprintf(&b, "- `%s`\n", strings.ReplaceAll(l, "`", "'"))
		}
	}
	return b.String()
}

// ruled begins what the agent answers.
const ruled = "This is a rehearsal: I follow rules and understand nothing.\n\n"

// answer says what the turn came to.
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
	case !tried:
		return ruled + found + ". I may not write here, so I leave no notes."
	case wrote.Failed:
		return ruled + found + ". My notes were not written: " + strings.TrimSpace(wrote.Text)
	}
	return ruled + found + ". They are in `" + NotesFile + "`.\n\n" +
		"`socrates tree undo` takes that file back, `socrates tree show` shows this conversation."
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
