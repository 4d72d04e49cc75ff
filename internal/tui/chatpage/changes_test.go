package chatpage

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/socrates-cli/socrates/internal/clean"
)

func TestSplitPatch(t *testing.T) {
	patch := "diff --git a/a b.txt b/a b.txt\nindex 1..2 100644\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1 +1,2 @@\n-x\n+--- a/y\n+diff --git a/z b/z\n" +
		"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" +
		"diff --git a/pic.png b/pic.png\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/pic.png differ\n"
	got := ""
	for _, c := range splitPatch(patch) {
		got += fmt.Sprintf("%s +%d -%d; ", c.name, c.added, c.removed)
	}
	if want := "a b.txt +2 -1; gone +0 -1; pic.png +0 -0; "; got != want {
		t.Errorf("it holds %s\nwant     %s", got, want)
	}
}

// A name that git quotes is shown as it is, also of an empty file, which has no lines that name it alone.
func TestSplitQuoted(t *testing.T) {
	for _, name := range []string{`quote"d.txt`, "evil\x1b]0;fn\aname"} {
		patch := "diff --git " + strconv.Quote("a/"+name) + " " + strconv.Quote("b/"+name) + "\nnew file mode 100644\nindex 0000000..e69de29\n"
		if all := splitPatch(patch); len(all) != 1 || all[0].name != clean.Reveal(name) {
			t.Errorf("of %q it reads %+v", name, all)
		}
	}
}
