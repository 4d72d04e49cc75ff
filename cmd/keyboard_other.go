//go:build !linux && !darwin

package cmd

import (
	"errors"
	"os"
)

func quietKeys(*os.File, func()) (func(), error) { return nil, errors.ErrUnsupported }

func keepHalf(*os.File) (key byte, halt, restore func(), err error) {
	return 0, nil, nil, errors.ErrUnsupported
}
