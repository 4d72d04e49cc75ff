package debate

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm"
)

// Frame is everything that is fixed before the first call: the body of a room's root node.
type Frame struct {
	Room      string           `json:"room"`
	Question  string           `json:"question"`
	Strategy  string           `json:"strategy"`
	Options   []verdict.Option `json:"options"` // given or found in the question; empty: the panel proposes
	Origin    string           `json:"origin"`  // of the options: given, question or panel
	Seats     []SeatInfo       `json:"seats"`
	Judge     *SeatInfo        `json:"judge,omitempty"`     // judges evidence and holds no seat; nil: seats alone judge
	Moderator string           `json:"moderator,omitempty"` // id of the seat that moderates; empty: it is drawn
	Follows   string           `json:"follows,omitempty"`   // the debate this one goes on from; its seats remember it
	Rules     verdict.Rules    `json:"rules"`
	Limits    Limits           `json:"limits"`
	Seed      uint64           `json:"seed"`
	DrawHash  string           `json:"draw_sha256,omitempty"` // of the key that draws claims and judges; see Seal
	Mirrored  bool             `json:"mirrored,omitempty"`    // Options are turned round, and so is the order each seat sees them in
	Dir       string           `json:"dir"`
	Rehearsal bool             `json:"rehearsal"`
	Program   string           `json:"program"`       // version that framed it
	Key       string           `json:"key,omitempty"` // of the request that asked for it: a retry of the request joins this debate
	Via       string           `json:"via,omitempty"` // the program that asked for it in a person's place; empty: a person did
}

