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
//   - A lineage moves only its own case: its claims, objections, ratings and late switches move no other.
//   - A vote never harms its own option: a case is never below 0.
//   - One lineage's word decides nothing: if the winner depends on what only one lineage judged, another judges it, too.
//   - Order and names do not matter. Among equals, a random draw decides, with a key that is secret until the last ballot is in.
//
// A claim counts for an option only if its author voted blind for that option and it supports it ([Ledger.Eligible]); other claims are
// shown and carry no weight. Missing evidence carries no weight and voids its claim. Existing evidence is judged by a seat of another
// lineage than the author's, drawn at random: do the lines show the claim, and if it is true, does it favour its option? A no to either
// fails the claim. A rejection takes two lineages, and a third if they differ. A command whose control has the same result proves
// nothing.
// A [Judge] without a seat is asked first, and counts as one more lineage: it can settle where two lineages differ.
//
// [Next] says which claim to check: for each option with a vote, a claim of the lineage with the fewest checks there, by draw;
// at most three per option and two per lineage. Looking three checks ahead, each must be expected to raise the winner's
// probability by its price, 0.0085. The cost of a check is its judgements, whatever its kind, so all kinds have the same price. Nothing
// is checked if all voters agree, unless a judge affirmed an objection that could block. Of claims for one option whose lines
// overlap, or that run the same command, only one is checked, by draw; another only after that one failed. A command that was not run
// is not a check. A judge that fails on claims of two authors is not asked again. A ledger keeps the key and the judgements; from these
// [Explain] computes the draw of each claim, and each case before and after a check.
//
// A security or data claim of the highest impact against the winner is an [Objection]. It blocks if two lineages, drawn from those other
// than its author's find it true, about that option and as grave as stated; one objection per lineage is judged. A person can lift it.
//
// Nothing here protects against two colluding lineages that also judge falsely. Records made under earlier rules keep those;
// [Ledger.Unsound] finds a ratio that a record's rules do not allow.
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
// missing; decided with dissent; decided. A claim that a person vetoed counts nowhere. A tied debate prints no score.
//
// The gate says who acts next, and [Verdict].Reasons why. It is "person" without a decision, when no model took part, and when
// the answer is not safe enough to act on without asking: leaving out one lineage changes it ([Hinge]), only one lineage voted, its
// probability is below 0.95 and leaving out two lineages changes it, one lineage alone affirmed an objection, or the seats lacked
// information. Then a person's choice ([Ledger].Ruling) decides. It is "degraded" for a decision of a panel that lost a seat, and
// otherwise "proceed".
//
// # Use
//
// All functions are pure, change none of their arguments, and are safe for concurrent use. They return no errors: every
// ledger gives a verdict. A vote for an option that is not offered does not count, nor does a check of an unknown claim.
// An empty ledger abstains. Start from [DefaultRules]: the zero Rules are not usable. All numbers of a Verdict are
// rounded to six decimals, so that they are equal on all platforms.
//
// [Explain] prints how each number of a ledger is computed. [Differences] lists where two verdicts differ; compare the
// [Verdict.Numbers] of each if another version may have made one of them, since sentences change from version to version.
package verdict
