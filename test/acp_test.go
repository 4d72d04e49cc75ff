package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// editor is a client of `socrates acp` over pipes, as an editor is one.
type editor struct {
	in       io.WriteCloser
	answers  chan answer // to its requests
	received chan string // what it was told, a line each, and what it was asked
	log      []string    // of it, what came since the last request
	picks    []string    // the options that its person picks, one after the other, the last one for good; without one the first
	serial   int
	over     chan error
}

// answer is how a request ended.
type answer struct {
	result, failure json.RawMessage
	received        []string // before it
}

// editorKey is where a script keeps its editor.
type editorKey struct{}

// edits drives an editor that speaks the Agent Client Protocol with `socrates acp`; $VARIABLES stand in its JSON:
//
//	acp open [FLAGS...]            starts the agent
//	acp call METHOD JSON           a request; its result goes to stdout, what the editor was told until then to stderr
//	acp fail METHOD JSON           a request that must fail; the error goes to stdout
//	acp begin METHOD JSON          a request whose answer is waited for later, by acp end
//	acp note METHOD JSON           a notification
//	acp await TEXT                 waits until the editor is told something with TEXT in it
//	acp pick OPTION...             what its person answers to permissions from here on, one after the other
//	acp send TEXT                  a line as it is; what is answered goes to stdout
//	acp end                        waits for what begin asked
//	acp close                      closes the pipe and waits for the end of the agent
func edits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: acp VERB …")
	}
	all := ts.Value(editorKey{}).(map[string]*editor)
	if args[0] == "open" {
		all["editor"] = openEditor(ts, args[1:])
		return
	}
	e := all["editor"]
	switch args[0] {
	case "call", "fail":
		e.ask(ts, args[1], args[2])
		e.answered(ts, args[0] == "fail")
	case "begin":
		e.ask(ts, args[1], args[2])
	case "end":
		e.answered(ts, false)
	case "note":
		e.send(ts, map[string]any{"method": args[1], "params": json.RawMessage(os.Expand(args[2], ts.Getenv))})
	case "send":
		_, err := io.WriteString(e.in, args[1]+"\n")
		ts.Check(err)
		e.answered(ts, true)
	case "await":
		e.await(ts, args[1])
	case "pick":
		e.picks = args[1:]
	case "close":
		ts.Check(e.in.Close())
		ts.Check(<-e.over)
	default:
		ts.Fatalf("unknown verb %s", args[0])
	}
}

func openEditor(ts *testscript.TestScript, flags []string) *editor {
	e := &editor{answers: make(chan answer, 100), received: make(chan string, 10_000), over: make(chan error, 1)}
	cmd := background(ts, append([]string{"socrates", "acp"}, flags...))
	var err error
	e.in, err = cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { cmd.Process.Kill() })
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			e.take(lines.Bytes())
		}
		close(e.answers)
		e.over <- cmd.Wait()
	}()
	return e
}

// take takes a line of the agent's. A permission is answered at once.
func (e *editor) take(line []byte) {
	var m struct {
		ID, Params, Result, Error json.RawMessage
		Method                    string
	}
	if err := json.Unmarshal(line, &m); err != nil {
		e.received <- "NOT JSON: " + string(line)
		return
	}
	if m.Method == "" {
		e.answers <- answer{m.Result, m.Error, e.drained()}
		return
	}
	e.received <- m.Method + " " + string(m.Params)
	if m.Method != "session/request_permission" {
		return
	}
	var asked struct{ Options []struct{ OptionID string } }
	json.Unmarshal(m.Params, &asked)
	picked := asked.Options[0].OptionID
	if len(e.picks) > 0 {
		picked = e.picks[0]
		e.picks = e.picks[min(1, len(e.picks)-1):]
	}
	outcome := map[string]any{"outcome": "selected", "optionId": picked}
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"outcome": outcome}})
	e.in.Write(append(raw, '\n'))
}

func (e *editor) send(ts *testscript.TestScript, m map[string]any) {
	m["jsonrpc"] = "2.0"
	raw, err := json.Marshal(m)
	ts.Check(err)
	_, err = e.in.Write(append(raw, '\n'))
	ts.Check(err)
}

func (e *editor) ask(ts *testscript.TestScript, method, params string) {
	e.drained()
	e.log = nil
	e.serial++
	e.send(ts, map[string]any{"id": e.serial, "method": method, "params": json.RawMessage(os.Expand(params, ts.Getenv))})
}

// answered hands the next answer to the script, with what was heard before it.
func (e *editor) answered(ts *testscript.TestScript, fails bool) {
	select {
	case m, open := <-e.answers:
		if !open {
			ts.Fatalf("the agent ended")
		}
		e.log = append(e.log, m.received...)
		fmt.Fprintln(ts.Stderr(), strings.Join(e.log, "\n"))
		fmt.Fprintf(ts.Stdout(), "%s%s\n", m.result, m.failure)
		if failed := m.failure != nil; failed != fails {
			ts.Fatalf("an error is %t, not %t: %s", failed, fails, m.failure)
		}
	case <-time.After(time.Minute):
		ts.Fatalf("no answer came")
	}
}

// drained is what was heard by now, and not taken yet.
func (e *editor) drained() (lines []string) {
	for {
		select {
		case line := <-e.received:
			lines = append(lines, line)
		default:
			return lines
		}
	}
}

// await wants something with a text in it to be heard since the last request, and hands the script all that was.
func (e *editor) await(ts *testscript.TestScript, text string) {
	late := time.After(time.Minute)
	for !slices.ContainsFunc(e.log, func(line string) bool { return strings.Contains(line, text) }) {
		select {
		case line := <-e.received:
			e.log = append(e.log, line)
		case <-late:
			ts.Fatalf("nobody said %s", text)
		}
	}
	fmt.Fprintln(ts.Stderr(), strings.Join(e.log, "\n"))
}
