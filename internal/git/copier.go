package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	chunk     = 256     // files a worker takes at a time: neighbours mostly share a folder
	wholeSize = 1 << 20 // up to this size a file is read once, written to every copy and known by its content
)

// copy carries out the plan, into all copies at once.
func (p *plan) copy(ctx context.Context, copies []*Copy, told func(done, all int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var mu sync.Mutex // guards what the copies know to be made
	var workers sync.WaitGroup
	for range min(4, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			w := &worker{src: p.src, from: newWalk(p.src, false), buf: make([]byte, wholeSize+1)}
			defer w.close()
			err := w.open(copies)
			for err == nil {
				at := int(next.Add(chunk)) - chunk
				if at >= len(p.items) {
					break
				}
				part := p.items[at:min(at+chunk, len(p.items))]
				if err = w.copy(ctx, part); err == nil && told != nil {
					told(int(done.Add(int64(len(part)))), len(p.items))
				}
			}
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, t := range w.to {
				maps.Copy(t.copy.made, t.made)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// worker copies a part of the plan at a time.
type worker struct {
	src  *os.Root
	from *walk
	to   []target
	buf  []byte
}

// target is a copy as one worker sees it.
type target struct {
	copy *Copy
	at   *walk
	made map[string]state
}

func (w *worker) open(copies []*Copy) error {
	for _, c := range copies {
		root, err := os.OpenRoot(c.top)
		if err != nil {
			return err
		}
		w.to = append(w.to, target{c, newWalk(root, true), map[string]state{}})
	}
	return nil
}

func (w *worker) close() {
	w.from.close()
	for _, t := range w.to {
		t.at.close()
		t.at.roots[0].Close()
	}
}

func (w *worker) copy(ctx context.Context, items []item) error {
	for _, i := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, err := w.from.to(i.dir)
		if err == nil && i.link {
			err = w.link(from, i)
		} else if err == nil {
			err = w.file(ctx, from, i)
		}
		if err != nil && !errors.Is(err, errNoFolder) && !errors.Is(err, errGone) { // it went while it was copied
			return fmt.Errorf("%q: %w", i.name(), err)
		}
	}
	return nil
}

var errGone = errors.New("the file is gone")

// gone tells a file that is not there any more from a copy that cannot be written.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return err
}

func (w *worker) link(from *os.Root, i item) error {
	target, err := from.Readlink(i.base)
	if err != nil {
		return gone(err)
	}
	// Only the root itself can tell where a chain of links ends; it refuses to follow one that leaves it.
	if _, err := w.src.Stat(i.name()); err != nil || runtime.GOOS == "windows" { // there making links is a privilege
		return nil
	}
	for _, t := range w.to {
		into, err := t.at.to(i.dir)
		if err == nil {
			err = into.Symlink(target, i.base)
		}
		if errors.Is(err, fs.ErrExist) {
			continue // a second name for the same file, see write
		}
		if err != nil {
			return err
		}
		info, err := into.Lstat(i.base)
		if err != nil {
			return err
		}
		t.made[i.name()] = stateOf(info).with(sumOf([]byte(target)))
	}
	return nil
}

func (w *worker) file(ctx context.Context, from *os.Root, i item) error {
	in, err := from.OpenFile(i.base, os.O_RDONLY|noWait, 0)
	if err != nil {
		return gone(err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() { // it was something else a moment ago
		return err
	}
	if info.Size() > wholeSize {
		for _, t := range w.to {
			if err := t.write(i, info, func(out *os.File) error { return stream(ctx, out, in, info.Size()) }, state{}); err != nil {
				return err
			}
		}
		return nil
	}
	n, err := io.ReadFull(in, w.buf)
	if err == nil {
		return errors.New("it grows while it is copied")
	} else if err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	known := state{}.with(sumOf(w.buf[:n]))
	for _, t := range w.to {
		if err := t.write(i, info, func(out *os.File) error { _, err := out.Write(w.buf[:n]); return err }, known); err != nil {
			return err
		}
	}
	return nil
}

// stream copies a file that is too long to hold. Where the file system can share blocks, io.Copy has it share them.
func stream(ctx context.Context, out, in *os.File, size int64) error {
	const part = 64 << 20 // cancelling is heard between two parts
	for at := int64(0); at <= size; at += part {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := in.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(out, io.LimitReader(in, min(part, size+1-at))); err != nil {
			return err
		}
	}
	if info, err := out.Stat(); err != nil || info.Size() > size {
		return cmp.Or(err, errors.New("it grows while it is copied"))
	}
	return nil
}

// write makes one file of a copy. It keeps what the file looks like, with what is known of its content.
func (t target) write(i item, info fs.FileInfo, fill func(*os.File) error, known state) error {
	into, err := t.at.to(i.dir)
	if err != nil {
		return err
	}
	out, err := into.OpenFile(i.base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // a second name for the same file: other case, or a linked folder above it
	}
	if err != nil {
		return err
	}
	defer out.Close()
	if err := fill(out); err != nil {
		return err
	}
	// Build tools compare times.
	if err := into.Chtimes(i.base, info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	if info, err = out.Stat(); err != nil {
		return err
	}
	s := stateOf(info)
	s.sum, s.summed = known.sum, known.summed
	t.made[i.name()] = s
	return out.Close()
}

// walk is where in a tree of folders something is done. It keeps the folders above open: a file next door costs one
// call, however deep it lies, and no link is followed on the way.
type walk struct {
	roots []*os.Root // the top, and the open folders below it
	names []string   // of the open folders
	makes bool       // missing folders are made
}

func newWalk(top *os.Root, makes bool) *walk { return &walk{roots: []*os.Root{top}, makes: makes} }

// errNoFolder: there is no such folder, or a link stands for one.
var errNoFolder = errors.New("the folder is gone")

// to opens a folder, named from the top. It stays open until the walk goes elsewhere.
func (w *walk) to(dir string) (*os.Root, error) {
	var names []string
	if dir != "" {
		names = strings.Split(dir, "/")
	}
	same := 0
	for same < min(len(names), len(w.names)) && names[same] == w.names[same] {
		same++
	}
	w.leave(same)
	for _, name := range names[same:] {
		at := w.roots[len(w.roots)-1]
		if w.makes {
			if err := at.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		info, err := at.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return nil, errNoFolder
		}
		if err != nil {
			return nil, err
		}
		next, err := at.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		w.roots, w.names = append(w.roots, next), append(w.names, name)
	}
	return w.roots[len(w.roots)-1], nil
}

// leave closes the folders below the first n.
func (w *walk) leave(n int) {
	for _, r := range slices.Backward(w.roots[n+1:]) {
		r.Close()
	}
	w.roots, w.names = w.roots[:n+1], w.names[:n]
}

func (w *walk) close() { w.leave(0) }

// split takes a name apart at its last slash.
func split(name string) (dir, base string) {
	dir, base = path.Split(name)
	return strings.TrimSuffix(dir, "/"), base
}

// state is what one file of a copy looks like. Who cannot set the clock cannot change a file and keep its state.
type state struct {
	size              int64
	mode              fs.FileMode
	modified, changed int64 // nanoseconds; changed is zero where the system does not keep it
	inode             uint64
	sum               uint64
	summed            bool // sum is known
}

func stateOf(info fs.FileInfo) state {
	s := state{size: info.Size(), mode: info.Mode(), modified: info.ModTime().UnixNano()}
	s.changed, s.inode = changed(info)
	return s
}

func (s state) with(sum uint64) state {
	s.sum, s.summed = sum, true
	return s
}

// seed makes the sums of this process different from all others', so that nobody can make a file for a given sum.
var seed = maphash.MakeSeed()

func sumOf(body []byte) uint64 { return maphash.Bytes(seed, body) }
