package git

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// look is what is known of a file without reading it.
type look struct {
	kind              fileKind
	perm              fs.FileMode
	size              int64
	modified, changed int64 // nanoseconds; nobody can set the time of change; 0: the system does not report it
	inode             uint64
}

// fileKind is the kind of file at a name.
type fileKind uint8

const (
	other fileKind = iota // a pipe, a device
	kindFile
	kindDir
	kindLink
)

// walk is a position in a tree of folders. It keeps the folders above open: a neighbouring file costs one call, however
// deep it is, and no link is followed on the way.
type walk struct {
	at    []folder // the top, and the open folders below it
	names []string // of the open folders
	where string   // the names, joined
	made  func(path string, is look)
}

// newWalk begins at top. With made, missing folders are created, and made is called for each.
func newWalk(top folder, made func(string, look)) *walk { return &walk{at: []folder{top}, made: made} }

// errNoFolder means that the folder does not exist, or is a link.
var errNoFolder = errors.New("the folder is gone")

// to opens a folder, named from the top. It stays open until the walk moves elsewhere.
func (w *walk) to(name string) (folder, error) {
	if name == w.where { // most files are in the same folder as the previous one
		return w.at[len(w.at)-1], nil
	}
	var names []string
	if name != "" {
		names = strings.Split(name, "/")
	}
	same := 0
	for same < min(len(names), len(w.names)) && names[same] == w.names[same] {
		same++
	}
	w.leave(same)
	for i, base := range names[same:] {
		if err := w.enter(base, strings.Join(names[:same+i+1], "/")); err != nil {
			return folder{}, err
		}
	}
	return w.at[len(w.at)-1], nil
}

// enter enters a folder, and creates it if this walk creates folders. If it is no longer a folder, the error is errNoFolder.
func (w *walk) enter(base, whole string) error {
	at := w.at[len(w.at)-1]
	if w.made != nil {
		if err := at.mkdir(base); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	is, err := at.look(base)
	if errors.Is(err, fs.ErrNotExist) || err == nil && is.kind != kindDir {
		return errNoFolder
	}
	if err != nil {
		return err
	}
	next, err := at.open(base)
	if err != nil {
		return err
	}
	if w.made != nil {
		w.made(whole, is)
	}
	w.at, w.names, w.where = append(w.at, next), append(w.names, base), whole
	return nil
}

// leave closes the folders below the first n.
func (w *walk) leave(n int) {
	for _, f := range slices.Backward(w.at[n+1:]) {
		f.close()
	}
	w.at, w.names = w.at[:n+1], w.names[:n]
	w.where = strings.Join(w.names, "/")
}

// close closes all folders, including the top.
func (w *walk) close() {
	w.leave(0)
	w.at[0].close()
}

// split splits a name at its last slash.
func split(name string) (dir, base string) {
	dir, base = path.Split(name)
	return strings.TrimSuffix(dir, "/"), base
}

// seed makes the sums of this process different from all others', so that nobody can make a file for a given sum. Sums
// are only compared within this process and never stored.
var seed = maphash.MakeSeed()

// sumOf is a hash for comparing contents within this process.
func sumOf(body []byte) uint64 { return maphash.Bytes(seed, body) }
