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

// The pages that seats are shown: a missing one does not compile.
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

// page returns the text of one of them.
func page(text string) string { return strings.TrimSpace(text) }

// system returns a seat's system prompt: the protocol, then the persona that says where to look.
func system(s table.Seat) string {
	if s.Persona.Name == "" {
		return page(systemPage)
	}
	return page(systemPage) + "\n\n" + page(personaPage) + "\n\n" + block("persona", s.Persona.Text)
}

// block puts text between fences that it cannot close: its content is data, not instructions.
func block(tag, text string) string { return fence.Block(tag, text) }

// shown relabels the options for one seat, in its own order, so that no option is first for everybody. labels maps the seat's letters
// to the options' keys. A bias towards the first letter then cancels out over the panel.
func (l *tally) shown(seat string) (text string, labels map[string]string) {
	order := slices.Clone(l.Options)
	if l.frame.Mirrored {
		slices.Reverse(order) // to the order the seed shuffles if they are not mirrored
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

// opening returns what a seat is shown first: the context, then its own memory, then the question. The context comes first and is the
// same for all, byte for byte, so that a vendor's cache serves all seats of a model.
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

// ballotForm returns how to write a ballot; least says what it must contain.
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

// crossPrompt shows a seat the claims of its chosen peers, in its own order and with its own labels.
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

// showClaim returns a claim with what code found, with the author's name and the option's label for this reader.
func (l *tally) showClaim(c verdict.Claim, author, option string) shownClaim {
	out := shownClaim{c.ID, author, c.Text, c.Kind, c.Impact, option, c.Supports, c.Evidence, []shownCheck{}}
	for _, k := range l.Checks {
		if k.Claim == c.ID {
			out.Checks = append(out.Checks, shownCheck{k.Kind, k.Result, k.Detail})
		}
	}
	return out
}

// evidenceItem is what a judge judges: a claim and the lines of its evidence.
type evidenceItem struct {
	Item   int    `json:"item"`
	Claim  string `json:"claim"`
	For    string `json:"for,omitempty"`     // the option it should support
	Object string `json:"against,omitempty"` // the option it objects to
	Lines  string `json:"lines"`
}

// verifyPrompt returns what a judge is asked. It names neither author nor vote.
func verifyPrompt(items []evidenceItem) string {
	return block("evidence", jsonLines(items)) + "\n" + block("task", page(verifyPage))
}

// peersOf chooses whose claims a seat is shown: at most three, always one whose vote differs if there is one, else by the seed.
// Three, because each adds to what a seat must read; the others' claims are still checked.
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
	// One seat for each rival option first, then the next ones.
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

// jsonLines returns values as JSON, one per line.
func jsonLines[T any](all []T) string {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(mustJSON(v) + "\n")
	}
	return b.String()
}

// mustJSON returns a value as JSON. It is given only values of ours, so a failure is a programming error.
func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("debate: " + err.Error())
	}
	return string(raw)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
