package roompage

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Why a reply cannot be used is read to its end, in the panel of the seat however much it said before, and in the transcript.
func TestReasonsAreWhole(t *testing.T) {
	const reason = `its reply cannot be used: it contains no JSON object with "judgements"`
	seat := &scene.Seat{State: string(exchange.Answered),
		Note: "its ballot counts, its checks do not (unusable: " + reason + ")"}
	turn := &scene.Turn{Text: strings.Repeat("A line that it said.\n\n", 20), Asked: exchange.Asked{Seat: "cleo", Act: exchange.Verify},
		Reply: &exchange.Reply{State: exchange.Unusable, Reason: reason}}
	seat.Info.ID, seat.Turns = "cleo", []*scene.Turn{turn}
	s := &screen.Screen{World: screen.World{Clean: func(text string) string { return text }}}
	st := &standing{d: s, scene: &scene.Room{Seats: []*scene.Seat{seat}}}
	for where, lines := range map[string][]string{
		"panel": newTable(st).panel(seat, 49, 10), "transcript": newShown(st).said(turn, 60)} {
		if text := strings.Join(strings.Fields(ansi.Strip(strings.Join(lines, " "))), " "); !strings.Contains(text, reason) {
			t.Errorf("the %s has %s", where, text)
		}
	}
}

// What comes next can be typed on the page of a debate: it has no shell.
func TestTypedHere(t *testing.T) {
	got := typed([]document.Command{{Line: "sed -n 3p a.go", Does: "the line that c1 quotes"}, {Line: "socrates debate show r --explain"},
		{Line: "socrates debate show r --transcript"}, {Line: "socrates login"}}, "r", "shift+tab")
	var lines []string
	for _, c := range got {
		lines = append(lines, c.Line)
	}
	if want := "/consensus shift+tab /login"; strings.Join(lines, " ") != want {
		t.Errorf("next are %q, not %q", lines, want)
	}
}
