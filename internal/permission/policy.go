package permission

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Policy is the basis of decisions. The zero value allows only harmless commands. It is a value: copy it to change it,
// and share it only while nobody does.
type Policy struct {
	Mode      Mode
	Workspace []string // folders that may be changed, absolute and without links; the first is the project
	Temp      []string // folders for temporary files
	Home      string
	Rules     []Rule
	Grants    []Grant
	// Only are globs of the files below the project that may be written; empty: no additional limit.
	Only []string
	// Confined means that there is a sandbox: started programs cannot write outside the workspace, reach the network
	// nor read files at the top of the workspace that may contain secrets. Deep means that it hides such files at any
	// depth. Reaches means that it can restrict programs to a list of hosts.
	Confined, Deep, Reaches bool
	// Tainted means that the conversation has read what strangers wrote: what could send a secret needs approval in every mode.
	Tainted bool
	// Fetched are the files, and with a slash at their end the folders, that came from outside: see Changed. Reviewed reports whether the
	// person has reviewed one since; nil: none. Abroad are such files of other projects.
	Fetched, Abroad []string
	Reviewed        func(path string) bool
	// Decided are the files, links followed, that the decision about a starting command covered: see Needs. Nil: all that its words lead
	// to.
	Decided []string
	// Closed means that nobody decides about what is run: it gets only its workspace, whatever its words, or scripts it runs, name.
	Closed bool
	Caches string   // where programs cache build results, instead of a folder by workspace
	Layers []string // the first stores programs' changes to caches, on top of those in the others; none: changes are kept
	// Ignored returns those of some files of the project that git ignores, so that no snapshot contains them. Nil: it is not known.
	Ignored func(paths []string) ([]string, error)
}

// Unasked reports whether a program that no call asked for may start: there is a sandbox, mode and rules allow it, and it brings in
// nothing that strangers wrote.
func (p Policy) Unasked(cmd *exec.Cmd) bool {
	c := shell.Command{Argv: cmd.Args, Dir: cmd.Dir, Text: strings.Join(cmd.Args, " ")}
	d := p.Judge("bash", tool.Act{Effect: tool.Runs, Command: &c, Program: cmd.Path, Argv: c.Argv, Dir: c.Dir, Text: c.Text})
	return p.Confined && d.Verdict == Allow && !d.Brings()
}

// Judge decides about the acts of one call, in the order of the package comment. It asks nobody and records nothing.
func (p Policy) Judge(name string, acts ...tool.Act) Decision {
	var parts []Part
	for _, a := range acts {
		parts = append(parts, p.act(name, a)...)
	}
	if rule, found := p.Named(name); found {
		for i := range parts {
			if weight[rule.Verdict] > weight[parts[i].Verdict] && (rule.Verdict == Deny || !p.grantedOnce(parts[i])) {
				parts[i].Verdict, parts[i].Rule = rule.Verdict, rule.String()
				parts[i].Reason, parts[i].askEachTime = ruleReason[rule.Verdict], true
			}
		}
	}
	return decide(parts)
}

// grantedOnce reports whether the person allowed exactly this in the current call.
func (p Policy) grantedOnce(part Part) bool {
	a := part.Act
	return slices.ContainsFunc(p.Grants, func(g Grant) bool {
		switch {
		case !g.Once || g.Tool != part.Tool:
			return false
		case len(g.Argv) > 0:
			return a.Unknown == "" && slices.Equal(g.Argv, a.Argv) && g.Dir == a.Dir
		case g.Path != "":
			return g.Path == a.Path && g.Reads == (a.Effect == tool.Reads)
		}
		return g.URL != "" && g.URL == a.URL
	})
}

// Named returns the rule that denies or asks about every call of a tool, whatever it does; such a rule has no pattern.
func (p Policy) Named(name string) (best Rule, found bool) {
	for _, rule := range p.Rules {
		if rule.Verdict != Allow && rule.all() && rule.IsOf(name) && (!found || weight[rule.Verdict] > weight[best.Verdict]) {
			best, found = rule, true
		}
	}
	return best, found
}

// allowsTool returns the rule that allows every call of a tool.
func (p Policy) allowsTool(name string) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool {
		return r.Verdict == Allow && !r.Project && r.Tool != "bash" && r.all() && r.IsOf(name)
	})
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// Guarded wraps a tool so that a rule about the tool itself stops its calls, even if the tool would ask nobody.
func Guarded(t tool.Tool, policy func() Policy) tool.Tool {
	if t.Effect != tool.Reads && t.Effect != tool.Talks { // others are judged by what they do
		return t
	}
	run := t.Run
	t.Run = func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
		if _, found := policy().Named(t.Name); found {
			if err := env.May(ctx, tool.Act{Effect: tool.Talks, Text: t.Name + " " + string(args)}); err != nil {
				return tool.Output{}, err
			}
		}
		return run(ctx, args, env)
	}
	return t
}

