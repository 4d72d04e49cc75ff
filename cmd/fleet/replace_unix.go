//go:build unix

package fleet

import (
	"fmt"
	"os"
	"syscall"
)

// replace runs a program in this one's place. It returns only if that cannot be started.
func replace(path string, argv []string) error {
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, argv, os.Environ()))
}
