//go:build !linux && !darwin

package cmd

import (
	"errors"
	"os"
)

// canListen is false where keys cannot be read one by one: the debate is told from another terminal.
const canListen = false

func quietKeys(*os.File, func()) (func(), error) { return nil, errors.ErrUnsupported }

func keepHalf(*os.File) (key byte, halt, restore func(), err error) {
	return 0, nil, nil, errors.ErrUnsupported
}
