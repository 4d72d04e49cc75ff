package eval_test

import (
	"log/slog"
	"os"
	"runtime/debug"
	"testing"
)

// shortExam says that the short form of the exam is wanted.
var shortExam = os.Getenv("SOCRATES_TEST_EXAM") == "short"

// whole skips what belongs to the whole exam alone: effects that go through rooms, and rows that need a long play.
func whole(t *testing.T) {
	if shortExam {
		t.Skip("not in the short exam")
	}
}

// TestMain lets the heap grow: a quarter of the time of a million short-lived ledgers went into collecting them.
func TestMain(m *testing.M) {
	if shortExam { // a fourth of the questions, and so twice the distance
		anchorItems, slack = anchorItems/4, 2
	}
	debug.SetGCPercent(800)
	slog.SetDefault(slog.New(slog.DiscardHandler)) // rooms log each call of a model
	os.Exit(m.Run())
}
