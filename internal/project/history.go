package project

import (
	"fmt"
	"strings"
	"time"
)

// historyHeading opens the section of earlier decisions. What stands below it leads nobody: it says what it is.
const historyHeading = "## Earlier decisions (history, not facts)"

// Earlier is one decision of the past as a later panel is shown it. Empty fields are left out.
// Every text in it is made one line and cut when it is written.
type Earlier struct {
	Room, Question string
	Date           time.Time
	Winner         string   // what was decided
	Standing       string   // how, in a few words: with dissent
	Superseded     string   // by what, when and why
	Rejected       []string // the other options
	Dissent        string   // the strongest of them, and how many stood by it
	Against        []string // what spoke for it
	Flip           []string // what would have changed the decision
	Open           bool     // a person was asked and has not decided
}

// Bounds of one decision as it is shown.
const (
	mostHistory   = 4   // claims, options or conditions of one decision that are shown
	widestHistory = 300 // letters of one of them
)

// History is the section of a context block that shows earlier decisions, empty if there are none. It depends on
// nothing but them.
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

// historyTitle is how the part about a room begins.
func historyTitle(room string) string { return "### " + room + ", " }

// ShowsHistory says whether a text, perhaps edited, still shows the decision of a room.
// A person who edits the context may have taken it out; then it is not said to have been shown.
func ShowsHistory(text, room string) bool { return strings.Contains(text, "\n"+historyTitle(room)) }

// item writes what there is to say under a name, in a line if it is one thing.
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
