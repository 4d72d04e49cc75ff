//go:build !linux && !darwin

package keyboard

import (
	"errors"
	"os"
)

// Quiet has no terminal to change here: keys come line by line.
func Quiet(*os.File, func()) (func(), error) { return nil, errors.ErrUnsupported }

// Drop forgets nothing here.
func Drop(*os.File) {}

// typedLines is not known here.
func typedLines(*os.File) int { return 0 }

// KeepHalf has no terminal to change here.
func KeepHalf(*os.File) (key byte, halt, restore func(), err error) {
	return 0, nil, nil, errors.ErrUnsupported
}
