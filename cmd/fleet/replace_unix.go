//go:build unix

package fleet

import (
	"fmt"
	"os"
	"syscall"
)

// replace replaces this process by a program. It returns only if the program cannot be started.
func replace(path string, argv []string) error {
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, argv, os.Environ()))
}
