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

// Writable says why nothing can be written to a path; nil: it can be. Commands ask before anything is done or paid. A
// file that holds something is only replaced with --force. An empty path stands for none.
// A debate is paid for before its decision is written, so a typo in --out must show before the first model is asked.
// The answer may be outdated by the time of the write; then the result is on stdout all the same.
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
	case !info.Mode().IsRegular(): // written to as it is
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".socrates-*")
	if err != nil {
		return failure.Usage("cannot create a file in "+filepath.Dir(path)+" ("+failure.Because(err)+")",
			"choose a folder you can write to")
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// endings are the forms that the endings of files stand for, whatever is written.
var endings = map[string]string{".html": "html", ".htm": "html", ".json": "json"}

// Format is the form in which a file is written: the named one, else the one its ending stands for, else the usual one. own are
// endings that stand for a form only here; "/" is that of a folder.
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

// Exists says whether something is at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Megabytes is a number of bytes as people read it.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(max(n, 0))/(1<<20)) }
