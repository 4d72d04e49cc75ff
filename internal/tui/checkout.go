package tui

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
)

// checkoutFrom is the width from which on the repository is shown beside the tabs.
const checkoutFrom = 60

// checkout is the repository and branch, as the row of tabs shows them. Empty outside a repository.
type checkout struct{ text string }

// look reads which branch is checked out; that changes while the screen is open.
func (p *checkout) look(dir string, clean func(string) string) {
	p.text = ""
	for at := dir; ; at = filepath.Dir(at) {
		head, err := os.ReadFile(filepath.Join(at, ".git", "HEAD"))
		if err == nil {
			p.text = line.One(clean(filepath.Base(at)))
			if branch, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok {
				p.text += " · " + line.Clip(line.One(clean(branch)), 32)
			}
			return
		}
		if at == filepath.Dir(at) {
			return
		}
	}
}
