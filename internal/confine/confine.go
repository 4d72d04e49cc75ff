// Package confine decides what the programs that an agent starts may access: the project except for files that steer
// tools, their own temporary folder and caches, and in the person's home only what programs need to run.
//
// It turns a decision of package permission into rules for package sandbox, which makes the system enforce them. A
// [Keeper] does so for all projects of a process:
//
//	again := k.Watch(policy)                    // once before a call's programs start
//	end, err := k.Start(ctx, policy, …, cmd)    // for each program: rules are put on cmd, the caller starts it
//	err = end()                                 // once it has ended
//	changes := again(accepted)                  // once at the end of the call
//
// The rules, from the outside in:
//
//   - Homes and other people's folders at the top of the disk look empty, except for toolchains (home.go, others.go).
//   - The project may be written. What steers tools in it (.git, instructions of agents, settings of editors and
//     shells) may only be read: a program that could write it could make other programs, or the next agent, do what
//     it may not do itself.
//   - Secrets are hidden wherever they are, including in what may be written.
//   - Caches are a folder for each project (cache.go), so that no project can poison what another one builds.
//   - A program that a person approved by name also gets its logins (login.go): git its keys, docker its socket.
//
// Git is the exception everywhere. It has to replace files that steer tools when it checks out or merges, and to write
// .git. What the sandbox therefore cannot protect is compared afterwards (unheld.go): a change is accepted if git
// brought it from a commit that existed before, and otherwise reported as a [Change].
//
// New files that steer tools are moved out of the project, to Keeper.Aside, when the call ends (watch.go): new names
// cannot be protected in advance, since a sandbox can only protect what exists. If this process is killed in between, a
// note on disk tells the next one (left.go). Files are moved, or copied and then removed; nothing is lost.
//
// A Keeper is safe for concurrent use, and Start either applies all rules or returns [Unheld]. The package judges no
// command and asks nobody: that was decided before. Secrets deep in a project are hidden only on Linux with namespaces
// (Keeper.Deep).
package confine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/process/marked"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Keeper prepares programs for the sandbox. It is safe for concurrent use once its fields are set.
type Keeper struct {
	Home    string   // the person's, without links; empty: not known
	Hidden  []string // our own files and folders: the store, keys
	Caches  string   // folder of programs' caches, with a folder per project; empty: they have none
	Read    []string // folders that programs may read besides those they need to run
	Limits  sandbox.Limits
	Deep    bool     // the sandbox can hide what is deep in a project
	Aside   string   // where new files that steer tools are moved to if a program made them without approval; empty: they stay
	top     string   // of the disk; empty: the system's
	secrets sync.Map // *folder.Secrets by project
	before  sync.Map // []string by project: what steered tools at the last look
	notes   sync.Map // by project: whether there is one
	locks   sync.Map // *flock.Flock of notes, by project
	links   sync.Map // leads by folder of programs
	first   sync.Map // *found by project: its state at the first look of a call
	unheld  comparison
}

// mostHeld bounds how many files that steer tools the sandbox protects: each costs every starting program some microseconds. The rest is
// compared afterwards. Repositories are always protected.
const mostHeld = 1000

// found is the state of a project before a call's programs could change it. It is immutable once made.
type found struct {
	// Absolute paths. steering: what tools obey, including repositories. secrets: files to hide.
	steering, secrets []string
	names             names    // files of the project that files which steer tools name
	closed            []string // folders that could not be listed
	logins            []string // settings of repositories that hold a password or a token
	repo              repository
	at                time.Time
	there             map[string]spot // what the sandbox protects
}

// held returns the steering files that the sandbox protects: all repositories, and the first mostHeld of the rest.
func (f *found) held() (out []string) {
	n := 0
	for _, path := range f.steering {
		if !isRepository(path) {
			if n++; n > mostHeld {
				continue
			}
		}
		out = append(out, path)
	}
	return out
}

// found returns the state at the first look of the current call, or the current state if there was none. What programs
// create in the meantime never replaces it.
func (k *Keeper) found(ctx context.Context, dir string) *found {
	if f, ok := k.first.Load(dir); ok {
		return f.(*found)
	}
	return k.find(ctx, dir)
}

