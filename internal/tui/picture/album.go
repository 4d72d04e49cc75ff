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
	Way  Way         // None until it is known
	Cell image.Point // pixels of a cell; zero: unknown
	Tmux bool        // between us and the terminal

	mark    int               // of this album: other programs have pictures too
	next    int               // number of the next picture
	shown   map[string]*shown // including those that are being made
	wanted  []Wanted
	painted []spot // the pictures painted over cells
	seen    []spot // where they should be
}

// shown is a prepared picture; without rows it cannot be drawn, or not yet.
type shown struct {
	id            uint32
	columns, rows int
	png           []byte
	pixels        image.Image
}

// Wanted is a picture to prepare for drawing.
type Wanted struct {
	Key     string
	Picture llm.Attachment
	Room    image.Point // the available pixels
}

// The first and last picture number: lower ones are the terminal's own colours, and a placeholder encodes its
// number as its colour.
const first, last = 16, 255

// NewAlbum makes an album with a mark from 1 to 255.
func NewAlbum(mark int, tmux bool) *Album {
	return &Album{Way: None, Tmux: tmux, mark: mark, next: first, shown: map[string]*shown{}}
}

// Rows returns the rows of a picture, at most room wide; none if it cannot be drawn, or not yet: then it is
// wanted.
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

// Wants returns the pictures that were requested and are not ready, each once.
func (a *Album) Wants() []Wanted {
	w := a.wanted
	a.wanted = nil
	for _, one := range w {
		a.shown[one.Key] = &shown{}
	}
	return w
}

// Waits reports whether any picture is wanted.
func (a *Album) Waits() bool { return a != nil && len(a.wanted) > 0 }

// Ready stores a prepared picture; nil: it cannot be drawn. The result must be sent to the terminal.
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

// Clear forgets all pictures, including those in the terminal: the result must be sent to it.
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

// spot is the place of a picture.
type spot struct {
	key string
	at  image.Point
}

// Found looks for cells reserved for pictures in a drawn screen, and reports whether they moved since the last
// call.
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

// kept matches the beginning of a reserved row.
var kept = pattern.Of(`\x1b\[10;38;5;(\d+);48;5;(\d+);49m`)

// whole reports whether all rows of a picture are visible, below each other.
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

// Stale reports whether something is painted, and forgets it: redrawing the screen removes it.
func (a *Album) Stale() bool {
	was := a.painted
	a.painted = nil
	return len(was) > 0
}

// Wiped notes that the terminal was cleared, and with it what was painted.
func (a *Album) Wiped() {
	if a != nil {
		a.painted, a.seen = nil, nil
	}
}

// Paint returns what the terminal needs to paint the visible pictures.
func (a *Album) Paint() (out string) {
	for _, p := range a.seen {
		s := a.shown[p.key]
		out += paint(a.Way, p.at, s.png, s.pixels, s.columns, s.rows)
	}
	a.painted = slices.Clone(a.seen)
	return out
}
