package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/scratch"
)

// Level says how well something is enforced.
type Level string

const (
	Held    Level = "held"    // by the operating system
	Watched Level = "watched" // compared afterwards: see Rules.Watched
	None    Level = "none"    // not at all: whoever reports it says so
)

// Hold is one kind of rule: how well it is enforced here, and that as a sentence for a person, without a full stop.
type Hold struct {
	Level Level  `json:"level"`
	Say   string `json:"say"`
}

// Report is what this machine enforces, as doctor shows it and as settings that depend on it read it.
type Report struct {
	Files   Hold `json:"files"`
	Protect Hold `json:"protect"`
	Network Hold `json:"network"`
}

// tryMarker makes this program try, under rules, what a program should not be able to do.
const tryMarker = "sandbox-try"

// The child is this program again: in it, the trial must run before main reads the arguments as a command.
func init() {
	if len(os.Args) == 4 && os.Args[1] == tryMarker {
		fmt.Println(strings.Join(try(os.Args[2], os.Args[3]), " "))
		os.Exit(0)
	}
}

// Probe tests in a child what this machine enforces, instead of asking for the kernel's version: a compiled-in feature
// can be switched off, and an enabled one can be filtered in a container. It starts one or two processes: callers cache
// the result.
func Probe(ctx context.Context) Report {
	could, err := probe(ctx, false)
	protect := Hold{Held, "protected files cannot be changed"}
	if e, ok := errors.AsType[*Unprotected](err); ok {
		could, err = probe(ctx, true)
		protect = Hold{Watched, "protected files can be changed (detected afterwards), because " + e.Why.Error()}
	}
	if err != nil {
		no := Hold{None, err.Error()}
		return Report{no, no, no}
	}
	judge := func(h Hold, forbidden ...string) Hold {
		for _, f := range forbidden {
			if slices.Contains(could, f) {
				return Hold{None, "not effective: a sandboxed program could " + strings.ReplaceAll(f, "-", " ")}
			}
		}
		return h
	}
	if protect.Level == Held {
		protect = judge(protect, "write-protected")
	}
	return Report{
		Files: judge(Hold{Held, "active: writes limited to the project, secrets hidden"}, "write-outside", "create-outside",
			"read-denied"),
		Protect: protect,
		Network: judge(Hold{Held, "network off unless allowed"}, "connect"),
	}
}

// probe returns what a child could do under rules that allow it to write in one folder. An error: there is no sandbox,
// or it allows nothing, which would be as useless.
func probe(ctx context.Context, watched bool) ([]string, error) {
	temp, err := scratch.New("sandbox")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	dir := temp.Path
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, err
	}
	for _, name := range []string{"outside", "denied", "work/protected"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			return nil, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	port, done, err := listen()
	if err != nil {
		return nil, err
	}
	defer done()
	cmd := exec.CommandContext(ctx, self, tryMarker, dir, strconv.Itoa(port))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	run, err := Command(cmd, Rules{Write: []string{work}, Deny: []string{filepath.Join(dir, "denied")}, Watched: watched,
		Protect: []string{filepath.Join(work, "protected")}})
	if err != nil {
		return nil, err
	}
	out, err := cmd.Output()
	_, failed := run.End()
	if err != nil {
		return nil, fmt.Errorf("a sandboxed program does not start: %s", reason(stderr.Bytes(), err))
	}
	could := strings.Fields(string(out))
	if !slices.Contains(could, "work") {
		return nil, errors.New("a sandboxed program cannot write where it is allowed to")
	}
	return could, failed
}

// try names what can be done in the folder that probe created, and with the port it opened.
func try(dir, port string) (could []string) {
	number, _ := strconv.Atoi(port)
	for _, t := range []struct {
		name string
		do   func() error
	}{
		{"work", func() error { return os.WriteFile(filepath.Join(dir, "work", "new"), nil, 0o600) }},
		{"write-outside", func() error { return os.WriteFile(filepath.Join(dir, "outside"), nil, 0o600) }},
		{"create-outside", func() error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) }},
		{"read-denied", func() error { _, err := os.ReadFile(filepath.Join(dir, "denied")); return err }},
		{"write-protected", func() error { return os.WriteFile(filepath.Join(dir, "work", "protected"), nil, 0o600) }},
		{"connect", func() error { return connect(number) }},
	} {
		if t.do() == nil {
			could = append(could, t.name)
		}
	}
	return could
}

// reason is a program's last message, or how it ended.
func reason(said []byte, err error) string {
	if said := strings.TrimSpace(string(said)); said != "" {
		return said
	}
	return err.Error()
}
