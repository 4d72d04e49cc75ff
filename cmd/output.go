package cmd

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/llm"
)

// streamVersion is the version of the lines of stream-json and of records.
const streamVersion = "socrates.stream/1"

// line writes one object as a line of JSON on stdout.
func (a *app) line(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("cmd: " + err.Error())
	}
	a.out.Write(append(raw, '\n'))
}

// printJSON writes an indented value on stdout.
func (a *app) printJSON(v any) error {
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

// tell writes a debate's result in the chosen format and returns the error that carries its exit code.
func (a *app) tell(res debate.Result) error {
	switch a.format {
	case "json":
		if err := a.printJSON(newTerminal(res)); err != nil {
			return err
		}
	case "stream-json":
		a.line(newTerminal(res))
	default:
		fmt.Fprint(a.out, res.Decision)
	}
	a.told = true
	if res.ExitCode == exitOK {
		return nil
	}
	hint := ""
	if !res.Outcome.Decision() {
		hint = "see why with: socrates debate show " + res.Room + " --explain"
	}
	return &failure{res.ExitCode, string(res.Outcome), fmt.Sprintf("%s: %s", res.Outcome, res.Why), hint}
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
