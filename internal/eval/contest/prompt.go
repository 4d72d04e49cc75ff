package contest

import (
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// The pages that seats are shown. A missing one does not compile.
var (
	//go:embed prompt/system.md
	systemPage string
	//go:embed prompt/open.md
	openPage string
	//go:embed prompt/choice.md
	choicePage string
	//go:embed prompt/revise.md
	revisePage string
	//go:embed prompt/fuse.md
	fusePage string
)

// The replies of a seat, as it writes them.
type (
	choiceReply struct {
		Reasoning  string   `json:"reasoning"`
		Option     string   `json:"option"`
		Confidence *float64 `json:"confidence"`
	}
	openReply struct {
		Reasoning  string   `json:"reasoning"`
		Answer     string   `json:"answer"`
		Confidence *float64 `json:"confidence"`
	}
)

// answer is one answer of one seat.
type answer struct {
	seat   table.Seat
	text   string // empty: nothing that could be used
	class  string
	p      float64
	reason string
	reply  exchange.Reply
}

// Limits on the stored parts of a reply.
const (
	maxAnswer = 2000
	maxReason = 4000
	unstated  = .5 // chance of an answer without a stated one
)

// asking is an item as it is asked: with its options in the orders that the seed gives, or with each of these reversed.
//
// It is the same item: only the order of the options shown differs.
type asking struct {
	suite.Item
	swapped bool
}

// key distinguishes the two askings of an item. No id contains its separator.
func (q asking) key() string {
	if q.swapped {
		return q.ID + "\x00swapped"
	}
	return q.ID
}

// listed returns the options in the order in which debates get them.
func (q asking) listed() []string {
	out := slices.Clone(q.Options)
	if q.swapped {
		slices.Reverse(out)
	}
	return out
}

// outcome returns an empty outcome of an arm.
func (q asking) outcome(arm Arm, seat string) Outcome {
	return Outcome{Item: q.ID, Swapped: q.swapped, Arm: arm, Seat: seat}
}

// question returns the item's question as every arm asks it: with its files as data.
func question(it suite.Item) string {
	var data strings.Builder
	for _, name := range slices.Sorted(maps.Keys(it.Files)) {
		fmt.Fprintf(&data, "File %s:\n", name)
		n := 0
		for line := range strings.Lines(it.Files[name]) {
			n++
			fmt.Fprintf(&data, "%d\t%s\n", n, strings.TrimRight(line, "\r\n"))
		}
		data.WriteByte('\n')
	}
	return motion.With(strings.TrimSpace(it.Question), strings.TrimRight(data.String(), "\n"))
}

// shown lists the options in a separate order for every question asked, so that no option is first for everybody. words name the
// question: every seat and every sample has its own order.
func shown(q asking, seed uint64, words ...string) (text string, labels map[string]string) {
	order := slices.Clone(q.Options)
	lot(seed, append([]string{"options", q.ID}, words...)...).Shuffle(len(order),
		func(i, j int) { order[i], order[j] = order[j], order[i] })
	if q.swapped {
		slices.Reverse(order)
	}
	labels = map[string]string{}
	var b strings.Builder
	for i, o := range order {
		letter := string(rune('A' + i))
		labels[letter] = o
		fmt.Fprintf(&b, "%s: %s\n", letter, o)
	}
	return b.String(), labels
}

// prompt asks for an answer. above returns a block before the task, with other answers; nil: none. aside names a separate
// conversation; empty: the seat's.
func prompt(q asking, seed uint64, above func(labels map[string]string) string, aside string, words ...string) debate.Prompt {
	b := debate.Prompt{System: strings.TrimSpace(systemPage), Reads: len(q.Files) > 0, Aside: aside}
	prompt := fence.Block("question", question(q.Item)) + "\n"
	task := openPage
	b.Schema = form.Schema[openReply](nil)
	if len(q.Options) > 0 {
		text, labels := shown(q, seed, words...)
		b.Labels, b.Schema, task = labels, form.Schema[choiceReply](form.Values{"option": form.AnyOf(letters(labels)...)}), choicePage
		prompt += fence.Block("options", text) + "\n"
	}
	if above != nil {
		prompt += above(b.Labels) + "\n"
	}
	b.Prompt = prompt + fence.Block("task", strings.TrimSpace(task))
	b.Parse = func(text string) (any, error) { return parse(text, q.Item, b.Labels) }
	return b
}

// parse reads a reply.
func parse(text string, it suite.Item, labels map[string]string) (answer, error) {
	if len(it.Options) == 0 {
		r, err := form.Object[openReply](text, "answer")
		if err != nil {
			return answer{}, err
		}
		if strings.TrimSpace(r.Answer) == "" {
			return answer{}, errors.New(`"answer" is empty`)
		}
		said := cut(strings.TrimSpace(r.Answer), maxAnswer)
		return answer{text: said, class: it.Class(said), p: chance(r.Confidence), reason: cut(r.Reasoning, maxReason)}, nil
	}
	r, err := form.Object[choiceReply](text, "option")
	if err != nil {
		return answer{}, err
	}
	letter := strings.TrimRight(strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(r.Option)), "OPTION ")), ".):")
	said, ok := labels[letter]
	if !ok {
		return answer{}, fmt.Errorf(`"option" is %.40q, which is not one of %s`, r.Option, strings.Join(letters(labels), ", "))
	}
	return answer{text: said, class: it.Class(said), p: chance(r.Confidence), reason: cut(r.Reasoning, maxReason)}, nil
}

// letters returns the letters under which an item's options were shown.
func letters(labels map[string]string) []string { return slices.Sorted(maps.Keys(labels)) }

// chance returns a stated confidence from 0 to 1; a value above 1 is taken as a percentage.
func chance(stated *float64) float64 {
	switch {
	case stated == nil || math.IsNaN(*stated):
		return unstated
	case *stated > 1:
		return min(1, *stated/100)
	}
	return max(0, *stated)
}

// others shows answers to a seat, by the seat's own letters, with their reasons.
func others(answers []answer, labels map[string]string, task string) string {
	letters := map[string]string{}
	for letter, text := range labels {
		letters[text] = letter
	}
	var said, why strings.Builder
	for i, a := range answers {
		name := fmt.Sprintf("Answer %d", i+1)
		text := strings.Join(strings.Fields(a.text), " ")
		if letter := letters[a.text]; letter != "" {
			text = letter
		}
		fmt.Fprintf(&said, "%s: %s\n", name, text)
		if a.reason != "" {
			fmt.Fprintf(&why, "%s: %s\n", name, strings.Join(strings.Fields(a.reason), " "))
		}
	}
	text := fence.Block("answers", said.String()) + "\n"
	if why.Len() > 0 {
		text += fence.Block("reasons", why.String()) + "\n"
	}
	return text + fence.Block("about", strings.TrimSpace(task))
}

// cut shortens a text to at most limit bytes, at the edge of a rune, and adds an ellipsis.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// lot returns the random source for a seed and some words; equal ones give equal numbers. Words end in a zero byte, so that "ab", "c"
// and "a", "bc" differ.
func lot(seed uint64, words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
