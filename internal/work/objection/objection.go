// Package objection is what another model says of a change that is proved, and whether it counts: code looks whether what it quotes is
// in the change. It is pure.
package objection

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Kind is that of a node that records a review.
const Kind tree.Kind[Review] = "work.review"

// Review is what another model said of a change that was proved.
type Review struct {
	Key        string      `json:"key"` // TASK/ATTEMPT/TRY
	Task       string      `json:"task"`
	Commit     string      `json:"commit"`
	By         string      `json:"by"`
	Objections []Objection `json:"objections"`
	Failed     string      `json:"failed,omitempty"` // why it did not come to an end
	Usage      cost.Usage  `json:"usage"`
}

// Objection is something that is said to be wrong with a change. It counts if its quote is in the change.
type Objection struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Text  string `json:"text"`
	Found bool   `json:"found"`
}

// String is the place, the quote and what is said about it.
func (o Objection) String() string {
	return fmt.Sprintf("%s:%d `%s` %s", o.File, o.Line, o.Quote, o.Text)
}

// End is what the name of an attempt's conversation is followed by in that of its review.
const End = "-review"

// Read finds the objections in what a reviewer said, and looks for their quotes in the change. An answer that neither has an objection
// in its form nor says none is no review: ok is false.
func Read(said, patch string) (list []Objection, ok bool) {
	list = []Objection{}
	for _, m := range form().FindAllStringSubmatch(said, -1) {
		o := Objection{File: m[1], Quote: m[3], Text: m[4]}
		o.Line, _ = strconv.Atoi(m[2]) // the pattern takes digits alone
		o.Found = o.In(patch)
		list = append(list, o)
	}
	return list, len(list) > 0 || none().MatchString(said)
}

// none is the line of a review without objections.
var none = pattern.Of("(?mi)^[\\s*_`'\"-]*none[\\s*_`'\".]*$")

// form is a line of a review: - objection: FILE:LINE `QUOTE` TEXT.
var form = pattern.Of("(?m)^- objection: ([^\\s:`]+):(\\d+) `([^`\\n]+)` +(.+)$")

// In says whether a change adds, keeps or removes what is quoted, in that file.
func (o Objection) In(patch string) bool {
	inside := false
	for line := range strings.Lines(patch) {
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			inside = strings.HasSuffix(strings.TrimSpace(rest), " b/"+o.File)
		} else if inside && len(line) > 1 && strings.Contains(line[1:], o.Quote) {
			return true
		}
	}
	return false
}
