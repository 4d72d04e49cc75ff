package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promises are rows of the design documents that were once different or missing here, each with the script or test that holds it now, or
// the line of docs/ that says why ours differs. A name without a folder is a script.
var promises = []struct{ row, file, holds string }{
	{"/debate --strategy=NAME in chat", "debatetyped", `/debate --strategy parallel --seat`},
	{"/debate --strategy=NAME on the screen", "screendebate", `type '/debate --strategy roundtable --files settings\.yaml`},
	{"/debate in a conversation has the options of the shell", "debatetyped", `/debate needs a value after --rounds`},
	{"hooks as a phase begins and ends", "hooked", `on: \[phase_start\]`},
	{"hooks around the phases of a run may change text", "workphases", `on: \[phase_start\]`},
	{"the moderator is chosen by seat or tier", "strategies", `--strategy refine --moderator right`},
	{"tiers of a vendor in a file", "designs", `tiers: \{small: gpt-6-luna`},
	{"a new provider: Bedrock", "cloud", `bedrock`},
	{"the sidebar lists sessions", "screenside", `see ' Recent`},
	{"run without a prompt says what it needs", "run", `stderr 'no prompt given'`},
	{"seats search the web", "websearch", `Seats search where debate\.web is on`},
	{"effort xhigh", "enums", `minimal, low, medium, high, xhigh or max`},
	{"a time limit for one program", "warm", `programs\.claude\.timeout`},
	{"a decision names one next step as a command", "designs", `(?m)^exec socrates debate show last --explain$`},
	{"the context has at most 15 lines", "docs/start.md", `Facts about the project take at most 15 lines`},
	{"of files over 500 lines the first and last 100", "docs/start.md", `A file is shown whole, or the lines you name, so that every quote`},
	{"/debate inside Claude Code", "test/plugin_test.go", `func TestPlugin`},
	{"a limit of requests that agents share", "internal/llm/pace/pace_test.go", `func Test`},
	{"--log-level, --log-format", "run", `--log-level must be off, error, warn, info or debug`},
	{"-q", "run", `socrates run -q`},
	{"init writes a config", "config_init", `socrates config init`},
	{"a plan by hand is executed", "execute", `execute \$WORK/hand\.md`},
	{"a program by its login changes files in the person's mode", "program_works", `--mode yolo --model claude`},
	{"a decision is planned, confirmed and executed from the screen", "screendebate", `press ctrl\+e`},
	{"results come back once a person accepts them", "flow", `socrates work accept`},
	{"a debate goes on with the next question", "follow", `socrates debate --follow last`},
	{"/context add in a debate", "follow", `socrates debate tell last '/context add`},
	{"files of the conversation reach its debate", "debatetyped", `/context add cache\.go`},
	{"the context and seats beside the panels, by key", "screendebate", `press f2`},
	{"/new debate NAME", "screendebate", `type '/new debate`},
	{"who sits in this debate", "screendebate", `type '/add script:d\.yaml'`},
	{"consensus_reached, also where a person decides", "events", `\^consensus_reached .*"exit_code":12`},
	{"the path of a program", "warm", `programs\.claude\.path is`},
	{"the status abandoned", "blocked", `"abandoned"`},
	{"/context shows the path from the root", "treefork", `(?m)^/context$`},
	{"/branches at a node", "treefork", `(?m)^/branches here$`},
	{"/switch NODE", "treefork", `(?m)^/switch HEAD~1$`},
	{"/export to a file in a pipe", "chat", `(?m)^/export said\.md$`},
	{"the tree is drawn with └──", "tree", `└─User`},
	{"all handles of a path at once", "treefork", `socrates tree resolve --all`},
	{"other front ends", "serve", `socrates serve`},
}

// Every promise has what holds it. That it does is for the scripts to say: this finds one that was taken away.
func TestDesigns(t *testing.T) {
	for _, p := range promises {
		file := filepath.FromSlash(p.file)
		if !strings.Contains(p.file, "/") {
			file = filepath.Join("test", "testdata", "script", p.file+".txtar")
		}
		if text, err := os.ReadFile(file); err != nil || !regexp.MustCompile(p.holds).Match(text) {
			t.Errorf("%s: %s has no %s (%v)", p.row, file, p.holds, err)
		}
	}
}
