package cmd

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
	"github.com/socrates-cli/socrates/internal/llm/cli"
)

// agentSpec begins the spec of a seat that any program takes which speaks the Agent Client Protocol: acp:COMMAND ARGS.
const agentSpec = "acp"

// agent is the program behind the command line that follows in an agent's spec.
func agent(line string) (cli.Program, error) {
	argv, err := cli.Split(line)
	if err != nil {
		return cli.Program{}, failure.Usage("seat acp:"+line+": "+err.Error(),
			`write the command that starts the agent on its pipes, for example "acp:goose acp"`)
	}
	return cli.Agent(argv), nil
}

// programOf finds the program a seat's name means. One that shares its name with a vendor's API is meant by the bare
// name, and with a model by NAME-cli: gemini-cli:MODEL is the program, gemini:MODEL the API.
func (a *app) programOf(name, model string) (cli.Program, bool) {
	if name == agentSpec {
		p, err := agent(model)
		return p, err == nil
	}
	bare, explicit := strings.CutSuffix(name, "-cli")
	i := slices.IndexFunc(cli.Programs, func(p cli.Program) bool { return p.Name == bare })
	if i < 0 || model != "" && !explicit && a.isVendor(bare) {
		return cli.Program{}, false
	}
	return cli.Programs[i], true
}

// maker is the vendor of the catalogue that makes a program's models; empty: none does.
func maker(c *llm.Catalogue, p cli.Program) string {
	for _, v := range c.Vendors() {
		if v.Lineage == p.Lineage && !v.Local {
			return v.Name
		}
	}
	return ""
}

// family is whose errors a program's models share. One of many vendors' models has that of the model it is set to, by the
// spec or by the user's own settings of it; empty: nobody knows.
func (a *app) family(p cli.Program, model string) string {
	name := strings.ToLower(cmp.Or(model, p.Chosen()))
	c, err := a.models()
	if p.Lineage != "" || name == "" || err != nil {
		return p.Lineage
	}
	if family := c.Lineage(name); family != name[strings.LastIndex(name, "/")+1:] {
		return family
	}
	return ""
}

func (a *app) isVendor(name string) bool {
	c, err := a.models() // a catalogue that cannot be read is told by whoever makes the model
	return err == nil && slices.ContainsFunc(c.Vendors(), func(v llm.Vendor) bool { return v.Name == name })
}

// program makes the model of a program's seat. A tier of its vendor becomes the model it means.
func (a *app) program(p cli.Program, model string) (llm.Model, error) {
	hold, _, err := a.hold(p)
	if err != nil {
		return nil, err
	}
	info := llm.Info{Lineage: a.family(p, model)}
	if c, err := a.models(); err == nil && model != "" && p.Lineage != "" {
		if info, _, err = c.Resolve(maker(c, p), model); err == nil {
			model = info.ID
		}
		info.Lineage = p.Lineage
	}
	return p.New(cli.Options{Model: model, Info: info, Hold: hold}), nil
}

// installed says what is wrong with a seat whose program is not there: that is known before anybody is asked and paid.
func (a *app) installed(spec string) error {
	name, model, _ := strings.Cut(spec, ":")
	p, ok := a.programOf(name, model)
	if !ok {
		return nil
	}
	if _, err := exec.LookPath(p.Command()); err != nil {
		if name == agentSpec {
			return failure.Usage("seat "+spec+": there is no program "+p.Command(), "write its path, or put it on PATH")
		}
		hint := "install it and sign in, or leave the seat out; socrates seats shows what is there"
		if a.isVendor(p.Name) {
			hint = "install it and sign in, or take the API: " + p.Name + ":mid"
		}
		return failure.Usage("seat "+spec+": the program "+p.Name+" is not installed", hint)
	}
	return nil
}

// versionTime bounds how long programs may take to tell their versions.
const versionTime = 3 * time.Second

// versions asks the installed programs among seats for theirs, all at once: some take seconds to tell.
func versions(ctx context.Context, seats []found) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	var asked sync.WaitGroup
	for i := range seats {
		if f := &seats[i]; f.Source == "program" && f.Path != "" {
			asked.Go(func() { f.Version = cli.Probe(ctx, strings.TrimSuffix(seatName(f.Spec), "-cli"), f.Path).Version })
		}
	}
	asked.Wait()
}

func seatName(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	return name
}
