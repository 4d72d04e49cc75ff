package talk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/out"
)

// console reads the lines a person types: with an editor if keys can be read one by one, else as the terminal or the
// pipe gives them. One goroutine reads; whoever waits for a line waits for other events, too. A terminal that cannot
// give single keys (Windows, --plain) gives whole lines; then nothing can be typed ahead visibly, and ctrl-Z in the
// middle of a line keeps its first half.
type console struct {
	a       *Talk
	person  bool              // a terminal, not a pipe
	rich    bool              // lines are edited here, and redrawn
	keys    chan keyboard.Key // if rich; closed at the end
	lines   chan string       // otherwise
	signals chan os.Signal    // ctrl-C, TERM and HUP
	line    keyboard.Line
	prompt  string    // shown before the line being typed; empty: no line
	ahead   bool      // a person may type before being asked: the first key begins a line
	leaving bool      // ctrl-D was pressed while nothing was asked
	again   chan bool // the program was suspended and continues
	restore func()

	mu   sync.Mutex
	half string // if not rich: what was typed of a line before the program was suspended
}

// inputKind is the kind of an input. The console waits for keys, lines, signals and news at once, and whoever waits
// gets exactly one of them.
type inputKind int

const (
	typedLine inputKind = iota
	inputOver
	interrupted // ctrl-C
	terminated  // TERM, or the terminal is gone
	happened    // news
	newsOver
	begun   // a key typed ahead: see console.ahead
	emptied // a line begun by such a key is empty again
)

// input is what happened first.
type input struct {
	kind inputKind
	code int // if terminated
	text string
	key  keyboard.Key // the key that began a line
	news engine.News
	err  error
}

// arrival is news of a conversation, or the error that ended it.
type arrival struct {
	engine.News
	err error
}

