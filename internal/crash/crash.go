// Package crash writes a report of a fault of this program to a file, which the person may read and send. Nothing is ever sent.
//
// [Into] says where reports go; before it nothing is written. [Caught] makes an error of a recovered panic and
// writes its report; [Guard] does both around a function. [Noted] is for goroutines below somebody who recovers. A
// report has the version, the system, the first word of the command and the stack, cleaned; not the arguments,
// which a person wrote. The ten newest are kept. All functions are safe for concurrent use. Nothing here fails: if
// no report can be written, the error itself has the stack.
package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/release"
)

// Issues is where a report may be sent to.
const Issues = "https://" + release.Module + "/issues/new"

// most is how many reports are kept.
const most = 10

// reports of this process. dir is empty before Into.
var reports struct {
	sync.Mutex
	dir, last string
	clean     func(string) string
	count     int // of this process: two faults of one millisecond have two reports
}

// Into says where reports are kept, and what takes secrets and escapes out of them. Before it was called none are written.
func Into(dir string, clean func(string) string) {
	reports.Lock()
	defer reports.Unlock()
	reports.dir, reports.clean, reports.last = dir, clean, ""
}

// Last is the report that this process wrote last; empty: none.
func Last() string {
	reports.Lock()
	defer reports.Unlock()
	return reports.last
}

// Fault is a fault of the program that ended something.
type Fault struct {
	Text string
	File string // the report; empty: none could be written, and Text has the stack
	Err  error  // what it is besides; may be nil
}

// Error is the sentence for people, which names the report.
func (f *Fault) Error() string { return f.Text }

// Unwrap gives what the fault is besides; nil for most.
func (f *Fault) Unwrap() error { return f.Err }

// Caught is the error for a fault that was recovered from, of which it writes a report. It is called while the stack is still that of the
// fault, by what is deferred.
func Caught(fault any) *Fault {
	f := &Fault{Text: fmt.Sprintf("internal error: %v", fault), File: write(fault, debug.Stack())}
	if f.File == "" {
		f.Text += "\n" + string(debug.Stack())
	}
	return f
}

// Noted is deferred where somebody further up catches faults: it writes a report of one that passes by.
func Noted() {
	if fault := recover(); fault != nil {
		write(fault, debug.Stack())
		panic(fault)
	}
}

// Guard calls f, and returns a fault in it as an error.
func Guard(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = Caught(fault)
		}
	}()
	return f()
}

// write makes a report, and returns its path.
func write(fault any, stack []byte) string {
	reports.Lock()
	defer reports.Unlock()
	if reports.dir == "" {
		return ""
	}
	now := time.Now().UTC()
	here := build.Here()
	text := fmt.Sprintf("socrates %s crashed at %s\nsystem   %s, %s\ncommand  %s\nfault    %v\n\n"+
		"This file stays on your machine; nothing was sent. It contains no text from your conversations unless the fault above quotes\n"+
		"it: check before you send it to %s\n\n%s",
		here, now.Format(time.RFC3339), here.Target, here.Go, command(os.Args), fault, Issues, stack)
	reports.count++
	name := fmt.Sprintf("crash-%s-%d-%03d.txt", now.Format("20060102-150405.000"), os.Getpid(), reports.count)
	path := filepath.Join(reports.dir, name)
	if err := private.Replace(path, []byte(reports.clean(text))); err != nil {
		return ""
	}
	prune(reports.dir)
	reports.last = path
	return path
}

// command is what was started, without what a person wrote: socrates debate.
func command(args []string) string {
	if len(args) > 1 && strings.Trim(args[1], "abcdefghijklmnopqrstuvwxyz") == "" {
		return "socrates " + args[1]
	}
	return "socrates"
}

// prune keeps the newest reports. Their names rise with time.
func prune(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "crash-*.txt"))
	slices.Sort(names)
	for len(names) > most {
		err = errors.Join(err, os.Remove(names[0]))
		names = names[1:]
	}
	return err
}
