package shell_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/socrates-cli/socrates/internal/shell"
)

// What a pipe gives to a command that runs is said only where it cannot be anything else.
func TestFeed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs find and xargs")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"find . -name '*.txt' | xargs cat": true, "find . -name '*.txt' 2>/dev/null | head -3 | xargs cat": true, "find . -name '*.txt' | xargs cat; c=cat; echo a.txt | xargs $c": false,
		"find . -name '*.txt' | xargs cat; echo a.txt | xargs cat": false, "find . | { xargs cat; }": false, "find . -name a.txt | xargs cat < a.txt": false, "f() { xargs cat; }; find . -name a.txt | f": false, "{ find . -name a.txt; } | xargs cat": false,
		"find . -name '*.txt' | xargs cat; find . -name '*.txt' | xargs cat": true, "find . -name '*.txt' | xargs cat; find . -name a.txt | xargs cat": false,
		"find . -name '*.txt' | xargs cat; xargs cat": false, "find . -name '*.txt' | xargs cat; $c true": false, "find . -name '*.txt' | xargs cat; cd .; find . -name '*.txt' | xargs cat": true,
	} {
		s, err := shell.NewSession(dir, []string{"PATH=" + os.Getenv("PATH")})
		if err != nil {
			t.Fatal(err)
		}
		script, err := shell.Parse(text, s.Context())
		if err != nil {
			t.Fatal(err)
		}
		fed := true
		_, err = s.Run(t.Context(), script, shell.Hooks{
			Call: func(_ context.Context, c shell.Command, _ string) error {
				fed = fed && (c.Argv[0] != "xargs" || len(c.Feed) > 0 && c.Feed[0][0] == "find")
				return nil
			},
			Open: func(context.Context, string, bool) error { return nil },
		}, io.Discard)
		if err != nil || fed != want {
			t.Errorf("%q: %v, %v", text, fed, err)
		}
	}
}