// attended reports whether a person types here and sees what they are asked: questions go to stderr, and nobody must answer one that went
// into a file.
func (a *Talk) attended() bool {
	return term.IsTerminal(int(a.In.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
}

// openConsole begins to read. plain means without redraws: lines are read as the terminal gives them.
func (a *Talk) openConsole(plain bool) *console {
	c := &console{a: a, person: a.attended(), signals: make(chan os.Signal, 4), again: make(chan bool, 1),
		restore: func() {}}
	signal.Notify(c.signals, call.Endings...)
	if c.person && !plain && call.CanListen && out.IsTerminal(a.In) && out.IsTerminal(os.Stderr) {
		// A terminal without single keys is read by lines.
		restore, err := keyboard.Quiet(a.In, c.wake)
		if err == nil {
			c.rich, c.keys = true, make(chan keyboard.Key)
			c.restore = func() { restore(); a.Out.Err.Raw(keyboard.MarkNoPastes) }
			a.Out.Err.Raw(keyboard.MarkPastes)
			go c.readKeys()
			return c
		}
	}
	c.lines = make(chan string)
	key, halt, restore, err := byte(0), func() {}, func() {}, errors.ErrUnsupported
	if c.person {
		key, halt, restore, err = keyboard.KeepHalf(a.In)
	}
	if err == nil {
		c.lines = make(chan string, 100) // text typed ahead must not block the reading of keys
		c.restore = restore
	}
	go c.readLines(err == nil, key, halt)
	return c
}

// close restores the terminal. The reading goroutine waits for the next key, or the end of the process.
func (c *console) close() {
	signal.Stop(c.signals)
	c.restore()
}

// readKeys passes keys on one by one, through an unbuffered channel, so that a key nobody has taken can still go to a
// debate.
func (c *console) readKeys() {
	defer close(c.keys)
	in := keyboard.Of(c.a.In)
	for {
		k, err := in.Next()
		if err != nil {
			return
		}
		c.keys <- k
	}
}

// readLines reads whole lines. If stops is set, a piece that ends with key is half a line, and halt suspends the
// program.
func (c *console) readLines(stops bool, key byte, halt func()) {
	defer close(c.lines)
	buf := make([]byte, 8<<10)
	for {
		n, err := c.a.In.Read(buf)
		stopped := stops && n > 0 && buf[n-1] == key
		if stopped {
			n--
		}
		c.mu.Lock()
		all := strings.SplitAfter(c.half+string(buf[:n]), "\n")
		if c.half = all[len(all)-1]; err == nil || c.half == "" {
			all = all[:len(all)-1]
		}
		c.mu.Unlock()
		for _, text := range all {
			c.lines <- strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\uFFFD")
		}
		if err != nil {
			if err != io.EOF {
				c.a.Out.Warn("cannot read the keyboard: " + err.Error())
			}
			return
		}
		if stopped {
			halt()
			c.wake()
		}
	}
}

// wake reports that the program was suspended and continues.
func (c *console) wake() {
	select {
	case c.again <- true:
	default:
	}
}

// next waits for the first event. Without a prompt it accepts no typing, except a key that begins a line typed ahead.
// complete may be nil. Events are not lost: what is not returned stays in its channel.
func (c *console) next(prompt string, complete func(line string) []string, news <-chan arrival) input {
	keys, lines := c.keys, c.lines
	if c.leaving && prompt != "" && prompt != aheadPrompt {
		if c.leaving = false; c.line.Empty() {
			return c.over()
		}
	}
	if prompt == "" && !c.ahead {
		keys, lines = nil, nil
	} else if prompt == "" {
		c.prompt = ""
	} else if c.prompt != prompt {
		c.prompt = prompt
		c.draw()
	}
	for {
		select {
		case s := <-c.signals:
			if s == os.Interrupt {
				return input{kind: interrupted}
			}
			c.drop() // the shell prints its prompt on a line of its own
			return input{kind: terminated, code: call.EndCode(s)}
		case <-c.again:
			if c.rich {
				c.a.Out.Err.Raw(keyboard.MarkPastes)
			}
			c.draw()
		case n, open := <-news:
			if !open {
				return input{kind: newsOver}
			}
			return input{kind: happened, news: n.News, err: n.err}
		case text, open := <-lines:
			if !open && prompt == "" { // nothing was asked: it ends the next line
				c.leaving, lines = true, nil
				continue
			}
			if c.prompt = ""; !open {
				return c.over()
			}
			return input{kind: typedLine, text: c.pasted(text)}
		case k, open := <-keys:
			if prompt == "" && open {
				// Ctrl-D is remembered until something is asked: it was meant for the conversation.
				if c.leaving = c.leaving || k.Name == "leave"; k.Text == "" {
					continue // it edits nothing
				}
				return input{kind: begun, key: k}
			}
			if !open || k.Name == "leave" && c.line.Empty() {
				c.prompt = ""
				c.a.Out.Err.Raw("\r\x1b[K")
				return c.over()
			}
			if text, enter := c.press(k, complete); enter {
				return input{kind: typedLine, text: text}
			}
			if prompt == aheadPrompt && c.line.Empty() {
				c.a.Out.Err.Raw("\r\x1b[K")
				c.prompt = ""
				return input{kind: emptied}
			}
		}
	}
}

// press applies a key to the line and redraws it.
func (c *console) press(k keyboard.Key, complete func(line string) []string) (text string, enter bool) {
	if k.Name == "tab" && complete != nil {
		if fits := c.line.Complete(complete(c.line.Before())); len(fits) > 0 {
			c.a.Out.Err.Raw("\r\x1b[K" + out.Fit(os.Stderr, c.a.Out.Clean("  "+strings.Join(fits, "  "))+"\n", "  "))
		}
	}
	past := c.line.Past
	if text, enter = c.line.Press(k); enter {
		if complete == nil { // an answer does not belong in the history
			c.line.Past = past
		}
		c.a.Out.Err.Raw("\r\x1b[K" + c.prompt + c.a.Out.Clean(text) + "\n")
		c.prompt = ""
		return text, true
	}
	c.draw()
	return "", false
}

// draw shows the prompt, and with an editor the line being typed.
func (c *console) draw() {
	switch {
	case c.prompt == "" || !c.person:
	case !c.rich:
		c.mu.Lock()
		c.a.Out.Err.Raw(c.prompt + c.a.Out.Clean(c.half))
		c.mu.Unlock()
	default:
		text, at := c.line.Row().Cleaned(c.a.Out.Clean).Shown(out.Columns(os.Stderr) - out.Wide([]rune(c.prompt)) - 1)
		c.a.Out.Err.Raw(fmt.Sprintf("\r\x1b[K%s%s\r\x1b[%dC", c.prompt, text, at+out.Wide([]rune(c.prompt))))
	}
}

// pasteWait is how soon the next line of a paste arrives if a terminal gives whole lines. A person needs more than
// that between two lines; a paste needs far less.
const pasteWait = 30 * time.Millisecond

// pasted returns a line together with those that follow too fast to be typed.
func (c *console) pasted(text string) string {
	for c.person {
		select {
		case more, open := <-c.lines:
			if open {
				text += "\n" + more
				continue
			}
		case <-time.After(pasteWait):
		}
		break
	}
	return text
}

// forget drops what was typed before the question: it was meant for something else. An answer to a question that was
// not on the screen yet would approve something unseen.
func (c *console) forget() {
	c.leaving = false
	for c.person {
		select {
		case _, open := <-c.keys:
			if open {
				continue
			}
		case _, open := <-c.lines:
			if open {
				continue
			}
		case <-time.After(pasteWait):
		}
		return
	}
}

// drop clears the line being typed.
func (c *console) drop() {
	c.line.Clear()
	c.mu.Lock()
	c.half = ""
	c.mu.Unlock()
	if c.person && c.prompt != "" {
		c.a.Out.Err.Raw("\n")
	}
	c.prompt = ""
}

// over handles the end of input: the person left, or the terminal is gone. A terminal that is gone reads as end of
// input before its signal arrives; the exit code must be that of the hang-up.
func (c *console) over() input {
	if c.person && !term.IsTerminal(int(c.a.In.Fd())) {
		return input{kind: terminated, code: failure.ExitHungUp}
	}
	return input{kind: inputOver}
}
