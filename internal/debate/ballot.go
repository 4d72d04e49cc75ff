package debate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// The replies of seats, as they write them. Every field is always present, because strict schemas require it.
type (
	ballot struct {
		Option     string      `json:"option"`
		Other      string      `json:"other"`
		Summary    string      `json:"summary"`
		Claims     []wireClaim `json:"claims"`
		Flip       string      `json:"change_my_mind"`
		Confidence float64     `json:"confidence"`
	}
	wireClaim struct {
		Text     string       `json:"text"`
		Kind     string       `json:"kind"`
		Impact   int          `json:"impact"`
		Option   string       `json:"option"`
		Supports bool         `json:"supports"`
		Evidence wireEvidence `json:"evidence"`
	}
	wireEvidence struct {
		Kind    string   `json:"kind"`
		File    string   `json:"file"`
		Line    *int     `json:"line"` // nil: not known
		Quote   string   `json:"quote"`
		Command []string `json:"command"`
		Expect  string   `json:"expect"`
		URL     string   `json:"url"`
	}
	crossReply struct {
		Option  string       `json:"option"`
		Because []string     `json:"because"`
		Stances []wireStance `json:"stances"`
		Claims  []wireClaim  `json:"claims"`
	}
	wireStance struct {
		Claim  string   `json:"claim"`
		Stance string   `json:"stance"`
		Why    string   `json:"why"`
		Cites  []string `json:"cites"`
		Same   string   `json:"same"`
		Impact int      `json:"impact"`
	}
	verifyReply struct {
		Judgements []judgement `json:"judgements"`
	}
	judgement struct {
		Item    int    `json:"item"`
		Entails string `json:"entails"`
		Bears   string `json:"bears"`
		Grave   string `json:"grave"`
		Why     string `json:"why"`
	}
	proposeReply struct {
		Options []string `json:"options"`
	}
)

// Limits on one reply. What is longer is cut, and that is recorded.
const (
	maxReply  = 256 << 10 // bytes; a longer reply is cut as it arrives
	maxOption = 200       // characters of an option that a seat writes in
)

const (
	abstainWord = "ABSTAIN"
	otherWord   = "OTHER"
)

// parseBallot reads a vote. keys are the letters the seat was shown, least is how many claims a vote needs. The seat is sent the
// error, worded so that it can act on it, and is asked once more.
func parseBallot(text string, keys []string, least int) (ballot, error) {
	b, err := form.Object[ballot](text, "option")
	if err != nil {
		return b, err
	}
	b.Option = optionKey(b.Option)
	if b.Option == otherWord {
		if b.Other = clean.OneLine(b.Other, maxOption); b.Other == "" {
			return b, errors.New(`"option" is OTHER but "other" is empty`)
		}
	} else if !slices.Contains(votes(keys), b.Option) {
		return b, fmt.Errorf(`"option" is %q, which is not one of %s`, clean.OneLine(b.Option, 40), listed(votes(keys)))
	}
	b.Claims = withWords(b.Claims)
	if b.Option != abstainWord && len(b.Claims) < least {
		return b, errors.New(`"claims" is empty; a vote needs at least one`)
	}
	return b, nil
}

// parseCross reads a reply to the cross-examination.
func parseCross(text string, keys []string) (crossReply, error) {
	c, err := form.Object[crossReply](text, "option")
	if err != nil {
		return c, err
	}
	c.Option = optionKey(c.Option)
	if !slices.Contains(crossVotes(keys), c.Option) {
		return c, fmt.Errorf(`"option" is %q, which is not one of %s`, clean.OneLine(c.Option, 40), listed(crossVotes(keys)))
	}
	c.Claims = withWords(c.Claims)
	return c, nil
}

// listed joins the values a field can have.
func listed[T ~string](values []T) string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return strings.Join(out, ", ")
}

// optionKey reads how people write an option: "B", "b)", "Option B".
func optionKey(s string) string {
	s = strings.ToUpper(strings.TrimSpace(s))
	s = strings.TrimSpace(strings.TrimPrefix(s, "OPTION "))
	return strings.TrimRight(s, ".):")
}

// withWords drops claims of fewer than two words and shortens long ones. A claim of one word cannot be true or false.
func withWords(claims []wireClaim) []wireClaim {
	out := claims[:0:0]
	for _, c := range claims {
		c.Text = clean.OneLine(c.Text, table.MaxClaim)
		c.Evidence.Quote = clean.Short(c.Evidence.Quote, table.MaxQuote)
		if len(strings.Fields(c.Text)) >= 2 {
			out = append(out, c)
		}
	}
	return out
}
