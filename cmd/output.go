package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/llm"
)

// streamVersion is the version of the lines of stream-json and of records.
const streamVersion = "socrates.stream/1"

// head is what every line of a stream has.
type head struct {
	Seq     int64     `json:"seq"`
	TS      time.Time `json:"ts"`
	Session string    `json:"session"`
}

// head numbers the next line of the stream.
func (a *app) head() head {
	a.seq++
	return head{a.seq, time.Now().UTC().Truncate(time.Millisecond), a.room}
}

// line writes one object as a line of JSON on stdout.
func (a *app) line(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(raw, '\n'))
	return err
}

// printJSON writes the one value a command has to say on stdout: indented, or a line where lines are wanted.
func (a *app) printJSON(v any) error {
	a.told = true
	if a.format == "stream-json" {
		return a.line(v)
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(raw, '\n'))
	return err
}

// terminal is the one last object of json and stream-json.
type terminal struct {
	Type   string `json:"type"`
	Status string `json:"status"` // ok, error, limit, denied, cancelled
	Reason string `json:"reason"` // one word
	debate.Result
	Answer  string               `json:"answer"`
	Usage   map[string]llm.Usage `json:"usage"` // by model
	Turns   int                  `json:"turns"`
	Denied  []string             `json:"denied"`
	Changed []string             `json:"files_changed"`
	Resume  string               `json:"resume"`
}

func newTerminal(res debate.Result) terminal {
	t := terminal{Type: "result", Status: "ok", Reason: string(res.Outcome), Result: res, Answer: res.Decision,
		Usage: map[string]llm.Usage{}, Denied: []string{}, Changed: []string{}, Resume: res.Room}
	for _, s := range res.Seats {
		t.Usage[s.Model] = t.Usage[s.Model].Add(s.Usage)
		t.Turns += s.Calls
		t.Changed = append(t.Changed, s.Wrote...) // of its copy: a seat cannot reach the project
	}
	for _, k := range res.Checks {
		if k.Kind == "command" && k.Result == verdict.Skipped {
			t.Denied = append(t.Denied, strings.Join(k.Command, " ")+": "+k.Detail)
		}
	}
	if !res.Ended {
		t.Status, t.Reason = "cancelled", "unfinished"
		return t
	}
	switch res.ExitCode {
	case exitOK, 10, 11:
	case exitLimit:
		t.Status = "limit"
	default:
		t.Status = "error"
	}
	return t
}

// failed is the one last object when a command could not do what it was to do.
type failed struct {
	Type   string `json:"type"`
	Status string `json:"status"` // error, limit or cancelled
	Reason string `json:"reason"`
	Code   int    `json:"exit_code"`
	Error  string `json:"error"`
	Hint   string `json:"hint"`
	Resume string `json:"resume"` // the debate that can go on; empty: there is none
}

func newFailed(f *failure, room string) failed {
	t := failed{"result", "error", f.reason, f.code, f.message, f.hint, room}
	switch f.code {
	case exitLimit:
		t.Status = "limit"
	case exitInterrupted, exitTerminated, exitHungUp:
		t.Status = "cancelled"
	}
	return t
}

// last writes the last object of json or stream-json: a terminal or a failed.
func (a *app) last(v any) error {
	a.told = true
	switch v := v.(type) {
	case terminal:
		if a.format == "stream-json" {
			return a.line(struct {
				head
				terminal
			}{a.head(), v})
		}
	case runResult:
		if a.format == "stream-json" {
			return a.line(struct {
				head
				runResult
			}{a.head(), v})
		}
	case failed:
		if a.format == "stream-json" {
			return a.line(struct {
				head
				failed
			}{a.head(), v})
		}
	}
	return a.printJSON(v)
}

// tell writes a debate's result in the chosen format and returns the error that carries its exit code.
func (a *app) tell(res debate.Result) error {
	if a.format == "text" {
		if err := a.out.raw(a.page(a.clean(res.Decision))); unread(err) != nil {
			return err
		}
		if isTerminal(os.Stdout) && res.Outcome.Decision() { // the answer has scrolled away
			a.tellPerson(fmt.Sprintf("\n%s: %s (%s, score %.2f)\n", res.Winner, winner(res), res.Outcome, res.Score.Value))
		}
	} else if err := a.last(newTerminal(res)); unread(err) != nil {
		return err
	}
	if res.ExitCode == exitOK {
		return nil
	}
	hint := ""
	if !res.Outcome.Decision() {
		hint = "see why with: socrates debate show " + res.Room + " --explain"
		if len(res.Options) > 1 && len(res.Blocked) == 0 {
			hint += "; choose yourself with: socrates debate tell " + res.Room + " /choose " + res.Options[0].Key
		}
		for _, s := range res.Seats {
			if s.Reason == debate.Interrupted {
				hint = "you ended the round before enough seats had answered; ask those again with: socrates debate fork " + res.Room
			}
		}
	}
	return &failure{res.ExitCode, string(res.Outcome), fmt.Sprintf("%s: %s", res.Outcome, res.Why), hint}
}

// unread is the error of a result that could not be written, unless nobody reads it any longer: what came of it is what counts.
func unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func ago(t time.Time) string {
	switch d := time.Since(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.Local().Format("2006-01-02")
}

// winner is the text of the option that won.
func winner(res debate.Result) string {
	for _, o := range res.Options {
		if o.Key == res.Winner {
			return o.Text
		}
	}
	return ""
}