// SeatInfo is what is known of a seat before it speaks.
type SeatInfo struct {
	ID      string    `json:"id"`
	Spec    string    `json:"spec"`
	Model   string    `json:"model"`
	Lineage string    `json:"lineage"`
	Effort  string    `json:"effort,omitempty"` // low, medium or high; empty: the model's own
	Acts    bool      `json:"acts"`
	Open    string    `json:"open,omitempty"` // what the operating system does not keep it from; empty: it is sandboxed, or starts nothing
	Price   llm.Price `json:"price"`
	Persona Persona   `json:"persona,omitzero"` // zero: none
	Memory  string    `json:"memory,omitempty"` // what it remembers of the debate that this one follows
	// Newcomer says that it held no seat there.
	Newcomer bool `json:"newcomer,omitempty"`
	// Accuracy is how often the model was right on questions like this one, as outcomes have shown; 0: nothing was learned.
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Persona is a page that tells a seat where to look. The frame holds all of it, so that a room that is resumed or
// replayed needs no file.
type Persona struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Title is how people are told of a seat: its id, and as what it sits.
func (s SeatInfo) Title() string { return title(s.ID, s.Persona.Name) }

func title(id, persona string) string {
	if persona == "" {
		return id
	}
	return id + " as " + persona
}

// Limits bound a room. Zero of a duration, a sum or a count means no limit, except where said.
type Limits struct {
	SeatTimeout time.Duration `json:"seat_timeout"`
	Timeout     time.Duration `json:"timeout"`
	Grace       time.Duration `json:"grace"`  // how long the last seat is waited for once all others are in
	Rounds      int           `json:"rounds"` // cross-examinations at most; 0: none
	USD         float64       `json:"usd"`
	Tokens      int           `json:"tokens"`
	Claims      int           `json:"claims"`     // per ballot; 0: 7
	ToolCalls   int           `json:"tool_calls"` // per turn; 0: none
	Answer      int           `json:"answer"`     // tokens of one answer; 0: 8,000
	Economy     string        `json:"economy"`    // "": ask all at once; "lead": stop when the lead is unassailable; "pair": two of different lineage first
}

// claims is how many claims of one ballot count.
func (l Limits) claims() int {
	if l.Claims > 0 {
		return l.Claims
	}
	return 7
}

// answer is how long one answer may be, in tokens.
func (l Limits) answer() int {
	if l.Answer > 0 {
		return l.Answer
	}
	return 8000
}

// MaxQuestion is how long a question may be, in bytes. What a question needs to know belongs in the context.
const MaxQuestion = 100_000

// FindOptions reads the options out of a question: "A or B?", "A vs B", a list of lines, or yes and no for
// "Should we …?". It is nil for an open question. It reads form only and never judges.
func FindOptions(question string) []verdict.Option {
	question, _ = SplitData(question)
	if listed := listOptions(question); len(listed) >= 2 {
		return letters(listed)
	}
	sentence := withoutConjunction(lastQuestion(question))
	for _, sep := range []string{" versus ", " vs. ", " vs ", " or "} {
		if parts := alternatives(sentence, sep); len(parts) >= 2 {
			return letters(parts)
		}
	}
	first, _, _ := strings.Cut(strings.ToLower(sentence), " ")
	switch first {
	case "should", "is", "are", "can", "could", "do", "does", "will", "would", "shall", "must", "may", "has", "have":
		return letters([]string{"Yes", "No"})
	}
	return nil
}

// WithData adds data to a question, fenced so that nothing in it is taken for the question.
func WithData(question, data string) string {
	if data == "" {
		return question
	}
	return question + dataMark + strings.ReplaceAll(data, "</data", "<\\/data") + "\n</data>"
}

const dataMark = "\n\n<data>\n"

// SplitData takes a question and the data added to it apart.
func SplitData(question string) (asked, data string) {
	asked, data, _ = strings.Cut(question, dataMark)
	return asked, strings.TrimSuffix(data, "\n</data>")
}

func letters(texts []string) []verdict.Option {
	var out []verdict.Option
	for _, t := range texts {
		t = oneLine(strings.Trim(t, " \t?.,;:!\"'"), maxOption)
		if t == "" || len(out) == MaxOptions || hasText(out, t) {
			continue
		}
		out = append(out, verdict.Option{Key: string(rune('A' + len(out))), Text: t})
	}
	return out
}

// MaxOptions is how many options a question can have: they are named by letters.
const MaxOptions = 26

// Letters gives the texts their keys in order, dropping repetitions; MaxOptions at most.
func Letters(texts []string) []verdict.Option { return letters(texts) }

func hasText(options []verdict.Option, text string) bool {
	for _, o := range options {
		if plain(o.Text) == plain(text) {
			return true
		}
	}
	return false
}

// listOptions reads lines that begin with "- ", "* ", "1." or "A)".
func listOptions(q string) []string {
	var out []string
	for line := range strings.Lines(q) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			out = append(out, rest)
		} else if rest, ok := strings.CutPrefix(line, "* "); ok {
			out = append(out, rest)
		} else if len(line) > 3 && (unicode.IsDigit(rune(line[0])) || unicode.IsUpper(rune(line[0]))) && strings.ContainsAny(line[1:2], ".)") && line[2] == ' ' {
			out = append(out, line[3:])
		}
	}
	return out
}

// lastQuestion is the sentence that ends with the last question mark, or the whole text.
func lastQuestion(q string) string {
	q = strings.Join(strings.Fields(q), " ")
	end := strings.LastIndexByte(q, '?')
	if end < 0 {
		return q
	}
	start := strings.LastIndexAny(q[:end], ".?!:")
	for start > 0 && start+1 < end && q[start+1] != ' ' { // a dot inside a word, like in main.go
		start = strings.LastIndexAny(q[:start], ".?!:")
	}
	return strings.TrimSpace(q[start+1 : end])
}

// alternatives splits a sentence at sep and gives what it offers one form: "Should the store keep one connection or use a pool"
// gives "keep one connection" and "use a pool", "Should we use SQLite or Postgres" gives "use SQLite" and "use Postgres".
func alternatives(sentence, sep string) []string {
	low := strings.ToLower(sentence)
	i := strings.Index(low, sep)
	if i < 0 {
		return nil
	}
	var parts []string
	for _, p := range strings.Split(strings.ReplaceAll(sentence[:i], ", ", sep)+sentence[i:], sep) {
		if p = strings.Trim(strings.TrimPrefix(strings.TrimSpace(p), "or "), " ,"); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return oneForm(withoutOpening(parts))
}

// plain reduces a text to its lower-case words, for comparing.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// shuffler gives the random order that belongs to a seed and some words; the same ones give the same order.
func shuffler(seed uint64, words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("debate: " + err.Error())
	}
	return string(raw)
}
