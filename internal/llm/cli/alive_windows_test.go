package cli_test

import (
	"os"
)

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		p.Release()
	}
	return err == nil
}

// marked finds nothing here: the environment of others is not shown.
func marked(string) []int { return nil }
