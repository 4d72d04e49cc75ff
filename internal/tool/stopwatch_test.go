package tool_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/tool"
)

// A tool's time is the time that passed without the time its person took to answer, and never less than none.
func TestStopwatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alone := tool.Env{}.Stopwatch()
		if took := alone(); took != 0 {
			t.Errorf("%v before anything happened", took)
		}
		asked := 2 * time.Second // before this call
		took := tool.Env{Waited: func() time.Duration { return asked }}.Stopwatch()
		time.Sleep(5 * time.Second)
		asked += 3 * time.Second
		if alone() != 5*time.Second || took() != 2*time.Second {
			t.Errorf("%v, and %v without the person's time", alone(), took())
		}
		if asked += time.Minute; took() != 0 {
			t.Errorf("%v, though the person took longer", took())
		}
	})
}
