//go:build !linux

package sandbox

import (
	"fmt"
	"os"
	"runtime"
)

// Cells returns why programs cannot have a Cell on this machine; nil: they can.
func Cells() error { return fmt.Errorf("%s cannot give a program its own network", systemName()) }

// systemName is the name of the system for people.
func systemName() string {
	if runtime.GOOS == "darwin" {
		return "macOS"
	}
	return runtime.GOOS
}

// Listeners returns nothing here.
func (*Run) Listeners() ([]*os.File, error) { return nil, nil }

// Await never calls serve here.
func (*Run) Await(func([]*os.File)) {}

func (*Run) settle() {}

func (*Run) closeCell() {}
