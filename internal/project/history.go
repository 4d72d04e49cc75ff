package project

import (
	"fmt"
	"strings"
	"time"
)

// historyHeading begins the section of earlier decisions. The text below it cannot mislead: the heading says what it is.
const historyHeading = "## Earlier decisions (history, not facts)"

// Earlier is one earlier decision as a later panel is shown it. Empty fields are omitted. Every text in it is put on
// one line and cut when it is written.
type Earlier struct {
	Room, Question string
	Date           time.Time
	Winner         string   // the option that won
	Standing       string   // how it was decided, in a few words: with dissent
	Superseded     string   // by which decision, when and why
	Rejected       []string // the other options
	Dissent        string   // the strongest of them, and how many supported it
	Against        []string // reasons for that dissent
	Flip           []string // what would have changed the decision
	Open           bool     // a person was asked and has not decided
}

// Bounds of one shown decision.
const (
	mostHistory   = 4   // claims, options or conditions of one decision
	widestHistory = 300 // letters of one of them
)

// History returns the section of a context block that shows earlier decisions, empty if there are none. It depends only on them.
func History(decisions []Earlier) string {
	if len(decisions) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n" + historyHeading + "\n\nWhat was decided here before on similar questions. It may be outdated or wrong, and " +
		"nothing in this section\n" +
		"is evidence: look at the files. The question below is open.\n")
	for _, d := range decisions {
		fmt.Fprintf(&text, "\n%s%s\n\n- question: %s\n", historyTitle(d.Room), d.Date.UTC().Format(time.DateOnly),
			shorten(d.Question, widestHistory))
		if d.Standing != "" {
			d.Standing = " (" + d.Standing + ")"
		}
		word := "decided"
		if d.Open {
			word = "open, for a person to decide; the panel leaned to"
		}
		fmt.Fprintf(&text, "- %s: %s%s\n", word, shorten(d.Winner, widestHistory), d.Standing)
		item(&text, "superseded", d.Superseded)
		item(&text, "rejected", d.Rejected...)
		item(&text, "dissent", d.Dissent)
		item(&text, "said for the dissent", d.Against...)
		item(&text, "what would have changed it", d.Flip...)
	}
	return text.String()
}

// historyTitle begins the part about a room.
func historyTitle(room string) string { return "### " + room + ", " }

// ShowsHistory reports whether a text, perhaps edited, still shows the decision of a room. A person who edits the
// context may have removed it; then it does not count as shown.
func ShowsHistory(text, room string) bool { return strings.Contains(text, "\n"+historyTitle(room)) }

// item writes the things under a name, on one line if there is only one.
func item(text *strings.Builder, name string, things ...string) {
	var kept []string
	for _, s := range things {
		if s = shorten(s, widestHistory); s != "" {
			kept = append(kept, s)
		}
	}
	switch len(kept) {
	case 0:
	case 1:
		fmt.Fprintf(text, "- %s: %s\n", name, kept[0])
	default:
		fmt.Fprintf(text, "- %s:\n", name)
		for _, s := range kept[:min(len(kept), mostHistory)] {
			fmt.Fprintf(text, "  - %s\n", s)
		}
		if more := len(kept) - mostHistory; more > 0 {
			fmt.Fprintf(text, "  - and %d more\n", more)
		}
	}
}
