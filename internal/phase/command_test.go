package phase_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/phase"
)

func TestCommands(t *testing.T) {
	all, wrong := phase.Commands("", "")
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		sound(t, c.Name, c.Tools, c.Prompt)
	}
	if got := strings.Join(names, " "); got != "commit init" || len(wrong) > 0 {
		t.Errorf("commands: %s, %v", got, wrong)
	}
	user, project := t.TempDir(), t.TempDir()
	head := "---\nname: NAME\ndoc: about it\nargs: <file>\ntools: read, git_*\n---\nLook at $1.\n"
	put := func(dir, name, body string) string {
		return write(t, dir, name+".md", strings.ReplaceAll(body, "NAME", name))
	}
	mine := put(user, "fix", head)
	put(user, "commit", head)
	theirs := filepath.Join(project, ".socrates", "commands")
	put(theirs, "fix", head+"Theirs.")
	put(theirs, "init", head+"Theirs.")
	own := put(theirs, "deploy", head)
	put(theirs, "bad", strings.Replace(head, "args", "arg", 1))
	all, wrong = phase.Commands(user, project)
	got := map[string]phase.Command{}
	for _, c := range all {
		got[c.Name] = c
	}
	if c := got["fix"]; c.File != mine || c.Project || c.Args != "<file>" || !slices.Equal(c.Tools, []string{"read", "git_*"}) {
		t.Errorf("a project takes the place of the user's own: %+v", c)
	}
	if c := got["init"]; c.File != "" || c.Project {
		t.Errorf("a project takes the place of the program's own: %+v", c)
	}
	if c := got["commit"]; c.File == "" || c.Project {
		t.Errorf("the user's own is vetoed: %+v", c)
	}
	if c := got["deploy"]; c.File != own || !c.Project || len(c.SHA256) != 64 {
		t.Errorf("a project's: %+v", c)
	}
	if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), `bad.md:4: unknown key "arg" (did you mean args?)`) {
		t.Errorf("wrong: %v", wrong)
	}
}

func TestCommandsAreNotFoundThroughALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege here")
	}
	outside, project := t.TempDir(), t.TempDir()
	file := write(t, outside, "x.md", "---\nname: x\ndoc: about it\n---\nLook.\n")
	write(t, project, ".socrates/commands/y.md", "---\nname: y\ndoc: about it\n---\nLook.\n")
	if err := os.Symlink(file, filepath.Join(project, ".socrates", "commands", "x.md")); err != nil {
		t.Fatal(err)
	}
	all, wrong := phase.Commands("", project)
	if len(all) != 3 || len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "x.md: cannot be read") {
		t.Errorf("%+v, %v", all, wrong)
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct{ prompt, typed, want, wrong string }{
		{"Fix $ARGUMENTS now.", " a  b ", "Fix a  b now.", ""},
		{"Fix $ARGUMENTS now.", "", "Fix  now.", ""},
		{"From $1 to $2.", `one "two words"`, "From one to two words.", ""},
		{"From $1 to $2.", "one", "", "/x needs 2 arguments: /x <from> <to>"},
		{"Say $1.", `don't`, "Say don't.", ""},
		{"Say $1.", `"open`, "", "/x: unmatched quotation mark"},
		{"Say $ARGUMENTS.", `it's "open`, `Say it's "open.`, ""},
		{"Say $1.", "$2 `id` $(id) $ARGUMENTS", "Say $2.", ""},
		{"It costs $$1, $100 or $ARGUMENTSX.", "", "It costs $1, $100 or $ARGUMENTSX.", ""},
		{"Look.", "at this", "Look.\n\nat this", ""},
		{"Look.", "", "Look.", ""},
		{"$10 of $1", "a b c d e f g h i j", "j of a", ""},
		{"Say $1.", `""`, "Say .", ""},
	} {
		got, err := phase.Command{Name: "x", Args: "<from> <to>", Prompt: c.prompt}.Expand(c.typed)
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong {
			t.Errorf("%q with %q: %q, %v", c.prompt, c.typed, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		typed := strings.TrimSpace(rapid.String().Draw(t, "typed"))
		got, err := phase.Command{Prompt: "a $ARGUMENTS b"}.Expand(typed)
		if err != nil || got != "a "+typed+" b" {
			t.Fatalf("%q: %q, %v", typed, got, err)
		}
	})
}