// find scans a project now. With Deep it walks the whole tree, which is why a call does it once and keeps the result.
func (k *Keeper) find(ctx context.Context, dir string) *found {
	s := k.Secrets(dir)
	f := &found{steering: s.Steering(), secrets: s.Find(ctx, k.Deep), repo: repositoryOf(dir), at: time.Now()}
	f.names, f.closed, f.there = named(dir, k.Home, f.steering, f.repo), s.Closed(), f.places()
	f.logins = signIns(f.steering, f.repo)
	return f
}

// Unheld is the error for a program that cannot be sandboxed and was not started. The caller reports it to the model as
// the result of the call; nothing is run unprotected instead.
type Unheld struct {
	Program string
	Why     error
}

// Error is what the model is told as the result of its call.
func (e *Unheld) Error() string {
	return fmt.Sprintf("%s was not run, because it cannot be sandboxed: %v", e.Program, e.Why)
}

// Unwrap returns the sandbox's reason.
func (e *Unheld) Unwrap() error { return e.Why }

// Start applies to a program the rules that follow from the policy, the program's own words and who allowed it. Its
// network is net unless its command was allowed to reach out; nil: a network of its own. The limits apply to the whole
// group together; nil: it is alone. end is called once it has ended.
//
// cmd is changed in place (path, arguments, environment) and must not have been started. end must be called exactly
// once, even if starting fails; its error is a failure to check, not a change, which Watch reports.
func (k *Keeper) Start(
	ctx context.Context, p permission.Policy, net *sandbox.Net, group *sandbox.Group, by consent.Level, cmd *exec.Cmd,
) (end func() error, err error) {
	needs := p.Needs(cmd.Args, cmd.Dir)
	if dir := cmd.Dir; dir != "" && !within(dir, p.Workspace) && !within(dir, k.homes()) { // cd was allowed to lead there
		needs.Read = append(needs.Read, dir)
	}
	r := sandbox.Rules{Write: slices.Concat(p.Workspace, p.Temp, needs.Write), Exact: needs.Write, Net: net, Watched: true,
		Limits: k.Limits, Group: group, Alone: p.Closed}
	r.Network = needs.Network && !(net != nil && needs.Here && net.Serves(needs.Port))
	var way *outlet
	if r.Network && len(needs.Hosts) > 0 {
		if way, err = newOutlet(needs.Hosts); err != nil {
			return nil, &Unheld{cmd.Args[0], err}
		}
		r.Cell = way.cell()
		by = min(by, consent.Unasked) // the person has seen the registry, but not what its packages do
	}
	for _, v := range cmd.Env {
		if name, value, _ := strings.Cut(v, "="); name == "TMPDIR" && scratch.Own(value) { // the session's; a script may set any other
			r.Write = append(r.Write, value)
		}
	}
	r.Deny = append(r.Deny, k.Hidden...)
	k.note(p)
	if err := k.cache(p, cmd, &r); err != nil {
		return nil, &Unheld{cmd.Args[0], err}
	}
	brings := k.project(ctx, p, by, cmd, &r)
	if way != nil {
		shown := func(path string) bool { return namesRegistry(path) && within(path, p.Workspace) }
		for _, path := range r.Deny {
			if shown(path) {
				r.Protect = append(r.Protect, path)
			}
		}
		r.Deny = slices.DeleteFunc(r.Deny, shown)
	}
	k.home(p, needs, cmd, &r)
	if by >= consent.Named {
		k.logins(cmd, &r)
	}
	for _, temp := range p.Temp { // the person's temporary folders, which exist as well
		if !k.Deep {
			break
		}
		r.Deny = append(r.Deny, slices.DeleteFunc(k.Secrets(temp).Find(ctx, false), func(path string) bool {
			return slices.ContainsFunc(r.Write, func(w string) bool { return below(w, path) })
		})...)
	}
	if temp := scratch.Root(); temp != "" { // of other conversations
		r.Cover = append(r.Cover, temp)
	}
	holds := map[string]*found{}
	for _, dir := range p.Workspace {
		if holds[dir] = k.found(ctx, dir); brings {
			holds[dir] = &found{} // git protects nothing of it
		}
	}
	cmd.Env = marked.Sandboxed(cmd.Env)
	ended := k.unheld.runs(holds)
	run, err := sandbox.Command(cmd, r)
	if err != nil {
		ended()
		return nil, &Unheld{cmd.Args[0], err}
	}
	way.open(run)
	return func() error {
		defer ended()
		defer way.close(cmd)
		_, err := run.End() // Watch sees what was changed, at the end of the call
		return err
	}, nil
}

