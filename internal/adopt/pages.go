package adopt

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/pattern"
)

const (
	commandsTo = ".socrates/commands"
	skillsTo   = ".agents/skills"
)

// Tools are our tools by the names that another agent has for its own.
// A tool with no like here is missing: what names it loses it.
var Tools = map[string][]string{"Read": {"read"}, "Grep": {"grep"}, "Glob": {"glob"}, "LS": {"ls"}, "Bash": {"bash", "job_*"},
	"Edit": {"edit", "multi_edit", "patch"}, "MultiEdit": {"multi_edit"}, "Write": {"write"}, "WebFetch": {"fetch"},
	"WebSearch": {"web_search"}, "TodoWrite": {"todo"}, "Task": {"task"}, "Agent": {"task"}, "AskUserQuestion": {"ask"}}

// head is what the head of a page of another agent may say.
type head struct {
	Description string
	Hint        string    `yaml:"argument-hint"`
	Tools       yaml.Node `yaml:"allowed-tools"`
}

// commands are pages: Markdown of two agents, and a table of a third.
// A page without a head is a page all the same; a head that cannot be read says nothing. Folders become part of the
// name.
func (f *finder) commands() {
	for _, from := range []string{".claude/commands", ".cursor/commands", ".codex/prompts"} {
		for _, name := range f.below(from) {
			base, isPage := strings.CutSuffix(name, ".md")
			if raw, ok := f.read(path.Join(from, name)); isPage && ok {
				top, text, has := page.Cut(raw)
				if !has {
					text = raw
				}
				var h head
				yaml.Unmarshal([]byte(top), &h) // a head that is none says nothing
				f.command(path.Join(from, name), base, h, text)
			}
		}
	}
	for _, name := range f.below(".gemini/commands") {
		base, isPage := strings.CutSuffix(name, ".toml")
		if raw, ok := f.read(path.Join(".gemini/commands", name)); isPage && ok {
			from := path.Join(".gemini/commands", name)
			values, err := parse(raw)
			prompt, _ := values["prompt"].(string)
			doc, _ := values["description"].(string)
			if err != nil || prompt == "" {
				f.leave(Command, plain(base), from, "its prompt cannot be read")
				continue
			}
			f.command(from, base, head{Description: doc}, strings.ReplaceAll(prompt, "{{args}}", "$ARGUMENTS"))
		}
	}
}

// embedded are commands that another agent runs while it reads a page.
var embedded = pattern.Of("!`([^`\n]+)`|!\\{([^{}\n]+)\\}")

