package slash

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestMentions: which files a line may name, as people type them and terminals paste them.
func TestMentions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for line, want := range map[string][]mention{
		"see @a.png, and @src/b.go:1-2.":     {{"a.png", true}, {"src/b.go:1-2", true}},
		`@"my plan.pdf" and @my\ plan.pdf`:   {{"my plan.pdf", true}, {"my plan.pdf", true}},
		`/tmp/Screen\ shot\ \(1\).png what?`: {{"/tmp/Screen shot (1).png", false}},
		"'/tmp/a b.pdf' it's":                {{"/tmp/a b.pdf", false}},
		"file:///tmp/a%20b.ipynb":            {{"/tmp/a b.ipynb", false}},
		"~/x.jpg":                            {{filepath.Join(home, "x.jpg"), false}},
		"/etc/hosts ./a.png a.png mail@x.io": nil,
		"don't @ me":                         nil,
	} {
		if got := mentions(line); !slices.Equal(got, want) {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
}
