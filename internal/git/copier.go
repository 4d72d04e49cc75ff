package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	chunk     = 256     // files a worker takes at a time: neighbours are mostly in the same folder
	wholeSize = 1 << 20 // up to this size a file is read once, written to every copy and identified by its content
)

// record is what is known about a file of a copy when it was made.
type record struct {
	from   look  // of the original
	size   int64 // of the copy
	perm   fs.FileMode
	sum    uint64 // of the content, or of a link's target
	summed bool
}

// copyAll creates items of the folder top in all copies together, reading each once. Four workers at most: more do not
// make a disk faster, and each needs memory for whole files. The first failure ends all.
func copyAll(ctx context.Context, top string, items []item, copies []*Copy, told func(done, all int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var workers sync.WaitGroup
	crew := make([]worker, min(4, runtime.GOMAXPROCS(0), len(items)/chunk+1))
	for n := range crew {
		workers.Go(func() {
			w := &crew[n]
			w.buf = make([]byte, wholeSize+1)
			defer w.close()
			err := w.open(top, copies)
			for err == nil {
				at := int(next.Add(chunk)) - chunk
				if at >= len(items) {
					break
				}
				part := items[at:min(at+chunk, len(items))]
				if err = w.copy(ctx, part); err == nil && told != nil {
					told(int(done.Add(int64(len(part)))), len(items))
				}
			}
			if err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for k, c := range copies {
		if len(c.made) == 0 {
			c.made = make(map[string]record, len(items))
		}
		for _, w := range crew {
			for _, m := range w.to[k].made {
				c.made[m.name] = m.record
			}
			maps.Copy(c.dirs, w.to[k].dirs)
		}
	}
	return nil
}

// worker copies one part of the items at a time.
type worker struct {
	root *os.Root
	from *walk
	to   []target
	buf  []byte
}

// target is a copy as one worker sees it.
type target struct {
	at   *walk
	made []named
	dirs map[string]uint64
}

// named is a record and whose it is.
type named struct {
	name string
	record
}

// open opens the source and the copies; close closes them even if open fails halfway.
func (w *worker) open(top string, copies []*Copy) (err error) {
	if w.root, err = os.OpenRoot(top); err != nil {
		return err
	}
	src, err := openFolder(top)
	if err != nil {
		return err
	}
	w.from = newWalk(src, nil)
	for _, c := range copies {
		dst, err := openFolder(c.top)
		if err != nil {
			return err
		}
		t := target{dirs: map[string]uint64{}}
		t.at = newWalk(dst, func(name string, is look) { t.dirs[name] = is.inode })
		w.to = append(w.to, t)
	}
	return nil
}

// close lets go of all folders.
func (w *worker) close() {
	if w.root != nil {
		w.root.Close()
	}
	if w.from != nil {
		w.from.close()
	}
	for _, t := range w.to {
		t.at.close()
	}
}

// copy copies items to all copies and reads the content once.
func (w *worker) copy(ctx context.Context, items []item) error {
	for _, i := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, err := w.from.to(i.dir)
		switch {
		case err != nil:
		case i.is.kind == kindLink:
			err = w.link(from, i)
		case i.is.size <= wholeSize:
			err = w.whole(from, i)
		default:
			err = w.long(ctx, from, i)
		}
		if err != nil && !errors.Is(err, errNoFolder) && !errors.Is(err, errGone) { // it vanished while it was copied
			return fmt.Errorf("%q: %w", i.name, err)
		}
	}
	return nil
}

// errGone does not fail a copy: files of a project in use may vanish in the meantime, and are left out.
var errGone = errors.New("the file is gone")

// gone distinguishes a file that no longer exists from a copy that cannot be written.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return err
}

var errGrows = errors.New("it grows while it is copied")

// A link that leads out of the folder would let what runs in the copy write to the original.
func (w *worker) link(from folder, i item) error {
	target, err := from.readlink(i.base)
	if err != nil {
		return gone(err)
	}
	// Only the root itself can tell where a chain of links ends; it refuses to follow one that leaves it.
	if _, err := w.root.Stat(i.name); err != nil || runtime.GOOS == "windows" { // on Windows, creating links needs a privilege
		return nil
	}
	for k := range w.to {
		err := w.to[k].make(i, record{perm: 0o777, sum: sumOf([]byte(target)), summed: true, size: int64(len(target))},
			func(into folder) error {
				return into.symlink(target, i.base)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// A file that grew beyond the buffer while it was read is an error: half of it would be a state that never existed.
func (w *worker) whole(from folder, i item) error {
	n, err := from.read(i.base, w.buf, i.is.size)
	if err != nil {
		return gone(err)
	}
	if n == len(w.buf) {
		return errGrows
	}
	known := record{size: int64(n), perm: i.is.perm | 0o600, sum: sumOf(w.buf[:n]), summed: true}
	for k := range w.to {
		// Build tools compare times.
		err := w.to[k].make(i, known, func(into folder) error { return into.write(i.base, known.perm, w.buf[:n], i.is.modified) })
		if err != nil {
			return err
		}
	}
	return nil
}

// long copies a file that is too large for memory. If the file system can share blocks, io.Copy shares them.
func (w *worker) long(ctx context.Context, from folder, i item) error {
	in, err := from.stream(i.base)
	if err != nil {
		return gone(err)
	}
	defer in.Close()
	known := record{size: i.is.size, perm: i.is.perm | 0o600}
	for k := range w.to {
		err := w.to[k].make(i, known, func(into folder) error {
			out, err := into.create(i.base, known.perm)
			if err != nil {
				return err
			}
			err = errors.Join(stream(ctx, out, in, i.is.size), out.Close())
			if err == nil {
				err = into.setTime(i.base, i.is.modified)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stream copies a file in parts. One that became shorter is copied as it is now.
func stream(ctx context.Context, out, in *os.File, size int64) error {
	const part = 64 << 20 // cancellation takes effect between two parts
	for at := int64(0); at < size; at += part {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := in.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if n, err := io.Copy(out, io.LimitReader(in, min(part, size-at))); err != nil || n < min(part, size-at) {
			return err // it became shorter
		}
	}
	return nil
}

// make creates one file of a copy.
func (t *target) make(i item, known record, do func(into folder) error) error {
	into, err := t.at.to(i.dir)
	if err != nil {
		return err
	}
	err = do(into)
	if errors.Is(err, fs.ErrExist) {
		return nil // a second name for the same file: other case, or a linked folder above it
	}
	if err != nil {
		return err
	}
	known.from = i.is
	t.made = append(t.made, named{i.name, known})
	return nil
}
