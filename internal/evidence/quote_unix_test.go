//go:build unix

package evidence_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/evidence"
)

// A pipe nobody writes to would hold whoever opens it for ever; the test ends because nobody does.
func TestQuoteOfAPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := look(t, &evidence.Looker{Dir: dir}, verdict.Evidence{Kind: "quote", File: "pipe", Quote: "anything"})
	expect(t, o, verdict.Skipped, verdict.Nothing, "not an ordinary file")
}
