package out

import "fmt"

// Count is a number of things in words: 1 step, 2 steps.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
