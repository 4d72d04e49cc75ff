package debate

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/fence"
)

// The pages seats are shown: one that is missing does not compile.
var (
	//go:embed prompt/system.md
	systemPage string
	//go:embed prompt/persona.md
	personaPage string
	//go:embed prompt/blind.md
	blindPage string
	//go:embed prompt/ballot.md
	ballotPage string
	//go:embed prompt/propose.md
	proposePage string
	//go:embed prompt/cross.md
	crossPage string
	//go:embed prompt/verify.md
	verifyPage string
	//go:embed prompt/talk.md
	talkPage string
	//go:embed prompt/person.md
	personPage string
	//go:embed prompt/ready.md
	readyPage string
	//go:embed prompt/estimate.md
	estimatePage string
	//go:embed prompt/reestimate.md
	reestimatePage string
	//go:embed prompt/moderate.md
	moderatePage string
	//go:embed prompt/earlier.md
	earlierPage string
	//go:embed prompt/earliernew.md
	earlierNewPage string
)

// page is the text of one of them.
func page(text string) string { return strings.TrimSpace(text) }

// system is what a seat is told before anything else: the protocol, and below it where to look.
func system(s table.Seat) string {
	if s.Persona.Name == "" {
		return page(systemPage)
	}
	return page(systemPage) + "\n\n" + page(personaPage) + "\n\n" + block("persona", s.Persona.Text)
}

// block puts text between fences that it cannot close: what it says is data and no instruction.
func block(tag, text string) string { return fence.Block(tag, text) }

// shown relabels the options for one seat, in an order of its own, so that no letter is first for everybody.
// labels tells what the seat's letters mean. A bias towards the first letter then cancels out over the panel.
func (l *tally) shown(seat string) (text string, labels map[string]string) {
	order := slices.Clone(l.Options)
	if l.frame.Mirrored {
		slices.Reverse(order) // to what the seed shuffles where they are not turned round
	}
	shuffler(l.frame.Seed, "options", seat).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if l.frame.Mirrored {
		slices.Reverse(order)
	}
	labels = make(map[string]string, len(order))
	var b strings.Builder
	for i, o := range order {
		label := string(rune('A' + i))
		labels[label] = o.Key
		fmt.Fprintf(&b, "%s: %s\n", label, o.Text)
	}
	return b.String(), labels
}

// opening is what a seat is shown first: what all get, byte for byte, then what it alone remembers, then the question.
// The context comes first and is the same for all, so that a vendor's cache serves all seats of a model.
func (r *Room) opening(s table.Seat) string {
	var b strings.Builder
	if r.Context != "" {
		b.WriteString(block("context", r.Context) + "\n")
	}
	if s.Memory != "" {
		told := earlierPage
		if s.Newcomer {
			told = earlierNewPage
		}
		b.WriteString(block("earlier", page(told)+"\n\n"+s.Memory) + "\n")
	}
	b.WriteString(block("question", r.Frame.Question) + "\n")
	return b.String()
}

// ballotForm says how a ballot is written; least is what it must hold at least.
func ballotForm(l table.Limits, least string) string {
	return strings.NewReplacer("{{claims}}", strconv.Itoa(l.MostClaims()), "{{least}}", least).Replace(page(blindPage))
}

// shownClaim is a claim as another seat sees it: no author, no counts.
type shownClaim struct {
	ID       string           `json:"id"`
	Peer     string           `json:"peer"`
	Text     string           `json:"text"`
	Kind     string           `json:"kind"`
	Impact   int              `json:"impact"`
	Option   string           `json:"option"`
	Supports bool             `json:"supports"`
	Evidence verdict.Evidence `json:"evidence"`
	Checks   []shownCheck     `json:"checks"`
}

type shownCheck struct {
	Kind   string `json:"kind"`
	Result string `json:"result"`
	Detail string `json:"detail,omitempty"`
}

// crossPrompt shows a seat the claims of the peers chosen for it, in an order and under labels of its own.
func (l *tally) crossPrompt(seat, options string, labels map[string]string, peers []string) string {
	back := map[string]string{}
	for label, key := range labels {
		back[key] = label
	}
	rnd := shuffler(l.frame.Seed, "peers", seat)
	peers = slices.Clone(peers)
	rnd.Shuffle(len(peers), func(i, j int) { peers[i], peers[j] = peers[j], peers[i] })
	var shown []shownClaim
	for _, c := range l.Claims {
		peer := slices.Index(peers, c.Seat)
		if c.Seat != seat && c.Seat != person && peer < 0 || c.Vetoed != "" || c.SameAs != "" {
			continue
		}
		name := "you"
		if c.Seat == person {
			name = "Person"
		}
		if peer >= 0 {
			name = "Peer " + string(rune('A'+peer))
		}
		shown = append(shown, l.showClaim(c, name, back[c.Option]))
	}
	rnd.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	return block("question", l.frame.Question) + "\n" + block("options", options) + "\n" +
		block("ledger", jsonLines(shown)) + "\n" + block("task", page(crossPage))
}

// showClaim is a claim with what code found, under the name its author has for the reader and the option's label.
func (l *tally) showClaim(c verdict.Claim, author, option string) shownClaim {
	out := shownClaim{c.ID, author, c.Text, c.Kind, c.Impact, option, c.Supports, c.Evidence, []shownCheck{}}
	for _, k := range l.Checks {
		if k.Claim == c.ID {
			out.Checks = append(out.Checks, shownCheck{k.Kind, k.Result, k.Detail})
		}
	}
	return out
}

// evidenceItem is what a verifier judges: a claim and the lines it rests on.
type evidenceItem struct {
	Item   int    `json:"item"`
	Claim  string `json:"claim"`
	For    string `json:"for,omitempty"`     // the option it is said to speak for
	Object string `json:"against,omitempty"` // the option it objects to
	Lines  string `json:"lines"`
}

// verifyPrompt is what a judge is asked. It names neither author nor vote.
func verifyPrompt(items []evidenceItem) string {
	return block("evidence", jsonLines(items)) + "\n" + block("task", page(verifyPage))
}

// peersOf chooses whom a seat is shown: at most three, always one whose vote differs if there is one, else as the
// seed has it.
// Three, because what a seat must read grows with each; the others' claims are still checked.
func (l *tally) peersOf(seat string) []string {
	var mine string
	var others []*verdict.Vote
	for i := range l.Votes {
		if v := &l.Votes[i]; v.Seat == seat {
			mine = v.Option
		} else if v.Status == verdict.Voted {
			others = append(others, v)
		}
	}
	shuffler(l.frame.Seed, "graph", seat).Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	slices.SortStableFunc(others, func(a, b *verdict.Vote) int {
		switch {
		case a.Option != mine && b.Option == mine:
			return -1
		case a.Option == mine && b.Option != mine:
			return 1
		}
		return 0
	})
	// One of each rival option first, then whoever comes.
	var out []string
	seen := map[string]bool{mine: true}
	for pass := range 2 {
		for _, v := range others {
			if len(out) < 3 && !slices.Contains(out, v.Seat) && (pass == 1 || !seen[v.Option]) {
				out = append(out, v.Seat)
				seen[v.Option] = true
			}
		}
	}
	return out
}

// jsonLines are values as JSON, a line each.
func jsonLines[T any](all []T) string {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(mustJSON(v) + "\n")
	}
	return b.String()
}

// mustJSON is a value as JSON. Everything it is given is ours, so a failure is a programmer's mistake.
func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("debate: " + err.Error())
	}
	return string(raw)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
