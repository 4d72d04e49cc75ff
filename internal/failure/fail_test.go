package failure

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/turns"
)

// A file system that has no locks is named as such, wherever a lock is tried, with what to do about it.
func TestNoLocks(t *testing.T) {
	none := &fs.PathError{Op: "lock", Path: "/net/locks/a.lock", Err: syscall.ENOLCK}
	for _, err := range []error{none, fmt.Errorf("lock a: %w", syscall.ENOLCK), errors.Join(errors.New("keep grants"), none)} {
		f := Explain(err)
		if f.Code != ExitFailed || !strings.Contains(f.Message, "does not support locks") || !strings.Contains(f.Hint, "store.path") {
			t.Errorf("%v: %+v", err, f)
		}
	}
	if f := Explain(&turns.Unkept{Dir: "/p", Err: none}); f.Code != ExitUnkept && f.Code != ExitFailed || !strings.Contains(f.Message, "does not support locks") {
		t.Errorf("%+v", f)
	}
}
