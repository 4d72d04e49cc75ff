//go:build !linux

package sandbox

import "fmt"

// Layers returns why programs cannot have a Layer with an Upper in a folder; nil: they can.
func Layers(string) error { return fmt.Errorf("overlays are not supported on %s", systemName()) }
