package eval_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow: a quarter of the time of a million short-lived ledgers went into collecting them.
func TestMain(m *testing.M) {
	if os.Getenv("SOCRATES_TEST_EXAM") == "short" { // a fourth of the questions, and so twice the distance
		anchorItems, slack = anchorItems/4, 2
	}
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
