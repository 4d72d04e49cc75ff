package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/cmd"
)

var update = flag.Bool("update", false, "rewrite the generated pages of docs/")

// TestDocs compares the pages of docs/ that are made from the code with the code.
func TestDocs(t *testing.T) {
	for name, want := range cmd.Docs() {
		path := filepath.Join("docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the code says (%v); go test -run TestDocs -update . rewrites it", path, err)
		}
	}
}
