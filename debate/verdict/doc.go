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
// Each lineage has a [Case] for each option, in log-odds:
//
//	case = max(0, Σ over its votes weight·ln(a/(1-a)) + Σ over its checked claims for the option ln(ratio))
//
// and P(option) ∝ exp of the sum of its cases ([Posterior]). a is the probability that a seat is right: 0.7 until measured, 0.8 at
// most. A check is worth 3:1 if it passes and 1:3 if it fails ([Rules.Ratios]; measured 5:1 at most), 2:1 for a source fetched
// again. Four laws hold, each tested on random ledgers:
//
//   - What a lineage says moves its own case and no other: not its claims, objections, ratings or late switches.
//   - A voter never harms its option: a case is never below 0.
//   - One lineage's word decides nothing: where a winner hangs on what one lineage alone judged, another judges too.
//   - Order means nothing, nor do names. Among equals a key draws that is secret until the last ballot is in.
//
// A claim counts for an option only if its author voted blind for it and it speaks for it ([Ledger.Eligible]); all else is shown
// and weighs nothing. Evidence that is not there weighs nothing and voids its claim. What is there is judged by a seat of a drawn
// lineage other than the author's: do the lines show the claim, and if it is true, does it favour its option? A no to either fails
// the claim. A no takes two lineages, and a third where they differ. A command whose control comes out the same shows nothing.
// A [Judge] that holds no seat is asked first, and counts as one more lineage: with it two lineages that differ can be told apart.
//
// [Next] says which claim to check: of each option with a vote the claim of the lineage with the fewest checks there, then the one
// drawn; at most three of an option and two of a lineage. Looking three checks ahead, each must be expected to raise the winner's
// probability by its price, 0.0085. What a check costs is its judgements, whatever its kind, so the price is one for all kinds. Nothing
// is checked where all voters agree, unless a judge affirmed an objection that could block. Of claims for one option whose lines
// overlap, or that run the same command, one is checked, drawn; another only once that one failed. A command that was not run is no
// check. Who fails to judge claims of two authors is asked no more. A ledger keeps the key and the judgements; from these
// [Explain] works out the draw of each claim, and each case before and after a check.
//
// A security or data claim of the highest impact against the winner is an [Objection]. It blocks if two drawn lineages other than
// its author's find it true, about that option and as grave as said; of each lineage one is judged. A person lifts it.
//
// Nothing here protects against two colluding lineages that also judge falsely. Records made under earlier rules keep theirs;
// [Ledger.Unsound] finds a ratio that a record's rules do not give.
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
//   - unstable: leaving out one lineage, with its votes, claims and judgements, changes the winner
//   - objection: a verified high-impact objection is open
//
// # Outcome
//
// [Outcome] is the first of these that applies: aborted; not enough votes; blocked by an objection; tied; decided with a seat
// missing; decided with dissent; decided. A claim that a person vetoed counts nowhere. A tied room prints no score.
//
// The gate says who acts next, and [Verdict].Reasons why. It says "person" without a decision, when no model took part, and where
// the answer is not safe enough to act on alone: leaving out one lineage changes it ([Hinge]), only one lineage voted, its
// probability is below 0.95 and leaving out two lineages changes it, one lineage alone affirmed an objection, or the seats lacked
// information. Then a person's choice ([Ledger].Ruling) decides. It says "degraded" for a decision of a panel that lost a seat, and
// else "proceed".
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
