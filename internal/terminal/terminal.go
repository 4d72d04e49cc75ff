// Package terminal runs a program on a pseudo-terminal and reads its screen: for scripts that use the real program
// as a person would, and for pictures of it. It is no part of the program.
//
// A [Terminal] starts a program, feeds what it writes to an emulator, and types what is asked for. [Commands] are
// the words of test scripts for it. Nothing is waited for by time: [Terminal.Wait] returns as soon as the screen is
// as wanted, and fails with the screen in its error if that does not come, or the program ends. [Terminal.Tidy]
// compares how the program left the terminal with how it found it: modes, cursor, colours and the settings of the
// system's driver.
//
// Linux and macOS only. A Terminal is safe for concurrent use; Close it.
package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/term"
)

// patience is how long anything is waited for that should come at once. Only what fails ever takes so long.
const patience = 30 * time.Second

// Terminal is a program on a pseudo-terminal, and the screen it paints.
type Terminal struct {
	cmd    *exec.Cmd
	master *os.File
	typed  *queue
	before *term.State   // how the program found the terminal
	late   chan struct{} // its answers to questions wait for this
	ahead  string        // what was typed before it was started

	mu      sync.Mutex
	news    *sync.Cond // output came, or the end
	em      *vt.Emulator
	raw     []byte // all that was written
	title   string
	modes   map[ansi.Mode]bool // those that were set or reset
	strays  map[string]string  // other settings that are not as they were at the beginning
	cols    int
	rows    int
	over    bool
	code    int
	settled *term.State // how it left the terminal
}

// Start runs a program on a terminal of some size.
func Start(cmd *exec.Cmd, cols, rows int) (*Terminal, error) {
	now := make(chan struct{})
	close(now)
	return begin(cmd, cols, rows, manner{late: now})
}

// manner is how a terminal answers questions.
type manner struct {
	late  chan struct{} // from when on
	kind  string        // what it says it is, if anything: then it draws pictures
	mute  bool          // it does not know its ground
	ahead string        // what is typed before the program starts
}

// begin runs a program on a terminal that answers questions in some manner.
func begin(cmd *exec.Cmd, cols, rows int, m manner) (*Terminal, error) {
	t := &Terminal{cmd: cmd, typed: newQueue(), em: vt.NewEmulator(cols, rows), modes: map[ansi.Mode]bool{}, strays: map[string]string{},
		cols: cols, rows: rows, late: m.late, ahead: m.ahead}
	t.news = sync.NewCond(&t.mu)
	t.listen()
	if m.kind != "" {
		t.draws(m.kind)
	}
	if m.mute {
		t.em.RegisterOscHandler(11, func([]byte) bool { return true })
	}
	if err := t.open(); err != nil {
		return nil, err
	}
	go t.answer()
	go t.typed.drain(t.master)
	painted := make(chan struct{})
	go func() {
		defer close(painted)
		t.paint()
	}()
	go func() {
		err := cmd.Wait()
		<-painted
		t.mu.Lock()
		defer t.mu.Unlock()
		t.code, t.over = exitCode(cmd, err), true
		t.settled, _ = t.state()
		t.news.Broadcast()
		t.typed.close()
		t.em.InputPipe().(io.Closer).Close()
	}()
	return t, nil
}

// answer types what a terminal answers to questions.
func (t *Terminal) answer() {
	answers := newQueue() // the emulator waits until its answer is taken
	go func() {
		io.Copy(answers, t.em)
		answers.close()
	}()
	<-t.late
	answers.drain(t.typed)
}

// listen keeps what the emulator does not show.
func (t *Terminal) listen() {
	t.em.SetCallbacks(vt.Callbacks{
		Title:       func(s string) { t.title = s },
		EnableMode:  func(m ansi.Mode) { t.modes[m] = true },
		DisableMode: func(m ansi.Mode) { t.modes[m] = false },
	})
	// Lines below the last one cannot scroll: a program that has not heard of a smaller size yet may say so, and the emulator would
	// look for them.
	t.em.RegisterCsiHandler('r', func(p ansi.Params) bool {
		bottom, _, _ := p.Param(1, 0)
		return bottom > t.em.Height()
	})
	stray := func(prefix, inter, final byte, name string, left func(ansi.Params) string) {
		t.em.RegisterCsiHandler(ansi.Command(prefix, inter, final), func(p ansi.Params) bool {
			if t.strays[name] = left(p); t.strays[name] == "" {
				delete(t.strays, name)
			}
			return false
		})
	}
	number := func(at int) func(ansi.Params) string {
		return func(p ansi.Params) string {
			if n, _, _ := p.Param(at, 0); n != 0 {
				return fmt.Sprint(n)
			}
			return ""
		}
	}
	depth := 0
	stray(0, ' ', 'q', "the cursor's shape", number(0))
	stray('=', 0, 'u', "kitty's keys", number(0))
	stray('>', 0, 'm', "other keys", number(1))
	deeper := func(by int) func(ansi.Params) string {
		return func(ansi.Params) string {
			depth = max(0, depth+by)
			return strings.Repeat("pushed ", depth)
		}
	}
	stray('>', 0, 'u', "kitty's stack of keys", deeper(1))
	stray('<', 0, 'u', "kitty's stack of keys", deeper(-1))
}

