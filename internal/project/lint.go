package project

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/redact"
)

// The kinds of a Finding. Leading texts push every seat the same way; leaks reveal what should stay private.
const (
	Certainty  = "certainty"
	Ranking    = "ranking"
	Preference = "preference"
	Crowd      = "crowd"
	Loaded     = "loaded question"
	Secret     = "secret"
	Personal   = "personal"
)

// Finding is a part of a text that should not go to every seat unchanged.
type Finding struct {
	Line int    // from 1
	Kind string // one of the kinds above
	Word string // the text itself; for a secret: only its kind
	Why  string // a sentence
}

// signs are what Lint searches for besides secrets. They match in any case and with any spacing of the words.
var signs = []struct {
	kind, why string
	expr      func() *regexp.Regexp
}{
	{Certainty, "It says how sure to be before anyone has argued.", words(
		`obvious(?:ly)?`, `clearly`, `of course`, `undoubtedly`, `undeniably`, `definitely`, `certainly`, `unquestionably`,
		`no[- ]brainer`, `without (?:a )?doubt`, `no doubt`, `needless to say`, `it goes without saying`, `as we all know`)},
	{Ranking, "It gives a verdict where facts belong.", words(
		`(?:the|much|far|strictly|simply) (?:best|better|worst|worse)`, `superior`, `inferior`, `ideal(?:ly)?`, `perfect(?:ly)?`,
		`the (?:right|correct|proper|only (?:sane|sensible|real|viable|reasonable)) (?:way|choice|answer|option|solution|approach|tool)`,
		`the only (?:sane|sensible|real|viable|reasonable)`, `state[- ]of[- ]the[- ]art`, `terrible`, `a mess`)},
	{Preference, "It says what the asker wants to hear.", words(
		`(?:we|you|i|they) (?:really )?(?:should|ought to)`, `(?:i|we) (?:would|'d) (?:rather|like to|love to)`,
		`(?:i|we)'d (?:rather|like to|love to)`,
		`prefer(?:s|red|ably|ence|ences)?`, `recommend(?:s|ed|ation|ations)?`,
		`(?:i|we) (?:personally )?(?:think|believe|feel|suspect|like|favou?r|lean)`,
		`in (?:my|our) (?:humble )?(?:opinion|view|experience)`, `imh?o`, `my favou?rite`, `leaning towards?`,
		`let'?s (?:go with|use|pick)`,
		`(?:i|we) (?:already|have already|had already) (?:decided|chose|chosen|picked)`,
		`(?:i|we)(?:'m| am| are|'re) (?:sure|convinced|confident)`)},
	{Crowd, "It cites a majority instead of a reason.", words(
		`everyone (?:agrees|knows|uses|says|does)`, `everybody (?:agrees|knows|uses|says|does)`, `nobody (?:uses|does|wants|likes)`,
		`most (?:people|experts|developers|engineers|teams|companies) (?:agree|use|think|say|prefer)`, `(?:all|most) experts`,
		`best practices?`, `industry standards?`, `widely (?:accepted|agreed|considered|regarded)`, `common knowledge`, `the consensus`)},
	{Loaded, "The question contains its answer.", words(
		`(?:isn't|aren't|wasn't|doesn't|don't|wouldn't|shouldn't|can't|won't) (?:it|this|that|they|we|you|the)`,
		`(?:do|would) you (?:not )?agree`, `(?:please )?confirm that`, `why is .{1,40} (?:better|worse)`,
		`how (?:bad|good|much better|much worse) is`,
		` right\?`)}, // after a comma: in "left or right?" it is a choice
	{Personal, "It names a person's address.", pattern.Of(`[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}`)},
	{Personal, "It names a person's folder; say the path within the project.", pattern.Of(
		`(?i)(?:^|[^\w.-])((?:/home/|/Users/|[A-Z]:\\Users\\)[\w.-]*\w)`)},
	{Secret, "The text contains a private key.", pattern.Of(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
}

// nobody matches addresses that belong to no person.
var nobody = pattern.Of(`(?i)^(?:git|noreply|no-reply)@|@(?:[\w-]+\.)*example\.(?:com|org|net)$|@(?:[\w-]+\.)*(?:test|invalid|localhost)$`)

// placeholder matches the redactor's replacement of a secret.
var placeholder = pattern.Of(`\[redacted:([a-z0-9-]+)\]`)

// words matches any of the alternatives as whole words. The expressions are compiled on first use: most processes never
// lint. A match has one group, the word itself.
func words(alternatives ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		all := strings.Join(alternatives, "|")
		all = strings.ReplaceAll(all, " ", `\s+`)
		all = strings.ReplaceAll(all, "'", `['’]`)
		return regexp.MustCompile(`(?i)(?:^|[^\w'’])((?:` + all + `))(?:$|[^\w])`)
	})
}

// Lint finds what would lead the seats, or leak, in a text that goes to all of them, ordered by line and position. Code
// between fences and the section that History writes are only searched for leaks: words there lead nobody. It finds
// words, not intentions: a finding is a hint for a person. Each line is checked by itself.
func Lint(text string) []Finding {
	var findings []Finding
	var none redact.Redactor
	fence, history := "", false
	for i, line := range strings.Split(text, "\n") {
		wasCode := fence != ""
		fence = nextFence(fence, line)
		isCode := wasCode || fence != ""
		if !isCode && (strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ")) {
			history = strings.TrimSpace(line) == historyHeading
		}
		findings = append(findings, lintLine(i+1, line, isCode || history)...)
		clear := none.String(line)
		if clear == line {
			continue
		}
		for _, m := range placeholder().FindAllStringSubmatch(clear, -1) {
			findings = append(findings, Finding{i + 1, Secret, m[1], "It looks like a secret."})
		}
	}
	return findings
}

// lintLine returns the findings in one line, in order of position.
func lintLine(number int, line string, leaksOnly bool) []Finding {
	type placed struct {
		at int
		Finding
	}
	var found []placed
	for _, s := range signs {
		if leaksOnly && s.kind != Personal && s.kind != Secret {
			continue
		}
		for at := 0; at < len(line); {
			m := s.expr().FindStringSubmatchIndex(line[at:])
			if m == nil {
				break
			}
			from, to := m[len(m)-2], m[len(m)-1] // the group if there is one
			word := strings.TrimSpace(line[at+from : at+to])
			if s.kind != Personal || !nobody().MatchString(word) {
				found = append(found, placed{at + from, Finding{number, s.kind, word, s.why}})
			}
			at += max(to, 1) // not the whole match: the space after a word is also the one before the next
		}
	}
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	findings := make([]Finding, len(found))
	for i, f := range found {
		findings[i] = f.Finding
	}
	return findings
}

// nextFence returns the Markdown fence that is open after line; empty: none. As in CommonMark a fence is closed by at
// least as many of the same characters, alone on their line.
func nextFence(open, line string) string {
	line = strings.TrimSpace(line)
	mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	if mark == "" {
		mark = line[:len(line)-len(strings.TrimLeft(line, "~"))]
	}
	switch {
	case len(mark) < 3:
		return open
	case open == "" && mark[0] == '`' && strings.Contains(line[len(mark):], "`"):
		return "" // code inside a line
	case open == "":
		return mark
	case strings.HasPrefix(mark, open) && mark == line:
		return ""
	}
	return open
}
