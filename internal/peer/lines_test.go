package peer

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

// pair is a process that tells and one that hears it, in one folder.
type pair struct {
	*testing.T
	one, two *Peers
}

func newPair(t *testing.T) pair {
	dir := filepath.Join(t.TempDir(), "growing")
	p := pair{t, In(dir, func(s string) string { return strings.ReplaceAll(s, "secret", "…") }), In(dir, strings.Clone)}
	t.Cleanup(p.two.Listen())
	return p
}

// tells has the one say what grows, and the other hear it; it returns how many bytes were written for it, negative ones if the file was
// made again.
func (p pair) tells(said map[tree.ID]string) int {
	p.Helper()
	all, want := map[tree.ID]feed.Snapshot{}, map[tree.ID]feed.Snapshot{}
	for id, text := range said {
		all[id] = feed.Snapshot{Of: id, State: "writing", Text: text}
		want[id] = feed.Snapshot{Of: id, State: "writing", Text: p.one.clean(text)}
	}
	made, added := p.one.told.made, p.one.told.added
	if !p.one.Tell(all) {
		p.Fatalf("%v was not told", said)
	}
	if got := p.two.Others(); !maps.Equal(got, want) {
		p.Errorf("told %v, heard %v", want, got)
	}
	if got := p.two.Again(); !maps.Equal(got, want) {
		p.Errorf("told %v, heard again %v", want, got)
	}
	if p.one.told.made != made {
		return -p.one.told.whole
	}
	return p.one.told.added - added
}

// What was added is written, not all of it; what is no addition is rewritten, and the hearer notices.
func TestAdditions(t *testing.T) {
	p := newPair(t)
	long := strings.Repeat("word ", 4000)
	if n := p.tells(map[tree.ID]string{"a": long}); n >= 0 {
		t.Errorf("the first line was added to something: %d", n)
	}
	if n := p.tells(map[tree.ID]string{"a": long + "more"}); n <= 0 || n > 500 {
		t.Errorf("a word took %d bytes", n)
	}
	if n := p.tells(map[tree.ID]string{"a": long + "more", "b": "new"}); n <= 0 || n > 500 {
		t.Errorf("a second text took %d bytes", n)
	}
	if n := p.tells(map[tree.ID]string{"a": long + "more", "b": "new"}); n != 0 {
		t.Errorf("nothing new took %d bytes", n)
	}
	p.tells(map[tree.ID]string{"b": "other sec"})
	if n := p.tells(map[tree.ID]string{"b": "other secret"}); n >= 0 {
		t.Error("the beginning of a secret is still in the file")
	}
	if raw, _ := os.ReadFile(p.one.path(p.one.self, grows)); strings.Contains(string(raw), "sec") {
		t.Errorf("the file holds %s", raw)
	}
}

// A letter may come in two pieces, and a file does not become long by additions.
func TestAdditionsWhole(t *testing.T) {
	p := newPair(t)
	p.tells(map[tree.ID]string{"a": "gr"})
	cut := map[tree.ID]feed.Snapshot{"a": {Of: "a", State: "writing", Text: "gr\xc3"}}
	if !p.one.Tell(cut) {
		t.Fatal("not told")
	}
	p.two.Others()
	p.tells(map[tree.ID]string{"a": "grün"})
	text := "grün"
	for range 3000 {
		text += "."
		p.tells(map[tree.ID]string{"a": text})
	}
	if info, err := os.Stat(p.one.path(p.one.self, grows)); err != nil || info.Size() > 2*slack {
		t.Errorf("the file of %d bytes of text: %v, %v", len(text), info.Size(), err)
	}
}

// A file that was made again while nobody looked is not read on where the one before ended, however long it is.
func TestAdditionsOfAnother(t *testing.T) {
	p := newPair(t)
	p.tells(map[tree.ID]string{"b": "short"})
	for _, text := range []string{"other", "longer than that", strings.Repeat("long ", 300)} {
		p.one.Tell(nil)
		if !p.one.Tell(map[tree.ID]feed.Snapshot{"b": {Of: "b", State: "writing", Text: text}}) {
			t.Fatal("not told")
		}
		p.tells(map[tree.ID]string{"b": text + "!"})
	}
	file := p.one.path(p.one.self, grows)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(raw, `{"made":`...), 0o600); err != nil { // it is still being written
		t.Fatal(err)
	}
	if got := p.two.Others()["b"].Text; !strings.HasSuffix(got, "!") {
		t.Errorf("half a line made it %q", got)
	}
	if err := os.WriteFile(file, append(raw, "no JSON\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.two.Others(); len(got) > 0 {
		t.Errorf("a damaged file says %v", got)
	}
}
