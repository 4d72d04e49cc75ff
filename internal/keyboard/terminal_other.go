//go:build !linux && !darwin

package keyboard

import (
	"errors"
	"os"
)

func Quiet(*os.File, func()) (func(), error) { return nil, errors.ErrUnsupported }

func KeepHalf(*os.File) (key byte, halt, restore func(), err error) {
	return 0, nil, nil, errors.ErrUnsupported
}
