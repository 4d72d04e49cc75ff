package conversation

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/talk/margin"
)

// Bringing files back moves no commit, so a person is told of those that came since. Where the commit of that time is not known,
// none is named.
func TestSince(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	first := git("rev-parse", "HEAD")
	git("commit", "-q", "--allow-empty", "-m", "second")
	for _, c := range []struct {
		was         margin.Snap
		head, other string
		subjects    []string
	}{
		{margin.Snap{Branch: "main", Head: first}, first, "", []string{"second"}},
		{margin.Snap{Branch: "topic", Head: first}, "", "main", []string{"second"}},
		{margin.Snap{Branch: "main", Head: git("rev-parse", "HEAD")}, git("rev-parse", "HEAD"), "", nil},
		{margin.Snap{Branch: "main"}, "", "", nil},
		{margin.Snap{Branch: "topic"}, "", "main", nil},
	} {
		head, other, commits := since(t.Context(), dir, c.was)
		var subjects []string
		for _, line := range commits {
			_, subject, _ := strings.Cut(line, " ")
			subjects = append(subjects, subject)
		}
		if head != c.head || other != c.other || !slices.Equal(subjects, c.subjects) {
			t.Errorf("since %+v: %q, %q, %q", c.was, head, other, commits)
		}
	}
}
