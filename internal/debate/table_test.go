package debate_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// player is a seat for tests: it obeys a function of what it is asked.
type player struct {
	info  llm.Info
	plays func(ctx context.Context, act exchange.Act, promptText string) (string, error)
}

func (p player) Info() llm.Info { return p.info }

func (p player) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		promptText := req.Messages[len(req.Messages)-1].Text()
		text, err := p.plays(ctx, actOf(req.Messages), promptText)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for len(text) > 0 {
			n := min(len(text), 4000)
			if !yield(llm.Delta{Text: text[:n]}, nil) {
				return
			}
			text = text[n:]
		}
		full, _ := p.plays(ctx, actOf(req.Messages), promptText)
		yield(llm.Delta{End: &llm.End{Stop: llm.StopDone, Message: llm.AssistantText(full), Usage: cost.Usage{Input: 1000, Output: 100, Source: cost.Table, USD: .01}}}, nil)
	}
}

// actOf reads from the last prompt that holds a task what is asked for.
func actOf(history []llm.Message) exchange.Act {
	for i := len(history) - 1; i >= 0; i-- {
		text := history[i].Text()
		switch {
		case strings.Contains(text, `{"text": "what you say`):
			return exchange.Talk
		case strings.Contains(text, `{"ready":`):
			return exchange.Ready
		case strings.Contains(text, `{"score":`):
			return exchange.Moderate
		case strings.Contains(text, `{"value":`):
			return exchange.Guess
		case strings.Contains(text, "The talk is over"):
			return exchange.Ballot
		case strings.Contains(text, "<ledger>"):
			return exchange.Cross
		case strings.Contains(text, "<evidence>"):
			return exchange.Verify
		case strings.Contains(text, "<options>"):
			return exchange.Blind
		case strings.Contains(text, "No options were given"):
			return exchange.Propose
		}
	}
	return ""
}

var optionLine = regexp.MustCompile(`(?m)^([A-Z]): (.*)$`)

// labelOf finds the letter under which a seat is shown an option.
func labelOf(promptText, text string) string {
	for _, m := range optionLine.FindAllStringSubmatch(promptText, -1) {
		if m[2] == text {
			return m[1]
		}
	}
	return "?"
}

// honest is a seat that votes for an option with one quoted claim, judges evidence by whether the lines hold the
// word true, agrees with what was found, and keeps its vote.
func honest(vote string) func(context.Context, exchange.Act, string) (string, error) {
	return func(_ context.Context, act exchange.Act, promptText string) (string, error) {
		switch act {
		case exchange.Propose:
			return `{"options": ["left", "right"]}`, nil
		case exchange.Blind:
			return ballotFor(labelOf(promptText, vote), vote), nil
		case exchange.Ballot:
			return strings.Replace(ballotFor(labelOf(promptText, vote), vote), "the file says that", "it is written that", 1), nil
		case exchange.Talk:
			return statementFor(promptText, vote), nil
		case exchange.Ready:
			return `{"ready": true, "lacks": ""}`, nil
		case exchange.Moderate:
			return `{"score": 0.5, "divergences": [{"about": "where to go", "impact": 5, "claims": ["c1"]}]}`, nil
		case exchange.Guess:
			n := map[string]int{"left": 10, "right": 20}[vote]
			return fmt.Sprintf(`{"value": %d, "low": %d, "high": %d, "unit": "days", "because": "of %s", "claims": []}`, n, n-2, n+2, vote), nil
		case exchange.Verify:
			return judgements(promptText), nil
		}
		return fmt.Sprintf(`{"option": %q, "because": [], "stances": [], "claims": []}`, labelOf(promptText, vote)), nil
	}
}

func ballotFor(label, vote string) string {
	return fmt.Sprintf(`{"option": %q, "other": "", "summary": "because of %s", "change_my_mind": "a failing test", "confidence": 0.9,
 "claims": [{"text": "the file says that %s holds", "kind": "logic", "impact": 5, "option": %q, "supports": true,
 "evidence": {"kind": "quote", "file": "%s.txt", "line": 1, "quote": "%s is true", "command": [], "expect": "", "url": ""}}]}`, label, vote, vote, label, vote, vote)
}

// statementFor claims the same every time: only the first counts. Its option is its key, since labels are common here.
func statementFor(promptText, vote string) string {
	key := map[string]string{"left": "A", "right": "B"}[vote]
	position := ""
	if strings.Contains(promptText, "Give your position") {
		position = "OBJECT"
		if vote == "left" {
			position = "AGREE"
		}
	}
	return fmt.Sprintf(`{"text": "I say that %s is the way.", "option": %q, "position": %q, "stances": [], "claims": [{"text": "the file says that %s holds", "kind": "logic", "impact": 5,
 "option": %q, "supports": true, "evidence": {"kind": "quote", "file": "%s.txt", "line": 1, "quote": "%s is true", "command": [], "expect": "", "url": ""}}]}`, vote, key, position, vote, key, vote, vote)
}

func judgements(promptText string) string {
	var out []string
	for _, line := range strings.Split(promptText, "\n") {
		var it struct {
			Item         int
			Claim, Lines string
		}
		if json.Unmarshal([]byte(line), &it) == nil && it.Item > 0 {
			says := "no"
			if strings.Contains(it.Lines, "true") {
				says = "yes"
			}
			out = append(out, fmt.Sprintf(`{"item": %d, "entails": %q, "bears": "yes", "grave": "%[2]s", "why": "read it"}`, it.Item, says))
		}
	}
	return `{"judgements": [` + strings.Join(out, ",") + `]}`
}