// Hides returns a function that reports whether a rule, by denying or asking, keeps a file of the project from the
// tools that read without asking. path is absolute. Nil: no rule does.
func (p Policy) Hides() func(path string) bool {
	var rules []Rule
	for _, rule := range p.Rules {
		if rule.Tool == "read" && rule.Verdict != Allow {
			rules = append(rules, rule)
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return func(path string) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return p.globs(r, subject{path: path}) })
	}
}

// act splits one act into parts. A script has many; everything else has one.
func (p Policy) act(name string, a tool.Act) []Part {
	switch a.Effect {
	case tool.Talks:
		return []Part{{Text: cmp.Or(a.Text, name), Verdict: Allow, Reason: "changes nothing outside the conversation", Act: a}}
	case tool.Keeps:
		return []Part{p.note(name, a)}
	case tool.Reads, tool.Writes:
		k := reads
		if a.Effect == tool.Writes {
			k = writes
			if a.Lost != "" {
				k = deletes
			}
		}
		return []Part{p.rate(subject{tool: name, path: a.Path, text: a.Path, act: a}, risk{k, a.Path, a.Lost})}
	case tool.Sends:
		s := subject{tool: name, url: a.URL, text: cmp.Or(a.Text, a.URL), argv: a.Argv, dir: a.Dir, known: true, act: a}
		return []Part{p.rate(s, risk{sends, "", "contacts " + hostOf(a.URL)})}
	}
	if a.Script != nil {
		return p.Parsed(a.Script).Parts
	}
	if a.Command != nil && a.Command.Own {
		return []Part{p.ownFunction(*a.Command)}
	}
	if a.Command != nil {
		return []Part{p.Command(*a.Command, a.Program)}
	}
	if name != "bash" && name != "git_commit" && len(a.Argv) > 0 { // a tool of another vendor: only its name is known
		r := risk{sends, "", "effect of " + name + " is unknown; it may send its input elsewhere"}
		if a.Local {
			r = risk{runs, "", "effect of " + name + " is unknown"}
		}
		part := p.rate(subject{tool: name, text: a.Text, argv: a.Argv, dir: a.Dir, known: a.Unknown == "", act: a}, r)
		part.Brings = true
		return []Part{part}
	}
	c := shell.Command{Argv: a.Argv, Dir: a.Dir, Unknown: a.Unknown, Text: cmp.Or(a.Text, shell.Quote(a.Argv))}
	part := p.Command(c, "")
	if rule, ok := p.allowsTool(name); ok && part.Verdict == Ask && part.Lost == "" && !part.askEachTime {
		part.Verdict, part.Rule = Allow, rule.String()
	}
	return []Part{part}
}

// Script decides about a shell script before it runs.
func (p Policy) Script(text string, at shell.Context) Decision {
	at.Held = p.Confined
	script, err := shell.Read(text, at)
	if err != nil {
		v := Ask
		if p.Mode == Plan || strings.Contains(err.Error(), "are not analysed") {
			v = Deny
		}
		return decide([]Part{{Text: text, Verdict: v, Reason: err.Error()}})
	}
	return p.Parsed(script)
}

// Parsed decides about a script that was read.
func (p Policy) Parsed(script *shell.Script) Decision {
	var parts []Part
	named := map[string]bool{} // before its definition, a name still has its earlier meaning
	for _, c := range script.Commands {
		part := p.Command(c, "")
		if c.Function == "" && len(c.Argv) > 0 && named[c.Argv[0]] {
			part = p.ownFunction(c)
		}
		if c.Function != "" {
			named[c.Function] = true
		}
		if written := writesTo(c); len(written) > 0 && part.Reads {
			if part.Reads = false; part.Verdict == Allow {
				part.Reason = "writes " + strings.Join(written, ", ")
			}
		}
		parts = append(parts, part)
		parts = append(parts, p.redirects(c)...)
	}
	return decide(parts)
}

// ownFunction is the verdict about a call of a function that the script itself defines: its body is judged where it is defined, but a name
// that already has a meaning must not get another. See shell.Command.Own.
func (p Policy) ownFunction(c shell.Command) Part {
	if isKnownCommand(c.Argv[0]) {
		return p.verdict(subject{tool: "bash", text: c.Text}, []risk{{unclear, "", "the script redefines " + c.Argv[0]}})
	}
	defined := []risk{{kind: safe, why: "function defined in the script"}}
	return p.verdict(subject{tool: "bash", text: c.Text}, append(defined, analyzer{site: site{p, c.Dir}}.assignments(c)...))
}

