package snapshot

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// indexed is the index entry of a file: its recorded content, and its state on disk at that time.
type indexed struct {
	mode    uint32
	size    uint32
	seconds uint32 // of the last change
	nanos   uint32
	hash    [sha1.Size]byte // of git's blob
}

// index has the recorded files, by path in the folder.
type index map[string]indexed

func (ix index) bytes() (sum int64) {
	for _, e := range ix {
		sum += int64(e.size)
	}
	return sum
}

const (
	fixed    = 62     // bytes of an entry before its name
	extended = 0x4000 // flag: two more bytes
)

// readIndex reads git's index, version 2 or 3, whose format git keeps stable. No file is an empty index. The names must
// begin with prefix, which is removed. Reading it here saves a process of git. Any other version counts as damaged: the
// store's settings make git write these.
func readIndex(name, prefix string) (index, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return index{}, nil
	}
	if err != nil {
		return nil, err
	}
	broken := fmt.Errorf("the index %s is broken", name)
	if len(b) < 12 || string(b[:4]) != "DIRC" || b[7] != 2 && b[7] != 3 {
		return nil, broken
	}
	count := binary.BigEndian.Uint32(b[8:])
	b = b[12:]
	ix := make(index, min(count, MostFiles))
	for range count {
		if len(b) < fixed+2 {
			return nil, broken
		}
		u := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
		e := indexed{mode: u(24), size: u(36), seconds: u(8), nanos: u(12)}
		head := fixed
		if binary.BigEndian.Uint16(b[60:])&extended != 0 {
			head += 2
		}
		end := bytes.IndexByte(b[head:], 0)
		size := (head + end + 8) &^ 7
		if end < 0 || size > len(b) {
			return nil, broken
		}
		if path, ok := strings.CutPrefix(string(b[head:head+end]), prefix); ok {
			copy(e.hash[:], b[40:])
			ix[path] = e
		}
		b = b[size:]
	}
	return ix, nil
}

// current reports whether the file is unchanged since it was recorded. It compares what git compares; the size is part
// of the hash that counts.
func (e indexed) current(info fs.FileInfo) bool {
	at := info.ModTime()
	if uint32(at.Unix()) != e.seconds {
		return false
	}
	return e.nanos == 0 || runtime.GOOS == "windows" || uint32(at.Nanosecond()) == e.nanos
}

// holds reports whether the file at name has the recorded content, whenever it was written: git ignores fractions of a second, so a file
// rewritten within the same second with the same content does not become current.
func (e indexed) holds(folder *os.Root, name string, info fs.FileInfo) bool {
	if info.Size() > LargestFile || uint32(info.Size()) != e.size && e.size != 0 {
		return false
	}
	var body []byte
	var err error
	if info.Mode()&fs.ModeSymlink != 0 {
		var to string
		to, err = folder.Readlink(name)
		body = []byte(to)
	} else if info.Mode().IsRegular() {
		body, err = folder.ReadFile(name)
	}
	return err == nil && sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(body), body)) == e.hash
}
