package acp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// sorts maps effects of tools to the protocol's words.
var sorts = map[tool.Effect]string{tool.Talks: "think", tool.Reads: "read", tool.Writes: "edit", tool.Runs: "execute", tool.Sends: "fetch",
	tool.Keeps: "other"} // a note is no file

// effects maps our own tools to their effects.
var effects = sync.OnceValue(func() map[string]tool.Effect {
	all := map[string]tool.Effect{}
	for _, t := range builtin.All() {
		all[t.Name] = t.Effect
	}
	return all
})

// sortOf returns the protocol's word for what a tool does.
func sortOf(name string) string {
	switch name {
	case "grep", "glob", "search", builtin.SearchName:
		return "search"
	}
	return cmp.Or(sorts[effects()[name]], "other")
}

// list is the tool that keeps the to-do list, which an editor shows as a plan.
const list = "todo"

// begin reports the start of a tool call.
func (v *teller) begin(c llm.Call) {
	if c.Name == list {
		return
	}
	v.calls[c.ID] = c.Name
	v.update(toolCall{Kind: "tool_call", ID: c.ID, Title: strings.TrimSpace(c.Name + " " + c.Gist()), Name: c.Name, Sort: sortOf(c.Name),
		Status: "in_progress", Locations: v.places(c), Input: input(c)})
}

// input returns a call's arguments for display; none if they are not JSON.
func input(c llm.Call) json.RawMessage {
	if !json.Valid(c.Args) {
		return nil
	}
	return c.Args
}

// places returns the files of the project that a call is about.
func (v *teller) places(c llm.Call) []location {
	var at struct {
		Path string `json:"path"`
		From int    `json:"from"`
	}
	if json.Unmarshal(c.Args, &at) != nil || at.Path == "" {
		return nil
	}
	return []location{{v.abs(at.Path), at.From}}
}

// abs returns the absolute path of a project file, as editors require.
func (v *teller) abs(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(v.dir, name)
}

// exchange reports the results of calls, and calls not reported yet.
func (v *teller) exchange(x talk.Exchange) {
	v.used = cmp.Or(sizeOf(x.Usage), v.used)
	if !v.called && len(x.Messages) > 0 {
		v.said(x.Messages[0])
	}
	v.called = false
	results, shows := map[string]llm.Result{}, map[string]talk.Show{}
	for _, m := range x.Messages {
		for _, p := range m.Parts {
			if r, ok := p.(llm.Result); ok {
				results[r.ID] = r
			}
		}
	}
	for _, s := range x.Shows {
		shows[s.Call] = s
	}
	for _, m := range x.Messages {
		for _, c := range m.Calls() {
			v.came(c, results[c.ID], shows[c.ID])
		}
	}
}

// came reports the result of a call.
func (v *teller) came(c llm.Call, r llm.Result, s talk.Show) {
	if c.Name == list && !s.Failed {
		v.plan(r.Text)
		return
	}
	title, _, _ := strings.Cut(cmp.Or(s.Line, c.Name), "\n") // the rest is the output of a failed call
	u := toolCall{Kind: "tool_call_update", ID: c.ID, Title: title, Status: "completed"}
	if _, told := v.calls[c.ID]; !told {
		u.Kind, u.Name, u.Sort, u.Locations, u.Input = "tool_call", c.Name, sortOf(c.Name), v.places(c), input(c)
	}
	delete(v.calls, c.ID)
	if s.Failed || r.Failed {
		u.Status = "failed"
	}
	if u.Content = v.diffs(s.Diff); len(u.Content) > 0 {
		u.Locations = nil
		for _, d := range u.Content {
			u.Locations = append(u.Locations, location{Path: d.Path})
		}
	} else if text := strings.TrimRight(r.Text, "\n"); text != "" {
		u.Content = []toolContent{words(fenced(text))}
	}
	v.update(u)
}

// words returns a text as content of a call.
func words(text string) toolContent {
	b := textBlock(text)
	return toolContent{Type: "content", Content: &b}
}

// fenced returns a text that Markdown shows unchanged.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// plan reports the current to-do list.
func (v *teller) plan(text string) {
	u := planUpdate{Kind: "plan", Entries: []planEntry{}}
	for line := range strings.Lines(text) {
		for mark, status := range map[string]string{"[ ] ": "pending", "[>] ": "in_progress", "[x] ": "completed"} {
			if what, ok := strings.CutPrefix(line, mark); ok {
				u.Entries = append(u.Entries, planEntry{strings.TrimSpace(what), "medium", status})
			}
		}
	}
	v.update(u)
}

// diffs returns the hunks of a unified diff, each as the text before and after.
func (v *teller) diffs(diff string) (out []toolContent) {
	var from, to string
	var before, after strings.Builder
	begun := false
	end := func() {
		if begun {
			was, is := before.String(), after.String()
			d := toolContent{Type: "diff", Path: v.abs(cmp.Or(to, from)), Old: &was, New: &is}
			if from == "" {
				d.Old = nil
			}
			out = append(out, d)
		}
		before.Reset()
		after.Reset()
		begun = false
	}
	left, right := 0, 0 // lines that the hunk still has
	for line := range strings.Lines(diff) {
		switch {
		case left <= 0 && right <= 0 && strings.HasPrefix(line, "--- "):
			end()
			from = nameIn(line, "--- ", "a/")
		case left <= 0 && right <= 0 && strings.HasPrefix(line, "+++ "):
			to = nameIn(line, "+++ ", "b/")
		case strings.HasPrefix(line, "@@ "):
			end()
			begun = true
			left, right = sizes(line)
		case begun && strings.HasPrefix(line, "-"):
			before.WriteString(line[1:])
			left--
		case begun && strings.HasPrefix(line, "+"):
			after.WriteString(line[1:])
			right--
		case begun && !strings.HasPrefix(line, `\`):
			before.WriteString(strings.TrimPrefix(line, " "))
			after.WriteString(strings.TrimPrefix(line, " "))
			left, right = left-1, right-1
		}
	}
	end()
	return out
}

// nameIn returns the file that a line of a diff's head names; empty: none.
func nameIn(line, mark, side string) string {
	name := strings.TrimRight(strings.TrimPrefix(line, mark), "\r\n")
	if name == "/dev/null" {
		return ""
	}
	return strings.TrimPrefix(name, side)
}

// sizes returns the number of lines of a hunk on each side.
func sizes(head string) (left, right int) {
	for i, part := range strings.Fields(head) {
		if i != 1 && i != 2 {
			continue
		}
		n := 1
		if _, count, ok := strings.Cut(part, ","); ok {
			n, _ = strconv.Atoi(count)
		}
		if i == 1 {
			left = n
		} else {
			right = n
		}
	}
	return left, right
}
