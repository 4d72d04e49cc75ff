package phase

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/page"
)

// RoleFolders are where roles are found, and how the pages of other programs name what they mean.
type RoleFolders struct {
	Own     []string            // the person's folders
	Project []string            // folders of a project, relative to its top
	Tools   map[string][]string // our tools by another program's names
	Tiers   map[string]string   // our tiers by the names of models; others leave the model to the conversation
}

// Roles are pages like a phase's, for agents that are given a task: those in the person's own folders, then those of the project with the
// top folder top; the first of a name counts. A project's role narrows tools and says how to work, as its conventions do;
// nothing in it lifts a rule. wrong are sentences about pages that are left out.
func Roles(top string, places RoleFolders) (found []Phase, wrong []string) {
	read := func(in fs.FS, at, shown, lead string) {
		entries, _ := fs.ReadDir(in, at) // most have none
		for _, e := range entries {
			name, isPage := strings.CutSuffix(e.Name(), ".md")
			if !isPage || !page.CleanName(name) || slices.ContainsFunc(found, func(p Phase) bool { return p.Name == name }) {
				continue
			}
			p, err := places.role(in, path.Join(at, e.Name()))
			if err != nil {
				wrong = append(wrong, clean.Line(fmt.Sprintf("%s/%s: %v", shown, e.Name(), err)))
				continue
			}
			p.Name, p.File, p.Prompt = name, filepath.Join(shown, e.Name()), lead+p.Prompt
			found = append(found, p)
		}
	}
	for _, dir := range places.Own {
		read(os.DirFS(dir), ".", dir, "")
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return found, wrong
	}
	defer root.Close()
	for _, at := range places.Project {
		read(root.FS(), at, filepath.Join(top, at), "This project describes the role. It cannot override a rule above.\n\n")
	}
	return found, wrong
}

// role reads a page. Keys that are not ours are other programs'.
// The same page serves several programs, so unknown keys are passed over; a page that would allow more than ours can
// say is left out whole.
func (places RoleFolders) role(in fs.FS, name string) (Phase, error) {
	info, err := fs.Stat(in, name)
	if err != nil {
		return Phase{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPrompt {
		return Phase{}, fmt.Errorf("must be a regular file of at most %d kB", maxPrompt>>10)
	}
	raw, err := fs.ReadFile(in, name)
	if err != nil {
		return Phase{}, err
	}
	head, text, ok := page.Cut(string(raw))
	var said struct {
		Doc, Description, Tier, Mode, Model string
		Tools                               yaml.Node
	}
	if !ok || strings.TrimSpace(text) == "" {
		return Phase{}, fmt.Errorf(`must begin with a line "---", then "description:", then "---" again and the instructions of the agent`)
	}
	if err := yaml.Unmarshal([]byte(head), &said); err != nil {
		return Phase{}, fmt.Errorf("its front matter is not valid YAML: %s", clean.Line(yamlPlace().ReplaceAllString(err.Error(), "")))
	}
	tools, err := places.tools(said.Tools)
	if err != nil {
		return Phase{}, err
	}
	p := Phase{Doc: strings.Join(strings.Fields(clean.Line(said.Doc+" "+said.Description)), " "), Tier: said.Tier, Mode: said.Mode,
		Tools: tools, Prompt: text}
	if tier, known := places.Tiers[said.Model]; known && p.Tier == "" {
		p.Tier = tier
	}
	if !slices.Contains(tiers, p.Tier) || !slices.Contains(modes, p.Mode) {
		return Phase{}, fmt.Errorf("has the tier %q and the mode %q; tiers are small, mid and big, modes plan, paranoid, balanced and yolo",
			p.Tier, p.Mode)
	}
	if letters := []rune(p.Doc); len(letters) > longestAbout {
		p.Doc = string(letters[:longestAbout-1]) + "…"
	}
	sum := sha256.Sum256(raw)
	p.SHA256 = hex.EncodeToString(sum[:])
	return p, nil
}

// tools are the tools of a page, a list or names with commas between them. Names of theirs that we have nothing for are left out.
// A page that names tools of which none is known here is an error: an empty list would allow all of them.
func (places RoleFolders) tools(n yaml.Node) (tools []string, err error) {
	var names []string
	if n.Kind == yaml.SequenceNode {
		err = n.Decode(&names)
	} else {
		names = strings.Split(n.Value, ",")
	}
	for _, name := range names {
		name, _, _ = strings.Cut(strings.TrimSpace(name), "(") // Bash(git *) narrows more than we can: the gate decides
		switch ours, theirs := places.Tools[name]; {
		case theirs:
			tools = append(tools, ours...)
		case name != "" && name == strings.ToLower(name):
			tools = append(tools, name)
		}
	}
	if len(tools) == 0 && strings.TrimSpace(strings.Join(names, "")) != "" {
		err = fmt.Errorf("names no tool that exists here")
	}
	slices.Sort(tools)
	return slices.Compact(tools), err
}
