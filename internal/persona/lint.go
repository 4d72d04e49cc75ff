package persona

import (
	"regexp"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/project"
)

// The kinds of a finding that only a page can have.
const (
	Protocol   = "protocol"
	Conclusion = "conclusion"
)

// signs are the patterns to warn about. They match words, not meaning: a finding is a warning, and a page with findings can be used.
var signs = []struct {
	kind, why string
	expr      func() *regexp.Regexp
}{
	{Protocol, "The protocol sets how a seat replies; a page that says otherwise only confuses.", pattern.Of(
		`(?i)\b(?:json|ballots?|system prompts?|code ` +
			`fences?|(?:reply|respond|answer|output|write)\s+(?:only\s+)?(?:with|in|as)\b|ignore\s+(?:the|all|any|previous|every)\b)`)},
	{Protocol, "Stances and votes belong to the protocol; a page says where to look.", pattern.Of(
		`\b(?:AGREE|OBJECT|ADD|SAME-AS|ABSTAIN|OTHER)\b|(?i:\b(?:vote|votes|voting|option [a-z])\b)`)},
	{Conclusion, "It states a conclusion before any evidence.", pattern.Of(
		`(?i)\b(?:(?:always|never)\s+(?:agree|object|disagree|choose|pick|oppose|support|accept|reject)|devil['’]s advocate|conclude ` +
			`that|(?:argue|speak|take a stand)\s+(?:for|against)\b|no matter what)`)},
}

// Lint finds what does not belong in a page: words of the protocol, conclusions, and what project.Lint finds in a context block.
// Lines count from the first of the text.
func Lint(text string) []project.Finding {
	found := project.Lint(text)
	for i, line := range strings.Split(text, "\n") {
		for _, s := range signs {
			for _, word := range s.expr().FindAllString(line, -1) {
				found = append(found, project.Finding{Line: i + 1, Kind: s.kind, Word: word, Why: s.why})
			}
		}
	}
	return found
}
