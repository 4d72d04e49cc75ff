package told

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestFailing(t *testing.T) {
	noise := ""
	for i := range 40 {
		noise += fmt.Sprintf("compiling part %d\n", i)
	}
	for _, c := range []struct {
		command, said string
		want          []string
		more          int
	}{
		{"go test ./...",
			"ok  \tshop/price\t0.1s\n--- FAIL: TestTotal (0.00s)\n    cart_test.go:8: Total = 630, want 900\n" +
				"FAIL\nFAIL\tshop/cart\t0.003s\nFAIL\n[exit status 1]\n",
			[]string{"ok  \tshop/price\t0.1s", "--- FAIL: TestTotal (0.00s)", "    cart_test.go:8: Total = 630, want 900",
				"FAIL\tshop/cart\t0.003s"}, 2},
		{"go test ./...", "FAIL\n[exit status 1]\n", []string{"FAIL"}, 0},
		{"go test ./...",
			noise + "--- FAIL: TestTotal (0.00s)\n    cart_test.go:8: Total = 630, want 900\n" + noise +
				"FAIL\tshop/cart\t0.003s\n[exit status 1]\n",
			[]string{"--- FAIL: TestTotal (0.00s)", "    cart_test.go:8: Total = 630, want 900",
				"compiling part 0", "FAIL\tshop/cart\t0.003s"}, 79},
		{"pytest -q",
			noise + "    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:2: AssertionError\n" + noise +
				"FAILED test_a.py::test_a - assert 1 == 2\n[exit status 1]\n",
			[]string{">       assert 1 == 2", "E       assert 1 == 2", "test_a.py:2: AssertionError",
				"compiling part 0", "FAILED test_a.py::test_a - assert 1 == 2"}, 81},
		{"cargo build", noise + "error[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n" + noise + "[exit status 101]\n",
			[]string{"error[E0308]: mismatched types", " --> src/main.rs:4:5", "  |"}, 80},
		{"./mine", noise + "[exit status 3]\n", []string{"compiling part 37", "compiling part 38", "compiling part 39"}, 37},
		{"false", "[exit status 1]\n", nil, 0},
		{"false", "", nil, 0},
	} {
		lines, more := Failing(c.command, c.said, 12)
		var got []string
		for _, l := range lines {
			got = append(got, l.Text)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") || more != c.more {
			t.Errorf("%s: %d more than %q", c.command, more, got)
		}
	}
	if lines, more := Failing("x", strings.Repeat("a.go:1: error\n", 100), 12); len(lines) != 12 || more != 88 {
		t.Errorf("%d lines, %d more", len(lines), more)
	}
}

func TestCall(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./... exit 1 after 600ms": "go test ./... | exit 1 · 1.5 s",
		"ls ok in 20ms":                    "ls | 1.5 s",
		"read a.go:1-18":                   "Read a.go | 18 lines",
		"read a.go:5-5":                    "Read a.go:5 | 1 line",
		"edit a.go +2 -1":                  "Edited a.go | +2 −1",
		"write b.go (new) +9 -0":           "Wrote b.go (new) | +9 −0",
		"grep x, 3 lines in 1 file":        "Searched for x | 3 lines in 1 file",
		"ls docs, 4 names":                 "Listed docs | 4 names",
		"todo 0 of 2 done":                 "To do | 0 of 2 done",
		"job 1: go test":                   "job 1: go test | 1.5 s",
	} {
		did, came := Call(line, 1500*time.Millisecond)
		if got := did + " | " + came; got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
