// Package table holds debates at which real programs and stand-ins sit, healthy and with every fault, by the real program.
package table

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/cmd"
)

// TestMain lets tests run the real program, and what stands in for others: this test binary under their names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "socrates":
		os.Exit(cmd.Main(os.Args[1:]))
	case "pi":
		standInForPi()
	case "crush":
		standInForCrush()
	default:
		os.Exit(m.Run())
	}
}
