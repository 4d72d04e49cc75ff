package eval_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow: a quarter of the time of a million short-lived ledgers went into collecting them.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
