package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
)

// builder gathers what a transcript says. Programs name what came before a line by an id of theirs; those that do not go on from the
// last entry.
// It never fails: what does not fit is counted in skipped. Fill it line by line and call record once.
type builder struct {
	program *program
	session string
	dir     string
	title   string
	when    time.Time // it was held, where it does not say so itself
	entries []remark
	first   string         // what the person said first
	labels  map[string]int // names for entries
	last    int            // the entry that a file without ids goes on from; -1: the beginning
	model   string         // that answers from here on, where answers do not name theirs

	at      map[string]int // the entry that an id of theirs stands for
	group   map[string]int // the entry of an answer that is written in several lines
	called  map[string]int // the entry of a call
	skipped map[string]int
}

// remark is one thing said. Exactly one of say, added, summary and parts is set.
type remark struct {
	id      string // of theirs; may be empty
	parent  int    // -1: the beginning
	first   int    // the first entry on the way to it
	when    time.Time
	say     string
	added   string // what was put in by no turn
	summary string
	from    int // of a summary: the last entry that it stands for; -1: none
	parts   []llm.Part
	results map[string]llm.Result // by call, as the program names it
	model   string
}

func newBuilder() *builder {
	return &builder{last: -1, labels: map[string]int{},
		at: map[string]int{}, group: map[string]int{}, called: map[string]int{}, skipped: map[string]int{}}
}

// skip counts what is not taken. A file of a thousand unknown kinds is not a thousand sentences.
// From a dozen kinds on the rest is counted as one.
func (b *builder) skip(what string) {
	const most = 12
	if b.skipped[what] == 0 && len(b.skipped) >= most {
		what = "other lines"
	}
	b.skipped[what]++
}

// indexOf is the entry an id stands for; an id of nothing that is here, as after a cut, stands for the last one.
func (b *builder) indexOf(id string) int {
	if i, ok := b.at[id]; ok {
		return i
	}
	return b.last
}

// found is the entry an id stands for, if it stands for one; an id may also stand for the beginning.
func (b *builder) found(id string) (i int, ok bool) {
	i, ok = b.at[id]
	return i, ok && i >= 0
}

// above is the entry before the one that an id stands for; -1, the beginning, also where it stands for none.
func (b *builder) above(id string) int {
	if i, ok := b.found(id); ok {
		return b.entries[i].parent
	}
	return -1
}

// put adds an entry below another and goes on from there.
//
// An entry's parent stands before it, so a record can be made in one pass.
func (b *builder) put(e remark) int {
	b.last = len(b.entries)
	if e.first = b.last; e.parent >= 0 {
		e.first = b.entries[e.parent].first
	}
	b.first = cmp.Or(b.first, e.say)
	b.entries = append(b.entries, e)
	b.name(e.id, b.last)
	return b.last
}

// name lets an id stand for an entry.
func (b *builder) name(id string, i int) {
	if id != "" {
		b.at[id] = i
	}
}

// say adds what the person said; nothing is said by blanks.
func (b *builder) say(id string, parent int, at time.Time, text string) {
	if strings.TrimSpace(text) == "" {
		b.name(id, parent)
		return
	}
	b.put(remark{id: id, parent: parent, when: at, say: strings.ToValidUTF8(strings.TrimSpace(text), "")})
}

// answer adds parts of a model's answer. Parts of one group are one answer, and so are those that follow each other with
// nothing between them.
func (b *builder) answer(e remark, group string) {
	i, ok := b.group[group]
	if group == "" || !ok {
		i, ok = e.parent, e.parent >= 0 && e.parent == len(b.entries)-1 && b.open(e.parent)
	}
	switch {
	case len(e.parts) == 0:
		b.name(e.id, e.parent)
		return
	case ok:
		b.entries[i].parts = append(b.entries[i].parts, e.parts...)
		b.name(e.id, i)
		b.last = i
	default:
		i = b.put(e)
	}
	if group != "" {
		b.group[group] = i
	}
	for _, p := range e.parts {
		if c, ok := p.(llm.Call); ok {
			b.called[c.ID] = i
		}
	}
}

// open says whether an answer can go on: none of its calls has a result.
// What comes after a result is the model's next answer.
func (b *builder) open(i int) bool {
	return len(b.entries[i].parts) > 0 && len(b.entries[i].results) == 0
}

// result adds what a call came to. It belongs to the call wherever it is written.
func (b *builder) result(id, call, text string, failed bool) {
	i, ok := b.called[call]
	if !ok {
		b.skip("results without their calls")
		b.name(id, b.last)
		return
	}
	if b.entries[i].results == nil {
		b.entries[i].results = map[string]llm.Result{}
	}
	b.entries[i].results[call] = llm.Result{Text: strings.ToValidUTF8(text, "�"), Failed: failed}
	b.name(id, i)
}

// think is reasoning as a person reads it. What its vendor signed is left out: it holds for the request it came from only.
func think(text string) []llm.Part {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []llm.Part{llm.Think{Text: strings.ToValidUTF8(text, "")}}
}

// prose is what a model said.
func prose(text string) []llm.Part {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []llm.Part{llm.Text{Text: strings.ToValidUTF8(text, "")}}
}

// call is a call with arguments that are an object, whatever was written.
func call(id, name string, args json.RawMessage) []llm.Part {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) != nil || object == nil {
		text := string(args)
		json.Unmarshal(args, &text) // a text: what it says; anything else: as it is written
		args, _ = json.Marshal(map[string]string{"input": strings.ToValidUTF8(text, "")})
	}
	var short bytes.Buffer
	json.Compact(&short, args) // it is an object
	return []llm.Part{llm.Call{ID: id, Name: name, Args: short.Bytes()}}
}

// deepest is how many lists in lists are read. Each is a pass over the rest.
const deepest = 8

// texts is the text of content that is a text, a part or a list of parts. What is no text is named in brackets, and what is nested
// deeper than programs write it stays as it is written.
func texts(raw json.RawMessage) string { return textsIn(raw, deepest) }

func textsIn(raw json.RawMessage, deep int) string {
	if deep == 0 {
		return string(raw)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var all []string
		for _, one := range list {
			all = append(all, textsIn(one, deep-1))
		}
		return strings.Join(all, "\n")
	}
	var part struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	switch err := json.Unmarshal(raw, &part); {
	case err != nil || len(raw) == 0 || string(raw) == "null":
		return ""
	case part.Text != nil:
		return *part.Text
	case part.Type != "":
		return "[" + part.Type + "]"
	}
	return string(raw)
}