// Open decides about a file that a redirection opens.
func (p Policy) Open(path string, write bool) Part {
	k := reads
	if write {
		k = writes
	}
	return p.rate(subject{tool: "bash", path: path, text: path}, risk{k, path, ""})
}

// redirects are the files that a command's input and output are redirected to: parts of their own, because allowing a command does not
// allow it to write anywhere. Harmless ones are left out.
func (p Policy) redirects(c shell.Command) (out []Part) {
	for _, r := range c.Redirects {
		mark := "< "
		if r.Write {
			mark = "> "
		}
		for _, k := range (site{p, c.Dir}).redirect(r) {
			act := tool.Act{Effect: tool.Reads, Path: k.path, Dir: c.Dir}
			if r.Write {
				act.Effect = tool.Writes
			}
			if part := p.rate(subject{tool: "bash", text: mark + r.Path, act: act}, k); part.Verdict != Allow {
				out = append(out, part)
			}
		}
	}
	return out
}

// hasPipedInput reports whether a command reads the output of another one, a here-document or a file.
func hasPipedInput(c shell.Command) bool {
	return c.Piped || slices.ContainsFunc(c.Redirects, func(r shell.Redirect) bool { return !r.Write && r.Path != "/dev/null" })
}

// hasVariables reports whether variables are set for a command that may change what it does.
func hasVariables(c shell.Command) bool {
	return len(c.Argv) > 0 && slices.ContainsFunc(c.Assigns, func(a shell.Assign) bool {
		return !strings.HasPrefix(a.Name, "LC_") && !slices.Contains([]string{"LANG", "LANGUAGE", "TZ",
			"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "CI",
			"DEBUG", "VERBOSE", "NODE_ENV", "RUST_BACKTRACE",
			"CGO_ENABLED", "GOOS", "GOARCH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}, a.Name)
	})
}

// Command decides about one command just before it runs: program is the file that would be executed; empty: not known.
func (p Policy) Command(c shell.Command, program string) Part {
	v := analyzer{site: site{p, c.Dir}, feed: c.Feed, input: c.Input, draft: c.Draft}
	var all []risk
	if c.Function != "" {
		all = append(all, risk{kind: safe, why: "defines a function"})
		if isKnownCommand(c.Function) {
			all = append(all, risk{unclear, "", "redefines " + c.Function})
		}
	}
	all = append(all, v.assignments(c)...)
	if c.Name != "" {
		all = append(all, risk{unclear, "", c.Name})
	} else if len(c.Argv) > 0 {
		all = append(all, v.argv(c.Argv, hasPipedInput(c), c.Unknown != "", program, 0)...)
	}
	if c.Unknown != "" && c.Name == "" {
		all = v.unknown(c, all)
	}
	act := tool.Act{Effect: tool.Runs, Argv: c.Argv, Dir: c.Dir, Unknown: c.Unknown, Text: c.Text}
	s := subject{tool: "bash", argv: c.Argv, text: c.Text, dir: c.Dir, program: program, known: c.Unknown == "" && c.Name == "",
		dependsOnMore: hasPipedInput(c) || hasVariables(c), act: act}
	if len(p.Rules) > 0 {
		s.inner = innerOf(c.Argv)
	}
	part := p.verdict(s, all)
	if part.Verdict == Ask {
		part.executes = p.executed(s)
	}
	part.askEachTime = part.askEachTime || s.dependsOnMore
	part.Brings = v.bringsUntrusted(c.Argv, all)
	return part
}

// unknown adds the risk of an argument that is not known yet, unless the command is harmless whatever it is.
func (v analyzer) unknown(c shell.Command, all []risk) []risk {
	if len(c.Argv) > 0 {
		name := c.Argv[0]
		if harmlessWith()[name] || v.policy.Deep && (toolchainPrograms()[name] || taskRunners()[name]) && sandboxHolds(v, c.Argv, all) {
			return all
		}
	}
	return append(all, risk{later, "", "only known at run time: " + c.Unknown})
}

// NewPolicy is a policy for a project in dir.
func NewPolicy(mode Mode, dir string) (Policy, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Policy{}, fmt.Errorf("the project folder %s: %w", dir, err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return Policy{}, err
	}
	home, _ := os.UserHomeDir()
	if home != "" {
		home = shell.Real(home)
	}
	return Policy{Mode: mode, Workspace: []string{real}, Home: home}, nil
}
