package debate

import (
	"maps"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// The values of enumerated fields in replies; schemas and parsers use the same tables.
var (
	claimKinds = []string{"architecture", "security", "data", "logic", "approach", "errors", "performance", "cost", "tests",
		"naming", "style"}
	evidenceKinds = []string{"quote", "command", "source", "none"}
	expectations  = []string{verdict.Pass, verdict.Fail}
	impacts       = []int{5, 2, 1}
	verbs         = []verdict.Verb{verdict.Agree, verdict.Object, verdict.Add, verdict.SameAs, verdict.Undecided}
	positions     = []verdict.Verb{verdict.Agree, verdict.Object, verdict.Add}
	entailments   = []string{entailsYes, "no", "contradicts"}
)

var yesOrNo = []string{entailsYes, "no"}

const entailsYes = "yes"

// empty is the value of an unused field: fields must not be missing.
const empty = ""

// withClaims adds the values of a reply's claims, which are about one of the options, or none.
func withClaims(v form.Values, options ...string) form.Values {
	maps.Copy(v, form.Values{"claims.kind": form.AnyOf(claimKinds...), "claims.impact": form.AnyOf(impacts...),
		"claims.option":        form.AnyOf(append(options, empty)...),
		"claims.evidence.kind": form.AnyOf(evidenceKinds...), "claims.evidence.expect": form.AnyOf(append(expectations, empty)...)})
	return v
}

// withStances adds the values of the stances of a reply.
func withStances(v form.Values) form.Values {
	v["stances.stance"], v["stances.impact"] = form.AnyOf(verbs...), form.AnyOf(impacts...)
	return v
}

// votes returns what a ballot can choose with these options, and crossVotes what a reply to the cross-examination can.
func votes(options []string) []string {
	return append(options[:len(options):len(options)], otherWord, abstainWord)
}
func crossVotes(options []string) []string {
	return append(options[:len(options):len(options)], abstainWord)
}

func ballotValues(options []string) form.Values {
	return withClaims(form.Values{"option": form.AnyOf(votes(options)...)}, append(options[:len(options):len(options)], otherWord)...)
}

func crossValues(options []string) form.Values {
	return withStances(withClaims(form.Values{"option": form.AnyOf(crossVotes(options)...)}, options...))
}

// statementValues returns the values of a statement; with leans it needs a position.
func statementValues(options []string, leans bool) form.Values {
	at := form.AnyOf(positions...)
	if !leans {
		at = append(at, empty)
	}
	return withStances(withClaims(form.Values{"option": form.AnyOf(append(options[:len(options):len(options)], empty)...),
		"position": at}, options...))
}

func verifyValues(items int) form.Values {
	var numbers []any
	for i := range items {
		numbers = append(numbers, i+1)
	}
	return form.Values{"judgements.item": numbers, "judgements.entails": form.AnyOf(entailments...),
		"judgements.bears": form.AnyOf(yesOrNo...),
		"judgements.grave": form.AnyOf(append(yesOrNo, empty)...)}
}

func moderationValues() form.Values { return form.Values{"divergences.impact": form.AnyOf(impacts...)} }

func guessValues() form.Values { return withClaims(form.Values{}) }