// memory is a journal in memory that can be made to fail.
type memory struct {
	mu    sync.Mutex
	nodes []tree.Node
	texts map[string]string
	full  int // nodes after which the disk is full; 0: never
}

func (m *memory) journal() journal.Journal {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts == nil {
		m.texts = map[string]string{}
	}
	return journal.Journal{
		Nodes: append([]tree.Node(nil), m.nodes...),
		Append: func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.full > 0 && len(m.nodes)+len(nodes) > m.full {
				return nil, fmt.Errorf("the disk is full")
			}
			for i := range nodes {
				nodes[i].Seq = int64(len(m.nodes) + 1)
				m.nodes = append(m.nodes, nodes[i])
			}
			return nodes, nil
		},
		Put: func(_ context.Context, text string) (string, error) {
			sum := sha256.Sum256([]byte(text))
			hash := hex.EncodeToString(sum[:])
			m.mu.Lock()
			defer m.mu.Unlock()
			m.texts[hash] = text
			return hash, nil
		},
		Text: func(_ context.Context, hash string) (string, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.texts[hash], nil
		},
	}
}

// testRoom is a room for tests.
type testRoom struct {
	frame table.Frame
	seats []debate.Seat
	files map[string]string // what quotes are compared with
	// commands is what running one shows; nil: none is allowed.
	commands func(argv []string) debate.Observation
	sources  func(url string) debate.Observation // what fetching one shows; nil: none is allowed

	prepare  func(context.Context, []debate.Seat) error
	tools    []tool.Tool
	messages chan debate.Told
	attended bool
	join     func(context.Context, exchange.Act, string) (string, error) // how a seat plays that joins; nil: none can
}

func newTable(plays ...func(context.Context, exchange.Act, string) (string, error)) *testRoom {
	t := &testRoom{files: map[string]string{"left.txt": "left is true", "right.txt": "right is false"}}
	t.frame = table.Frame{Room: "test-room", Question: "left or right?", Strategy: "council", Rules: verdict.DefaultRules(), Seed: 7,
		Options: motion.Letters([]string{"left", "right"}), Dir: "/project",
		Limits: table.Limits{SeatTimeout: time.Minute, Timeout: 10 * time.Minute, Grace: 10 * time.Second, Rounds: 2}}
	for i, p := range plays {
		info := table.Seat{ID: fmt.Sprintf("s%d", i+1), Lineage: fmt.Sprintf("l%d", i+1), Model: "m"}
		t.frame.Seats = append(t.frame.Seats, info)
		t.seats = append(t.seats, debate.Seat{Info: info, Model: player{llm.Info{ID: "m", Lineage: info.Lineage}, signed(info.ID, p)}})
	}
	return t
}

// signed makes a seat's ballots its own: equal ones would be taken for clones.
func signed(id string, p func(context.Context, exchange.Act, string) (string, error)) func(context.Context, exchange.Act, string) (string, error) {
	return func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := p(ctx, act, promptText)
		return strings.Replace(text, `"summary": "`, `"summary": "`+id+" ", 1), err
	}
}

func (t *testRoom) look(_ context.Context, c verdict.Claim) debate.Observation {
	e := c.Evidence
	text, ok := t.files[e.File]
	if e.Kind == "command" && t.commands != nil {
		return t.commands(e.Command)
	}
	if e.Kind == "source" && t.sources != nil {
		return t.sources(e.URL)
	}
	if e.Kind != "quote" {
		return debate.Observation{Result: verdict.Skipped, Grade: verdict.Nothing, Detail: "not allowed"}
	}
	if !ok || !strings.Contains(text, strings.Split(e.Quote, " ")[0]) {
		return debate.Observation{Result: verdict.Fail, Grade: verdict.Matched, Detail: "the file does not contain it"}
	}
	return debate.Observation{Result: verdict.Pass, Grade: verdict.Matched, Lines: text, Proof: verdict.Proof{File: e.File, Line: 1, SHA256: "x"}}
}

// run conducts the room over m and returns what comes of it.
func (t *testRoom) run(ctx context.Context, m *memory, interrupt <-chan struct{}) (debate.Result, error) {
	if len(m.nodes) == 0 {
		if _, err := m.journal().Append(ctx, table.FrameKind.New("", "person", t.frame)); err != nil {
			return debate.Result{}, err
		}
	}
	r := &debate.Room{Frame: t.frame, Seats: t.seats, Context: "the project", Look: t.look, Tools: t.tools, Interrupt: interrupt, Messages: t.messages, Attended: t.attended, Prepare: t.prepare}
	if t.join != nil {
		r.Sit = t.joining
	}
	strategy, ok := strategy.Find(t.frame.Strategy)
	if !ok {
		return debate.Result{}, fmt.Errorf("no strategy %s", t.frame.Strategy)
	}
	if err := r.Run(ctx, m.journal(), strategy); err != nil {
		return debate.Result{}, err
	}
	return debate.Summarize(m.nodes)
}

// must runs a room that is expected to come to its end.
func (t *testRoom) must(tb testing.TB, m *memory) debate.Result {
	tb.Helper()
	res, err := t.run(context.Background(), m, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if err := res.Ledger().Misdrawn(res.Rules); err != nil && res.Rules.Cases && len(res.Applied) == 0 {
		tb.Error(err)
	}
	return res
}

func replay(m *memory) (debate.Result, error) {
	texts := maps.Clone(m.texts)
	return debate.Replay(context.Background(), m.nodes, strategy.Find, func(h string) (string, bool) { t, ok := texts[h]; return t, ok })
}
