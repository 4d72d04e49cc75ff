package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/egress"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Hold is how the system confines a program, whatever its own mode is. The program reads what the person can, except
// what is denied, and writes only its own state and its home.
//
// In its state it cannot write existing settings and hooks that affect it when the person starts it next: they would
// run outside the sandbox. A nil *Hold holds nothing.
type Hold struct {
	// Cell also gives it its own process space and a network that contains only its vendor's hosts, and keeps its
	// home in memory. Without Cell it can open any connection.
	Cell bool
	// Deny returns the files and folders that a program which reads dir cannot read; dir is empty if it reads
	// nowhere. Exempt is what the program itself needs: its own login.
	Deny func(dir string) []string
	// Cover returns what of the machine's homes looks empty to cmd, and what of them it can read besides what is
	// shown; nil: nothing looks empty.
	Cover func(cmd *exec.Cmd, shown []string) (cover, read []string)
	// Work adds the permissions of a program that works in dir instead of reading there; nil: no program may work.
	Work func(cmd *exec.Cmd, dir string, rules *sandbox.Rules) error
	// Project is denied as a whole to a program that reads elsewhere; empty: none.
	Project string
	// Show says what a program finds in dir if dir stands for another folder; nil for an ordinary dir. A nil Show
	// means that all are ordinary.
	Show  func(dir string) *Shown
	Hosts []string // that it may reach besides its own
	Write []string // folders that it may write besides its own
}

// homeBytes is how much a home in memory may hold.
const homeBytes = 1 << 30

// held is the confinement of a process. A nil *held means that it is not confined. end must be called once the
// process has ended, or could not be started.
type held struct {
	run  *sandbox.Run
	gate *egress.Gate // nil: its network is open
}

// heldCache returns where a held program may keep what it unpacks or builds: nobody else starts anything from there.
func heldCache(name string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "socrates", "programs", name)
}

// reach is what a program needs outside its home. It runs without everything not named here.
type reach struct {
	state    []string // its own folders, with its login, which it may write; they are created
	files    []string // likewise files, if they exist
	reads    []string // what it must read although it may contain others' secrets
	hosts    []string // of its vendor
	settings []string // files that may name other endpoints
	caches   []string // part of state: nobody starts anything from there outside a sandbox
}

// atWork returns what a program needs while it works. It writes to nothing of the person's, since that would affect
// the program when they start it next; its login is linked into its home.
func (is reach) atWork() reach {
	is.reads = slices.Concat(is.reads, is.state, is.files)
	is.state, is.files = is.caches, nil
	return is
}

// reaches returns what the process needs, as far as it can be known. Settings may name endpoints that are on no list
// of ours; confine finds those.
func (p Program) reaches(o Options) (r reach) {
	if p.reach != nil {
		r = p.reach(environment().with(o.Env), o)
	}
	return r
}

// confine makes cmd, which is started as c says, start confined. tell receives errors about hosts that cannot be
// reached. A place that is both denied and needed can be read: without its login a program would be useless. The
// program's state folders are created if missing.
func (h *Hold) confine(cmd *exec.Cmd, c command, tell func(error)) (*held, error) {
	is, home, dir := c.reach, c.home, c.dir
	r := sandbox.Rules{Write: []string{home.data}, Watched: true}
	for _, folder := range is.state { // as the program would on its first run
		os.MkdirAll(folder, 0o700)
	}
	for _, place := range slices.Concat(is.state, is.files, h.Write, home.links()) {
		if exists(place) && !slices.Contains(r.Write, place) {
			r.Write = append(r.Write, place)
		}
	}
	r.Protect = is.obeyed()
	r.Deny = h.denied(slices.Concat(r.Write, is.reads, []string{cmd.Path, home.dir, dir}), dir)
	if s := h.shown(dir); s != nil {
		r.Show = append(r.Show, sandbox.Shown{From: s.From, At: s.At})
		if s.Git != "" {
			r.Show = append(r.Show, sandbox.Shown{From: s.Git, At: filepath.Join(s.At, ".git")})
		}
		if r.Deny = append(r.Deny, s.Hidden...); h.Deny != nil {
			r.Deny = append(r.Deny, s.moved(h.Deny(s.From))...)
		}
	}
	if h.Cover != nil {
		r.Cover, r.Read = h.Cover(cmd, slices.Concat(is.reads, home.links(), []string{home.dir, dir}))
		if beside := filepath.Dir(cmd.Path); !slices.ContainsFunc(r.Cover, func(c string) bool { return below(beside, c) }) {
			r.Read = append(r.Read, beside)
		}
		if temp := scratch.Root(); temp != "" { // the folders of other conversations and seats
			r.Cover, r.Read = append(r.Cover, temp), append(r.Read, home.dir)
			if s := h.shown(dir); s != nil && s.Git != "" {
				r.Read = append(r.Read, filepath.Dir(s.Git))
			}
			if dir != "" {
				r.Read = append(r.Read, dir)
			}
		}
		r.Cover = slices.DeleteFunc(r.Cover, func(c string) bool { return dir == c || slices.Contains(r.Write, c) })
	}
	out := &held{}
	var err error
	switch {
	case c.works && (!h.Cell || h.Work == nil):
		return nil, &trouble.Error{Kind: trouble.Crash, Message: "not started, because nothing confines it to the project"}
	case c.works:
		if err = h.Work(cmd, dir, &r); err != nil {
			return nil, err
		}
	}
	if h.Cell {
		if err = h.lend(&r, home, dir); err != nil {
			return nil, err
		}
		hosts := slices.Concat(is.hosts, endpoints(cmd.Env, is.settings), h.Hosts)
		if out.gate, err = egress.New(hosts, cmd.Env, tell); err != nil {
			return nil, err
		}
		cmd.Env = slices.DeleteFunc(cmd.Env, isProxy)
		r.Cell = &sandbox.Cell{Home: home.dir, Files: home.files, Bytes: homeBytes, Listen: out.gate.Listen(), Lead: out.gate.Lead(),
			System: out.gate.System()}
	} else {
		r.Write, r.Network = append(r.Write, home.dir), true
		if err = home.fill(); err != nil {
			return nil, err
		}
	}
	if out.run, err = sandbox.Command(cmd, r); err != nil {
		return nil, &trouble.Error{Kind: trouble.Crash,
			Message: "not started, because it cannot be sandboxed: " + err.Error(), Err: err}
	}
	return out, nil
}