// command enters a page as one of ours: text and nothing else.
// The head of ours is rewritten with what it has keys for, in one line each: nothing of theirs can open another key.
func (f *finder) command(from, base string, h head, text string) {
	p := Piece{Kind: Command, Name: strings.Trim(plain(base)[:min(len(plain(base)), longestName)], "-"), From: from}
	if !page.CleanName(p.Name) {
		f.leave(Command, cmp.Or(p.Name, base), from, "a command's name must begin with a letter")
		return
	}
	if told := embedded().ReplaceAllString(text, "(run `$1$2` first, and use what it prints)"); told != text {
		text, p.Note = told, "commands in its text are run by the agent, under your rules"
	}
	var b strings.Builder
	b.WriteString("---\n")
	line := func(key, value string) {
		if value = strings.Join(strings.Fields(clean.Line(value)), " "); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	line("name", p.Name)
	line("doc", clip(cmp.Or(h.Description, "From "+from)))
	line("args", h.Hint)
	line("tools", strings.Join(toolsOf(h.Tools), ", "))
	b.WriteString("---\n\n" + strings.TrimSpace(text) + "\n")
	p.Text, p.To = b.String(), path.Join(commandsTo, p.Name+".md")
	if f.own != nil {
		p.Below, p.To = f.own.dir, path.Join("commands", p.Name+".md")
	}
	f.add(p)
}

// longestName is how many letters the name of a page may have.
const longestName = 40

// clip is a description that fits into the head of a page.
func clip(doc string) string {
	if r := []rune(strings.Join(strings.Fields(clean.Line(doc)), " ")); len(r) > page.MaxDoc {
		return string(r[:page.MaxDoc-1]) + "…"
	}
	return doc
}

// toolsOf are our tools for a list of theirs.
// Bash(git *) counts as Bash: a page can name tools, and the gate looks at commands.
func toolsOf(n yaml.Node) (tools []string) {
	var names []string
	if n.Kind != yaml.SequenceNode || n.Decode(&names) != nil {
		names = strings.Split(n.Value, ",")
	}
	for _, name := range names {
		name, _, _ = strings.Cut(strings.TrimSpace(name), "(")
		tools = append(tools, Tools[name]...)
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}

// skills are folders: they are copied, with what they run.
// A folder without SKILL.md is none. One with a file that cannot be copied is left out as a whole, since it would not
// work.
func (f *finder) skills() {
	for _, folder := range []string{".claude/skills", ".codex/skills"} {
		root, at, _ := f.at(folder)
		if root == nil {
			continue
		}
		entries, _ := fs.ReadDir(root.FS(), at) // most people and projects have none
		for _, e := range entries {
			f.skill(path.Join(folder, e.Name()), e.Name())
		}
	}
}

// skill enters a folder, if it is one of a skill.
func (f *finder) skill(from, name string) {
	p := f.toSkills(Piece{Kind: Skill, Name: name, From: from, To: path.Join(skillsTo, name)})
	whole, names := false, f.below(from)
	if len(names) == mostBelow {
		p.State, p.Note = Left, "it has too many files"
	}
	for _, name := range names {
		root, at, _ := f.at(path.Join(from, name))
		full := filepath.FromSlash(at)
		info, err := root.Stat(full)
		if err != nil || info.Size() > largest {
			p.State, p.Note = Left, name+" cannot be read, or is too large"
			continue
		}
		data, err := root.ReadFile(full)
		if err != nil {
			p.State, p.Note = Left, name+" cannot be read"
			continue
		}
		p.files = append(p.files, file{name, data, info.Mode().Perm()})
		whole = whole || name == "SKILL.md"
		p.Text += fmt.Sprintf("--- %s (mode %03o)\n%s\n", name, info.Mode().Perm(), strings.ToValidUTF8(string(data), "�"))
	}
	if whole {
		f.add(p)
	}
}

// toSkills has a skill go to the person's own, if it is the person's.
func (f *finder) toSkills(p Piece) Piece {
	if f.own != nil {
		p.Below = f.own.home
	}
	return p
}

// rules are texts that another agent adds to what it is told, always or for some files. Here each is a skill without scripts:
// the agent is told what it is for, and reads it then.
func (f *finder) rules() {
	for _, name := range f.below(".cursor/rules") {
		base, ok := strings.CutSuffix(name, ".mdc")
		if !ok {
			base, ok = strings.CutSuffix(name, ".md")
		}
		if raw, read := f.read(path.Join(".cursor/rules", name)); ok && read {
			f.rule(path.Join(".cursor/rules", name), "rule-"+base, raw)
		}
	}
	if raw, ok := f.read(".cursorrules"); ok {
		f.rule(".cursorrules", "rule-project", raw)
	}
}

// rule enters a rule as a skill. What its head says of when it applies becomes what the skill is for, which is all that
// an agent reads before it decides.
func (f *finder) rule(from, name, raw string) {
	top, text, has := page.Cut(raw)
	if !has {
		text = raw
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	said := map[string]string{} // its heads look like YAML, and are none where a glob begins with a star
	for line := range strings.Lines(top) {
		key, value, _ := strings.Cut(line, ":")
		said[strings.TrimSpace(key)] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	about, globs := said["description"], strings.Trim(said["globs"], "[]")
	switch {
	case said["alwaysApply"] == "true" || !has:
		about = "Rules of this project that always apply: read them before you change anything. " + about
	case globs != "":
		about = "Rules for " + globs + ": read them before you change such a file. " + about
	case about == "":
		about = "Rules of this project, to be read when the person names them."
	}
	quoted, err := yaml.Marshal(strings.Join(strings.Fields(clean.Line(about)), " "))
	if err != nil {
		return
	}
	p := f.toSkills(Piece{Kind: Skill, Name: plain(name), From: from})
	p.To = path.Join(skillsTo, p.Name, "SKILL.md")
	p.Text = fmt.Sprintf("---\nname: %s\ndescription: %s---\n\n%s\n", p.Name, quoted, strings.TrimSpace(text))
	f.add(p)
}

// instructions are the files that are read where they are, and what a person tells other agents about all projects.
// Of AGENTS.md, CLAUDE.md and GEMINI.md the first that is there counts, as for agents.
func (f *finder) instructions() {
	if f.own != nil {
		for _, from := range []string{".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"} {
			f.told(from)
		}
	}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"} {
		if _, ok := f.read(name); ok && f.own == nil {
			p := Piece{Kind: Instructions, Name: name, From: name, State: Used}
			if len(f.pieces) > 0 && f.pieces[len(f.pieces)-1].Kind == p.Kind {
				p.State, p.Note = Left, "the agent is told "+f.pieces[len(f.pieces)-1].Name+" instead"
				f.pieces = append(f.pieces, p)
				return
			}
			f.add(p)
		}
	}
	for _, name := range f.below(".claude/agents") {
		if base, ok := strings.CutSuffix(name, ".md"); ok && !strings.Contains(base, "/") {
			f.add(Piece{Kind: "role", Name: base, From: path.Join(".claude/agents", name), State: Used})
		}
	}
}

// ownInstructions is the file of what a person asks of agents everywhere, in the folder of their settings.
const ownInstructions = "AGENTS.md"

// told enters a page of a person's own instructions. Several of them become one file, each as it is.
func (f *finder) told(from string) {
	raw, ok := f.read(from)
	text := strings.TrimSpace(raw)
	if !ok || text == "" {
		return
	}
	text, note := f.along(from, text)
	p := Piece{Kind: Instructions, Name: path.Base(from), From: from, To: ownInstructions, Below: f.own.dir, Text: text + "\n", Note: note}
	p.merge = func(was []byte) ([]byte, error) {
		have := strings.TrimSpace(string(was))
		switch {
		case strings.Contains(have, text):
			return was, nil
		case have == "":
			return []byte(p.Text), nil
		}
		return []byte(have + "\n\n" + p.Text), nil
	}
	f.add(p)
}

// mostImports is how many files a page may bring along, with those that these bring.
const mostImports = 20

// along is a page with the files below it that it imports (@path, relative to it or to the home): here one file is read. Files elsewhere
// are told of.
func (f *finder) along(from, text string) (whole, note string) {
	whole, seen := text, []string{from}
	for i := 0; i < len(seen); i++ {
		said := text
		if i > 0 {
			raw, _ := f.read(seen[i])
			said = strings.TrimSpace(raw)
			whole += fmt.Sprintf("\n\nFrom @%s:\n\n%s", seen[i], said)
		}
		for _, name := range page.Imports(said) {
			at, atHome := strings.CutPrefix(name, "~/")
			if !atHome {
				at = path.Join(path.Dir(seen[i]), name)
			}
			if at = path.Clean(at); path.IsAbs(name) || !filepath.IsLocal(at) {
				if path.Ext(name) != "" {
					note = name + ", which it imports, is outside your home folder and is not copied"
				}
			} else if _, ok := f.read(at); ok && !slices.Contains(seen, at) && len(seen) <= mostImports {
				seen = append(seen, at)
			}
		}
	}
	return whole, note
}
