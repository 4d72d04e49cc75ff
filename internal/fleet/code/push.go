package code

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// Push commits the files of a work tree from Fetch, as they are on disk, and pushes the commit under an epoch. If
// nothing was changed, the commit is empty. The agent's changes to its .git or attributes do not matter; files it
// ignored by a .gitignore stay out. The same files give the same commit, so that a push can be repeated. ErrStale,
// wrapped: the hub refused the epoch.
func Push(ctx context.Context, r Remote, dir string, epoch int) (commit string, err error) {
	if dir, err = realPath(dir); err != nil {
		return "", err
	}
	if r.Dir, err = made(r.Dir); err != nil {
		return "", err
	}
	s, err := storeAt(ctx, r.Dir, r.ownAt(dir))
	if err != nil {
		return "", err
	}
	base, err := line(s.Run(ctx, nil, "rev-parse", "--verify", "--quiet", baseRef+"^{commit}"))
	if err != nil {
		return "", fmt.Errorf("%s was not fetched: %w", dir, err)
	}
	if commit, err = r.commit(ctx, s, dir, base); err == nil && commit != "" {
		err = r.push(ctx, s, base, commit, epoch)
	}
	if err != nil {
		return "", fmt.Errorf("pushing the files of %s: %w", r.Task, err)
	}
	return commit, nil
}

// commit makes a commit of the files on top of the base; empty: unchanged.
func (r Remote) commit(ctx context.Context, s git.Store, dir, base string) (string, error) {
	own := r.ownAt(dir)
	index, taken := filepath.Join(own, "files"), filepath.Join(own, "taken")
	os.Remove(taken + ".lock") // of a killed process
	at := s.At(dir).Indexed(index).With("core.excludesFile", filepath.Join(own, "ignore")).With("core.bigFileThreshold", bigFile)
	if _, err := at.Run(ctx, nil, "read-tree", "--reset", "-i", "--index-output="+taken, base); err != nil {
		return "", err
	}
	at = at.Indexed(taken)
	if err := bearable(ctx, at, dir); err != nil {
		return "", err
	}
	if _, err := at.Run(ctx, nil, "add", "--all"); err != nil {
		return "", fmt.Errorf("receiving the changes: %w", err)
	}
	tree, err := line(at.Run(ctx, nil, "write-tree"))
	if err != nil {
		return "", err
	}
	was, err := line(s.Run(ctx, nil, "rev-parse", "--verify", base+"^{tree}"))
	if err != nil || tree == was {
		return "", err
	}
	changes, err := s.List(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", was, tree)
	if err != nil {
		return "", err
	}
	for c := range slices.Chunk(changes, 2) {
		if f := strings.Fields(c[0]); len(f) == 5 && f[1] == module {
			return "", fmt.Errorf("a repository was made in %s: its files cannot be given back", c[1])
		}
	}
	return stamp(ctx, s, tree, base)
}

// mostGiven is the maximum size of changed files in a push, in bytes.
const mostGiven int64 = 1 << 30

// bearable refuses a push that is too large.
func bearable(ctx context.Context, at git.Store, dir string) error {
	names, err := at.List(ctx, nil, "ls-files", "-z", "--others", "--modified", "--exclude-standard", "--deduplicate")
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var sum int64
	for _, name := range names {
		if info, err := root.Lstat(filepath.FromSlash(name)); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	if len(names) > mostFiles || sum > mostGiven {
		return fmt.Errorf("too many changes: %d files, %d MB", len(names), sum>>20)
	}
	return nil
}

// stamp makes a commit with the base's time, so that the same files make the same commit.
func stamp(ctx context.Context, s git.Store, tree, base string) (string, error) {
	at, err := line(s.Run(ctx, nil, "show", "--no-patch", "--format=%ct", base))
	if err != nil {
		return "", err
	}
	who := "Socrates <socrates@localhost> " + at + " +0000"
	text := fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\nThe worker's changes to the files\n", tree, base, who, who)
	return line(s.Run(ctx, strings.NewReader(text), "hash-object", "-t", "commit", "-w", "--stdin"))
}

// push sends a commit with what the base lacks.
func (r Remote) push(ctx context.Context, s git.Store, base, commit string, epoch int) error {
	client, closed := r.client()
	defer closed()
	a, err := r.advertised(ctx, client, "git-receive-pack")
	if err != nil {
		return err
	}
	ref := epochRef(r.Task, epoch)
	if a.refs[ref] == commit {
		return nil // an earlier try succeeded
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, in := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(in, pkt("%s %s %s\x00report-status %s", noCommit, commit, ref, agent)+flush)
		if err == nil {
			send := func(pack io.Reader) error {
				_, err := io.Copy(in, pack)
				return err
			}
			err = frugal(s).Stream(ctx, strings.NewReader(commit+"\n^"+base+"\n"), send,
				"pack-objects", "--revs", "--stdout", "--thin", "--quiet", "--delta-base-offset")
		}
		in.CloseWithError(err)
		packed <- err
	}()
	answer, err := r.ask(ctx, client, http.MethodPost, "git-receive-pack", "application/x-git-receive-pack-request", out)
	if err == nil {
		defer answer.Body.Close()
		err = report(bufio.NewReader(answer.Body), ref)
	}
	out.Close()
	cancel()
	if packErr := <-packed; err != nil && packErr != nil && !errors.Is(packErr, context.Canceled) && !errors.Is(packErr, io.ErrClosedPipe) {
		err = errors.Join(err, packErr)
	}
	return err
}

// report parses the hub's report on a push.
func report(in *bufio.Reader, ref string) error {
	unpacked := ""
	for {
		text, end, err := readPkt(in)
		if err != nil || end {
			return fmt.Errorf("the hub did not report the result of the push: %w", cmp.Or(err, io.ErrUnexpectedEOF))
		}
		switch verdict, rest, _ := strings.Cut(text, " "); {
		case verdict == "unpack":
			unpacked = rest
		case text == "ok "+ref:
			return nil
		case text == "ng "+ref+" "+staleWhy:
			return ErrStale
		case verdict == "ng":
			if unpacked != "ok" {
				rest = unpacked
			}
			return fmt.Errorf("the hub refused the push: %s", strings.TrimPrefix(rest, ref+" "))
		}
	}
}
