//go:build !unix

package confine

import (
	"errors"
	"os"
)

// rename is not supported on systems that cannot rename relative to a folder.
func rename(*os.Root, string, string) error { return errors.ErrUnsupported }
