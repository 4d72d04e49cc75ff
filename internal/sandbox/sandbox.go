// Package sandbox says what a started program may touch, and has the operating system hold it to that. No root and
// no helper is needed: on Linux it is Landlock, seccomp and, where users may have them, namespaces; on macOS
// Seatbelt; elsewhere an honest refusal.
//
//	run, err := sandbox.Command(cmd, rules)  // changes cmd; an error: it must not be started
//	err = cmd.Run()                          // or Start and Wait
//	changed, err := run.End()                // always, also if it did not start
//
// On Linux cmd becomes a start of this very program under another name ([child.Marker]); package child puts the
// rules on itself and then executes the program, so that nothing is set up for the program from outside and no rule
// can be missed by what it forks. What the rules are travels in a memory file, not in arguments or the environment,
// which other processes of the user can read. Exit code 126 with a line that begins "sandbox:" means that the
// program never ran.
//
// What Linux holds depends on the machine, and is found out by trying, once a process:
//
//   - With user namespaces (Own in package child): mounts decide what is seen, read and written; the network is a namespace
//     of its own; protected names cannot be moved because they are mount points. This is the full set of rules.
//   - Without: Landlock alone decides about files. It can grant but not take away below what it granted, so that Deny and
//     Protect inside Write are refused ([Unprotected]) or, if Rules.Watched, compared by Run.End. seccomp refuses sockets.
//
// [Net] and [Group] are shared by the programs of a conversation: a network in which they find each other, and a
// bound on what they take together. [Cell] gives one program a home, a network and a view of processes of its own.
//
// Nothing is put into a folder to hold a name in it: a protected name that does not exist can be created, and
// Run.End tells. What it does not hold: what a program sees of other programs. On Linux a protected or denied file
// can be reached by a hard link that was made earlier, and without namespaces a program can change the mode, owner
// and times of the user's files, wherever they are. On macOS and before Linux 6.12 it can signal other programs.
// Probe says what holds on a machine.
//
// The package knows no projects, permissions or secrets: it holds the paths that it is given. Package confine
// chooses them.
package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Rules is what a started program may do. All paths are absolute. The zero value: read everything but devices, write
// nowhere, no network. Where they meet, Deny is stronger than Protect, and both are stronger than Write; what is
// more specific wins between Cover and Read or Write.
type Rules struct {
	Write   []string // folders and files it may write below; they exist, and a link counts as what it leads to
	Exact   []string // of Write: they are without links, and if one has become a link the program is not started
	Deny    []string // files and folders it may neither read nor write, even below Write
	Protect []string // below Write, yet never written, removed or replaced; End tells which of those that did not exist were made
	Cover   []string // folders that look empty but for what Write and Read hold of them
	Read    []string // files and folders in Cover that may be read; those that do not exist are passed over
	Show    []Shown  // in this order; only where there are cells
	Layers  []Layer  // folders that may be written because what lies there stays as it is
	Network bool     // may open connections; without, it has at most a loopback, where nobody is but those with the same Net
	Net     *Net     // nil: one for this program alone
	// Sockets lets it talk to programs of this machine through Unix sockets. Whoever may can have others act for him:
	// the session bus and container daemons start programs outside every sandbox.
	Sockets bool
	// Watched says that the caller takes the word of Run.End where the kernel cannot hold Protect.
	Watched bool
	// Alone ends with the program all that it started, however that was left behind, where there are namespaces.
	Alone  bool
	Cell   *Cell // nil: none. With one, Network and Net do not count.
	Limits Limits
	Group  *Group // nil: Limits hold for each program alone
}

// Shown is a file or folder that is found at another place as well, where one of the same sort is, and may only be read
// there. What is denied is denied by the path it is found at.
type Shown struct{ From, At string }

// Limits bound each program that a run starts. Zero: the system's own bound. They bound accidents (a fork bomb, a
// log without end), and are no protection between users.
type Limits struct {
	// Processes at once, only on Linux: of the Group where the system has control groups for us; else of all programs with
	// the same Net, where there are namespaces and it is not root.
	Processes int
	// bytes that one process may write to; on Linux also what all of the Group may, where the system has control groups for us
	Memory  int64
	File    int64 // bytes of the largest file that one process may write
	Seconds int   // of processor time of one process
}

// Unprotected is why Command fails where only Protect cannot be held: the caller may set Rules.Watched.
type Unprotected struct {
	Path string
	Why  error
}

// Error names the path that the system cannot hold.
func (e *Unprotected) Error() string {
	return fmt.Sprintf("%s cannot be protected inside a writable folder: %v", e.Path, e.Why)
}

// Run is one program under rules. End must be called once it has ended with all that it started, or was not started
// after all. It is not safe for concurrent use.
type Run struct {
	watch        prints
	missing      []string // protected paths that did not exist
	ours, theirs *os.File // over which the listeners of a cell come; nil: none
	listeners    int
	awaited      chan struct{} // closed when nobody waits for them any longer; nil: Await was not called
}

// Command prepares cmd, which is not started, so that it runs under the rules. Afterwards only its streams may change.
// It fails, and says why, where the rules cannot be held. What fails later, as cmd starts, is said on its standard error with the exit
// code 126: the program did not run.
func Command(cmd *exec.Cmd, r Rules) (*Run, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	r, err := r.resolve()
	if err != nil {
		return nil, err
	}
	if len(r.Show) > 0 && Cells() != nil {
		return nil, fmt.Errorf("%s cannot be shown elsewhere: %w", r.Show[0].From, Cells())
	}
	if len(r.Layers) > 0 && Cells() != nil {
		return nil, fmt.Errorf("%s cannot be overlaid: %w", r.Layers[0].At, Cells())
	}
	return enclose(cmd, r)
}

