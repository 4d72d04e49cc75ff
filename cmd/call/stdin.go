package call

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyboard"
)

// maxStdin limits what is read from stdin.
const maxStdin = 1 << 20

// Question builds the question from the arguments, stdin, or both (arguments are the question, stdin is data, fenced
// after it). It waits for an open but silent stdin only if "-" or --stdin says so, or if there is nothing else. Both
// may be empty without an error; the caller knows whether a question is required.
func (a *Call) Question(args []string, wait bool) (string, error) {
	q, data, err := a.Prompt(args, wait)
	if q == "" || err != nil {
		return data, err
	}
	return motion.With(q, data), nil
}

// Prompt is Question with the question and the data apart. Programs start us with a stdin that is open and never
// written to, and a read of it would hang forever. So only a file, a pipe with data or explicitly requested stdin is
// read to its end. A terminal is read only on explicit request.
func (a *Call) Prompt(args []string, wait bool) (q, data string, err error) {
	if len(args) > 0 && args[len(args)-1] == "-" {
		args, wait = args[:len(args)-1], true
	}
	q = strings.TrimSpace(strings.Join(args, " "))
	patience := 200 * time.Millisecond
	if q == "" {
		patience = 3 * time.Second
	}
	switch info, err := a.In.Stat(); {
	case err != nil || info.Mode()&os.ModeCharDevice != 0 && !(wait && term.IsTerminal(int(a.In.Fd()))):
	case wait || info.Mode().IsRegular() || keyboard.Readable(a.In, patience):
		raw, err := io.ReadAll(io.LimitReader(a.In, maxStdin+1))
		if err != nil {
			return "", "", fmt.Errorf("read stdin: %w", err)
		}
		if len(raw) > maxStdin {
			return "", "", failure.Usage(fmt.Sprintf("stdin is larger than %d kB", maxStdin>>10), "pass files with --files instead")
		}
		data = strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD"))
	case info.Mode()&os.ModeNamedPipe != 0 && q != "":
		a.Out.Warn("stdin is open but has no data, so it is ignored; to wait for data, add --stdin")
	}
	return q, data, nil
}
