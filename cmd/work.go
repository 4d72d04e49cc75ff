package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// work is what conversations with an agent need.
func (a *app) work() engine.Work {
	keepers := keepers{a: a, open: map[string]*snapshot.Keeper{}}
	return engine.Work{Tools: builtin.All(), Phase: a.phase, Tiered: a.phaseTier, Brief: a.brief, Policy: a.policy, Grant: a.grant, Fetched: a.fetched, Keeper: keepers.of, Folders: keepers.folders, Confine: a.confine, Watch: a.watch, Files: a.files, Extend: a.extend, Memory: a.memory, Inner: a.inner, Shelf: a.skillOf}
}

// phase finds a phase: the user's own pages come before those of the program. A project's are never taken unasked.
func (a *app) phase(_, name string) (phase.Phase, error) {
	own, err := a.phaseDir()
	if err != nil {
		return phase.Phase{}, err
	}
	p, err := phase.Find(name, own)
	if errors.Is(err, page.ErrUnknown) {
		err = failure.Usage("there is no phase "+name, failure.Nearest(name, phase.Names(own)))
	}
	return p, err
}

// answers is the model that answers in a phase where spec is set.
func (a *app) answers(spec string, p phase.Phase) string {
	return a.phaseTier(spec, p.Tier)
}

// next is the phase that a turn leads to; empty: it goes on in this one.
func (a *app) next(t engine.Turn, res runResult) string {
	p, err := a.phase("", t.Phase)
	if err != nil || res.Status != "ok" && res.Status != "denied" {
		return ""
	}
	next, ok := p.Leads(res.Changed)
	if !ok {
		return ""
	}
	return next
}

// phaseTier is a seat's spec with the tier of a phase, else with the one that the person set for its vendor.
func (a *app) phaseTier(spec, tier string) string {
	cfg, err := a.settings()
	if err != nil {
		return spec
	}
	return a.tiered(cfg, spec, cmp.Or(tier, cfg.OwnTier(spec)))
}

// executing is the phase in which a plan is carried out.
const executing = "executor"

// brief writes the system prompt of a conversation.
func (a *app) brief(ctx context.Context, dir string, p phase.Phase, mode permission.Mode, tools []string, bare bool) (string, []string, error) {
	home, _ := os.UserHomeDir()
	top, err := projectOf(dir)
	if err != nil {
		return "", nil, err
	}
	facts, notes, err := phase.Gather(ctx, top, dir, home, time.Now().Format(time.DateOnly))
	if err != nil {
		return "", nil, err
	}
	if file, err := a.storeFile(); err == nil && confine.Noted(filepath.Dir(file), dir) {
		notes = append(notes, a.keeper().Left(dir)...)
	}
	if bare {
		facts.Conventions, facts.Below, facts.Skills = nil, nil, nil
		return a.out.Clean(phase.System(p, facts, tools, string(mode))), notes, nil
	}
	var more []string
	if facts.Skills, more, err = a.approvedSkills(dir, facts.Skills); err != nil {
		return "", nil, err
	}
	notes = append(notes, more...)
	text := phase.System(p, facts, tools, string(mode))
	if wrong := phase.Plans(dir); p.Name == executing && len(wrong) > 0 {
		notes = append(notes, wrong...)
		text += "\n\n# Plans that are not carried out\n\nCode found these wrong. Carry none of them out: say what is wrong, and that `/plan` repairs it.\n\n" + llm.Block("wrong", strings.Join(wrong, "\n"))
	}
	return a.out.Clean(text), notes, nil
}

// keepers are the snapshots of projects, opened when they are first needed.
type keepers struct {
	a    *app
	mu   sync.Mutex
	open map[string]*snapshot.Keeper
}

func (k *keepers) of(ctx context.Context, dir string) (*snapshot.Keeper, error) {
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

// store is where they lie.
func (k *keepers) store() (string, error) {
	file, err := k.a.storeFile()
	return filepath.Join(filepath.Dir(file), "snapshots"), err
}

func (k *keepers) folders() ([]string, error) {
	store, err := k.store()
	if err != nil {
		return nil, err
	}
	return snapshot.Folders(store)
}

// chosenModel is the model of a conversation: the one that is named, else the settings', else the first that is found. A
// tier is laid over it where the spec leaves the model open.
func (a *app) chosenModel(ctx context.Context, spec, tier string) (string, error) {
	cfg, err := a.settings()
	if err != nil {
		return "", err
	}
	if spec == "" {
		if spec = cfg.String("chat.model"); spec != "" {
			if err := a.checkSeat(cfg, "chat.model", spec); err != nil {
				return "", err
			}
		}
	}
	if spec == "" {
		all, err := a.discover(ctx)
		if err != nil {
			return "", err
		}
		for _, f := range all {
			if f.Ready && f.Source != rehearsalSpec {
				if spec = f.Spec; f.Source == "key" && cfg.String("debate.tier") == "" { // the phase says which model of it
					spec = a.openSpec(f.Spec)
				}
				break
			}
		}
	}
	if spec == "" {
		return "", failure.New(failure.ExitAuth, "auth", "no model was found: no key, no signed-in program, no local server",
			"socrates seats says what is missing; name one with --model, for example --model ollama:qwen3")
	}
	spec = atTier(spec, tier)
	a.warnUnlisted(spec)
	a.warnOpen(spec, a.openOf(spec))
	return spec, nil
}

// checkSeat says where a setting is written that names a seat we do not know.
func (a *app) checkSeat(cfg *config.Config, key, spec string) error {
	c, err := a.models()
	if err != nil {
		return err
	}
	name := seatName(spec)
	names := a.seatNames(c, cfg, name)
	if slices.Contains(names, name) {
		return nil
	}
	wrong := &config.Error{Message: key + ": there is no seat " + name, Hint: failure.Nearest(name, solo(names))}
	for _, o := range cfg.Explain(key) {
		if o.Wins {
			wrong.File, wrong.Line = o.File, o.Line
		}
	}
	return wrong
}