// project protects a project's secrets and steering files from programs; brings: except from git, which may replace the latter.
//
// by decides for each program: one that only reads sees the whole project read-only; one that a person approved may
// change git's folders; otherwise git itself may write its objects and refs, but not what it obeys.
func (k *Keeper) project(ctx context.Context, p permission.Policy, by consent.Level, cmd *exec.Cmd, r *sandbox.Rules) (brings bool) {
	for i, dir := range p.Workspace {
		first := k.found(ctx, dir)
		// For the first folder, git may read what is above it, if the project is part of a larger repository.
		repo, top := first.repo, dir
		if i == 0 && repo.top != "" {
			top = repo.top
		}
		if top != dir {
			r.Read = append(r.Read, top)
		}
		if top == dir {
			r.Deny = append(r.Deny, first.secrets...)
		}
		if !k.isGit(cmd, p) {
			r.Deny = append(r.Deny, first.logins...)
		}
		r.Deny = append(r.Deny, k.Secrets(top).Find(ctx, k.Deep)...)
		r.Read = slices.Concat(r.Read, repo.dirs(), repo.borrowed())
		git := k.isGit(cmd, p) && (by == consent.Asked || k.writesGit(dir, first, cmd))
		if git || by == consent.Asked {
			r.Write = append(r.Write, repo.dirs()...)
			k.unheld.tipsOf(repo.top) // what it creates did not exist before
			k.unheld.tipsOf(repositoryOf(gitDir(cmd)).top)
		}
		loose := git && (by == consent.Asked || permission.GitRestores(cmd.Args, cmd.Env)) && k.unheld.loosen(dir, first)
		brings = brings || loose
		if loose && by == consent.Asked { // git's changes may be above the project
			r.Write = append(r.Write, top)
		}
		if by == consent.Reading { // the system enforces what was decided about its words
			r.Protect = append(r.Protect, dir)
			continue
		}
		for _, path := range first.held() {
			switch {
			case !isRepository(path) && loose:
			case !isRepository(path):
				r.Protect = append(r.Protect, path)
			case by == consent.Asked:
			case git:
				r.Protect = append(r.Protect, obeyed(path)...)
			default:
				r.Protect = append(r.Protect, path)
			}
		}
		if by != consent.Asked && !loose {
			r.Protect = append(r.Protect, first.names.there...)
		}
		if git && by != consent.Asked {
			for _, dir := range repo.dirs() {
				r.Protect = append(r.Protect, repo.obeyed(dir)...)
			}
		}
	}
	return brings
}

// writesGit reports whether git may write a repository: only if its command does more than read, and only one that existed before. A
// repository created since may have filters, which git runs even for reading.
func (k *Keeper) writesGit(dir string, first *found, cmd *exec.Cmd) bool {
	if permission.GitReads(cmd.Args) {
		return false
	}
	at := repositoryOf(gitDir(cmd))
	if at.top == "" || at.dir != first.repo.dir && !slices.Contains(first.steering, filepath.Join(at.top, ".git")) {
		return false
	}
	return !slices.ContainsFunc(k.Secrets(dir).Steering(), func(path string) bool {
		return isRepository(path) &&
			!slices.Contains(first.steering, path)
	})
}

// gitDir is the folder in which git works: that of the command, changed by each -C as git does. --git-dir is not followed.
func gitDir(cmd *exec.Cmd) string {
	dir := cmd.Dir
	for i, a := range cmd.Args {
		if a == "-C" && i+1 < len(cmd.Args) {
			if next := cmd.Args[i+1]; filepath.IsAbs(next) {
				dir = next
			} else {
				dir = filepath.Join(dir, next)
			}
		}
	}
	return dir
}

// Secrets returns what finds the secrets of a project.
func (k *Keeper) Secrets(dir string) *folder.Secrets {
	s, _ := k.secrets.LoadOrStore(dir, &folder.Secrets{Dir: dir})
	return s.(*folder.Secrets)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// below reports whether path is dir or is in it; both are clean.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