// obeyed returns the parts of a program's own folders that make it run or believe things when the person starts it
// next: a seat renews its login there, and changes none of these.
func (is reach) obeyed() (out []string) {
	for _, folder := range is.state {
		for _, name := range []string{"settings.json", "settings.local.json", "config.toml", "config.json", "config.yaml", "mcp.json",
			"mcp-config.json", "hooks", "hooks.json", "plugins", "plugin",
			"commands", "agents", "agent", "skills", "rules", "extensions", "prompts", "tools", "AGENTS.md", "CLAUDE.md", "GEMINI.md",
			"QWEN.md", "models.json", "keybindings.json", "bin", ".env"} {
			if path := filepath.Join(folder, name); exists(path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// denied returns what a program cannot read, without what contains something it needs. If the project as a whole is
// denied but contains something it needs, only the project's secrets are.
func (h *Hold) denied(needs []string, dir string) []string {
	holds := func(place string) bool {
		return slices.ContainsFunc(needs, func(n string) bool { return n != "" && below(place, n) })
	}
	var all []string
	if h.Deny != nil {
		all = h.Deny(dir)
	}
	if h.Project != "" {
		if !holds(h.Project) {
			all = append(all, h.Project)
		} else if h.Deny != nil && (dir == "" || !below(h.Project, dir)) {
			all = append(all, h.Deny(h.Project)...)
		}
	}
	return slices.DeleteFunc(all, holds)
}

// started starts the program's network; the program has started.
func (h *held) started() error {
	if h == nil || h.gate == nil {
		return nil
	}
	sockets, err := h.run.Listeners()
	if err != nil {
		return nil // it did not get that far, and says why as it exits
	}
	return h.gate.Serve(sockets)
}

// end removes the confinement. The program has ended.
func (h *held) end() {
	if h == nil {
		return
	}
	if h.gate != nil {
		h.gate.Close()
	}
	h.run.End()
}

// isProxy reports whether a variable names a proxy.
func isProxy(v string) bool {
	name, _, _ := strings.Cut(v, "=")
	return slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"}, strings.ToUpper(name))
}

// mostTrouble limits the stored errors about hosts that nobody reads.
const mostTrouble = 16

// answersOfVendor are failures that prove that the vendor was reached.
var answersOfVendor = []trouble.Kind{trouble.RateLimit, trouble.Quota, trouble.Refused, trouble.Context}

// explain adds to a failure what is known about the program's network.
//
// The failure may have another cause; so the text is only added, and the kind stays. Where the vendor answered,
// nothing is added.
func (p *process) explain(err error) error {
	e, ok := errors.AsType[*trouble.Error](err)
	if !ok || p.held == nil || p.held.gate == nil || slices.Contains(answersOfVendor, e.Kind) {
		return err
	}
	told := *e
	if p.unreached != nil && !p.held.gate.Reached() && !strings.Contains(told.Message, p.unreached.Error()) {
		told.Message += "; " + p.unreached.Error()
	}
	if refused := p.held.gate.Refused(); len(refused) > 0 {
		const most = 5
		told.Message += "; the sandbox blocked " + strings.Join(refused[:min(most, len(refused))], ", ")
		told.Message += fmt.Sprintf(" (if it needs one of them: socrates config set programs.%s.hosts HOST)", SettingName(p.started.name))
	}
	return &told
}

// SettingName returns a program's name as settings spell it: lower case, with a hyphen for everything but ASCII
// letters and digits.
func SettingName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
}
