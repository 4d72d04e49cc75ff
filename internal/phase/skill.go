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
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Skill is a folder with a SKILL.md: an agent is told its name, what it is for and where it lies, and reads it when it
// needs it. Whatever in it can be run is for the gate to decide on.
type Skill struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	File   string `json:"file"`   // its SKILL.md: relative to the folder in use with slashes, else absolute
	SHA256 string `json:"sha256"` // of SKILL.md as it was found
}

// Folder is where it lies, written as File is.
func (s Skill) Folder() string {
	if filepath.IsAbs(s.File) {
		return filepath.Dir(s.File)
	}
	return path.Dir(s.File)
}

// Bounds: what is told of each skill stands in every prompt.
const (
	skillFolder  = ".agents/skills"
	mostSkills   = 60
	maxSkill     = 256 << 10 // bytes of a SKILL.md
	longestAbout = 400       // letters of what one is for, in a system prompt
)

// skills finds those of the project that lie in at and the folders above it, and those of the user below home. The first of
// a name counts: the user's own, then the project's from its top down.
// A skill of the project that has the name of one of the person's is left out and told: a repository must not take the
// place of what somebody relies on.
func skills(f *folder.Folder, names []string, at, home string) (found []Skill, wrong []string) {
	add := func(file, name string, read func() ([]byte, error)) {
		raw, err := read()
		if err != nil {
			wrong = append(wrong, clean.Line(err.Error())) // it names the file
			return
		}
		s, err := parseSkill(name, raw)
		if s.File = file; err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", clean.Line(file), err))
			return
		}
		if clean.Text(string(raw)) != string(raw) {
			wrong = append(wrong, clean.Line(file)+" contains escape sequences or invisible characters; review it before an "+
				"agent reads it")
		}
		if slices.ContainsFunc(found, func(have Skill) bool { return have.Name == s.Name }) {
			wrong = append(wrong, fmt.Sprintf("%s is ignored: another skill named %s takes precedence", clean.Line(file), s.Name))
			return
		}
		found = append(found, s)
	}
	if home != "" {
		dir := filepath.Join(home, filepath.FromSlash(skillFolder))
		entries, _ := os.ReadDir(dir) // most people have none
		for _, e := range entries {
			file := filepath.Join(dir, e.Name(), "SKILL.md")
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() <= maxSkill {
				add(file, e.Name(), func() ([]byte, error) { return os.ReadFile(file) })
			}
		}
	}
	for _, dir := range upTo(at) {
		if filepath.Join(f.Dir(), filepath.FromSlash(dir)) == home { // these are the user's own
			continue
		}
		for _, file := range names {
			if !strings.HasSuffix(file, "/SKILL.md") {
				continue
			}
			if ok, _ := path.Match(path.Join(escaped(dir), skillFolder, "*", "SKILL.md"), file); ok {
				told := filepath.Join(f.Dir(), filepath.FromSlash(file))
				if dir == at {
					told = strings.TrimPrefix(file, at+"/")
				}
				add(told, path.Base(path.Dir(file)), func() ([]byte, error) { return f.Read(file, maxSkill) })
			}
		}
	}
	if len(found) > mostSkills {
		wrong = append(wrong, fmt.Sprintf("%d skills found; agents see only the first %d", len(found), mostSkills))
		found = found[:mostSkills]
	}
	return found, wrong
}

// escaped is a path as a pattern that fits nothing else.
func escaped(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// yamlPlace is taken out of a complaint: it counts lines from the head, and not always from the same one.
var yamlPlace = pattern.Of(`^yaml: (?:line \d+: )?`)

// parseSkill reads the head of a SKILL.md, which is YAML and may hold more than we look at.
// The name in the head must be that of the folder, or an agent would look for it in the wrong place.
func parseSkill(name string, raw []byte) (Skill, error) {
	head, text, ok := page.Cut(string(raw))
	if !ok {
		return Skill{}, fmt.Errorf(`a skill must begin with a line "---", then "name:" and "description:", then "---" again`)
	}
	var said struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.Unmarshal([]byte(head), &said); err != nil {
		return Skill{}, fmt.Errorf("its front matter is not valid YAML: %s", clean.Line(yamlPlace().ReplaceAllString(err.Error(), "")))
	}
	doc := strings.Join(strings.Fields(clean.Line(said.Description)), " ")
	switch {
	case said.Name != name || !fs.ValidPath(name) || clean.Line(name) != name:
		return Skill{}, fmt.Errorf("has the name %q, but its folder is named %q", clean.Line(said.Name), clean.Line(name))
	case doc == "":
		return Skill{}, fmt.Errorf("has no description in its front matter")
	case text == "":
		return Skill{}, fmt.Errorf("has no text below its front matter")
	}
	if letters := []rune(doc); len(letters) > longestAbout {
		doc = string(letters[:longestAbout-1]) + "…"
	}
	sum := sha256.Sum256(raw)
	return Skill{Name: name, Doc: doc, SHA256: hex.EncodeToString(sum[:])}, nil
}
