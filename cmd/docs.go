package cmd

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/cmd/debate"
	"github.com/socrates-cli/socrates/cmd/door"
	"github.com/socrates-cli/socrates/cmd/eval"
	"github.com/socrates-cli/socrates/cmd/fleet"
	"github.com/socrates-cli/socrates/cmd/screen"
	"github.com/socrates-cli/socrates/cmd/setup"
	"github.com/socrates-cli/socrates/cmd/talk"
	"github.com/socrates-cli/socrates/cmd/work"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// Docs returns the pages of docs/ that are generated from the code, by file name. The same code gives the same bytes,
// so a test can compare them with the files of docs/.
func Docs() map[string]string {
	a := call.New()
	root, doors := newRoot(a, fleet.Program{}), door.New(a, nil, nil)
	var commands strings.Builder
	commands.WriteString("# Commands\n\nGenerated from the program; same as `socrates COMMAND --help`.\n")
	commandPage(&commands, root)
	var codes strings.Builder
	codes.WriteString("# Exit codes\n\nThey are the same in text and JSON mode.\n\n| code | meaning |\n|---|---|\n")
	for _, c := range failure.Codes {
		fmt.Fprintf(&codes, "| %d | %s |\n", c.Code, c.Meaning)
	}
	var strategies strings.Builder
	strategies.WriteString("# Strategies\n\nA strategy is how the seats talk before they vote. All strategies share one ledger and one " +
		"verdict. Each page shows a recorded debate.\n\n| | |\n|---|---|\n")
	for _, s := range strategy.All() {
		fmt.Fprintf(&strategies, "| [%s](strategies/%s.md) | %s |\n", s.Name, s.Name, s.Doc)
	}
	return map[string]string{"commands.md": commands.String(), "exit-codes.md": codes.String(), "settings.md": setting.Reference(),
		"strategies.md": strategies.String(), "phases.md": setup.New(a).PhasesPage(), "chat.md": talk.New(a, nil, nil).Page(),
		"mcp-serve.md": doors.Page(), "http.md": doors.HTTPPage(), "screen.md": screen.New(a, nil).Page(),
		"debate.schema.json": schemaPage(room.Schema()), "eval.schema.json": schemaPage(eval.New(a, nil).Schema()),
		"work.schema.json": schemaPage(work.New(a, nil).Schema())}
}

// StrategyPage returns the page of docs/ on a strategy. decision is the result of its example, as Markdown.
func StrategyPage(name, decision string) string {
	s, _ := strategy.Find(name)
	fence := "```"
	return fmt.Sprintf("# %s\n\n%s.\n\n%s\n\n%s\n\n%ssh\nsocrates debate --strategy %s \"…\"\n"+
		"socrates debate --replay examples/%s/debate.jsonl   # replay the debate below\n%s\n\n## Result\n\n"+
		"Decided by the rehearsal panel in a small project; the record is in [examples/%s](../../examples/%s).\n%s",
		s.Name, strings.ToUpper(s.Doc[:1])+s.Doc[1:], s.When, debate.New(nil, nil, nil).StrategyFacts(s), fence, s.Name, s.Name, fence,
		s.Name, s.Name,
		strings.ReplaceAll("\n"+decision, "\n#", "\n###"))
}

// schemaPage formats a schema as a file. A schema that cannot be made is a mistake in a type of ours, which no run of
// the program meets: hence the panic.
func schemaPage(schema *jsonschema.Schema, err error) string {
	var page string
	if err == nil {
		page, err = out.Indented(schema)
	}
	if err != nil {
		panic("cmd: " + err.Error())
	}
	return page
}

// commandPage writes a command and those below it.
// Hidden commands are left out: they are how the program starts itself.
func commandPage(b *strings.Builder, c *cobra.Command) {
	if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
		return
	}
	c.LocalFlags() // adds the flags of its parents to the command
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), cmp.Or(c.Long, c.Short), c.UseLine())
	if c.Example != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", c.Example)
	}
	var rows []string
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		name, text := pflag.UnquoteUsage(f)
		rows = append(rows, fmt.Sprintf("| `--%s` %s | %s |\n", f.Name, name, strings.ReplaceAll(text, "|", "\\|")))
	})
	if len(rows) > 0 {
		sort.Strings(rows)
		b.WriteString("\n| flag | |\n|---|---|\n" + strings.Join(rows, ""))
	}
	for _, s := range c.Commands() {
		commandPage(b, s)
	}
}
