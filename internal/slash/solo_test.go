package slash

import (
	"context"
	"strings"
	"testing"
)

// A command that takes nothing says so of what was typed behind it, and does nothing.
func TestSolo(t *testing.T) {
	for _, name := range []string{"tree", "leaves", "undo", "redo", "cost"} {
		_, err := Run(context.Background(), &Env{}, "/"+name+" nosuch")
		if err == nil || !strings.HasPrefix(err.Error(), "/"+name+" takes no arguments: nosuch") {
			t.Errorf("/%s nosuch: %v", name, err)
		}
	}
}
