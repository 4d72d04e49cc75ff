package foreign

import (
	"io/fs"
	"time"
)

// identity tells files apart whatever they are called; the zero value: nothing is known.
type identity struct{}

// changedAt is when a file was last changed.
func changedAt(_ string, e fs.DirEntry) (time.Time, identity) { return modified(e), identity{} }

func identify(string) identity { return identity{} }
