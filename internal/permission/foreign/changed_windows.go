package foreign

import (
	"io/fs"
	"time"
)

// identity identifies a file whatever its name; the zero value: nothing is known.
type identity struct{}

// changedAt is when a file was last changed.
func changedAt(_ string, e fs.DirEntry) (time.Time, identity) { return modified(e), identity{} }

func identify(string) identity { return identity{} }
