package git_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/git"
)

// What commits have since is found whichever way leads to them: a branch, a tag, a stash, or a log alone; not what was there, and not
// what a remote's branch or its tag brought.
func TestMade(t *testing.T) {
	dir := repository(t)
	write(t, dir, "old", "old")
	plain(t, dir, "add", "old")
	plain(t, dir, "commit", "-qm", "old")
	r := open(t, dir)
	tips, err := r.Tips(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := func() []string {
		t.Helper()
		made, err := tips.Made(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(maps.Values(made))
	}
	if got := names(); len(got) != 0 {
		t.Errorf("nothing was made, and there is %q", got)
	}
	begin := func(branch string) {
		plain(t, dir, "checkout", "-q", "-B", branch, tips[0])
	}
	commit := func(name string) {
		write(t, dir, name, "content of "+name)
		plain(t, dir, "add", name)
		plain(t, dir, "commit", "-qm", name)
	}
	begin("b")
	commit("dir/on a branch")
	begin("c")
	commit("tagged")
	plain(t, dir, "tag", "t")
	begin("c")
	commit("amended")
	begin("c")
	for _, name := range []string{"put away", "put away later"} {
		write(t, dir, name, name)
		plain(t, dir, "add", name)
		plain(t, dir, "stash", "-q")
	}
	want := []string{"amended", "dir/on a branch", "put away", "put away later", "tagged"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("made: %q, want %q", got, want)
	}
	other := repository(t)
	write(t, other, "theirs", "theirs")
	plain(t, other, "add", "theirs")
	plain(t, other, "commit", "-qm", "theirs")
	plain(t, other, "tag", "release")
	plain(t, dir, "-c", "protocol.file.allow=always", "fetch", "-q", "--tags", other, "+refs/heads/*:refs/remotes/origin/*")
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("after a fetch: %q, want %q", got, want)
	}
	var none git.Tips
	if got, err := none.Made(t.Context(), open(t, repository(t))); err != nil {
		t.Errorf("of a new repository: %v, %v", got, err)
	}
}
