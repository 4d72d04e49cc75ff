package picture

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Album holds the pictures of a screen. It is for one goroutine.
type Album struct {
	Way  Way         // None as long as it is not known
	Cell image.Point // pixels of a cell; zero: unknown
	Tmux bool        // between us and the terminal

	mark    int               // of this album: other programs have pictures too
	next    int               // number of the next picture
	shown   map[string]*shown // those that are being made too
	wanted  []Wanted
	painted []spot // what stands over cells of the screen
	seen    []spot // and where it should
}

// shown is a picture that was made ready; one without rows cannot be drawn, or not yet.
type shown struct {
	id            uint32
	columns, rows int
	png           []byte
	pixels        image.Image
}

// Wanted is a picture that is to be drawn and not ready.
type Wanted struct {
	Key     string
	Picture llm.Attachment
	Room    image.Point // pixels it has room for
}

// First numbers of pictures: those below are the terminal's own colours, and a placeholder tells its number by its colour.
const first, last = 16, 255

// NewAlbum makes an album of a mark from 1 to 255.
func NewAlbum(mark int, tmux bool) *Album {
	return &Album{Way: None, Tmux: tmux, mark: mark, next: first, shown: map[string]*shown{}}
}

// Rows are the rows that a picture stands in, at most so wide; none if it cannot be drawn, or not yet: then it is wanted.
func (a *Album) Rows(p llm.Attachment, room int) []string {
	if a == nil || !strings.HasPrefix(p.MIME, "image/") {
		return nil
	}
	key := p.Blob
	if key == "" {
		key = string(p.Data)
	}
	s, ok := a.shown[key]
	if !ok {
		cell := a.Cell
		if cell.X <= 0 || cell.Y <= 0 {
			cell = usualCell
		}
		if !slices.ContainsFunc(a.wanted, func(w Wanted) bool { return w.Key == key }) {
			a.wanted = append(a.wanted, Wanted{key, p, image.Pt(mostColumns*cell.X, mostRows*cell.Y)})
		}
		return nil
	}
	if s.rows == 0 || s.columns > room || a.Way == None {
		return nil
	}
	return Cells(a.Way, s.id, s.columns, s.rows)
}

// Wants are the pictures that were asked for and are not ready; they are not told twice.
func (a *Album) Wants() []Wanted {
	w := a.wanted
	a.wanted = nil
	for _, one := range w {
		a.shown[one.Key] = &shown{}
	}
	return w
}

// Waits says whether any is wanted.
func (a *Album) Waits() bool { return a != nil && len(a.wanted) > 0 }

// Ready takes in a picture; nil: it cannot be drawn. What is returned goes to the terminal.
func (a *Album) Ready(w Wanted, pixels image.Image) (send string) {
	s := &shown{}
	a.shown[w.Key] = s
	var body bytes.Buffer
	if pixels == nil || png.Encode(&body, pixels) != nil {
		return ""
	}
	if a.next > last {
		send = a.Clear()
		a.shown[w.Key] = s
	}
	s.id = uint32(a.mark)<<24 | uint32(a.next)
	a.next++
	s.png, s.pixels = body.Bytes(), pixels
	s.columns, s.rows = Fit(pixels.Bounds().Size(), a.Cell, mostColumns)
	if a.Way == Kitty {
		send += Send(s.id, s.png, s.columns, s.rows, a.Tmux)
		s.png, s.pixels = nil, nil // the terminal has it
	}
	return send
}

// Clear forgets all pictures, those that the terminal was sent too: it is to be told what is returned.
func (a *Album) Clear() (send string) {
	if a == nil {
		return ""
	}
	for _, s := range a.shown {
		if a.Way == Kitty && s.rows > 0 {
			send += Forget(s.id, a.Tmux)
		}
	}
	a.shown, a.painted, a.seen, a.next = map[string]*shown{}, nil, nil, first
	return send
}

// spot is where a picture is to be painted.
type spot struct {
	key string
	at  image.Point
}

// Found looks where in a drawn screen cells are kept free for pictures, and says whether they moved since it looked last.
func (a *Album) Found(lines []string) (moved bool) {
	if a == nil || a.Way != ITerm && a.Way != Sixel || len(a.shown) == 0 {
		return false
	}
	byID := map[string]string{}
	for key, s := range a.shown {
		byID[strconv.Itoa(int(s.id&0xff))] = key
	}
	was := a.seen
	a.seen = nil
	for y, l := range lines {
		for _, m := range kept().FindAllStringSubmatchIndex(l, -1) {
			key, known := byID[l[m[2]:m[3]]]
			if !known || l[m[4]:m[5]] != "0" {
				continue
			}
			if s := a.shown[key]; whole(lines[y:], l[m[2]:m[3]], s.rows) {
				a.seen = append(a.seen, spot{key, image.Pt(ansi.StringWidth(l[:m[0]]), y)})
			}
		}
	}
	return !slices.Equal(a.seen, was)
}

// kept is the beginning of a row that is kept free.
var kept = pattern.Of(`\x1b\[10;38;5;(\d+);48;5;(\d+);49m`)

// whole says whether all rows of a picture are there, below each other.
func whole(lines []string, id string, rows int) bool {
	if rows > len(lines) {
		return false
	}
	for row, l := range lines[:rows] {
		if !strings.Contains(l, "\x1b[10;38;5;"+id+";48;5;"+strconv.Itoa(row)+";49m") {
			return false
		}
	}
	return true
}

// Stale says whether something is painted. It is forgotten: the screen must be redrawn, which takes it away.
func (a *Album) Stale() bool {
	was := a.painted
	a.painted = nil
	return len(was) > 0
}

// Wiped says that the terminal was cleared, and what was painted with it.
func (a *Album) Wiped() {
	if a != nil {
		a.painted, a.seen = nil, nil
	}
}

// Paint is what a terminal is told to paint what is in sight.
func (a *Album) Paint() (out string) {
	for _, p := range a.seen {
		s := a.shown[p.key]
		out += paint(a.Way, p.at, s.png, s.pixels, s.columns, s.rows)
	}
	a.painted = slices.Clone(a.seen)
	return out
}
