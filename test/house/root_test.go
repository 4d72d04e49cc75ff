package house

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// root are the files beside main.go that the root holds: documents, laws, and what programs look for there.
var root = []string{".gitignore", ".goreleaser.yaml", "AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
	"README.md", "SECURITY.md", "action.yml", "arch_test.go", "flake.nix", "go.mod", "go.sum", "main.go"}

// TestRoot keeps scripts and their runners in test/.
func TestRoot(t *testing.T) {
	files, err := exec.Command("git", "-C", "../..", "ls-files", ":!:*/*").Output()
	if err != nil {
		t.Skip("not a checkout of git: ", err)
	}
	for _, file := range strings.Fields(string(files)) {
		if !slices.Contains(root, file) {
			t.Errorf("the root holds %s: it belongs in a folder", file)
		}
	}
}
