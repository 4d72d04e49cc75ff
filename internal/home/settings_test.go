package home_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/socrates-cli/socrates/internal/home"
)

// Whoever comes first reads the settings; a warning is told once, however many come at once.
func TestWarningsAreToldOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "SOCRATES_") { // it may be warned about, too
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	if err := os.Mkdir(".socrates", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(".socrates", "config.yaml"), []byte("permission:\n  rules: [allow bash ls]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told atomic.Int32
	h := home.New(home.Outside{Warn: func(string) { told.Add(1) }})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := h.Settings.Load(); err != nil {
				t.Error(err)
			}
			h.Settings.Warned()
		})
	}
	all.Wait()
	if n := told.Load(); n != 1 || len(h.Settings.Warned()) != 1 {
		t.Errorf("told %d times, kept %v", n, h.Settings.Warned())
	}
}
