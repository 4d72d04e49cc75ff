//go:build unix

package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orders is what is to be done once this process is gone, however it went.
//
// Each line holds all of them, so that the last one counts by itself.
type orders struct {
	Marked   string    `json:",omitempty"` // what bears a mark that begins so is killed
	Terminal *Terminal `json:",omitempty"`
	Set      *unix.Termios
	Starter  int       `json:",omitempty"` // the process that started us
	Asked    time.Time `json:",omitzero"`  // when the terminal was asked something that it has not answered; zero: it owes nothing
}

// Terminal is how a terminal is put back if the process that drew on it dies before it can.
type Terminal struct {
	Reset  string // is written first
	Words  string // are for the person
	Report string // a file for what the Go runtime said of a fault, if it said anything
	Fault  string // are for the person too, if there is a report
}

// watchdog is the name under which this program is started to wait for the end of the process that started it, and to carry
// out its orders: lines of JSON on its input, of which the last counts. What follows is the report of a fault.
const watchdog = "socrates-watcher"

// So every program that imports this package can be its own watchdog, tests among them. It runs before main.
func init() {
	if len(os.Args) == 1 && os.Args[0] == watchdog {
		w, report := readOrders(os.Stdin, orders.hide)
		w.execute(report)
		os.Exit(0)
	}
}

// readOrders reads until the writer is gone. dying is called when the report of a fault begins, while its writer waits: little is
// read at a time, and the pipe is narrow.
func readOrders(r io.Reader, dying func(orders)) (last orders, report []byte) {
	in := bufio.NewReaderSize(r, 64)
	for {
		line, err := in.ReadBytes('\n')
		var w orders
		if len(report) == 0 && json.Unmarshal(line, &w) == nil {
			last = w
		} else {
			if len(report) == 0 && len(line) > 0 {
				dying(last)
			}
			report = append(report, line...)
		}
		if err != nil {
			return last, report
		}
	}
}

// execute puts the terminal back first: whoever started us writes to it next.
func (w orders) execute(report []byte) {
	if w.Terminal != nil && w.Set != nil {
		w.putBack(report)
	}
	if w.Marked != "" {
		endMarked(w.Marked)
	}
	if w.Terminal != nil && w.Set != nil {
		w.guard()
	}
}

// putBack sets the terminal as it was and says what there is to say. Nobody hears of errors: the terminal may be
// gone.
func (w orders) putBack(report []byte) {
	tty := int(os.Stdout.Fd())
	if w.owed() {
		w.Set = dropAnswer(tty, w.Set, w.Terminal.Reset)
		unix.IoctlSetTermios(tty, setTermios, w.Set)
	} else {
		unix.IoctlSetTermios(tty, setTermios, w.Set)
		io.WriteString(os.Stdout, w.Terminal.Reset)
	}
	words := w.Terminal.Words
	if len(bytes.TrimSpace(report)) > 0 && os.WriteFile(w.Terminal.Report, report, 0o600) == nil {
		words = w.Terminal.Fault + words
	}
	io.WriteString(os.Stdout, "\n"+words)
}

// answerTime is how long a terminal has for its answer to one who is dead: behind a slow line it needs a part of a second. owedTime
// is how long after the question it may still come: on a busy machine the one who asked may not have read it for long. Where there is
// none to come, whoever was killed so soon waits in vain for answerTime.
const answerTime, owedTime = 4 * time.Second, time.Minute

// dropAnswer resets a terminal and waits for what it still answers, and lets nobody see it: whoever reads next would take it for
// typed text. How the terminal is to be set after it, which drops what came, is returned: as a shell has set it meanwhile, if one
// did.
func dropAnswer(tty int, back *unix.Termios, reset string) *unix.Termios {
	hide(tty, back)
	ours, _ := unix.IoctlGetTermios(tty, getTermios)
	io.WriteString(os.Stdout, reset)
	time.Sleep(answerTime)
	if now, err := unix.IoctlGetTermios(tty, getTermios); err == nil && ours != nil && *now != *ours {
		return now
	}
	return back
}

