//go:build unix

package out

import "os"

// UnderstandsEscapes reports whether a terminal understands escape sequences.
func UnderstandsEscapes(*os.File) bool {
	name := os.Getenv("TERM")
	return name != "" && name != "dumb"
}
