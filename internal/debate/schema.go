package debate

import (
	"maps"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm"
)

// The words of replies that have few values: their schemas and their parsers read the same tables.
var (
	claimKinds    = []string{"architecture", "security", "data", "logic", "approach", "errors", "performance", "cost", "tests", "naming", "style"}
	evidenceKinds = []string{"quote", "command", "source", "none"}
	expectations  = []string{verdict.Pass, verdict.Fail}
	impacts       = []int{5, 2, 1}
	verbs         = []verdict.Verb{verdict.Agree, verdict.Object, verdict.Add, verdict.SameAs, verdict.Undecided}
	positions     = []verdict.Verb{verdict.Agree, verdict.Object, verdict.Add}
	entailments   = []string{entailsYes, "no", "contradicts"}
)

var yesOrNo = []string{entailsYes, "no"}

const entailsYes = "yes"

// empty is what a field holds that says nothing: none may be missing.
const empty = ""

// withClaims adds the values of the claims of a reply, which are about one of the options, or about none.
func withClaims(v llm.Values, options ...string) llm.Values {
	maps.Copy(v, llm.Values{"claims.kind": llm.AnyOf(claimKinds...), "claims.impact": llm.AnyOf(impacts...), "claims.option": llm.AnyOf(append(options, empty)...),
		"claims.evidence.kind": llm.AnyOf(evidenceKinds...), "claims.evidence.expect": llm.AnyOf(append(expectations, empty)...)})
	return v
}

// withStances adds the values of the stances of a reply.
func withStances(v llm.Values) llm.Values {
	v["stances.stance"], v["stances.impact"] = llm.AnyOf(verbs...), llm.AnyOf(impacts...)
	return v
}

// votes are what a ballot can choose, and crossVotes a reply to the cross-examination, of the options it was shown.
func votes(options []string) []string {
	return append(options[:len(options):len(options)], otherWord, abstainWord)
}
func crossVotes(options []string) []string {
	return append(options[:len(options):len(options)], abstainWord)
}

func ballotValues(options []string) llm.Values {
	return withClaims(llm.Values{"option": llm.AnyOf(votes(options)...)}, append(options[:len(options):len(options)], otherWord)...)
}

func crossValues(options []string) llm.Values {
	return withStances(withClaims(llm.Values{"option": llm.AnyOf(crossVotes(options)...)}, options...))
}

// statementValues are those of what is said in a talk; leans wants a position.
func statementValues(options []string, leans bool) llm.Values {
	at := llm.AnyOf(positions...)
	if !leans {
		at = append(at, empty)
	}
	return withStances(withClaims(llm.Values{"option": llm.AnyOf(append(options[:len(options):len(options)], empty)...), "position": at}, options...))
}

func verifyValues(items int) llm.Values {
	var numbers []any
	for i := range items {
		numbers = append(numbers, i+1)
	}
	return llm.Values{"judgements.item": numbers, "judgements.entails": llm.AnyOf(entailments...),
		"judgements.bears": llm.AnyOf(yesOrNo...),
		"judgements.grave": llm.AnyOf(append(yesOrNo, empty)...)}
}

func moderationValues() llm.Values { return llm.Values{"divergences.impact": llm.AnyOf(impacts...)} }

func guessValues() llm.Values { return withClaims(llm.Values{}) }
