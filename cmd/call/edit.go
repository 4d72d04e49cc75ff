package call

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
)

// Edit opens a text in the person's editor and returns the edited text. what names it in a word. VISUAL takes
// precedence over EDITOR, as everywhere. The editor's stdout is our stderr, because ours may be a pipe. The text is
// kept in a file of mode 0600 that is removed at the end, and the result is cleaned of secrets and escapes.
func (a *Call) Edit(ctx context.Context, what, text string) (string, error) {
	argv := strings.Fields(cmp.Or(home.Environ("VISUAL"), home.Environ("EDITOR")))
	if len(argv) == 0 {
		return "", failure.Usage("editing the "+what+" needs an editor", "set EDITOR, or give the text without one; see --help")
	}
	f, err := os.CreateTemp("", "socrates-"+what+"-*.md")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	c := exec.CommandContext(ctx, argv[0], append(argv[1:], f.Name())...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("edit the %s with %s: %w", what, argv[0], err)
	}
	raw, err := os.ReadFile(f.Name())
	return a.Out.Clean(string(raw)), err
}
