// Package table has everything about a debate that is fixed before the first call: its seats, its question, its limits, and the
// context that all seats see.
//
// A [Frame] is the body of a room's first node and never changes, so it tells what the debate was allowed to do before one reads what
// it did. It is self-contained: the text of personas, the prices, the rules with what had been learned. A room that is resumed,
// forked or replayed therefore reads no settings and no files. Fields are added and never renamed; the zero value of a new one keeps
// the earlier behaviour.
package table

import (
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of node that open a room.
const (
	FrameKind   tree.Kind[Frame]   = "room"
	ContextKind tree.Kind[Context] = "context"
	OptionsKind tree.Kind[Options] = "options"
)

// Frame is everything that is fixed before the first call: the body of a room's root node.
type Frame struct {
	Room      string           `json:"room"`
	Question  string           `json:"question"`
	Strategy  string           `json:"strategy"`
	Options   []verdict.Option `json:"options"` // given or found in the question; empty: the panel proposes
	Origin    string           `json:"origin"`  // of the options: given, question or panel
	Seats     []Seat           `json:"seats"`
	Judge     *Seat            `json:"judge,omitempty"`     // judges evidence without a seat; nil: seats alone judge
	Moderator string           `json:"moderator,omitempty"` // id of the seat that moderates; empty: drawn
	Follows   string           `json:"follows,omitempty"`   // the debate this one continues; its seats remember it
	Rules     verdict.Rules    `json:"rules"`
	Limits    Limits           `json:"limits"`
	Seed      uint64           `json:"seed"`
	DrawHash  string           `json:"draw_sha256,omitempty"` // of the key that draws claims and judges; see Seal
	Mirrored  bool             `json:"mirrored,omitempty"`    // Options are reversed, and so is the order in which each seat sees them
	Dir       string           `json:"dir"`
	Rehearsal bool             `json:"rehearsal"`
	Program   string           `json:"program"`       // version that framed it
	Key       string           `json:"key,omitempty"` // of the request that started it: a retry of the request joins this debate
	Via       string           `json:"via,omitempty"` // the program that started it for a person; empty: a person did
}

// Seat is what is known about a seat before it speaks. ID is unique in the panel. Lineage is the assumed model family: seats of one
// lineage are expected to err together.
type Seat struct {
	ID      string     `json:"id"`
	Spec    string     `json:"spec"`
	Model   string     `json:"model"`
	Lineage string     `json:"lineage"`
	Effort  string     `json:"effort,omitempty"` // low, medium or high; empty: the model's own
	Acts    bool       `json:"acts"`
	Open    string     `json:"open,omitempty"` // what its sandbox does not prevent; empty: it is sandboxed, or starts nothing
	Price   cost.Price `json:"price"`
	Persona Persona    `json:"persona,omitzero"` // zero: none
	Memory  string     `json:"memory,omitempty"` // what it remembers of the debate that this one continues
	// Newcomer means that it had no seat in that debate.
	Newcomer bool `json:"newcomer,omitempty"`
	// Accuracy is how often the model was right on questions like this one, as outcomes have shown; 0: not measured.
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Persona is a page that tells a seat where to look. The frame has the whole text, so that a resumed or replayed room needs no file.
type Persona struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Title returns a seat's id with its persona, as people are shown it.
func (s Seat) Title() string { return title(s.ID, s.Persona.Name) }

func title(id, persona string) string {
	if persona == "" {
		return id
	}
	return id + " as " + persona
}

// Limits bound a room. A zero duration, sum or count means no limit, unless stated otherwise. USD and Tokens limit the whole room,
// over all its runs; SeatTimeout limits one turn, Timeout one run of the room.
type Limits struct {
	SeatTimeout time.Duration `json:"seat_timeout"`
	Timeout     time.Duration `json:"timeout"`
	Grace       time.Duration `json:"grace"`  // wait for the last seat once all others are in
	Rounds      int           `json:"rounds"` // cross-examinations at most; 0: none
	USD         float64       `json:"usd"`
	Tokens      int           `json:"tokens"`
	Claims      int           `json:"claims"`     // per ballot; 0: 7
	ToolCalls   int           `json:"tool_calls"` // per turn; 0: none
	Answer      int           `json:"answer"`     // tokens of one answer; 0: 8,000
	// "": ask all at once; "lead": stop when the lead is unassailable; "pair": two of different lineage first
	Economy string `json:"economy"`
}

// MostClaims returns how many claims of one ballot count.
func (l Limits) MostClaims() int {
	if l.Claims > 0 {
		return l.Claims
	}
	return 7
}

// Longest returns the limit of one answer in tokens.
func (l Limits) Longest() int {
	if l.Answer > 0 {
		return l.Answer
	}
	return 8000
}

// Context is the block every seat gets, byte for byte. Text is a blob.
type Context struct {
	Text   string   `json:"text"`
	SHA256 string   `json:"sha256"`
	Bytes  int      `json:"bytes"`
	Edited bool     `json:"edited,omitempty"`
	Files  []string `json:"files,omitempty"` // the files in the block, as they were named
	// History names the rooms whose decisions are in the block.
	History []string `json:"history,omitempty"`
}

// Options are the options that the panel agreed on.
type Options struct {
	Options []verdict.Option `json:"options"`
	Origin  string           `json:"origin"`
}

// Limits of a claim's text and of its quote, in bytes.
const (
	MaxClaim = 600
	MaxQuote = 2000
)
