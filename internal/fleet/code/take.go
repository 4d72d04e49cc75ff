package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

const (
	mostListed = 64 << 20 // bytes of the list of a push's changes
	mostNamed  = 4096     // bytes of a path
)

// Kinds of files, as git writes them.
const (
	plainFile = "100644"
	program   = "100755"
	link      = "120000"
	module    = "160000"
	tree      = "040000"
	nothing   = "000000"
)

// change is one file that a push changes. Its name is relative to the top of the work tree.
type change struct {
	name             string
	was, mode        string // kinds, as git writes them; nothing: no file
	wasBlob, nowBlob string
}

// pushed is the push of an epoch.
type pushed struct {
	store   git.Store
	base    string
	commit  string // empty: nothing was pushed
	given   Given
	changes []change
	targets map[string]string // of the links among them
}

// Changes returns the paths that an epoch's push would change, relative to the offered folder, sorted; none if
// nothing was pushed. What Take refuses by name or kind alone is an error here, too.
func Changes(ctx context.Context, dir, task string, epoch int) ([]string, error) {
	p, err := epochOf(ctx, dir, task, epoch)
	if err != nil {
		return nil, fmt.Errorf("reading a worker's changes to %s: %w", task, err)
	}
	return p.paths(), nil
}

// Take applies an epoch's push to the folder, and returns the changed paths, relative to the folder, sorted: whole
// files, all or none as far as the disk allows. It refuses, and changes nothing, if a file to be changed is not as it
// was offered. A file that already has the pushed content counts as applied, so that an interrupted take can be
// repeated.
func Take(ctx context.Context, dir, task string, epoch int, folder string) (paths []string, err error) {
	p, err := epochOf(ctx, dir, task, epoch)
	if err == nil && len(p.changes) > 0 {
		var top string
		if top, err = topOf(folder, string(p.given.Prefix)); err == nil {
			err = p.apply(ctx, dir, task, top)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("applying a worker's changes to %s: %w", task, err)
	}
	return p.paths(), nil
}

// paths returns the paths of the changes, relative to the folder.
func (p *pushed) paths() (all []string) {
	for _, c := range p.changes {
		all = append(all, strings.TrimPrefix(c.name, string(p.given.Prefix)))
	}
	slices.Sort(all)
	return all
}

// topOf returns the work tree that contains a folder, at the same place as in the offer.
func topOf(folder, prefix string) (string, error) {
	real, err := realPath(folder)
	if err != nil || prefix == "" {
		return real, err
	}
	top, ok := strings.CutSuffix(filepath.ToSlash(real)+"/", "/"+prefix)
	if !ok {
		return "", fmt.Errorf("%s is not the folder that was sent: it does not end with %s", folder, prefix)
	}
	return filepath.FromSlash(cmp.Or(top, "/")), nil
}

// epochOf reads an epoch's push and validates it.
func epochOf(ctx context.Context, dir, task string, epoch int) (p *pushed, err error) {
	p = &pushed{targets: map[string]string{}}
	if dir, err = made(dir); err != nil {
		return nil, err
	}
	if p.store, err = open(ctx, dir, task); err != nil {
		return nil, err
	}
	all, err := refs(ctx, p.store)
	if err != nil {
		return nil, err
	}
	if p.base, p.commit = all[baseRef], all[epochRef(task, epoch)]; p.commit == "" {
		return p, nil
	}
	if p.given, err = given(ctx, p.store, p.base); err != nil {
		return nil, err
	}
	if err := p.compare(ctx); err != nil {
		return nil, err
	}
	return p, p.judge(ctx)
}

// compare lists the changes of the push.
func (p *pushed) compare(ctx context.Context) error {
	var raw []byte
	read := func(out io.Reader) (err error) {
		raw, err = io.ReadAll(io.LimitReader(out, mostListed+1))
		if len(raw) > mostListed {
			err = errors.New("it changes too many files")
		}
		return err
	}
	err := p.store.Stream(ctx, nil, read, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", p.base, p.commit)
	if err != nil {
		return err
	}
	rows := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	for row := range slices.Chunk(rows, 2) {
		f := strings.Fields(strings.TrimPrefix(row[0], ":"))
		if len(row) != 2 || len(f) != 5 {
			if len(raw) == 0 {
				return nil
			}
			return fmt.Errorf("git printed %q", row)
		}
		p.changes = append(p.changes, change{row[1], f[0], f[1], f[2], f[3]})
	}
	if len(p.changes) > mostFiles {
		return errors.New("it changes too many files")
	}
	return nil
}

// judge refuses what no honest worker pushes: names that mean something else than a file in the folder, links that
// lead out of it, and more than a folder may contain.
func (p *pushed) judge(ctx context.Context) error {
	var links []change
	var new []string
	for _, c := range p.changes {
		if err := judgeName(c.name); err != nil {
			return err
		}
		if !strings.HasPrefix(c.name, string(p.given.Prefix)) {
			return fmt.Errorf("%q is outside the folder that was given", c.name)
		}
		switch c.mode {
		case nothing:
			continue
		case link:
			links = append(links, c)
		case plainFile, program:
		default:
			return fmt.Errorf("%q is neither a file nor a link", c.name)
		}
		new = append(new, c.nowBlob)
	}
	if err := p.weigh(ctx, new, links); err != nil {
		return err
	}
	if err := p.judgeLinks(ctx, links); err != nil {
		return err
	}
	return p.judgeCase(ctx)
}

// weigh refuses content that would be too large: a few packed bytes can expand to any size.
func (p *pushed) weigh(ctx context.Context, blobs []string, links []change) error {
	if len(blobs) == 0 {
		return nil
	}
	all, err := sizes(ctx, p.store, blobs)
	if err != nil {
		return err
	}
	long := map[string]bool{}
	var sum int64
	for i, size := range all {
		if sum += size; size > mostNamed {
			long[blobs[i]] = true
		}
		if sum > mostGiven {
			return fmt.Errorf("the changed files have more than %d MB", mostGiven>>20)
		}
	}
	for _, c := range links {
		if long[c.nowBlob] {
			return fmt.Errorf("the link %.200q is too long", c.name)
		}
	}
	return nil
}

// judgeName refuses names that lead out of the folder, into git's own, or that some disk treats as such a name.
func judgeName(name string) error {
	if name == "" || len(name) > mostNamed {
		return fmt.Errorf("%.80q cannot be the name of a file", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		bare, _, _ := strings.Cut(sensitive.Fold(part), ":")
		bare = strings.TrimRight(bare, ". ")
		if part == "" || part == "." || part == ".." || bare == ".git" || strings.HasPrefix(bare, "git~") ||
			strings.Contains(part, `\`) && filepath.Separator == '\\' {
			return fmt.Errorf("%.200q cannot be the name of a file", name)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%.200q points outside the folder", name)
	}
	return nil
}

// judgeLinks reads the targets of the links.
func (p *pushed) judgeLinks(ctx context.Context, links []change) error {
	var blobs []string
	for _, c := range links {
		blobs = append(blobs, c.nowBlob)
	}
	return contents(ctx, p.store, blobs, func(i int, body io.Reader) error {
		target, err := io.ReadAll(body)
		if err == nil {
			err = judgeLink(links[i].name, string(target))
		}
		p.targets[links[i].name] = string(target)
		return err
	})
}

// judgeLink refuses a link that leads out of the folder or into git's own. One that goes up after it went down is
// refused as well: its target depends on other links.
func judgeLink(name, target string) error {
	bad := fmt.Errorf("the link %.200q points to %.200q, outside the folder", name, target)
	if len(target) > mostNamed || target == "" || strings.ContainsAny(target, "\x00") || path.IsAbs(target) || filepath.IsAbs(target) {
		return bad
	}
	down := false
	for part := range strings.SplitSeq(strings.TrimSuffix(target, "/"), "/") {
		switch {
		case part == "..":
			if down {
				return bad
			}
		case part == ".":
		default:
			if down = true; judgeName(part) != nil {
				return bad
			}
		}
	}
	if where := path.Join(path.Dir(name), target); where == ".." || strings.HasPrefix(where, "../") {
		return bad
	}
	return nil
}

// judgeCase refuses new names that differ from others only by case or invisible characters: on some disks they are
// one file.
func (p *pushed) judgeCase(ctx context.Context) error {
	names, err := p.store.List(ctx, nil, "ls-tree", "-r", "-z", "--name-only", "--full-tree", p.commit)
	if err != nil {
		return err
	}
	before, err := p.store.List(ctx, nil, "ls-tree", "-r", "-z", "--name-only", "--full-tree", p.base)
	if err != nil {
		return err
	}
	old := make(map[string]bool, len(before))
	for _, name := range before {
		for at := name; at != "."; at = path.Dir(at) {
			old[at] = true
		}
	}
	by := map[string]string{}
	for _, name := range names {
		for at := name; at != "."; at = path.Dir(at) {
			key := sensitive.Fold(at)
			other, there := by[key]
			if there && other != at && (!old[at] || !old[other]) {
				return fmt.Errorf("%.200q and %.200q are the same name on some disks", other, at)
			}
			if by[key] = at; there {
				break // its folders were checked
			}
		}
	}
	return nil
}

// hidden reports whether a file must not be opened or followed, by its kind.
func hidden(info os.FileInfo) bool {
	return !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0
}
