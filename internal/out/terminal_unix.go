//go:build unix

package out

import "os"

// UnderstandsEscapes says whether a terminal does more than write letters.
func UnderstandsEscapes(*os.File) bool {
	name := os.Getenv("TERM")
	return name != "" && name != "dumb"
}
