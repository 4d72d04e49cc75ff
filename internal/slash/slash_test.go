package slash

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/phase"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line, name, args string
		ok               bool
	}{
		{"/tree", "tree", "", true}, {"/Back 2 ", "back", "2", true}, {"/socrates one\ntwo", "socrates", "one\ntwo", true},
		{"/?", "?", "", true},
		{"/context  add a b", "context", "add a b", true}, {"/remember: a: b", "remember", "a: b", true}, {"/a:b c", "", "", false},
		{"hello", "", "", false}, {" /tree", "", "", false}, {"/", "", "", false}, {"/usr/bin is gone", "", "", false},
		{"//tree", "", "", false}, {"/ tree", "", "", false}, {"/1", "", "", false}, {"", "", "", false},
	} {
		if name, args, ok := Parse(c.line); name != c.name || args != c.args || ok != c.ok {
			t.Errorf("%q is %q, %q, %v", c.line, name, args, ok)
		}
	}
}

func env() *Env {
	return &Env{Begin: map[string]string{},
		Phases: func() []phase.Phase { return []phase.Phase{{Name: "planner"}, {Name: "reviewer"}} },
		Pages: func() []phase.Command {
			return []phase.Command{{Name: "init"}, {Name: "tree", Doc: "a page"}, {Name: "q"}}
		},
		Skills:    func(context.Context) []phase.Skill { return []phase.Skill{{Name: "init"}, {Name: "sums"}} },
		Templates: func() []phase.Template { return []phase.Template{{Name: "bug"}} },
		Models:    func(context.Context) []string { return []string{"alpha", "beta"} },
		Files:     func(context.Context) []string { return []string{"src/a.go", "src/b.go"} }}
}

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"/tr": "/tree", "/s": "/search /socrates /sums /supersede /switch",
		"/models ": "alpha beta", "/models alpha b": "", "/context ": "add list remove",
		"/context add src/":           "src/a.go src/b.go",
		"/context add src/a.go src/b": "src/b.go", "/phase p": "planner", "/mode y": "yolo", "/new b": "bug", "/help tre": "tree",
		"hello /tr": "", "/nothing ": "", "": "",
	} {
		if got := strings.Join(Complete(t.Context(), env(), line), " "); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
}

