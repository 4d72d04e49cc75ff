package peer

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

// line is one of a file. Of the first, Grew is everything; of the others, it is what changed, and the texts are what was added.
type line struct {
	Made int                       `json:"made"` // which file of its process this is, so that none is read on as another
	Grew map[tree.ID]feed.Snapshot `json:"grew"`
}

// told is what the file of this process says.
type told struct {
	there bool // the file
	made  int  // how many there have been
	all   map[tree.ID]grown
	whole int // bytes of the first line
	added int // bytes of the others
}

// grown is a snapshot as it was told, and the text that it was before it was cleaned.
type grown struct {
	feed.Snapshot
	raw string
}

// slack is how many bytes of additions a file has at least before it is made again.
const slack = 64 << 10

// tell makes a file say what grows, by way of another one if it is made again.
func (t *told) tell(all map[tree.ID]feed.Snapshot, clean func(string) string, file, by string) bool {
	now := make(map[tree.ID]grown, len(all))
	for id, s := range all {
		g := grown{s, s.Text}
		g.Thought = ""                                     // others are not told
		if was, ok := t.all[id]; ok && was.raw == s.Text { // a text that stands still costs nothing
			g.Text = was.Text
		} else {
			g.Text = clean(s.Text)
		}
		g.Note = clean(s.Note)
		now[id] = g
	}
	add, ok := t.additions(now)
	if ok && t.added < t.whole+slack {
		if len(add) == 0 {
			return true
		}
		if n, err := appendTo(file, line{t.made, add}); err == nil {
			t.all, t.added = now, t.added+n
			return true
		}
	}
	everything := make(map[tree.ID]feed.Snapshot, len(now))
	for id, g := range now {
		everything[id] = g.Snapshot
	}
	made := t.made + 1
	*t = told{there: t.there, made: made} // if this fails, the next is made again as well
	raw, err := json.Marshal(line{made, everything})
	if err != nil || os.WriteFile(by, append(raw, '\n'), 0o600) != nil { // not synced: it is worth nothing after a crash
		return false
	}
	if os.Rename(by, file) != nil {
		return false
	}
	*t = told{there: true, made: made, all: now, whole: len(raw)}
	return true
}

// additions are what makes of what was told what grows now; false: that cannot be said in additions.
func (t *told) additions(now map[tree.ID]grown) (map[tree.ID]feed.Snapshot, bool) {
	if t.all == nil {
		return nil, false
	}
	add := map[tree.ID]feed.Snapshot{}
	for id, g := range now {
		was := t.all[id]
		if g.Snapshot == was.Snapshot {
			continue
		}
		text, ok := strings.CutPrefix(g.Text, was.Text)
		if !ok || text != "" && !utf8.RuneStart(text[0]) { // it was cut within a letter
			return nil, false
		}
		g.Text = text
		add[id] = g.Snapshot
	}
	for id := range t.all {
		if _, still := now[id]; !still {
			return nil, false
		}
	}
	return add, true
}

// appendTo adds a line to a file in one write.
func appendTo(file string, l line) (int, error) {
	raw, err := json.Marshal(l)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(append(raw, '\n'))
	if e := f.Close(); err == nil {
		err = e
	}
	return n, err
}

// reading is a file of another process as it was read last.
type reading struct {
	info os.FileInfo // nil: it was not read
	made int
	end  int64 // of the lines that were read
	all  map[tree.ID]feed.Snapshot
}

// again reads a file, unless it is what was read last. One that cannot be read says nothing.
func (h *reading) again(file string) map[tree.ID]feed.Snapshot {
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	if h.info != nil && os.SameFile(h.info, info) && h.info.ModTime().Equal(info.ModTime()) && h.info.Size() == info.Size() {
		return h.all
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if h.made == 0 || info.Size() <= h.end || !h.on(f) {
		*h = reading{}
		if !h.on(f) {
			*h = reading{}
			return nil
		}
	}
	h.info = info
	return h.all
}

// on takes in the lines that follow those that were read; false: they do not follow them.
// A line whose end is missing is still being written.
func (h *reading) on(f *os.File) bool {
	if _, err := f.Seek(h.end, io.SeekStart); err != nil {
		return false
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return false
	}
	for {
		i := bytes.IndexByte(raw, '\n')
		if i < 0 {
			return true
		}
		var l line
		if json.Unmarshal(raw[:i], &l) != nil || l.Made == 0 || h.made != 0 && l.Made != h.made {
			return false
		}
		if h.made == 0 {
			h.made, h.all = l.Made, map[tree.ID]feed.Snapshot{}
		}
		for id, s := range l.Grew {
			s.Text = h.all[id].Text + s.Text
			h.all[id] = s
		}
		h.end += int64(i) + 1
		raw = raw[i+1:]
	}
}
