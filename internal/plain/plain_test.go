package plain_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/plain"
)

// TestText takes most messages from where they come from, so that it fails when they change.
func TestText(t *testing.T) {
	_, missing := os.Open("no such.yaml")
	_, number := strconv.Atoi("many")
	_, large := strconv.Atoi("99999999999999999999")
	_, span := time.ParseDuration("soon")
	var list []string
	for want, err := range map[string]error{
		"read the script: no such file: no such.yaml":                    errors.Join(errors.New("read the script: " + missing.Error())),
		`"many" is not a number`:                                         number,
		`"99999999999999999999" is too large`:                            large,
		`"soon" is not a duration such as 90s or 5m`:                     span,
		`found "number", expected a list`:                                json.Unmarshal([]byte("3"), &list),
		"it is incomplete":                                               json.Unmarshal([]byte("["), &list),
		"invalid JSON near 'o'":                                          json.Unmarshal([]byte("no"), &list),
		"line 2: unknown key rulez":                                      errors.New("line 2: field rulez not found in type script.form"),
		"invalid JSON near 'x'":                                          json.Unmarshal([]byte("x"), &list),
		"d: near byte 0: it is incomplete":                               errors.New("d: near byte 0: " + io.ErrUnexpectedEOF.Error()),
		`line 1: found "3", expected a list`:                             errors.New("line 1: cannot unmarshal !!int `3` into []script.ruleForm"),
		`found "x", expected a section`:                                  errors.New("cannot unmarshal !!str `x` into script.form"),
		"network: no server answers at 127.0.0.1:1 (connection refused)": errors.New("network: dial tcp 127.0.0.1:1: connect: connection refused"),
		"host x.invalid not found, or no network":                        errors.New("dial tcp: lookup x.invalid on 10.0.0.1:53: no such host"),
		"--context d is a folder":                                        errors.New("--context d: is a directory"),
		"the panel ended without a decision: it is a tie":                errors.New("the panel ended without a decision: it is a tie"),
		"read C:\\a.txt: C:\\a.txt: permission denied":                   errors.New("read C:\\a.txt: open C:\\a.txt: permission denied"),
	} {
		if got := plain.Text(err.Error()); got != want {
			t.Errorf("%q became %q, not %q", err, got, want)
		}
	}
}

// TestLongTextStays: a program's output in a message is not read to its end, and nothing of it is lost.
func TestLongTextStays(t *testing.T) {
	long := strings.Repeat("é: no such file or directory\n", 4<<20/30)
	got := plain.Text("it printed: exit status 3\n" + long)
	if !strings.HasPrefix(got, "it printed: it ended with status 3\n") || !strings.HasSuffix(got, long[len(long)/2:]) {
		t.Errorf("%d bytes of %d: %.60s", len(got), len(long), got)
	}
}
