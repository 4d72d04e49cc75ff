package frame

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/project"
)

// contextBlock makes the text that every seat is shown: the project's facts and earlier decisions, or the user's own
// file, edited on request. With --show-context it prints the text instead. context.max_bytes limits the whole block,
// also one that a person wrote: every seat pays for it in every turn. files are those in the block, as the engine
// shows them later; edited reports that the block differs from what the project gives.
func (a *Framer) contextBlock(ctx context.Context, d *Flags, history string) (text string, files []string, edited bool, err error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return "", nil, false, err
	}
	if d.contextFile != "" {
		raw, err := os.ReadFile(d.contextFile)
		if err != nil {
			return "", nil, false, failure.Usage("--context "+failure.Explain(err).Message, "")
		}
		if limit := c.Int("context.max_bytes"); len(raw) > limit {
			return "", nil, false, failure.Usage(fmt.Sprintf("--context %s is %d bytes; the limit is %d", d.contextFile, len(raw),
				limit),
				"shorten it, or increase context.max_bytes")
		}
		if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
			return "", nil, false, failure.Usage("--context "+d.contextFile+" is not text", "")
		}
		text, edited = a.Out.Clean(string(raw)), true
	} else {
		dir, err := d.folder(a)
		if err != nil {
			return "", nil, false, err
		}
		if slices.Contains(d.Files, "") {
			return "", nil, false, failure.Usage("--files is empty", "name a file, a folder or a glob, for example --files 'store/*.go'")
		}
		if why := tooWide(dir); why != "" {
			a.Out.Warn(dir + " is " + why + ", not a project: all its files are searched, which can take minutes; name a project's " +
				"folder with --cwd FOLDER")
		}
		block, err := project.Describe(ctx, dir, wholeFolders(d.Files),
			project.Limits{FileBytes: c.Int("context.max_file_bytes"), TotalBytes: c.Int("context.max_bytes")})
		if err != nil {
			return "", nil, false, err
		}
		text = a.Out.Clean(block.Text + history)
		for _, f := range block.Files {
			files = append(files, f.Name)
			if f.Truncated {
				a.Out.Warn(f.Path + " is too long and is shown in part; choose lines, for example " + f.Path + ":1-400")
			}
		}
	}
	if d.editContext {
		if text, err = a.Edit(ctx, "context", text); err != nil {
			return "", nil, false, err
		}
		edited = true
	}
	if d.showContext {
		fmt.Fprint(a.Out, text)
	}
	a.lint(text, d.showContext || edited, "context")
	return text, files, edited, nil
}

// wholeFolders replaces each folder by the pattern of the files below it. A pattern that matches nothing is refused
// later, by name.
func wholeFolders(files []string) []string {
	list := slices.Clone(files)
	for i, f := range list {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			list[i] = strings.TrimSuffix(filepath.ToSlash(filepath.Clean(f)), "/") + "/**"
		}
	}
	return list
}

// lint warns of anything in a text for all seats that would lead them or leak secrets. It prints a summary, or
// everything if all is set. Findings never stop a debate: a person decides what they show their seats.
func (a *Framer) lint(text string, all bool, what string) {
	findings := project.Lint(text)
	if len(findings) > 0 && !all {
		a.Out.Warn(fmt.Sprintf("the %s has %d warnings (text that may bias the seats or leak secrets); list them with --show-context", what,
			len(findings)))
		return
	}
	for _, f := range findings {
		a.Out.Warn(fmt.Sprintf("%s line %d: %s %q: %s", what, f.Line, f.Kind, f.Word, f.Why))
	}
}

// showPersonas prints what some of the named seats are told in addition to the shared context block.
func (a *Framer) showPersonas(specs []string) error {
	if len(specs) == 0 {
		c, err := a.Home.Settings.Load()
		if err != nil {
			return err
		}
		specs = c.Strings("seats")
	}
	for _, spec := range specs {
		bare, p, err := a.Home.Seats.Persona(spec)
		if err != nil {
			return err
		}
		if p.Name != "" {
			a.Out.Tell(fmt.Sprintf("\nThe seat %s is also told, as %s:\n\n%s\n", bare, p.Name, p.Text))
		}
	}
	return nil
}

// tooWide describes a folder that holds more than one project; empty: the folder may be a project.
func tooWide(dir string) string {
	if filepath.Dir(dir) == dir {
		return "the root of the file system"
	}
	here, err := os.Stat(dir)
	home, _ := os.UserHomeDir()
	at, lost := os.Stat(home)
	if err != nil || lost != nil || !os.SameFile(here, at) {
		return ""
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return ""
	}
	return "your home folder"
}
