//go:build !linux

package sandbox

import "fmt"

// Layers says why programs cannot have a Layer whose Upper lies in a folder; nil: they can.
func Layers(string) error { return fmt.Errorf("overlays are not supported on %s", systemName()) }