// A page or a skill never takes the name of a command, by another name of it either, nor a skill that of a page.
func TestNamesAreTakenOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All(t.Context(), env()) {
		for _, name := range append(slices.Clone(c.Also), c.Name) {
			if seen[name] {
				t.Errorf("/%s occurs twice", name)
			}
			seen[name] = true
		}
		if c.Name == "tree" && c.Doc == "a page" {
			t.Error("a page took the place of /tree")
		}
	}
	for _, name := range strings.Fields("help socrates plan exec review debate init new clear models phase mode compact cost context export history undo redo login retry aside " +
		"tree fork back branches switch leaves label diff merge next remember memory forget quit sums") {
		if !seen[name] {
			t.Errorf("unknown command /%s", name)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, c := range Table() {
		e, err := Run(t.Context(), env(), "/help "+c.Name)
		if err != nil || !strings.HasPrefix(e.Text, c.Form()) || c.Doc == "" {
			t.Errorf("/help %s: %q %v", c.Name, e.Text, err)
		}
	}
	narrow := env()
	narrow.Width = 39
	e, err := Run(t.Context(), narrow, "/help")
	if err != nil || !strings.Contains(e.Text, "  /tree\n      show") {
		t.Errorf("%v\n%s", err, e.Text)
	}
}

// What means nothing before something was said says so, and begins nothing.
func TestBeforeAnythingWasSaid(t *testing.T) {
	for _, c := range strings.Fields("/tree /fork /back /branches /leaves /undo /redo /cost /history /retry /compact /export") {
		_, err := Run(t.Context(), env(), c)
		if r, ok := err.(*engine.Refusal); !ok || r.Message != "this conversation has no messages yet" {
			t.Errorf("%s: %v", c, err)
		}
	}
	for _, c := range []string{"/aside x", "/switch x", "/label x", "/diff x", "/merge x"} {
		if _, err := Run(t.Context(), env(), c); err == nil {
			t.Errorf("%s: no error", c)
		}
	}
}

func TestAQuestionInQuotes(t *testing.T) {
	for text, want := range map[string]string{`"A or B?"`: "A or B?", "'A or B?'": "A or B?", "“A or B?”": "A or B?", "„A or B?“": "A or B?", "«A or B?»": "A or B?",
		`"A" or "B"?`: `"A" or "B"?`,
		`"A" or "B"`:  `"A" or "B"`, `"`: `"`, `""`: "", "plain": "plain"} {
		if got := Unquoted(text); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
}

// A front end's own command takes the place of one of the same name, and keeps what that one does.
func TestOwn(t *testing.T) {
	e := env()
	e.Own = []Command{{Name: "help", Doc: "mine", Also: []string{"h"}}, {Name: "seats", Doc: "who sits"}, {Name: "q", Doc: "go"}}
	seen := map[string]Command{}
	last := ""
	for _, c := range e.table() {
		seen[c.Name] = c
		if c.Name < last {
			t.Errorf("%s stands behind %s", c.Name, last)
		}
		last = c.Name
	}
	if c := seen["help"]; c.Doc != "mine" || strings.Join(c.Also, " ") != "? h" || c.Run == nil || c.Complete == nil {
		t.Errorf("%+v", c)
	}
	if c := seen["q"]; c.Doc != "go" || strings.Join(c.Also, " ") != "exit q" || seen["quit"].Name != "" {
		t.Errorf("%+v", c)
	}
	if _, ok := seen["seats"]; !ok || len(seen) != len(Table())+1 {
		t.Errorf("%d commands", len(seen))
	}
}

func TestOffers(t *testing.T) {
	alone := map[string]bool{}
	for _, o := range Offers(t.Context(), env(), "/anything") {
		alone[o.Word] = o.Alone
	}
	if !alone["/quit"] || alone["/help"] || len(alone) != len(All(t.Context(), env())) {
		t.Errorf("%v", alone)
	}
	for _, line := range []string{"hello", "", "/tree\nx", "/nothing x", "/quit x"} {
		if got := Offers(t.Context(), env(), line); len(got) > 0 {
			t.Errorf("%q: %v", line, got)
		}
	}
	for _, c := range []struct {
		o    Offer
		word string
		want bool
	}{
		{Offer{Word: "/quit", Also: []string{"exit", "q"}}, "/quit", true},
		{Offer{Word: "/quit", Also: []string{"exit", "q"}}, "/QUIT", true}, {Offer{Word: "/quit", Also: []string{"exit"}}, "/Exit", true},
		{Offer{Word: "/quit", Also: []string{"exit"}}, "exit", false}, {Offer{Word: "/quit"}, "/qui", false},
		{Offer{Word: "a.go"}, "a.go", true}, {Offer{Word: "a.go"}, "A.go", false}, {Offer{Word: "/quit"}, "quit", false},
	} {
		if got := c.o.Is(c.word); got != c.want {
			t.Errorf("%s is all of %s: %v", c.word, c.o.Word, got)
		}
	}
}

// A running turn is sent what is neither a command nor names lines of a file.
func TestMessage(t *testing.T) {
	for text, want := range map[string]bool{"hello": true, "/usr/bin is gone": true, " /tree": true, "/tree": false, "!ls": false,
		"look @a.go": true, "look @a.go:3-9": false, "a ! b": true} {
		if got := Message(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestInto(t *testing.T) {
	for phase, want := range map[string]string{"planner": "/plan", "/exec": "/exec", "socrates": "/socrates", "reviewer": "/review",
		"chat": "/phase chat", "plan": "/phase plan"} {
		if got := Into(phase); got != want {
			t.Errorf("%s: %s", phase, got)
		}
	}
}

// A line and its note fit where there is room for ten signs of the line; the note is never cut.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		width            int
		line, note, want string
	}{
		{0, "a long line of text", "note", "a long line of text  (note)"}, {19, "a long line of text", "", "a long line of text"},
		{18, "a long line of text", "", "a long line of te…"}, {27, "a long line of text", "note", "a long line of text  (note)"},
		{26, "a long line of text", "note", "a long line of te…  (note)"}, {5, "a long line of text", "", "a long li…"},
		{5, "ten letter", "", "ten letter"}, {12, "äöüäöüäöüäöüä", "", "äöüäöüäöüäö…"},
	} {
		if got := (&Env{Width: c.width}).fit(c.line, c.note); got != c.want {
			t.Errorf("%d: %q, not %q", c.width, got, c.want)
		}
	}
}

// Two columns stand side by side where there is room, and a long first one does not push the second far out.
func TestColumns(t *testing.T) {
	long := strings.Repeat("x", 13)
	for _, c := range []struct {
		width int
		pairs [][2]string
		want  string
	}{
		{0, nil, ""}, {0, [][2]string{{"a", "b"}, {"ccc", ""}}, "  a    b\n  ccc\n"}, {59, [][2]string{{"a", "b"},
			{long[:12], "c"}}, "  a             b\n  xxxxxxxxxxxx  c\n"},
		{59, [][2]string{{"a", "b"}, {long, "c"}}, "  a\n      b\n  xxxxxxxxxxxxx\n      c\n"}, {60, [][2]string{{"a", "b"},
			{long, "c"}}, "  a              b\n  xxxxxxxxxxxxx  c\n"},
		{0, [][2]string{{strings.Repeat("y", 31), "b"},
			{"a", "c"}}, "  " + strings.Repeat("y", 31) + "  b\n  a" + strings.Repeat(" ", 31) + "c\n"},
		{60, [][2]string{{strings.Repeat("y", 31), "b"}},
			"  " + strings.Repeat("y", 31) + "\n" + strings.Repeat(" ", 34) + "b\n"},
	} {
		if got := (&Env{Width: c.width}).columns(c.pairs); got != c.want {
			t.Errorf("%d: %q, not %q", c.width, got, c.want)
		}
	}
}

// A copy can be given settings without the other noticing.
func TestCopy(t *testing.T) {
	one := env()
	one.Begin["mode"] = "plan"
	two := one.Copy()
	two.Begin["mode"] = "yolo"
	if one.Begin["mode"] != "plan" || len(two.Begin) != 1 {
		t.Errorf("%v %v", one.Begin, two.Begin)
	}
}