// owed says whether the terminal may still answer.
func (w orders) owed() bool { return time.Since(w.Asked) < owedTime }

// guardTime is how long the terminal is looked at after it was put back, and guardEvery how often.
const guardTime, guardEvery = time.Minute, 25 * time.Millisecond

// guard puts the terminal back once more where the one who started us came first and took our mode for its own, which shows once it
// runs something. It ends with that process, and where a screen of ours needs the mode again.
func (w orders) guard() {
	tty := int(os.Stdout.Fd())
	for end := time.Now().Add(guardTime); time.Now().Before(end); time.Sleep(guardEvery) {
		front, ok := frontOf(w.Starter)
		now, err := unix.IoctlGetTermios(tty, getTermios)
		if err != nil || !ok || runsUs(front) {
			return
		}
		if now.Oflag&unix.OPOST == 0 && now.Lflag&(unix.ICANON|unix.ISIG|unix.ECHO) == 0 {
			unix.IoctlSetTermios(tty, setTermios, w.Set)
		}
	}
}

// hide keeps what the terminal still answers from whoever started the dying process, who could read it from now on.
func (w orders) hide() {
	if w.owed() && w.Set != nil {
		hide(int(os.Stdout.Fd()), w.Set)
	}
}

// hide sets a terminal such that nobody sees what comes without the end of a line, and drops what came.
func hide(tty int, back *unix.Termios) {
	unseen := *back
	unseen.Lflag = unseen.Lflag&^(unix.ECHO|unix.ECHONL) | unix.ICANON
	unix.IoctlSetTermios(tty, setTermios, &unseen)
}

// standing is the orders of this process and the way to the watchdog, which sees it closed when the kernel ends us.
var standing struct {
	sync.Mutex
	orders
	pen *os.File
}

// order changes the orders. It is no harm if there can be no watchdog: it is needed where we are killed.
func order(change func(*orders)) {
	t := &standing
	t.Lock()
	defer t.Unlock()
	if change(&t.orders); t.pen == nil {
		if t.pen = startWatchdog(); t.pen == nil {
			return
		}
	}
	if line, err := json.Marshal(t.orders); err == nil {
		t.pen.Write(append(line, '\n'))
	}
}

// startWatchdog starts a watchdog, and returns what it reads from.
// Its environment is empty and its folder the root, so that it keeps nothing of ours in use.
func startWatchdog() *os.File {
	self := "/proc/self/exe" // also when another build has taken its place
	if runtime.GOOS != "linux" {
		self, _ = os.Executable()
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer in.Close()
	narrow(in)
	cmd := &exec.Cmd{Path: self, Args: []string{watchdog}, Env: []string{}, Dir: "/", Stdin: in,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if _, err := unix.IoctlGetTermios(int(os.Stdout.Fd()), getTermios); err == nil {
		cmd.Stdout = os.Stdout // a pipe would not end before the watchdog does
	}
	if cmd.Start() != nil {
		out.Close()
		return nil
	}
	cmd.Process.Release()
	return out
}

// KeepTerminal has the terminal that is stdout put back to how it is now, should this process end before it calls what is returned.
// One at a time: a second call takes the place of the first. Where stdout is no terminal it does nothing.
func KeepTerminal(t Terminal) (done func()) {
	now, err := unix.IoctlGetTermios(int(os.Stdout.Fd()), getTermios)
	if err != nil {
		return func() {}
	}
	order(func(w *orders) { w.Terminal, w.Set, w.Starter = &t, now, os.Getppid() })
	standing.Lock()
	defer standing.Unlock()
	// The runtime writes the report of a fault into the same pipe, after the orders.
	if standing.pen != nil {
		debug.SetCrashOutput(standing.pen, debug.CrashOptions{})
	}
	return func() { order(func(w *orders) { w.Terminal, w.Set, w.Asked = nil, nil, time.Time{} }) }
}

// Asked says that the terminal was asked something and has to answer, or that it did.
func Asked(open bool) {
	order(func(w *orders) {
		if w.Asked = (time.Time{}); open {
			w.Asked = time.Now()
		}
	})
}
