package config_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/process/marked"
)

// TestOwnVariables: what the program sets for what it starts is either a setting or known to be none.
func TestOwnVariables(t *testing.T) {
	named, found := regexp.MustCompile(`"(SOCRATES_[A-Z]+[A-Z_]*)`), 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && rel != "." {
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(rel, "test"+string(filepath.Separator)) {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, ok := setting.KeyOfEnv(m[1]); !ok && !marked.Given(m[1]) && m[1] != "SOCRATES_TEST_" { // guest names what tests are told
				t.Errorf("%s: %s is neither a setting nor in marked.Given", rel, m[1])
			}
		}
		return err
	})
	if err != nil || found < 8 {
		t.Fatal(found, err)
	}
	env := []string{"SOCRATES_KIN=x", "SOCRATES_KINSHIP=x", "SOCRATES_SANDBOX=/home/you:", "SOCRATES_DEPTH=1", "SOCRATES_EVENT=ended",
		"SOCRATES_HOOK=before", "SOCRATES_PORT=4000", "SOCRATES_PORT_2=4001"}
	if _, warnings := load(t, config.Sources{Env: env}); len(warnings) != 0 {
		t.Error(warnings)
	}
	if _, warnings := load(t, config.Sources{Env: []string{"SOCRATES_KINDRED=x"}}); len(warnings) != 1 {
		t.Error(warnings)
	}
}
