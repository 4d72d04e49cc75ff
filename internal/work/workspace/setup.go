package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/litter"
)

// Setup is what a workspace gets besides the files of its commit, as approved by a person.
type Setup struct {
	Copy  []string          `json:"copy,omitempty"`  // globs of files of the project that git ignores
	Run   []string          `json:"run,omitempty"`   // a command, run before anybody works or checks there
	Ports int               `json:"ports,omitempty"` // how many ports it gets
	Files map[string]string `json:"files,omitempty"` // project files that Run runs: SHA-256 of each by its path
}

// Unlike returns the files run by the command that differ in a commit from those approved.
func (u Setup) Unlike(ctx context.Context, s *Space, commit string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(u.Files)) {
		raw, err := s.store.Run(ctx, nil, "cat-file", "blob", commit+":"+name)
		if sum := sha256.Sum256(raw); err != nil || hex.EncodeToString(sum[:]) != u.Files[name] {
			names = append(names, name)
		}
	}
	return names
}

// Beside the index of a clone: that it was set up, and its ports.
const (
	setEnd   = ".set"
	portsEnd = ".ports"
)

// The files for the run's clones are kept in seed. sown lists them, so that git does not commit them.
const (
	seed = "seed"
	sown = "sown"
)

// Seed stores the project's files that clones get besides those of a commit: those that match the globs and that git
// ignores. It returns what clones still lack of the list.
func (s *Space) Seed(ctx context.Context, project string, globs, lack []string) ([]string, error) {
	if len(globs) == 0 {
		return lack, os.WriteFile(filepath.Join(s.dir, sown), nil, 0o600)
	}
	var rules strings.Builder
	repo, err := git.Open(project)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, glob := range globs {
		names, err := doublestar.Glob(os.DirFS(repo.Top()), below(repo.Top(), glob), doublestar.WithFilesOnly(), doublestar.WithNoFollow())
		if err != nil {
			return nil, fmt.Errorf("looking for %s: %w", glob, err)
		}
		if len(names) == 0 {
			lack = append(lack, glob+", which does not exist in the project")
		}
		found = append(found, names...)
	}
	if found, err = repo.Ignored(ctx, slices.Compact(slices.Sorted(slices.Values(found)))); err != nil {
		return nil, err
	}
	var sum int64
	for _, name := range found {
		n, err := plant(repo.Top(), filepath.Join(s.dir, seed), name)
		if err != nil {
			return nil, fmt.Errorf("copying %s for the workspaces: %w", name, err)
		}
		if sum += n; sum > mostTaken {
			return nil, &TooLarge{"what workspaces get besides their files", sum, mostTaken}
		}
		rules.WriteString("/" + ignorable.Replace(name) + "\n")
	}
	lack = slices.DeleteFunc(lack, func(l string) bool {
		name, _, _ := strings.Cut(l, ",")
		_, err := os.Lstat(filepath.Join(s.dir, seed, name))
		return err == nil
	})
	return lack, os.WriteFile(filepath.Join(s.dir, sown), []byte(rules.String()), 0o600)
}

// cacheRules returns ignore rules for package litter's folders, and for folders below dir that are marked as caches.
func cacheRules(dir string) string {
	var b strings.Builder
	for _, name := range litter.Folders {
		b.WriteString(name + "/\n")
	}
	for _, name := range litter.Tagged(dir) {
		b.WriteString("/" + ignorable.Replace(name) + "/\n")
	}
	return b.String()
}

// ignorable escapes a name so that a line of a .gitignore matches it alone.
var ignorable = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `)

// below returns a glob that matches all files of a folder, if one is named.
func below(top, glob string) string {
	glob = path.Clean(filepath.ToSlash(glob))
	if info, err := os.Lstat(filepath.Join(top, glob)); err == nil && info.IsDir() {
		return glob + "/**"
	}
	return glob
}

// plant copies a file, or a link that stays below the folder, and returns its size.
func plant(from, to, name string) (int64, error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	if err := os.MkdirAll(to, 0o700); err != nil {
		return 0, err
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		return 0, err
	}
	defer target.Close()
	if _, err := target.Lstat(name); err == nil { // the commit has it
		return 0, nil
	}
	if err := target.MkdirAll(path.Dir(name), 0o755); err != nil {
		return 0, err
	}
	info, err := source.Lstat(name)
	switch {
	case err != nil:
		return 0, err
	case info.Mode()&fs.ModeSymlink != 0:
		leads, err := source.Readlink(name)
		if err == nil && filepath.IsLocal(filepath.Join(path.Dir(name), leads)) && !filepath.IsAbs(leads) {
			err = target.Symlink(leads, name)
		}
		return 0, err
	case !info.Mode().IsRegular():
		return 0, nil
	}
	raw, err := source.ReadFile(name)
	if err != nil {
		return 0, err
	}
	return int64(len(raw)), target.WriteFile(name, raw, info.Mode().Perm()|0o600)
}

// sow copies the files for all clones to one. Files of the commit stay, and no link in it leads out.
func sow(from, dir string) error {
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		_, err = plant(from, dir, filepath.ToSlash(name))
		return err
	})
}

// Once does something in the clone of a name if it was not done there yet. A failure is repeated the next time.
func (s *Space) Once(name string, do func() error) error {
	mark := filepath.Join(s.dir, "index", name+setEnd)
	if _, err := os.Lstat(mark); err == nil {
		return nil
	}
	if err := do(); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}

// The range of ports, below those that systems use for connections.
const firstPort, lastPort = 20_000, 32_000

// Ports returns n ports that no other workspace of any run has, and that nobody listened on when they were chosen. A
// name keeps its own.
func (s *Space) Ports(name string, n int) ([]int, error) {
	if n == 0 {
		return nil, nil
	}
	file := filepath.Join(s.dir, "index", name+portsEnd)
	if has := portsIn(file); len(has) == n {
		return has, nil
	}
	lock := flock.New(filepath.Join(filepath.Dir(s.dir), "ports.lock")) // of all runs, in any process
	if err := lock.Lock(); err != nil {
		return nil, fmt.Errorf("waiting for other processes that choose ports: %w", err)
	}
	defer lock.Close()
	taken := map[int]bool{}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(s.dir), "*", "index", "*"+portsEnd)) // the pattern is constant
	for _, f := range files {
		for _, p := range portsIn(f) {
			taken[p] = true
		}
	}
	var chosen []int
	var text strings.Builder
	for p := firstPort; p < lastPort && len(chosen) < n; p++ {
		if !taken[p] && free(p) {
			chosen = append(chosen, p)
			fmt.Fprintln(&text, p)
		}
	}
	if len(chosen) < n {
		return nil, fmt.Errorf("only %d of %d ports are free between %d and %d", len(chosen), n, firstPort, lastPort)
	}
	return chosen, os.WriteFile(file, []byte(text.String()), 0o600)
}

// portsIn returns those listed in a file.
func portsIn(file string) (ports []int) {
	raw, _ := os.ReadFile(file) // a workspace may have none
	for _, word := range strings.Fields(string(raw)) {
		if p, err := strconv.Atoi(word); err == nil {
			ports = append(ports, p)
		}
	}
	return ports
}

// free reports whether nobody listens on a port of this machine.
func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	return err == nil && l.Close() == nil
}
