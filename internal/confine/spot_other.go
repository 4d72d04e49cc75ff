//go:build !linux

package confine

// spot is empty here: no sandbox protects single files.
type spot struct{}

func spotOf(string) (spot, bool) { return spot{}, false }
