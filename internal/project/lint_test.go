package project_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project"
)

func TestLintFindsWhatLeads(t *testing.T) {
	cases := []struct{ text, kind, word string }{
		{"Obviously we need a queue.", project.Certainty, "Obviously"},
		{"It is CLEARLY slow", project.Certainty, "CLEARLY"},
		{"of  course", project.Certainty, "of  course"},
		{"Postgres is the best choice here", project.Ranking, "the best"},
		{"which is the right way", project.Ranking, "the right way"},
		{"we should use Redis", project.Preference, "we should"},
		{"I prefer Go", project.Preference, "prefer"},
		{"the recommended library", project.Preference, "recommended"},
		{"I think so", project.Preference, "I think"},
		{"We’d rather not", project.Preference, "We’d rather"},
		{"In my opinion, no", project.Preference, "In my opinion"},
		{"we already decided on it", project.Preference, "we already decided"},
		{"everyone agrees on that", project.Crowd, "everyone agrees"},
		{"it is best practice", project.Crowd, "best practice"},
		{"Isn't it slow?", project.Loaded, "Isn't it"},
		{"It is slow, right?", project.Loaded, "right?"},
		{"please confirm that X holds", project.Loaded, "please confirm that"},
		{"ask jane.doe@corp.io about it", project.Personal, "jane.doe@corp.io"},
		{"see /home/jane/src/x.go", project.Personal, "/home/jane"},
		{`C:\Users\jane\x`, project.Personal, `C:\Users\jane`},
		{"-----BEGIN RSA PRIVATE KEY-----", project.Secret, "-----BEGIN RSA PRIVATE KEY"},
	}
	for _, c := range cases {
		got := project.Lint("first line\n" + c.text + "\n")
		if len(got) != 1 || got[0].Line != 2 || got[0].Kind != c.kind || got[0].Word != c.word || got[0].Why == "" {
			t.Errorf("Lint(%q) = %+v, want one %s %q in line 2", c.text, got, c.kind, c.word)
		}
	}
}

func TestLintOfSecretsDoesNotRepeatThem(t *testing.T) {
	key := "sk-ant-" + "api03-" + strings.Repeat("aB3", 30)
	got := project.Lint("use " + key)
	if len(got) == 0 || got[0].Kind != project.Secret {
		t.Fatalf("Lint = %+v, want a secret", got)
	}
	for _, f := range got {
		if strings.Contains(f.Word+f.Why, key[:20]) {
			t.Errorf("the finding repeats the secret: %+v", f)
		}
	}
}

func TestLintLeavesNeutralTextAlone(t *testing.T) {
	for _, text := range []string{"", "Should the column be left or right?", "Which of A and B costs less per request?", "The cache holds 4 KB. It evicts the oldest entry.",
		"Reference docs live in docs/home/index.md.", "git@github.com:x/y.git", "mail user@example.org",
		"```go\n// clearly the best, we should prefer it\n```\nneutral", "commit 29bac08d7ff1c1b2a0c9e7d1d9c5c8f3a1b2c3d4",
		"The clearlyNot word, unclearly, preferential", "## Files\n\n### main.go\n"} {
		if got := project.Lint(text); len(got) != 0 {
			t.Errorf("Lint(%q) = %+v", text, got)
		}
	}
}

func TestLintReportsInOrderAndSeesThroughFences(t *testing.T) {
	text := "we should, clearly, prefer it\n````\n```\nobviously\n````\n```x``` is code\nobviously\n```\nroot@corp.io\n"
	var got []string
	for _, f := range project.Lint(text) {
		got = append(got, f.Word)
	}
	if want := "we should|clearly|prefer|obviously|root@corp.io"; strings.Join(got, "|") != want {
		t.Errorf("words = %q, want %s", got, want)
	}
}
