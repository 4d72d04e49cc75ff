package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
)

// A file system that has no locks is named as such, wherever a lock is tried, with what to do about it.
func TestNoLocks(t *testing.T) {
	none := &fs.PathError{Op: "lock", Path: "/net/locks/a.lock", Err: syscall.ENOLCK}
	for _, err := range []error{none, fmt.Errorf("lock a: %w", syscall.ENOLCK), errors.Join(errors.New("keep grants"), none)} {
		f := explain(err)
		if f.code != exitFailed || !strings.Contains(f.message, "cannot lock files") || !strings.Contains(f.hint, "store.path") {
			t.Errorf("%v: %+v", err, f)
		}
	}
	if f := explain(&engine.Unkept{Dir: "/p", Err: none}); f.code != exitUnkept && f.code != exitFailed || !strings.Contains(f.message, "cannot lock files") {
		t.Errorf("%+v", f)
	}
}
