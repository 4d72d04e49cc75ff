package idea_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/idea"
)

// What is proposed comes from the files: a choice both sides of which are there, a question that somebody left, a task, the last commit.
func TestFor(t *testing.T) {
	const quiet = "package a\n"
	for name, tc := range map[string]struct {
		files map[string]string
		repo  bool
		want  []idea.Idea
	}{
		"no repository": {map[string]string{"a.go": "// TODO: should it be int64 or a decimal?\n"}, false,
			[]idea.Idea{{Text: "Explain this folder", Why: "read-only"}}},
		"nothing to say": {map[string]string{"a.go": quiet, "vendor/b.go": "// TODO: should b be faster?\n"}, true,
			[]idea.Idea{{Text: "Review the last commit", Why: "Begin"}, {Text: "Explain this repository", Why: "read-only"}}},
		"a question": {map[string]string{"a.go": quiet + "// Total adds. TODO(kim): should it return cents or a decimal? Ask Lee.\n"}, true,
			[]idea.Idea{{Text: "Should it return cents or a decimal?", Why: "a.go:2 asks", Debate: true},
				{Text: "Review the last commit", Why: "Begin"}, {Text: "Explain this repository", Why: "read-only"}}},
		"two ways of one thing": {map[string]string{"a.py": "import requests\n", "b.py": "import httpx\n", "c.py": "import requests # TODO: retry on 503\n"}, true,
			[]idea.Idea{{Text: "Should HTTP calls use requests or httpx?", Why: "requests in 2 files, httpx in 1", Debate: true, Rivals: true},
				{Text: "Resolve the note at c.py:1: Retry on 503", Why: "a note in the code"}, {Text: "Review the last commit", Why: "Begin"}}},
		"two tools": {map[string]string{"package-lock.json": "{}", "yarn.lock": ""}, true,
			[]idea.Idea{{Text: "Should packages use npm or yarn?", Why: "npm in 1 file, yarn in 1", Debate: true, Rivals: true},
				{Text: "Review the last commit", Why: "Begin"}, {Text: "Explain this repository", Why: "read-only"}}},
		"a letter of two bytes": {map[string]string{"a.go": quiet + "// TODO: überall prüfen\n"}, true,
			[]idea.Idea{{Text: "Resolve the note at a.go:2: Überall prüfen", Why: "a note in the code"},
				{Text: "Review the last commit", Why: "Begin"}, {Text: "Explain this repository", Why: "read-only"}}},
		"no comment": {map[string]string{"a.go": quiet + "var s = \"// TODO: should this be said?\"\nvar TODO = 1 // what is it\n"}, true,
			[]idea.Idea{{Text: "Review the last commit", Why: "Begin"}, {Text: "Explain this repository", Why: "read-only"}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tc.repo {
				for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "Begin"}} {
					if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
						t.Fatalf("git %s: %v: %s", args, err, out)
					}
				}
			}
			got := idea.For(t.Context(), dir)
			if len(got) != len(tc.want) {
				t.Fatalf("%+v, not %+v", got, tc.want)
			}
			for i := range got {
				if got[i] != tc.want[i] {
					t.Errorf("%+v, not %+v", got[i], tc.want[i])
				}
			}
		})
	}
}
