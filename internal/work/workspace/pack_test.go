package workspace

import (
	"slices"
	"strings"
	"testing"
)

// What is packed of a run comes back elsewhere: its refs, and all they lead to above the commit it began with. What lacks an object, or
// would write elsewhere than below refs/, does not.
func TestPack(t *testing.T) {
	from, err := Open(t.Context(), t.TempDir(), nobody)
	if err != nil {
		t.Skip(err)
	}
	commit := func(text string, parents ...string) string {
		blob, err := line(from.store.Run(t.Context(), strings.NewReader(text), "hash-object", "-w", "--stdin"))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := line(from.store.Run(t.Context(), strings.NewReader("100644 blob "+blob+"\tf\n"), "mktree"))
		if err != nil {
			t.Fatal(err)
		}
		of, err := from.Commit(t.Context(), tree, text, parents...)
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	bottom := commit("one", commit("before"))
	last := commit("two", bottom)
	if err := from.Point(t.Context(), "heads/run", last); err != nil {
		t.Fatal(err)
	}
	refs, err := from.Refs(t.Context())
	if err != nil || !slices.Equal(refs, [][2]string{{"refs/heads/run", last}}) {
		t.Fatal(refs, err)
	}
	pack, err := from.Pack(t.Context(), bottom)
	if err != nil {
		t.Fatal(err)
	}
	to, err := Unpack(t.Context(), t.TempDir(), bottom, pack, refs, nobody)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := to.Refs(t.Context()); err != nil || !slices.Equal(got, refs) || to.Blob(t.Context(), last, "f") != from.Blob(t.Context(), last, "f") {
		t.Error(got, err)
	}
	for what, bad := range map[string]struct{ bottom, ref string }{"a commit is missing": {last, "refs/heads/run"}, "no ref": {bottom, "HEAD"}} {
		part, err := from.Pack(t.Context(), bad.bottom)
		if err == nil {
			_, err = Unpack(t.Context(), t.TempDir(), bottom, part, [][2]string{{bad.ref, last}}, nobody)
		}
		if err == nil {
			t.Error(what + ", and it was unpacked")
		}
	}
}
