package home

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/diagnose"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// Turns returns the wiring of turns. Limits of compaction and the fallback model are read once, for the life of
// the engine.
func (h *Home) Turns() turns.Wiring {
	var at turns.CompactAt
	var fallback, titles string
	checks := false
	if cfg, err := h.Settings.Load(); err == nil { // settings that cannot be read are reported where they are used
		at = turns.CompactAt{Tokens: cfg.Int("chat.compact_tokens"), USD: cfg.Float("chat.compact_usd")}
		fallback, titles = cfg.String("chat.fallback"), cfg.String("chat.titles")
		checks = cfg.String("chat.check_edits") == "on"
	}
	wiring := turns.Wiring{Compact: at, Fallback: fallback, Titles: titles, Tools: h.Gate.Tools(), Acts: builtin.Acts,
		Phase: h.Pages.Phase, Tiered: h.Pages.Tier, Brief: h.Pages.Brief, Files: h.Pages.Files,
		Memory: h.Pages.Memory, SkillFolder: h.Pages.SkillOf, Inner: h.Gate.Inner, Extend: h.Servers.Extend, Servers: h.Servers.names,
		Guard: turns.Guard{Policy: h.Gate.Policy, Grants: h.Gate.Grants, Fetched: h.Gate.Fetched, Confine: h.Gate.Confine,
			Watch: h.Gate.Watch}}
	if checks {
		wiring.Examine = examine
	}
	return wiring
}

// examine runs the formatter and the language servers of a conversation on changed files.
func examine(ctx context.Context, dir string, s *tool.Session, files []string, start func(*exec.Cmd) (func() error, error)) string {
	return tool.Of(s, func() *diagnose.Servers { return &diagnose.Servers{} }).Examine(ctx, dir, builtin.Environ, files, start)
}

// Files returns the snapshots of projects.
func (h *Home) Files() conversation.Files {
	keepers := keepers{home: h, open: map[string]*snapshot.Keeper{}}
	return conversation.Files{Keeper: keepers.keeper, Folders: keepers.folders}
}

// Phase finds a phase: the user's own pages come before built-in ones, and roles last. A project's phases are
// never used without approval.
func (pg *Pages) Phase(dir, name string) (phase.Phase, error) {
	own, err := pg.PhaseDir()
	if err != nil {
		return phase.Phase{}, err
	}
	p, err := phase.Find(name, own)
	if !errors.Is(err, page.ErrUnknown) {
		return p, err
	}
	roles, wrong := pg.roles(dir)
	names := phase.Names(own)
	for _, r := range roles {
		if names = append(names, r.Name); r.Name == name {
			return r, nil
		}
	}
	if i := slices.IndexFunc(wrong, func(w string) bool { return strings.Contains(w, string(filepath.Separator)+name+".md: ") }); i >= 0 {
		return p, failure.Usage(wrong[i], "see: docs/phases.md")
	}
	return p, failure.Usage("unknown phase "+name, failure.Nearest(name, names))
}

// Tier adds to a spec the tier of a phase, else the one that the person set for its vendor.
func (pg *Pages) Tier(spec, tier string) string {
	cfg, err := pg.home.Settings.Load()
	if err != nil {
		return spec
	}
	return pg.home.Seats.Tiered(cfg, spec, cmp.Or(tier, cfg.OwnTier(spec)))
}

// planning is the phase that writes and repairs plans.
const planning = "planner"

// Brief writes the system prompt of a conversation. bare leaves out everything that the project or the person
// adds. The strings tell the person what was left out.
func (pg *Pages) Brief(ctx context.Context, dir string, p phase.Phase, mode permission.Mode, tools []tool.Tool, bare bool) (
	phase.Prompt, []string, error) {
	folder, _ := os.UserHomeDir()
	top, err := ProjectOf(dir)
	if err != nil {
		return phase.Prompt{}, nil, err
	}
	facts, notes, err := phase.Gather(ctx, top, dir, folder, time.Now().Format(time.DateOnly))
	if err != nil {
		return phase.Prompt{}, nil, err
	}
	if file, err := pg.home.Settings.StoreFile(); err == nil && confine.Noted(filepath.Dir(file), dir) {
		notes = append(notes, pg.home.Gate.Keeper().Left(dir)...)
	}
	facts.Roles, _ = pg.roles(dir) // an invalid role is reported when it is used
	if bare {
		facts.Roles = nil
		facts.Conventions, facts.Below, facts.Skills = nil, nil, nil
		return pg.cleaned(phase.System(p, facts, tools, string(mode))), notes, nil
	}
	var more []string
	if facts.Skills, more, err = pg.approvedSkills(dir, facts.Skills); err != nil {
		return phase.Prompt{}, nil, err
	}
	notes = append(notes, more...)
	if file, err := pg.home.Settings.File(); err == nil {
		facts.Own, more = phase.Own(filepath.Dir(file))
		notes = append(notes, more...)
	}
	text := phase.System(p, facts, tools, string(mode))
	if wrong := phase.Plans(dir); p.Name == planning && len(wrong) > 0 {
		notes = append(notes, wrong...)
		text.Phase += "\n# Plans with errors\n\nCode found errors in these plans. If you are asked about one of them, fix it " +
			"first.\n\n" +
			fence.Block("wrong", strings.Join(wrong, "\n")) + "\n"
	}
	return pg.cleaned(text), notes, nil
}

// cleaned removes secrets and control characters from a prompt.
func (pg *Pages) cleaned(p phase.Prompt) phase.Prompt {
	c := pg.home.Clean
	return phase.Prompt{Shared: c(p.Shared), Folder: c(p.Folder), Phase: c(p.Phase), Mode: c(p.Mode)}
}

// keepers are the snapshots of projects, opened on first use and kept for the life of the process, since
// opening one asks git.
type keepers struct {
	home *Home
	mu   sync.Mutex // guards open
	open map[string]*snapshot.Keeper
}

// keeper returns the keeper of a folder's snapshots, opened once.
func (k *keepers) keeper(ctx context.Context, dir string) (*snapshot.Keeper, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept, ok := k.open[dir]; ok {
		return kept, nil
	}
	store, err := k.store()
	if err != nil {
		return nil, err
	}
	kept, err := snapshot.Open(ctx, dir, store)
	if err == nil {
		k.open[dir] = kept
	}
	return kept, err
}

// store returns the folder of all snapshots.
func (k *keepers) store() (string, error) {
	file, err := k.home.Settings.StoreFile()
	return filepath.Join(filepath.Dir(file), "snapshots"), err
}

// folders returns the folders that have snapshots.
func (k *keepers) folders() ([]string, error) {
	store, err := k.store()
	if err != nil {
		return nil, err
	}
	return snapshot.Folders(store)
}
