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
		{"/tree", "tree", "", true}, {"/Back 2 ", "back", "2", true}, {"/socrates one\ntwo", "socrates", "one\ntwo", true}, {"/?", "?", "", true},
		{"/context  add a b", "context", "add a b", true}, {"/remember: a: b", "remember", "a: b", true}, {"/a:b c", "", "", false}, {"hello", "", "", false}, {" /tree", "", "", false}, {"/", "", "", false}, {"/usr/bin is gone", "", "", false},
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
		"/tr": "/tree", "/s": "/socrates /sums /switch", "/models ": "alpha beta", "/models alpha b": "", "/context ": "add list remove", "/context add src/": "src/a.go src/b.go",
		"/context add src/a.go src/b": "src/b.go", "/phase p": "planner", "/mode y": "yolo", "/new b": "bug", "/help tre": "tree", "hello /tr": "", "/nothing ": "", "": "",
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
				t.Errorf("/%s is there twice", name)
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
			t.Errorf("there is no /%s", name)
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
	if err != nil || !strings.Contains(e.Text, "  /tree\n      draw") {
		t.Errorf("%v\n%s", err, e.Text)
	}
}

// What means nothing before something was said says so, and begins nothing.
func TestBeforeAnythingWasSaid(t *testing.T) {
	for _, c := range strings.Fields("/tree /fork /back /branches /leaves /undo /redo /cost /history /retry /compact /export") {
		_, err := Run(t.Context(), env(), c)
		if r, ok := err.(*engine.Refusal); !ok || r.Message != "nothing was said yet" {
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
	for text, want := range map[string]string{`"A or B?"`: "A or B?", "'A or B?'": "A or B?", "“A or B?”": "A or B?", `"A" or "B"?`: `"A" or "B"?`,
		`"A" or "B"`: `"A" or "B"`, `"`: `"`, `""`: "", "plain": "plain"} {
		if got := unquoted(text); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
}