// draws has it answer as one that draws kitty's pictures.
func (t *Terminal) draws(kind string) {
	t.em.RegisterCsiHandler(ansi.Command('>', 0, 'q'), func(ansi.Params) bool {
		t.Type("\x1bP>|" + kind + "\x1b\\")
		return true
	})
	t.em.RegisterApcHandler(func(data []byte) bool {
		if bytes.HasPrefix(data, []byte("Gi=31,")) {
			t.Type("\x1b_Gi=31;OK\x1b\\")
		}
		return true
	})
}

// paint shows what the program writes until all of it has come.
func (t *Terminal) paint() {
	buf := make([]byte, 32<<10)
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.raw = append(t.raw, buf[:n]...)
		t.em.Write(buf[:n])
		t.news.Broadcast()
		t.mu.Unlock()
		if err != nil { // the last that had the terminal open is gone
			return
		}
	}
}

// Type sends bytes as if they were typed. It does not wait for the program to read them.
func (t *Terminal) Type(text string) { io.WriteString(t.typed, text) }

// Paste sends a text as a terminal sends what is pasted: marked, if the program asked for that.
func (t *Terminal) Paste(text string) {
	if t.mode(ansi.ModeBracketedPaste) {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	t.Type(strings.ReplaceAll(text, "\n", "\r"))
}

// mode says whether the program has set a mode.
func (t *Terminal) mode(m ansi.Mode) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.modes[m]
}

// Wait waits until something is so of what the terminal shows. It fails if it is not by the end of the program, or not
// in time; what it says then ends with the screen.
func (t *Terminal) Wait(what string, want func(screen string) bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waited(patience, func() bool { return t.over || want(t.text()) }) && want(t.text()) {
		return nil
	}
	why := fmt.Sprintf("not within %v", patience)
	if t.over {
		why = fmt.Sprintf("and the program has ended with %d", t.code)
	}
	return fmt.Errorf("%s: %s. The screen:\n%s", what, why, t.framed())
}

// waited waits for a condition; false if it did not come true in time.
func (t *Terminal) waited(limit time.Duration, done func() bool) bool {
	late := false
	timer := time.AfterFunc(limit, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		late = true
		t.news.Broadcast()
	})
	defer timer.Stop()
	for !done() {
		if late {
			return false
		}
		t.news.Wait()
	}
	return true
}

// Settle waits until nothing has been written for half a second, or ten seconds of something that always moves: for goldens and
// pictures that are made, not for tests.
func (t *Terminal) Settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for began, n := time.Now(), -1; n != len(t.raw) && time.Since(began) < 10*time.Second; {
		n = len(t.raw)
		t.waited(time.Second/2, func() bool { return n != len(t.raw) })
	}
}

// End waits for the end of the program and returns its exit code; 128 and the signal's number if one ended it.
func (t *Terminal) End() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.waited(patience, func() bool { return t.over }) {
		return 0, fmt.Errorf("the program did not end within %v. The screen:\n%s", patience, t.framed())
	}
	return t.code, nil
}

// Screen is the text of the screen without the blanks at the ends of its lines.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text()
}

// text is the screen; mu is held.
func (t *Terminal) text() string {
	var b strings.Builder
	for y := range t.rows {
		var row strings.Builder
		for x := 0; x < t.cols; {
			c := t.em.CellAt(x, y)
			if c == nil || c.Width == 0 {
				c = &uv.EmptyCell
			}
			row.WriteString(cmp.Or(c.Content, " "))
			x += c.Width
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// framed is the screen for whoever reads why a test failed.
func (t *Terminal) framed() string {
	at := t.em.CursorPosition()
	return fmt.Sprintf("%s%s (%d×%d, cursor at %d %d)", strings.ReplaceAll("\n"+strings.TrimRight(t.text(), "\n"), "\n", "\n  │ ")[1:],
		"\n", t.cols, t.rows, at.X, at.Y)
}

// Raw is all that the program has written.
func (t *Terminal) Raw() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.raw)
}

// View lets a function look at the screen cell by cell while nothing is painted. The cursor is nil while it is hidden.
func (t *Terminal) View(look func(cols, rows int, title string, cursor *uv.Position, cell func(x, y int) *uv.Cell)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.em.CursorPosition()
	cursor := &at
	if !t.shown() {
		cursor = nil
	}
	look(t.cols, t.rows, t.title, cursor, t.em.CellAt)
}

// shown says whether the cursor is.
func (t *Terminal) shown() bool {
	on, told := t.modes[ansi.ModeTextCursorEnable]
	return on || !told
}

// queue holds what is typed until the program reads it, so that nobody who writes ever waits.
type queue struct {
	mu   sync.Mutex
	more *sync.Cond
	data []byte
	over bool
}

// newQueue is an empty queue.
func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	return q
}

// Write implements io.Writer. It never waits and never fails.
func (q *queue) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.data = append(q.data, p...)
	q.more.Signal()
	return len(p), nil
}

// close lets drain end once it has written what is left.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.more.Signal()
}

// drain writes what comes to w until the queue is closed.
func (q *queue) drain(w io.Writer) {
	for {
		q.mu.Lock()
		for len(q.data) == 0 && !q.over {
			q.more.Wait()
		}
		data := q.data
		q.data = nil
		q.mu.Unlock()
		if _, err := w.Write(data); err != nil || len(data) == 0 {
			return
		}
	}
}
