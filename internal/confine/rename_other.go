//go:build !unix

package confine

import (
	"errors"
	"os"
)

// rename is for systems that rename by folder.
func rename(*os.Root, string, string) error { return errors.ErrUnsupported }
