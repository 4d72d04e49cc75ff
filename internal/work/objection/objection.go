// Package objection is another model's review of a proved change, and whether it counts: code checks whether its
// quotes are in the change. It is pure.
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

// Review is another model's review of a proved change.
type Review struct {
	Key        string      `json:"key"` // TASK/ATTEMPT/TRY
	Task       string      `json:"task"`
	Commit     string      `json:"commit"`
	By         string      `json:"by"`
	Objections []Objection `json:"objections"`
	Failed     string      `json:"failed,omitempty"` // why it did not finish
	Usage      cost.Usage  `json:"usage"`
}

// Objection is a claimed fault of a change. It counts if its quote is in the change.
type Objection struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Text  string `json:"text"`
	Found bool   `json:"found"`
}

// String returns the place, the quote and the objection.
func (o Objection) String() string {
	return fmt.Sprintf("%s:%d `%s` %s", o.File, o.Line, o.Quote, o.Text)
}

// End is the suffix of a review's conversation, after the name of the attempt's.
const End = "-review"

// Read parses the objections of a reviewer, and checks their quotes in the change. An answer that neither has an
// objection in the required form nor says none is no review: ok is false.
func Read(said, patch string) (list []Objection, ok bool) {
	list = []Objection{}
	for _, m := range form().FindAllStringSubmatch(said, -1) {
		o := Objection{File: m[1], Quote: m[3], Text: m[4]}
		o.Line, _ = strconv.Atoi(m[2]) // the pattern matches only digits
		o.Found = o.In(patch)
		list = append(list, o)
	}
	return list, len(list) > 0 || none().MatchString(said)
}

// none matches the line of a review without objections.
var none = pattern.Of("(?mi)^[\\s*_`'\"-]*none[\\s*_`'\".]*$")

// form matches a line of a review: - objection: FILE:LINE `QUOTE` TEXT.
var form = pattern.Of("(?m)^- objection: ([^\\s:`]+):(\\d+) `([^`\\n]+)` +(.+)$")

// In reports whether a change adds, keeps or removes the quoted text, in that file.
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
