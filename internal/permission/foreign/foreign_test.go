package foreign_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission/foreign"
)

// TestChanged: what a command wrote is found by the system's word, whatever time the file is given; what was there before is not.
func TestChanged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs can set all times there")
	}
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	page := file("page.html")
	if err := os.Chtimes(page, old, old); err != nil {
		t.Fatal(err)
	}
	if got := foreign.Now(nil).Changed(dir); !slices.Equal(got, []string{page}) {
		t.Errorf("a new file with an old time: %v", got)
	}
	var before foreign.Moment // all is newer
	if got := before.Changed(dir); !before.IsZero() || !slices.Equal(got, []string{page}) {
		t.Errorf("since ever: %v", got)
	}
	for i := range foreign.Most {
		file(strconv.Itoa(i))
	}
	if got := before.Changed(dir); !slices.Equal(got, []string{dir + string(filepath.Separator)}) {
		t.Errorf("of very many files the folder is named, not %d of them", len(got))
	}
}
