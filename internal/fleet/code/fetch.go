package code

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/scratch"
)

const (
	mostCached = 4 << 30 // bytes of all cached objects
	mostPacks  = 30      // of one project; then they are merged
	mostKept   = 32      // commits of one project whose objects are cached
	keepRef    = "refs/keep/"
)

// projectID matches a project's name, which a hub chose.
var projectID = pattern.Of(`^[0-9a-f]{1,64}$`)

// Fetch makes dir, which must be empty or not exist, a work tree with the files of an offered commit. It returns the
// folder in it that corresponds to the offered one: dir, or one below. If the project is a repository, dir has a .git
// in which the history is checked out and uncommitted work is a change, as at the hub; its objects are in the
// remote's Dir.
func Fetch(ctx context.Context, r Remote, commit, dir string) (folder string, err error) {
	if !isHash(commit) {
		return "", fmt.Errorf("%q is not a commit", commit)
	}
	if dir, err = made(dir); err != nil {
		return "", err
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		return "", cmp.Or(err, fmt.Errorf("%s is not empty", dir))
	}
	if r.Dir, err = made(r.Dir); err != nil {
		return "", err
	}
	s, err := r.own(ctx, commit, dir)
	if err != nil {
		return "", fmt.Errorf("fetching the files of %s: %w", r.Task, err)
	}
	g, err := lay(ctx, s, r.ownAt(dir), commit, dir)
	if err != nil {
		return "", errors.Join(fmt.Errorf("writing the files of %s: %w", r.Task, err), scratch.RemoveAll(r.ownAt(dir)))
	}
	folder = filepath.Join(dir, filepath.FromSlash(string(g.Prefix)))
	if !filepath.IsLocal(filepath.Join(".", string(g.Prefix))) {
		return "", fmt.Errorf("the hub names the folder %q", g.Prefix)
	}
	return folder, os.MkdirAll(folder, 0o755)
}

// ownAt returns the folder of our own git dir for a work tree.
func (r Remote) ownAt(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(r.Dir, "trees", hex.EncodeToString(sum[:10])+".git")
}

// treeFile names, in our git dir, its work tree.
const treeFile = "tree"

// own makes a git dir of ours for a work tree. It has the objects of the commit, fetched unless they are cached.
func (r Remote) own(ctx context.Context, commit, dir string) (s git.Store, err error) {
	client, closed := r.client()
	defer closed()
	a, err := r.advertised(ctx, client, "git-upload-pack")
	if err != nil {
		return s, err
	}
	if a.refs[baseRef] != commit {
		return s, fmt.Errorf("the hub has other files for the task %s", r.Task)
	}
	c, err := r.openCache(ctx, a)
	if err != nil {
		return s, err
	}
	defer c.lock.Close()
	if err := c.bring(ctx, r, client, a, commit); err != nil {
		return s, err
	}
	at := r.ownAt(dir)
	if err := scratch.RemoveAll(at); err != nil {
		return s, err
	}
	if s, err = storeAt(ctx, r.Dir, at); err == nil {
		err = c.store.Lend(s)
	}
	if raw, readErr := os.ReadFile(filepath.Join(c.at, "shallow")); err == nil && readErr == nil {
		err = write(filepath.Join(at, "shallow"), string(raw))
	}
	if err == nil {
		_, err = s.Run(ctx, nil, "update-ref", baseRef, commit)
	}
	if err == nil {
		err = write(filepath.Join(at, treeFile), dir)
	}
	return s, errors.Join(err, r.forget(c.at))
}

// cache is a worker's cache of a project's objects, in a store that only the holder of the lock writes.
type cache struct {
	at    string
	store git.Store
	lock  *flock.Flock
}

// openCache locks and opens the cache of a project.
func (r Remote) openCache(ctx context.Context, a ad) (c cache, err error) {
	id := ""
	for name := range a.refs {
		if found, ok := strings.CutPrefix(name, projectRef); ok && projectID().MatchString(found) {
			id = found
		}
	}
	if id == "" {
		return c, errors.New("the hub does not name the project")
	}
	sum := sha256.Sum256([]byte(r.URL + "\x00" + id)) // hubs do not share, whatever they call their projects
	c.at = filepath.Join(r.Dir, "projects", hex.EncodeToString(sum[:10])+".git")
	if c.lock, err = locked(ctx, c.at+".lock"); err != nil {
		return c, err
	}
	left, _ := filepath.Glob(filepath.Join(c.at, "objects", "pack", "tmp_*")) // of a killed process
	for _, file := range left {
		os.Remove(file)
	}
	if c.store, err = storeAt(ctx, r.Dir, c.at); err != nil {
		return c, errors.Join(err, c.lock.Close())
	}
	return c, nil
}

// bring fetches a commit with everything it reaches, unless it is cached.
func (c cache) bring(ctx context.Context, r Remote, client *http.Client, a ad, commit string) error {
	kept, err := refs(ctx, c.store, keepRef)
	if err != nil {
		return err
	}
	if !slices.Contains(slices.Collect(maps.Values(kept)), commit) {
		if err := c.fetch(ctx, r, client, a, commit, kept); err != nil {
			return err
		}
	}
	// The names sort by time: the newest stay.
	at := time.Now().UTC()
	text := fmt.Sprintf("create %s%s %s\n", keepRef, at.Format("20060102-150405.000000000"), commit)
	names := slices.Sorted(maps.Keys(kept))
	for _, name := range names[:max(0, len(names)-mostKept+1)] {
		text += "delete " + name + "\n"
	}
	if _, err := c.store.Run(ctx, strings.NewReader(text), "update-ref", "--stdin"); err != nil {
		return err
	}
	packs, _ := filepath.Glob(filepath.Join(c.at, "objects", "pack", "*.pack"))
	if len(packs) > mostPacks {
		_, err = c.store.Run(ctx, nil, "repack", "-a", "-d", "-q")
	}
	return errors.Join(err, os.Chtimes(c.at, at, at))
}

