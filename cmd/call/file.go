package call

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/failure"
)

// ForceFlag lets a command replace the files it writes to.
func (a *Call) ForceFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.Force, "force", false, "overwrite existing files")
}

// Writable returns an error if nothing can be written to a path. Commands call it before anything is done or paid
// for: a typo in --out must show before the first model is asked. A file with content is only replaced with --force.
// An empty path stands for no file. The answer may be outdated by the time of the write; then the result is on stdout
// all the same.
func (a *Call) Writable(path string) error {
	if path == "" {
		return nil
	}
	if dir := filepath.Dir(path); !Exists(dir) {
		return failure.Usage("cannot write "+path+": folder "+dir+" does not exist", "create it: mkdir -p "+dir)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // it is new
	case info.IsDir():
		return failure.Usage(path+" is a folder", "name a file in the folder")
	case info.Mode().IsRegular() && info.Size() > 0 && !a.Force:
		return failure.Usage(path+" already exists", "use another file name, or overwrite it with --force")
	case !info.Mode().IsRegular(): // a pipe or device, written to as it is
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".socrates-*")
	if err != nil {
		return failure.Usage("cannot create a file in "+filepath.Dir(path)+" ("+failure.Because(err)+")",
			"choose a folder you can write to")
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// endings maps file extensions to formats, whatever is written.
var endings = map[string]string{".html": "html", ".htm": "html", ".json": "json"}

// Format returns the format to write a file in: the named one, else the one its extension stands for, else the usual
// one. own are extensions that stand for a format only here; "/" is that of a folder.
func Format(named, file, usual string, own map[string]string) string {
	if named != "" {
		return named
	}
	end := strings.ToLower(filepath.Ext(file))
	if strings.HasSuffix(file, "/") {
		end = "/"
	}
	return cmp.Or(own[end], endings[end], usual)
}

// Exists reports whether something exists at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Megabytes formats a number of bytes for people.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(max(n, 0))/(1<<20)) }
