package out

import "fmt"

// Count formats a number of things: 1 step, 2 steps. It adds an s to anything but 1, so what must be a noun
// with a regular plural.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
