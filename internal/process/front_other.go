//go:build unix && !linux

package process

// frontOf cannot be told here.
func frontOf(int) (front int, ok bool) { return 0, false }

func runsUs(int) bool { return false }
