package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// place is where a client stands in a debate.
type place struct {
	room string
	cursor
	notes []string // warnings from the start
}

// cursor is how far a client was told. It counts waits too, so that no two calls are the same: some clients take equal calls for a loop
// and stop their model.
type cursor struct {
	node  int64 // the number of the last node
	waits int
}

func (c cursor) String() string { return fmt.Sprintf("%d-%d", c.node, c.waits) }

// cursorOf reads one that a client hands back. Of anything else it is told from the beginning.
func cursorOf(text string) (c cursor) {
	fmt.Sscanf(text, "%d-%d", &c.node, &c.waits)
	return c
}

// The lines with which a process that runs a debate says which one it is: the first names it, the last says that all warnings are out.
const (
	Begins = "start"
	Holds  = "holds"
)

// line is what is read of a started program's stream.
type line struct {
	Type    string `json:"type"`
	Session string `json:"session"`
	Message string `json:"message"`
	Error   string `json:"error"`
	Hint    string `json:"hint"`
}

// start has a process of its own run the debate and returns once its name is on disk. That process leads a session: it goes on if
// this one, the client or their terminal ends.
func (d *door) start(ctx context.Context, in Ask, p *progress) (place, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return place{}, err
	}
	argv := append(d.Program[1:len(d.Program):len(d.Program)], "mcp", "host", "--output", "stream-json")
	cmd := exec.Command(d.Program[0], argv...)
	cmd.Dir, cmd.Stdin = d.Dir, bytes.NewReader(raw)
	detach(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return place{}, err
	}
	if err := cmd.Start(); err != nil {
		return place{}, fmt.Errorf("start the debate: %w", err)
	}
	defer p.every(d.beat)()
	type begun struct {
		at  place
		err error
	}
	done := make(chan begun, 1)
	go func() {
		at, err := begin(bufio.NewScanner(stdout))
		done <- begun{at, err}
		stdout.Close() // nobody reads on: the debate is followed in the store
		cmd.Wait()
	}()
	select {
	case b := <-done:
		return b.at, b.err
	case <-ctx.Done():
		return place{}, context.Cause(ctx)
	}
}

// begin reads a stream up to the debate's first node, and takes its warnings.
func begin(lines *bufio.Scanner) (at place, err error) {
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue
		}
		switch l.Type {
		case Begins:
			at.room = l.Session
		case "warning":
			at.notes = append(at.notes, l.Message)
		case Holds:
			return at, nil
		case "result":
			return at, errors.New(strings.TrimSuffix(l.Error+"; "+l.Hint, "; "))
		}
	}
	if at.room == "" {
		err = errors.New("the debate did not start; try it in a terminal: socrates debate")
	}
	return at, err
}

// sayTo has another process of this program tell a debate something, and waits for it. It is not cut off halfway.
func (d *door) sayTo(ctx context.Context, room, text string) error {
	argv := append(d.Program[1:len(d.Program):len(d.Program)], "debate", "tell", "--output", "json", "--", room, text)
	cmd := exec.Command(d.Program[0], argv...)
	cmd.Dir = d.Dir
	detach(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= 10 { // the verdict's
			return nil
		}
		if err != nil {
			return errors.New(strings.TrimSpace(strings.TrimPrefix(d.Clean(stderr.String()), "socrates: ")))
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
