// Package pattern keeps regular expressions from being compiled at every start: each is, when it is first used.
package pattern

import (
	"regexp"
	"sync"
)

// Of is the expression of a text, compiled once. A text that is none panics at its first use.
func Of(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
