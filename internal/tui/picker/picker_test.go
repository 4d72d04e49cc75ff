package picker

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var keys = map[string]tea.KeyPressMsg{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome},
	"end": {Code: tea.KeyEnd}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "space": {Code: tea.KeySpace, Text: " "}, "tab": {Code: tea.KeyTab},
	"backspace": {Code: tea.KeyBackspace}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+n": {Code: 'n', Mod: tea.ModCtrl},
}

// play sends keys, named or letters, separated by spaces.
func play(p *Picker, script string) (last Event) {
	for _, name := range strings.Fields(script) {
		if k, ok := keys[name]; ok {
			last = p.Update(k)
			continue
		}
		for _, r := range name {
			last = p.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return last
}

func paths(n int) (items []Item) {
	parts := strings.Fields("internal cmd editor tui debate engine store theme script markdown picker model agent vendor docs test")
	for i := range n {
		items = append(items, Item{Title: fmt.Sprintf("%s/%s/%s_%d.go", parts[i%16], parts[i/16%16], parts[i/256%16], i), Value: i})
	}
	return items
}

var models = []Item{
	{Title: "big", Note: "200k context, 15 per million", Mark: "●", Group: "Found here"},
	{Title: "small and quick", Note: "64k context", Mark: "○", Group: "Found here"},
	{Title: "日本語のモデル", Note: "128k context", Mark: "○", Group: "With a key"},
	{Title: "one with a name that is far too long for a list of this width, really", Note: "32k context", Mark: "✗", Group: "With a key"},
	{Title: "\x1b[31mescaped\nname", Mark: "○", Group: "With a key"},
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		script string
		want   Event
		picked string
	}{
		{"enter", Event{Kind: Chosen}, "big"},
		{"down enter", Event{Kind: Chosen}, "small and quick"},
		{"up", Event{}, "big"},
		{"end down", Event{}, "escaped name"},
		{"pgdown up up", Event{Kind: Moved}, "日本語のモデル"},
		{"ctrl+n ctrl+r", Event{Pressed, "ctrl+r"}, "small and quick"},
		{"quick", Event{Kind: Moved}, "small and quick"},
		{"quick ctrl+u", Event{Kind: Moved}, "big"},
		{"64k", Event{Kind: Moved}, "small and quick"},
		{"nosuch enter", Event{}, ""},
		{"down esc", Event{Kind: Cancelled}, "small and quick"},
		{"tab", Event{}, "big"},
	} {
		p := New(theme.Theme{}, "Models", models)
		p.Keys = []Key{{"ctrl+r", "rename"}}
		got := play(p, c.script)
		if i, _ := p.Current(); got != c.want || i.Title != c.picked {
			t.Errorf("%s: %v %q, want %v %q", c.script, got, i.Title, c.want, c.picked)
		}
	}
}

func TestMarks(t *testing.T) {
	p := New(theme.Theme{}, "", models)
	p.Multi = true
	play(p, "end space quick space space tab ctrl+u")
	var got []string
	for _, i := range p.Picked() {
		got = append(got, i.Title)
	}
	if want := "small and quick|escaped name"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	p.SetItems(models[:2])
	if len(p.Picked()) != 1 {
		t.Error("marks of items that are gone")
	}
}

func TestOthersInTheirPlace(t *testing.T) {
	p := New(theme.Theme{}, "", models)
	p.Select(2)
	p.SetItems(append(models[:2:2], models[3:]...))
	if i, _ := p.Current(); i.Title != models[3].Title {
		t.Errorf("%q", i.Title)
	}
	play(p, "end")
	p.SetItems(nil)
	if _, ok := p.Current(); ok || len(p.Lines(40, 6)) != 6 {
		t.Error("an empty list")
	}
}

func TestDrawn(t *testing.T) {
	var out strings.Builder
	show := func(name string, p *Picker, wide, high int) {
		fmt.Fprintf(&out, "# %s, %d×%d\n", name, wide, high)
		for _, l := range p.Lines(wide, high) {
			fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(l, "\x1b", "␛"))
		}
		x, y := p.Cursor()
		fmt.Fprintf(&out, "cursor %d,%d\n\n", x, y)
	}
	plain, _ := theme.Find("none")
	p := New(plain, "Models", models)
	p.Keys = []Key{{"ctrl+r", "rename"}, {"ctrl+d", "delete"}}
	show("groups", p, 70, 12)
	play(p, "end")
	show("scrolled", p, 60, 6)
	show("tiny", p, 20, 3)
	play(p, "context")
	show("filtered by note", p, 60, 9)
	play(p, "x")
	show("nothing", p, 60, 6)
	p.Filter("nae")
	p.Multi = true
	play(p, "space")
	show("marked", p, 60, 7)

	p = New(plain, "Files", paths(340))
	p.Preview = func(i Item, wide, high int) []string {
		return []string{"This is " + i.Title, strings.Repeat("long ", 30), fmt.Sprint(wide, "×", high)}
	}
	play(p, "edgo down down")
	show("preview", p, 100, 10)
	show("no room for it", p, 89, 5)
	p = New(plain, "Empty", nil)
	p.Nothing = "No sessions yet."
	show("empty", p, 40, 6)
	const golden = "testdata/drawn.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != out.String() {
		t.Errorf("%v: run with -update if this is right:\n%s", err, out.String())
	}
}

func TestAnyKeys(t *testing.T) {
	var names []string
	for k := range keys {
		names = append(names, k)
	}
	names = append(names, "a", "e", "/", "日", "G")
	text := rapid.StringOf(rapid.SampledFrom([]rune("ae/G日\u0301👍\x1b[m \n1")))
	item := rapid.Custom(func(t *rapid.T) Item {
		return Item{Title: text.Draw(t, "title"), Note: text.Draw(t, "note"), Mark: rapid.SampledFrom([]string{"", "●", "日"}).Draw(t, "mark"),
			Group: rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "group")}
	})
	rapid.Check(t, func(t *rapid.T) {
		chosen := theme.Theme{Chosen: theme.Reverse, Focus: theme.Bold}
		p := New(chosen, text.Draw(t, "title"), rapid.SliceOf(item).Draw(t, "items"))
		p.Multi = rapid.Bool().Draw(t, "multi")
		if rapid.Bool().Draw(t, "with preview") {
			p.Preview = func(i Item, wide, high int) []string { return []string{i.Title, strings.Repeat("日", wide)} }
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			play(p, rapid.SampledFrom(names).Draw(t, "key"))
			wide, high := rapid.IntRange(1, 120).Draw(t, "wide"), rapid.IntRange(1, 12).Draw(t, "high")
			lines := p.Lines(wide, high)
			if len(lines) != max(high, 3) {
				t.Fatalf("%d lines, want %d", len(lines), high)
			}
			seen := 0
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > max(wide, 10) || strings.Contains(l, "\n") {
					t.Fatalf("%d cells in %d: %q", n, wide, l)
				}
				seen += strings.Count(l, "\x1b[7m› ")
			}
			if _, any := p.Current(); any != (seen == 1) {
				t.Fatalf("the current item is drawn %d times:\n%s", seen, strings.Join(lines, "\n"))
			}
			if x, y := p.Cursor(); x < 0 || x >= max(wide, 10) || y != 1 {
				t.Fatalf("cursor %d,%d", x, y)
			}
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	p := New(theme.All[0], "Files", paths(50_000))
	for b.Loop() {
		play(p, "down")
		p.Lines(120, 40)
	}
}

func BenchmarkFilter(b *testing.B) {
	p := New(theme.All[0], "Files", paths(50_000))
	for b.Loop() {
		play(p, "deb backspace backspace backspace")
	}
}
