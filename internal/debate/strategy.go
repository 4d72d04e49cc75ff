package debate

import "context"

// Strategy is a way to debate: it asks and records by the exported methods of a Room, and never returns a verdict. Whatever it
// does ends in ballots and claims in the one ledger. Those the program has are in package strategy.
type Strategy struct {
	Name, Doc string
	When      string // whom it serves and whom not, in a sentence or two
	Least     int    // seats it needs
	Most      int    // seats it takes; 0: any number
	Estimates bool   // seats name a number: there are no options to choose from
	Moderated bool   // a seat moderates or sums up, which a person may name (Frame.Moderator)
	Spares    bool   // seats are left out where their votes could change nothing (Limits.Economy)
	Rounds    int    // what Limits.Rounds is unless a person says; 0: rounds have no meaning in it
	// Explores: seats talk before they vote, so the votes are not independent and the score says less.
	Explores bool
	// Turns is how often one seat speaks, at least and at most; judging evidence is left out.
	Turns func(rounds int) (least, most int)
	Run   func(ctx context.Context, r *Room) error
}
