//go:build !linux

package confine

// spot is nothing here: no sandbox holds single files.
type spot struct{}

func spotOf(string) (spot, bool) { return spot{}, false }