// fetch asks for a commit, names what is cached, and unpacks the answer.
func (c cache) fetch(ctx context.Context, r Remote, client *http.Client, a ad, commit string, kept map[string]string) error {
	shallow, has := c.shallow(), map[string]bool{}
	// For a client with a shallow history, git considers all files that it has, and not only those of ancestors of
	// the wanted commit. So the history of earlier offers is declared to end there; other cached commits are named in
	// addition.
	ends := slices.Clone(shallow)
	for _, hash := range kept {
		if g, err := given(ctx, c.store, hash); err == nil && g.Head != "" {
			has[g.Head] = true
		}
		has[hash] = true
		ends = append(ends, hash)
	}
	var ask strings.Builder
	ask.WriteString(pkt("want %s ofs-delta thin-pack shallow no-progress %s\n", commit, agent))
	for _, hash := range ends {
		ask.WriteString(pkt("shallow %s\n", hash))
	}
	ask.WriteString(flush)
	for hash := range has {
		ask.WriteString(pkt("have %s\n", hash))
	}
	ask.WriteString(pkt("done\n"))
	const kind = "application/x-git-upload-pack-request"
	answer, err := r.ask(ctx, client, http.MethodPost, "git-upload-pack", kind, strings.NewReader(ask.String()))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	in := bufio.NewReaderSize(answer.Body, 64<<10)
	text, end, err := readPkt(in)
	switch {
	case err != nil || end:
		return fmt.Errorf("the hub closed the connection early: %w", cmp.Or(err, io.ErrUnexpectedEOF))
	case strings.HasPrefix(text, "ERR "):
		return fmt.Errorf("the hub refused: %s", text[4:])
	case text != "NAK" && !strings.HasPrefix(text, "ACK "):
		return fmt.Errorf("the hub answered %.80q", text)
	}
	if _, err := c.store.Run(ctx, in, "index-pack", "--stdin", "--fix-thin"); err != nil {
		return fmt.Errorf("unpacking what the hub sent: %w", errors.Join(err, cut(answer.Body)))
	}
	if all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(shallow, a.shallow)))); len(all) > 0 {
		if err := write(filepath.Join(c.at, "shallow"), strings.Join(all, "\n")+"\n"); err != nil {
			return err
		}
	}
	not := ""
	for hash := range has {
		not += "^" + hash + "\n"
	}
	if _, err := c.store.Run(ctx, strings.NewReader(commit+"\n"+not), "rev-list", "--objects", "--quiet", "--stdin"); err != nil {
		return fmt.Errorf("the hub's data is incomplete: %w", err)
	}
	return nil
}

// shallow returns the commits whose parents were never fetched.
func (c cache) shallow() []string {
	raw, _ := os.ReadFile(filepath.Join(c.at, "shallow")) // usually there is none
	return strings.Fields(string(raw))
}

// forget removes the least recently used projects while all together are too large, and the git dirs whose work trees
// are gone. The one in use stays.
func (r Remote) forget(inUse string) error {
	trees, _ := filepath.Glob(filepath.Join(r.Dir, "trees", "*.git"))
	for _, at := range trees {
		if dir, err := os.ReadFile(filepath.Join(at, treeFile)); err == nil {
			if _, err := os.Lstat(string(dir)); errors.Is(err, fs.ErrNotExist) {
				if err := scratch.RemoveAll(at); err != nil {
					return err
				}
			}
		}
	}
	projects, _ := filepath.Glob(filepath.Join(r.Dir, "projects", "*.git"))
	used := map[string]time.Time{}
	size := map[string]int64{}
	var sum int64
	for _, at := range projects {
		if info, err := os.Lstat(at); err == nil {
			used[at], size[at] = info.ModTime(), folderSize(at)
			sum += size[at]
		}
	}
	slices.SortFunc(projects, func(a, b string) int { return used[a].Compare(used[b]) })
	for _, at := range projects {
		if sum <= mostCached {
			break
		}
		lock := flock.New(at + ".lock")
		if free, err := lock.TryLock(); err != nil || !free || at == inUse {
			lock.Close()
			continue
		}
		sum -= size[at]
		if err := errors.Join(scratch.RemoveAll(at), lock.Close()); err != nil {
			return err
		}
	}
	return nil
}

// lay writes the files of a commit into an empty folder, and a .git if the project has one.
func lay(ctx context.Context, s git.Store, own, commit, dir string) (Given, error) {
	g, err := given(ctx, s, commit)
	if err != nil {
		return g, err
	}
	index := filepath.Join(own, "files")
	if err := s.Checkout(ctx, dir, index, commit); err != nil {
		return g, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return g, err
	}
	defer root.Close()
	for _, name := range g.Empty {
		if err := root.MkdirAll(filepath.FromSlash(string(name)), 0o755); err != nil {
			return g, err
		}
	}
	if err := write(filepath.Join(own, "ignore"), string(g.Ignore)); err != nil || !g.Repo {
		return g, err
	}
	head := cmp.Or(g.Head, commit)
	// Entries that are the same in the history keep their file data, so that git need not read them again.
	at := s.At(dir).Indexed(index)
	if _, err := at.Run(ctx, nil, "read-tree", "--reset", "-i", "--index-output="+index+".head", head); err != nil {
		return g, err
	}
	if err := s.Attach(ctx, dir, index+".head", head); err != nil {
		return g, err
	}
	return g, write(filepath.Join(dir, ".git", "info", "exclude"), string(g.Ignore))
}
