package proof

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// mostEmpty limits the output that Empty judges: of a longer one the beginning, where tests ran, may be missing.
const mostEmpty = 16 << 10

// Output of programs that ran no test and exited as if all had passed, and output about tests that ran: go test,
// cargo test, Python's unittest, mocha.
var (
	noTest = pattern.Of(`\[no test files\]|\[no tests to run\]|^running 0 tests$|^Ran 0 tests in |^\s*0 passing\b`)
	aTest  = pattern.Of(`^ok  \t|^\s*--- PASS|^running [1-9][0-9]* tests?$|^Ran [1-9][0-9]* tests? in |^\s*[1-9][0-9]* passing\b`)
)

// Empty reports from a check's output that it should have run tests and ran none.
func Empty(output string) bool {
	if len(output) > mostEmpty {
		return false
	}
	none := false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if noTest().MatchString(line) {
			none = true
		} else if aTest().MatchString(line) {
			return false
		}
	}
	return none
}

// shows reports whether a check of the change itself tested anything.
func shows(ran []Ran) bool {
	own := 0
	for _, r := range ran {
		if r.Own && !r.After.Empty {
			return true
		} else if r.Own {
			own++
		}
	}
	return own == 0
}
