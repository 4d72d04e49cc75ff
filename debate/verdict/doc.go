// Package verdict computes what a panel decided from what its seats said, and shows how.
//
// It reads no file, asks no model and imports nothing of the program that uses it. The same [Ledger] under the same [Rules]
// gives the same [Verdict], byte for byte, whoever computes it and in whatever order the answers came in. A record of a debate
// (socrates debate export) holds all three, so a decision can be computed again without the program that made it.
//
// # What goes in
//
// A Ledger holds the options, one ballot per seat, the claims the seats made, what each seat said of each claim, and the
// checks that code made of them. A seat that abstained, failed or gave no usable ballot stays in every denominator: silence
// never helps an option. Seats of one lineage err together, so each counts w = 1 / (1 + (n-1)·r), where n is the number of
// seats of its lineage and r how much their errors correlate ([Rules.WithinLineage], .5 until it was measured).
//
// # Who wins
//
// [Posterior] takes the blind ballots and the checks, and nothing else:
//
//	P(option) ∝ Π over its votes (a/(1-a))^w · Π over checks of its claims LR
//
// a is a seat's chance to be right, .7 until it was measured. LR is the likelihood ratio that an outcome of a check carries
// ([Rules.Ratios]): a test that was run 3:1, a quote that another lineage found to say what the claim says 3:1, a page that
// was fetched again 2:1. A quote that is merely there carries nothing. What seats say to each other afterwards moves no
// winner: it decides how far the panel stands behind it.
//
// # How far the panel stands behind it
//
// [Score] is support times what is uncontested, and then the lowest of the caps that apply:
//
//	Value = Support · (1 - Contested)
//
// Support is the weight behind the winner over all seated weight, counting changes of vote that named a refuted claim or new
// evidence ([Switch]). Contested is Σ impact·loss / Σ impact over the claims that were put before the seats; a claim's loss is
// the share that disagrees with it, smoothed by half a seat to each side, where it speaks for the winner, and the share that
// agrees where it speaks against. A claim's impact is the lower weighted median of what its author and the seats think of it
// ([Claim.ImpactBy]). The caps:
//
//   - one-lineage: no two lineages stand behind the winner
//   - coverage: less than two thirds of the weight voted
//   - unstable: without one seat or one lineage the winner would not stand
//   - objection: a verified objection of high impact stands
//
// # What comes of it
//
// [Outcome] names what happened, in this order: the panel was given up; too few votes; a verified security or data objection
// blocks; the first two options are level; a seat was lost; there was dissent; all agree. Verdict.Gate says what to do with
// it: proceed from a score of .8 on, with a winner that stands without any one seat or lineage and no refuted evidence; ask
// for more evidence; or let a person decide, below .5, without a decision, and always where no model took part.
//
// [Explain] shows each of these numbers for one ledger. [Differences] names the places at which two verdicts differ.
package verdict
