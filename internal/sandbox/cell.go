package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Cell is what one program has to itself: processes that end with it, whatever they do; a home in memory, of which
// nothing is left when the program ends or is killed, or we are; and a network that contains only the addresses that we
// serve. Only Linux with namespaces has cells: see Cells. It is for programs that nobody watches, such as another
// vendor's agent in a debate.
type Cell struct {
	// Home is an empty folder, which the program finds filled, writable, and in memory; the real folder stays empty. Empty: the program
	// has no home.
	Home   string
	Files  []File            // of Home
	Bytes  int64             // size limit of Home
	Listen []string          // addresses that we serve to the program: "tcp ADDRESS:PORT" or "udp ADDRESS:PORT"; see Run.Listeners
	Lead   []string          // IPv4 addresses that lead to Listen besides those of the loopback
	System map[string]string // system files that the program sees with other content, if they exist
}

// File is a file in a cell's home, which only the program can read. At most one of Text, Link and Dir is set; none: it is an empty file.
type File struct {
	Name string // path below the home
	Text string
	Link string // it is a link to this path instead
	Dir  bool   // it is an empty folder instead
}

// check refuses what cannot be passed on: the order to the child separates its parts by zero bytes.
func (c *Cell) check() error {
	if c.Home != "" && !filepath.IsAbs(c.Home) {
		return fmt.Errorf("a cell needs an absolute path for its home, not %q", c.Home)
	}
	for _, f := range c.Files {
		if !filepath.IsLocal(f.Name) || strings.ContainsRune(f.Name+f.Text+f.Link, 0) {
			return fmt.Errorf("%q cannot be put into a cell", f.Name)
		}
	}
	return nil
}
