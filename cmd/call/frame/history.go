package frame

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/project"
)

// history finds the earlier decisions of this project that a debate on question shows to its seats. A decision
// without any model is shown only if it is revisited. Without a store there is no history, and none is created to
// search it.
func (a *Framer) history(ctx context.Context, d *Flags, question string) ([]project.Earlier, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	most := c.Int("debate.history")
	if file, err := a.Home.Settings.StoreFile(); err != nil || !call.Exists(file) || most == 0 || question == "" || d.Dir != "" ||
		d.contextFile != "" {
		return nil, err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := a.Home.Settings.Project()
	if err != nil {
		return nil, err
	}
	found, err := rooms.In(e).Similar(ctx, rooms.Likeness{Question: question, Options: d.Options, Dir: dir, Most: most})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f rooms.Earlier) bool { return f.Room == d.Follows }) // its seats remember it already
	if d.Revisits != "" {
		old, err := rooms.In(e).Digest(ctx, d.Revisits)
		if err != nil {
			return nil, err
		}
		found = append([]rooms.Earlier{old}, slices.DeleteFunc(found, func(f rooms.Earlier) bool { return f.Room == d.Revisits })...)
		found = found[:min(most, len(found))]
	}
	var list []project.Earlier
	for _, f := range found {
		list = append(list, shownEarlier(f))
	}
	return list, nil
}

// shownEarlier converts a decision for the context block.
func shownEarlier(f rooms.Earlier) project.Earlier {
	res := project.Earlier{Room: f.Room, Question: f.Question, Date: f.Date, Winner: f.Winner,
		Superseded: room.Supersession(f.Superseded), Rejected: f.Rejected, Dissent: f.Dissent, Against: f.Against, Flip: f.Flip,
		Open: f.Open}
	if f.Dissent != "" {
		res.Dissent += map[bool]string{true: fmt.Sprintf(" (seats that voted for it: %d)",
			f.Dissents), false: " (argued, but nobody voted for it)"}[f.Dissents > 0]
	}
	standing := slices.DeleteFunc([]string{document.Odds(f.Chance)}, func(s string) bool { return s == "" })
	switch f.Outcome {
	case verdict.WithDissent:
		standing = append(standing, "with dissent")
	case verdict.Ruled:
		standing = append(standing, "by a person, who was asked")
	case verdict.Degraded:
		standing = append(standing, "by a panel that lost a seat")
	}
	if f.Explored {
		standing = append(standing, "by seats that talked before they voted")
	}
	if f.Rehearsal {
		standing = append(standing, "in a rehearsal without any model")
	}
	res.Standing = strings.Join(standing, ", ")
	return res
}

// tellHistory reports which earlier decisions the block still shows, and returns their rooms. The block may have been
// cut to its limit or edited, so only rooms that it still names are history of this debate.
func (a *Framer) tellHistory(block string, earlier []project.Earlier) []string {
	var rooms []string
	for _, d := range earlier {
		if project.ShowsHistory(block, d.Room) {
			rooms = append(rooms, d.Room)
		}
	}
	switch len(rooms) {
	case 0:
	case 1:
		a.Out.Tell("The seats see 1 earlier decision on a similar question: " + rooms[0] + "\n")
	default:
		a.Out.Tell(fmt.Sprintf("The seats see %d earlier decisions on similar questions: %s\n", len(rooms),
			strings.Join(rooms, ", ")))
	}
	return rooms
}
