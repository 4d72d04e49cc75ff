package home

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/shell"
)

// Hold returns the sandbox of a program that takes a seat, or nil if there is none; open describes what it does
// not confine, empty if nothing. So there are three results: h with Cell confines everything; h with open set
// confines everything except open; nil confines nothing. sandbox.programs required makes the last two an error.
func (ps *Programs) Hold(p cli.Program) (h *cli.Hold, open string, err error) {
	cfg, err := ps.home.Settings.Load()
	if err != nil {
		return nil, "", err
	}
	mode := cfg.String("sandbox.programs")
	if mode == "off" {
		return nil, "not sandboxed, because sandbox.programs is off", nil
	}
	name := cli.SettingName(p.Name)
	h = &cli.Hold{Show: ps.shown, Deny: ps.denied, Cover: ps.home.Gate.Keeper().Cover, Hosts: cfg.Strings("programs." + name + ".hosts"),
		Write: cfg.Strings("programs." + name + ".write")}
	dir, err := ps.home.Settings.Dir()
	if err == nil {
		h.Project, err = ProjectOf(dir)
	}
	if err != nil {
		return nil, "", err
	}
	switch why := sandbox.Cells(); {
	case why == nil:
		h.Cell, h.Work = true, ps.home.Gate.work
	case ps.home.Gate.HoldsFiles():
		open = "its network access is not restricted: " + why.Error()
	default:
		h, open = nil, "not sandboxed: "+why.Error()
	}
	if open != "" && mode == "required" {
		return nil, "", failure.New(failure.ExitUsage, "sandbox",
			p.Name+" cannot be used: sandbox.programs is required, but the program would be "+open,
			"leave out the seat, or run: socrates config set sandbox.programs auto")
	}
	return h, open, nil
}

// work adds to the rules of a program what it may do when it works in dir.
func (g *Gate) work(cmd *exec.Cmd, dir string, r *sandbox.Rules) error {
	p, err := g.Policy(dir, "")
	if err == nil {
		g.Keeper().Work(context.Background(), p, cmd, r)
	}
	return err
}

// shown returns what a program in a panel sees in dir, if that represents a project that is too large for a
// copy.
func (ps *Programs) shown(dir string) *cli.Shown {
	v := ps.Views.Of(dir)
	if v == nil {
		return nil
	}
	s := &cli.Shown{From: v.From, At: v.At, Git: v.Git}
	for _, name := range v.Hidden {
		s.Hidden = append(s.Hidden, filepath.Join(v.At, filepath.FromSlash(name)))
	}
	return s
}

// HoldsFiles reports whether the system confines file access of programs; it tries once.
func (g *Gate) HoldsFiles() bool {
	g.Confined()
	return g.holdsFiles
}

// denied returns the files and folders that a panel's program in dir cannot read: secrets, and our own files.
// It is computed again for each seat, since secrets may appear or disappear.
func (ps *Programs) denied(dir string) []string {
	list := ps.OwnFiles()
	if folder, err := os.UserHomeDir(); err == nil {
		list = append(list, secretsAtHome(folder)...)
	}
	list = append(list, ps.home.Gate.Keeper().Secrets(shell.Real(os.TempDir())).Find(context.Background(), false)...)
	if dir != "" {
		list = append(list, ps.home.Gate.Keeper().Secrets(dir).Find(context.Background(), true)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// OwnFiles returns the store, the keys and the settings. If the store's folder holds what a program needs, only
// our files in it are listed. A program in a panel that could read the store would see the others' answers.
func (ps *Programs) OwnFiles() (list []string) {
	if file, err := ps.home.Settings.StoreFile(); err == nil {
		list = append(list, filepath.Dir(file), filepath.Join(filepath.Dir(file), "snapshots"))
		for _, part := range []string{"", "-wal", "-shm"} {
			list = append(list, file+part)
		}
	}
	if keys, err := ps.home.Keys.Keyring(); err == nil { // the store may be elsewhere
		list = append(list, keys.Dir)
	}
	if file, err := ps.home.Settings.File(); err == nil {
		list = append(list, file)
	}
	return list
}

// secretsAtHome returns the existing places of a home that hold secrets.
func secretsAtHome(shown string) []string {
	list := (&folder.Secrets{Dir: shown}).Find(context.Background(), false)
	for _, name := range sensitive.HomeSecrets() {
		if place := filepath.Join(shown, filepath.FromSlash(name)); there(place) {
			list = append(list, place)
		}
	}
	return list
}

// Open describes what the sandbox does not confine of a seat's program.
func (ps *Programs) Open(spec string) string {
	name, model, _ := strings.Cut(spec, ":")
	p, ok := ps.Find(name, model)
	if !ok {
		return ""
	}
	_, open, _ := ps.Hold(p) // whoever makes the model reports the error
	return open
}

// WarnOpen warns of what the sandbox does not confine of a seat's program.
func (ps *Programs) WarnOpen(spec, open string) {
	if open != "" {
		ps.home.Warn("seat " + spec + ": " + open)
	}
}

// there reports whether something exists at a path.
func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
