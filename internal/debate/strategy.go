package debate

import "context"

// Strategy is a way to debate: it asks and records through the exported methods of a Room, and never returns a verdict. Every
// strategy ends in ballots and claims in the one ledger. Package strategy has the built-in ones.
type Strategy struct {
	Name, Doc string
	When      string // when to use it and when not, in a sentence or two
	Least     int    // seats it needs
	Most      int    // seats it takes; 0: any number
	Estimates bool   // seats estimate a number: there are no options to choose from
	Moderated bool   // a seat moderates or sums up, which a person may name (Frame.Moderator)
	Spares    bool   // seats are left out if their votes could change nothing (Limits.Economy)
	Rounds    int    // default of Limits.Rounds; 0: it has no rounds
	// Explores: seats talk before they vote, so the votes are not independent and the score says less.
	Explores bool
	// Turns returns how often one seat speaks, at least and at most, without judging evidence.
	Turns func(rounds int) (least, most int)
	Run   func(ctx context.Context, r *Room) error
}
