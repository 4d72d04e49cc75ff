// Package verdict computes a panel's decision from its votes, claims and checks, and explains each number.
//
// The package is pure: it reads no files, calls no models and imports nothing else of this module. The same [Ledger] and
// [Rules] always give the same [Verdict], byte for byte, in whatever order the answers arrived. The record of a debate
// (socrates debate export) contains all three, so anyone can recompute a decision without the program that made it.
//
// # Input
//
// A Ledger lists the options, one ballot per seat, the claims, each seat's stance on each claim, and the checks that code
// ran. A seat that abstained, failed or returned no usable ballot still counts in every denominator, so silence never
// helps an option. Models of one lineage tend to make the same mistakes, so each of their seats has a weight of
// 1 / (1 + (n-1)·r), where n is the number of seats of that lineage and r the correlation of their errors
// ([Rules.WithinLineage]: 0.5 until measured).
//
// # Winner
//
// [Posterior] uses the blind ballots and the checks, and nothing else:
//
//	P(option) ∝ Π over its votes (a/(1-a))^weight · Π over checks of its claims LR
//
// a is the probability that a seat is right (0.7 until measured). LR is the likelihood ratio of a check's outcome
// ([Rules.Ratios]): 3:1 for a command that was run, 3:1 for a quote that a seat of another lineage found to entail the
// claim, 2:1 for a source fetched again. A quote that merely exists counts 1:1. Later discussion cannot change the winner;
// it changes the score.
//
// Only checks of eligible claims count ([Ledger.Eligible]): the author voted blind for the option, and the claim speaks for it.
// So no seat chooses how a rival's option is tested, and a claim against an option moves nothing here. Records made under
// rules before version 3 count every checked claim. [Ledger.Unsound] finds a ratio that the rules do not give.
//
// # Score
//
// [Score] measures how much of the panel is behind the winner:
//
//	Value = Support · (1 - Contested), limited by the lowest cap
//
// Support is the winner's share of all weight. A seat's changed vote counts only if it cites a refuted claim or new verified
// evidence ([Switch]). Contested is Σ impact·loss / Σ impact over the claims the seats discussed. The loss of a claim for
// the winner is the share of seats that disagree with it; the loss of a claim against the winner is the share that agrees.
// Both shares are smoothed by half a seat on each side. The impact of a claim is the lower weighted median of what its author
// and the other seats assigned ([Claim.ImpactBy]). These caps apply:
//
//   - one-lineage: fewer than two lineages support the winner
//   - coverage: less than two thirds of the weight voted
//   - unstable: removing one seat or one lineage changes the winner
//   - objection: a verified high-impact objection is open
//
// # Outcome
//
// [Outcome] is the first of these that applies: aborted; not enough votes; blocked by a verified security or data objection;
// tied; decided with a seat missing; decided with dissent; decided. If that is no decision and nothing blocks it, a person's
// choice ([Ledger].Ruling) decides. A claim that a person vetoed counts nowhere.
//
// The gate recommends the next step. It says "person" for a score below 0.5, without a decision, or when no model took part;
// "proceed" for a score of at least 0.8 if the winner is stable, the panel lacked nothing, and the winner's refuted claims do not
// outweigh its verified ones; and "evidence" otherwise.
//
// # Use
//
// All functions are pure, change none of their arguments, and are safe for concurrent use. They return no errors: whatever a
// ledger contains gives a verdict. A vote for an option that is not offered is no vote, and a check of an unknown claim counts
// nothing. An empty ledger abstains. Start from [DefaultRules]: the zero Rules are no usable rules. All numbers of a Verdict are
// rounded to six decimals, so that they are equal on all platforms.
//
// [Explain] prints how each number of one ledger came about. [Differences] lists where two verdicts differ.
package verdict
