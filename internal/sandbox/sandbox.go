// Package sandbox limits what a started program may access, and makes the operating system enforce that. It needs
// neither root nor a helper: on Linux it uses Landlock, seccomp and, where users may have them, namespaces; on macOS
// Seatbelt; elsewhere it honestly refuses.
//
//	run, err := sandbox.Command(cmd, rules)  // changes cmd; an error: it must not be started
//	err = cmd.Run()                          // or Start and Wait
//	changed, err := run.End()                // always, also if it did not start
//
// On Linux cmd becomes a start of this very program under another name ([child.Marker]); package child applies the
// rules to itself and then executes the program, so that nothing is set up for the program from outside and nothing it
// forks escapes a rule. The rules are passed in a memory file, not in arguments or the environment, which other
// processes of the user can read. Exit code 126 with a line that begins "sandbox:" means that the program never ran.
//
// What Linux enforces depends on the machine, and is found out by trying, once per process:
//
//   - With user namespaces (Own in package child): mounts decide what is visible, readable and writable; the network is a namespace
//     of its own; protected names cannot be moved because they are mount points. This is the full set of rules.
//   - Without: Landlock alone decides about files. It can grant but not take away below what it granted, so that Deny and
//     Protect inside Write are refused ([Unprotected]) or, if Rules.Watched, compared by Run.End. seccomp refuses sockets.
//
// [Net] and [Group] are shared by the programs of a conversation: a network in which they find each other, and a limit
// on their total resources. [Cell] gives one program its own home, network and view of processes.
//
// Nothing is put into a folder to reserve a name in it: a protected name that does not exist can be created, and
// Run.End reports it. Not enforced: what a program sees of other programs. On Linux a protected or denied file can be
// reached by a hard link that was created earlier, and without namespaces a program can change the mode, owner and
// times of the user's files, wherever they are. On macOS and before Linux 6.12 it can signal other programs. Probe
// reports what a machine enforces.
//
// The package knows no projects, permissions or secrets: it enforces rules for the paths it is given. Package confine chooses them.
package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Rules is what a started program may do. All paths are absolute. The zero value: read everything except devices, write
// nowhere, no network. Where they overlap, Deny takes precedence over Protect, and both over Write; between Cover and
// Read or Write the more specific path wins.
type Rules struct {
	Write   []string // folders and files it may write, with everything below; they exist, and a link counts as its target
	Exact   []string // of Write: they have no links, and if one has become a link the program is not started
	Deny    []string // files and folders it may neither read nor write, even below Write
	Protect []string // below Write, yet never written, removed or replaced; End reports which of the missing ones were created
	Cover   []string // folders that look empty except for what is in Write and Read
	Read    []string // files and folders in Cover that may be read; missing ones are ignored
	Show    []Shown  // in this order; only where there are cells
	Layers  []Layer  // folders that may be written because their content stays unchanged
	Network bool     // may open connections; otherwise it has at most a loopback, shared only with programs of the same Net
	Net     *Net     // nil: one for this program alone
	// Sockets lets it talk to programs of this machine through Unix sockets. With those it can make others act for it:
	// the session bus and container daemons start programs outside every sandbox.
	Sockets bool
	// Watched means that the caller relies on Run.End if the kernel cannot enforce Protect.
	Watched bool
	// Alone ends, together with the program, everything that it started, however that was left behind, where there are namespaces.
	Alone  bool
	Cell   *Cell // nil: none. With one, Network and Net are ignored.
	Limits Limits
	Group  *Group // nil: Limits apply to each program alone
}

// Shown is a file or folder that is also visible at another place, where one of the same kind exists, and is read-only
// there. To deny part of it, use the path at which it is visible.
type Shown struct{ From, At string }

// Limits limit each program that a run starts. Zero: the system's own limit. They prevent accidents (a fork bomb, an
// endless log), and are no protection between users.
type Limits struct {
	// Processes is the number at once, only on Linux: of the Group if the system gives us control groups; otherwise of
	// all programs with the same Net, where there are namespaces and the user is not root.
	Processes int
	// Memory is in bytes, for one process; on Linux also for the whole Group, if the system gives us control groups.
	Memory  int64
	File    int64 // bytes of the largest file that one process may write
	Seconds int   // of processor time of one process
}

// Unprotected is the error of Command if only Protect cannot be enforced: the caller may set Rules.Watched.
type Unprotected struct {
	Path string
	Why  error
}

// Error names the path that the system cannot protect.
func (e *Unprotected) Error() string {
	return fmt.Sprintf("%s cannot be protected inside a writable folder: %v", e.Path, e.Why)
}

// Run is one program under rules. End must be called once the program has ended with everything that it started, or if
// it was not started after all. It is not safe for concurrent use.
type Run struct {
	watch        prints
	missing      []string // protected paths that did not exist
	ours, theirs *os.File // sockets for a cell's listeners; nil: none
	listeners    int
	awaited      chan struct{} // closed when nobody waits for the listeners any longer; nil: Await was not called
}

// Command prepares cmd, which is not started, so that it runs under the rules. Afterwards only its streams may change.
// It fails, and says why, if the rules cannot be enforced. A later failure, when cmd starts, is printed on its standard
// error with exit code 126: the program did not run.
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

// End returns the protected paths that changed: existing ones (only if Watched; otherwise the kernel protected them),
// and those that did not exist and do now. With an error the list may be too long, never too short.
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

// resolve replaces links in Write by their targets, adds the targets of links in Deny and Protect, and refuses
// contradictory rules. The platform's part gets clean paths, without duplicates in Write, Read or Deny.
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
		// Rules that make the whole disk writable would enforce nothing.
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
	out.Deny = slices.DeleteFunc(out.Deny, func(p string) bool { // what is in a denied folder cannot be reached at all
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

// both returns the paths themselves and the targets of those that are links.
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

// settle resolves the links on the path to p, but neither p itself nor links inside writable folders: these can be
// replaced, and their targets must not be mistaken for them.
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

// below reports whether p is dir or is in it; both are clean.
func below(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// shows reports whether p is visible in what is mounted at dir: it is there, and no cover is between.
func (r Rules) shows(dir, p string) bool {
	return below(p, dir) && !slices.ContainsFunc(r.Cover, func(c string) bool { return below(p, c) && below(c, dir) && c != dir })
}

// covered reports whether a path is inside a covered folder, and is not itself one.
func (r Rules) covered(p string) bool {
	return slices.ContainsFunc(r.Cover, func(c string) bool { return p != c && below(p, c) })
}

// root is the outermost writable path that contains p, "" if none does.
func (r Rules) root(p string) string {
	out := ""
	for _, w := range r.Write {
		if below(p, w) && (out == "" || len(w) < len(out)) {
			out = w
		}
	}
	return out
}
