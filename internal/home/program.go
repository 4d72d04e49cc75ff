package home

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Find finds the program of a seat's name. If a vendor's API has the same name, the bare name means the
// program; with a model, NAME-cli:MODEL is the program and NAME:MODEL the API, as in gemini-cli:MODEL.
func (ps *Programs) Find(name, model string) (cli.Program, bool) {
	if name == scheme.Agent {
		p, err := seat.Agent(model)
		return p, err == nil
	}
	bare, explicit := strings.CutSuffix(name, "-cli")
	i := slices.IndexFunc(cli.Programs, func(p cli.Program) bool { return p.Name == bare })
	if i < 0 || model != "" && !explicit && ps.IsVendor(bare) {
		return cli.Program{}, false
	}
	return cli.Programs[i], true
}

// Maker returns the vendor of the catalogue that makes a program's models; empty: none.
func Maker(c *catalogue.Catalogue, p cli.Program) string {
	for _, v := range c.Vendors() {
		if v.Lineage == p.Lineage && !v.Local {
			return v.Name
		}
	}
	return ""
}

// Family returns the lineage of a program's models. A program that uses many vendors' models has that of its
// model, set by the spec or by the user's own settings of it; empty: unknown. An unknown family is no lineage
// of its own: such a seat is not in the panel unless named.
func (ps *Programs) Family(p cli.Program, model string) string {
	name := strings.ToLower(cmp.Or(model, ps.Default(p)))
	c, err := ps.home.Settings.Models()
	if p.Lineage != "" || name == "" || err != nil {
		return p.Lineage
	}
	if family := c.Lineage(name); family != name[strings.LastIndex(name, "/")+1:] {
		return family
	}
	return ""
}

// IsVendor reports whether a program's name is also that of a vendor's API.
func (ps *Programs) IsVendor(name string) bool {
	c, err := ps.home.Settings.Models() // whoever makes the model reports an unreadable catalogue
	return err == nil && slices.ContainsFunc(c.Vendors(), func(v catalogue.Vendor) bool { return v.Name == name })
}

// Model makes the model of a program's seat. A tier is replaced by the vendor's model for it.
func (ps *Programs) Model(p cli.Program, model string) (llm.Model, error) {
	hold, open, err := ps.Hold(p)
	if err != nil {
		return nil, err
	}
	cfg, err := ps.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	at := "programs." + cli.SettingName(p.Name) + "."
	model = cmp.Or(model, cfg.String(at+"model"))
	info := llm.Info{Lineage: ps.Family(p, model)}
	if c, err := ps.home.Settings.Models(); err == nil && model != "" && p.Lineage != "" {
		if info, _, err = c.Resolve(Maker(c, p), model); err == nil {
			model = info.ID
		}
		info.Lineage = p.Lineage
	}
	info.Bound = open
	return p.New(cli.Options{Bin: cfg.String(at + "path"),
		Model: model, Info: info, Hold: hold, Longest: cfg.Duration(at + "timeout")}), nil
}

// Default returns the model of a program's seats that name none; empty: unknown.
func (ps *Programs) Default(p cli.Program) string {
	cfg, err := ps.home.Settings.Load()
	if err != nil {
		return p.Chosen()
	}
	return cmp.Or(cfg.String("programs."+cli.SettingName(p.Name)+".model"), p.Chosen())
}

// Installed returns an error if a seat's program is not installed, so that it shows before anybody is asked and
// paid. It looks for an executable and starts nothing.
func (ps *Programs) Installed(spec string) error {
	name, model, _ := strings.Cut(spec, ":")
	p, ok := ps.Find(name, model)
	if !ok {
		return nil
	}
	cfg, err := ps.home.Settings.Load()
	if err != nil {
		return err
	}
	setting := "programs." + cli.SettingName(p.Name) + ".path"
	if path := cfg.String(setting); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return failure.Usage("seat "+spec+": "+setting+" is "+path+", which is not a program",
				"change it: socrates config set "+setting+" PATH")
		}
		return nil
	}
	if _, err := exec.LookPath(p.Command()); err != nil {
		if name == scheme.Agent {
			return failure.Usage("seat "+spec+": program not found: "+p.Command(), "write its full path, or add it to PATH")
		}
		hint := "install it and sign in, or leave out the seat; list seats with: socrates seats"
		if ps.IsVendor(p.Name) {
			hint = "install it and sign in, or use the API: " + p.Name + ":mid"
		}
		return failure.Usage("seat "+spec+": "+p.Name+" is not installed", hint)
	}
	return nil
}

// versionTime limits how long programs may take to report their versions.
const versionTime = 3 * time.Second

// Versions asks the installed programs among seats for their versions in parallel: some take seconds. A program
// that does not answer in time has no version.
func Versions(ctx context.Context, seats []Found) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	var asked sync.WaitGroup
	for i := range seats {
		if f := &seats[i]; f.Source == "program" && f.Path != "" {
			asked.Go(func() { f.Version = cli.Probe(ctx, strings.TrimSuffix(seat.Name(f.Spec), "-cli"), f.Path).Version })
		}
	}
	asked.Wait()
}
