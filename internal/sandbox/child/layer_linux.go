package child

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Layer is a folder that also shows the content of others; changes to it go to Upper.
type Layer struct {
	At    string
	Below []string // the first takes precedence
	Upper string
}

// mount mounts the layer over its folder. Links in Upper are ours: nobody else writes there.
//
// The layer is not synced to disk (volatile): otherwise the kernel would sync each file that is copied up, and the whole disk when the
// layer is unmounted. A crash of the machine loses what it would lose of any cache. The folders are named by descriptors, because an
// option cannot be longer than 255 bytes.
func (l Layer) mount() error {
	work := filepath.Join(l.Upper, "work")
	dirs := append([]string{filepath.Join(l.Upper, "changed"), work}, l.Below...)
	for _, dir := range dirs[:2] {
		if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
			return err
		}
	}
	mark := filepath.Join(work, "work", "incompat") // with it the kernel would not mount the layer again
	if err := os.RemoveAll(mark); err != nil {
		return err
	}
	for i, dir := range dirs {
		at, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("%s cannot be opened: %w", dir, err)
		}
		defer unix.Close(at)
		dirs[i] = fmt.Sprintf("/proc/self/fd/%d", at)
	}
	fd, err := system("overlay", map[string]string{"lowerdir": strings.Join(dirs[2:], ":"), "upperdir": dirs[0], "workdir": dirs[1],
		"userxattr": "", "volatile": ""}, 0)
	if err == nil {
		defer unix.Close(fd)
		err = errors.Join(os.RemoveAll(mark), attach(fd, l.At))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be overlaid: %w", l.At, err)
	}
	return nil
}

// layer parses a part of an order about layers.
func (o *Order) layer(kind byte, text string) bool {
	last := len(o.Layers) - 1
	switch {
	case kind == 'A':
		o.Layers = append(o.Layers, Layer{At: text})
	case kind == 'U' && last >= 0:
		o.Layers[last].Upper = text
	case kind == 'B' && last >= 0:
		o.Layers[last].Below = append(o.Layers[last].Below, text)
	default:
		return false
	}
	return true
}