// End tells which protected paths are not as they were: those that existed and have changed (only if Watched; else
// the kernel held them), and those that did not exist and do now. With an error, what it tells may be too much,
// never too little.
func (r *Run) End() (changed []string, err error) {
	r.settle()
	changed, err = r.watch.changed()
	for _, p := range r.missing {
		if _, gone := os.Lstat(p); gone == nil {
			changed = append(changed, p)
		}
	}
	return changed, err
}

// resolve replaces links in Write by what they lead to, adds what links in Deny and Protect lead to, and refuses
// what contradicts itself. What is left is what the platform's part works with: clean paths, of which none in
// Write, Read or Deny repeats another.
func (r Rules) resolve() (Rules, error) {
	for _, p := range slices.Concat(r.Write, r.Deny, r.Protect, r.Cover, r.Read) {
		if !filepath.IsAbs(p) {
			return r, fmt.Errorf("the sandbox needs absolute paths, not %q", p)
		}
	}
	out := Rules{Network: r.Network, Net: r.Net, Sockets: r.Sockets, Watched: r.Watched, Cell: r.Cell, Limits: r.Limits, Group: r.Group,
		Show: r.Show, Alone: r.Alone}
	for _, s := range r.Show {
		if !filepath.IsAbs(s.From) || !filepath.IsAbs(s.At) {
			return r, fmt.Errorf("the sandbox needs absolute paths, not %q or %q", s.From, s.At)
		}
	}
	for _, p := range r.Write {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return r, fmt.Errorf("writable paths must exist: %w", err)
		}
		if real != p && slices.Contains(r.Exact, p) {
			return r, fmt.Errorf("%s now points elsewhere", p)
		}
		// The rules of a program that may write the whole disk would hold nothing.
		if filepath.Dir(real) == real {
			return r, fmt.Errorf("%s cannot be writable: that would be everything", p)
		}
		out.Write = append(out.Write, real)
	}
	for _, p := range r.Cover {
		if real, err := filepath.EvalSymlinks(p); err == nil && !slices.Contains(out.Cover, real) {
			out.Cover = append(out.Cover, real)
		}
	}
	if err := out.layered(r.Layers); err != nil {
		return r, err
	}
	all := slices.Clone(out.Write)
	out.Write = slices.DeleteFunc(out.Write, func(p string) bool { // in one mount files can be linked and moved
		return slices.ContainsFunc(all, func(w string) bool { return p != w && out.shows(w, p) })
	})
	for _, p := range r.Read {
		if real, err := filepath.EvalSymlinks(p); err == nil && out.covered(real) && !slices.Contains(out.Read, real) &&
			!slices.ContainsFunc(out.Write, func(w string) bool { return out.shows(w, real) }) {
			out.Read = append(out.Read, real)
		}
	}
	out.Deny, out.Protect = out.both(r.Deny), out.both(r.Protect)
	outer := slices.Clone(out.Deny)
	out.Deny = slices.DeleteFunc(out.Deny, func(p string) bool { // what is in a folder that is denied cannot even be looked at
		return slices.ContainsFunc(outer, func(d string) bool { return p != d && below(p, d) })
	})
	for _, d := range out.Deny {
		for _, w := range out.Write {
			if below(w, d) {
				return r, fmt.Errorf("%s may not be written: it is in %s, which is denied", w, d)
			}
		}
	}
	return out, nil
}

// both are the paths themselves and, of those that are links, what they lead to.
func (r Rules) both(paths []string) (out []string) {
	for _, p := range paths {
		at := r.settle(p)
		out = append(out, at)
		if real, err := filepath.EvalSymlinks(at); err == nil && real != at {
			out = append(out, real)
		}
	}
	return out
}

// settle resolves the links on the way to p, but neither p itself nor those inside of what may be written: these can be
// exchanged, and what is behind them must not be mistaken for them.
func (r Rules) settle(p string) string {
	at := filepath.VolumeName(p) + string(filepath.Separator)
	names := strings.Split(strings.Trim(filepath.Clean(p)[len(at)-1:], string(filepath.Separator)), string(filepath.Separator))
	for i, name := range names {
		if r.root(at) != "" || i == len(names)-1 {
			return filepath.Join(at, filepath.Join(names[i:]...))
		}
		at = filepath.Join(at, name)
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
	}
	return at
}

// below reports whether p is dir or lies in it; both are clean.
func below(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// shows says whether p can be seen in what is mounted at dir: it lies there, and no cover is between.
func (r Rules) shows(dir, p string) bool {
	return below(p, dir) && !slices.ContainsFunc(r.Cover, func(c string) bool { return below(p, c) && below(c, dir) && c != dir })
}

// covered says whether a path lies in a covered folder, and is none.
func (r Rules) covered(p string) bool {
	return slices.ContainsFunc(r.Cover, func(c string) bool { return p != c && below(p, c) })
}

// root is the outermost of the writable paths that p lies in, "" if none does.
func (r Rules) root(p string) string {
	out := ""
	for _, w := range r.Write {
		if below(p, w) && (out == "" || len(w) < len(out)) {
			out = w
		}
	}
	return out
}
