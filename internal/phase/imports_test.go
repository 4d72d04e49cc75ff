package phase_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/phase"
)

// TestImports: what a CLAUDE.md imports is told with it, in order, from the project only.
func TestImports(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "CLAUDE.md", "Follow @docs/style.md, ask anna@example.org and @anna.\n`@docs/code.md`\n```\n@docs/code.md\n```\n"+
		"@~/.claude/mine.md @../other.md @.env @docs/style.md @missing.md\n")
	write(t, dir, "docs/style.md", "Tabs. @deep/1.md @../CLAUDE.md\n")
	write(t, dir, "docs/code.md", "Not imported.\n")
	write(t, dir, ".env", "KEY=x\n")
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		write(t, dir, "docs/deep/"+n+".md", "Level "+n+". @"+string(n[0]+1)+".md\n")
	}
	facts, wrong, err := phase.Gather(t.Context(), dir, dir, "", "")
	var files []string
	for _, c := range facts.Conventions {
		files = append(files, c.File)
	}
	want := "CLAUDE.md docs/style.md docs/deep/1.md docs/deep/2.md docs/deep/3.md docs/deep/4.md"
	if err != nil || strings.Join(files, " ") != want {
		t.Errorf("%v: %q", err, files)
	}
	all := strings.Join(wrong, "\n")
	for _, why := range []string{"CLAUDE.md imports ~/.claude/mine.md, which is outside the project: agents do not see it",
		"CLAUDE.md imports ../other.md, which is outside", "docs/deep/4.md imports 5.md more than 5 files deep"} {
		if !strings.Contains(all, why) {
			t.Errorf("nothing says %q:\n%s", why, all)
		}
	}
	write(t, dir, "AGENTS.md", "Follow @docs/style.md\n")
	if facts, _, err = phase.Gather(t.Context(), dir, dir, "", ""); err != nil || len(facts.Conventions) != 1 {
		t.Errorf("AGENTS.md knows no imports: %+v, %v", facts.Conventions, err)
	}
}
