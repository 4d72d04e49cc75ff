package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/sandbox"
)

// lend makes git work for a program in a cell. The program reads a copy or a view whose .git borrows the objects of
// the project, and it sees nothing of the project. So the objects are shown in a folder of its home, and the .git
// that it sees points there. Otherwise git in the cell would find a repository without objects, and every command
// would fail. Borrowed objects are read-only. A folder that borrows nothing needs none of this.
func (h *Hold) lend(r *sandbox.Rules, home *home, dir string) error {
	own, at := h.repository(dir)
	if own == "" {
		return nil
	}
	borrowed := filepath.Join("objects", "info", "alternates")
	text, err := os.ReadFile(filepath.Join(own, borrowed))
	from, _, _ := strings.Cut(string(text), "\n")
	if err != nil || !filepath.IsAbs(from) || !exists(from) {
		return nil // it borrows nothing
	}
	lent := filepath.Join(home.scratch.Path, "lent")
	objects, alternates := filepath.Join(lent, "objects"), filepath.Join(lent, "alternates")
	if err := os.MkdirAll(objects, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(alternates, []byte(objects+"\n"), 0o600); err != nil {
		return err
	}
	r.Read = append(r.Read, lent)
	text, _ = os.ReadFile(filepath.Join(from, "info", "alternates")) // the project may itself borrow
	for further := range strings.Lines(string(text)) {
		if further = strings.TrimSpace(further); filepath.IsAbs(further) {
			r.Read = append(r.Read, further)
		}
	}
	r.Show = append(r.Show, sandbox.Shown{From: from, At: objects}, sandbox.Shown{From: alternates, At: filepath.Join(at, borrowed)})
	return nil
}

// repository returns the .git that belongs to dir, and where a program finds it; empty if it borrows nothing.
func (h *Hold) repository(dir string) (own, at string) {
	if s := h.shown(dir); s != nil {
		if info, err := os.Lstat(s.Git); err == nil && info.IsDir() {
			return s.Git, filepath.Join(s.At, ".git")
		}
		text, _ := os.ReadFile(s.Git)
		own, _ = strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		return own, own
	}
	for top := dir; dir != "" && top != filepath.Dir(top); top = filepath.Dir(top) {
		if own := filepath.Join(top, ".git"); exists(own) {
			return own, own
		}
	}
	return "", ""
}
