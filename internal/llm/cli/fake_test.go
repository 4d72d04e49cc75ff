package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// The test binary is also the program under test: with SEAT_PLAY it acts out a script, with SEAT_RECORD it stands
// between us and a real program and writes such a script.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("SEAT_PLAY") != "":
		play(os.Getenv("SEAT_PLAY"))
	case os.Getenv("SEAT_PARENT") != "":
		parent(os.Getenv("SEAT_PARENT"))
	case os.Getenv("SEAT_VENDOR") != "":
		serve(os.Getenv("SEAT_VENDOR"))
	case os.Getenv("SEAT_HOSTILE") != "":
		hostile(os.Getenv("SEAT_HOSTILE"))
	case os.Getenv("SEAT_DAEMON") != "":
		haunt(os.Getenv("SEAT_DAEMON"))
	case os.Getenv("SEAT_RECORD") != "":
		record(os.Getenv("SEAT_RECORD"), os.Getenv("SEAT_REAL"), os.Getenv("SEAT_TEXT") != "")
	default:
		os.Exit(m.Run())
	}
}

// play acts out a script. A line "> x" waits for a line of input, "? x" for one that holds x, "< x" prints x, "<< x"
// prints the quoted x and no newline, and "! word argument" misbehaves. "@" begins what the next process plays.
func play(script string) {
	raw, err := os.ReadFile(script)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	text := string(raw)
	if parts := strings.Split(text, "@\n"); len(parts) > 1 {
		text = parts[min(played(), len(parts)-1)]
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	cwd, _ := os.Getwd()
	quoted, _ := json.Marshal(cwd)
	here := strings.Trim(string(quoted), `"`) // recordings say /project
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "> "):
			if got, err := in.ReadString('\n'); err != nil && got == "" {
				os.Exit(0)
			}
		case strings.HasPrefix(line, "? "):
			if got, _ := in.ReadString('\n'); !strings.Contains(got, line[2:]) {
				fmt.Fprintf(os.Stderr, "read %q, want %q in it", got, line[2:])
				os.Exit(9)
			}
		case strings.HasPrefix(line, "< "):
			fmt.Println(strings.ReplaceAll(line[2:], "/project", here))
		case strings.HasPrefix(line, "<< "):
			piece, _ := strconv.Unquote(line[3:])
			fmt.Print(piece)
		case strings.HasPrefix(line, "! "):
			word, arg, _ := strings.Cut(line[2:], " ")
			misbehave(word, arg)
		}
	}
	io.Copy(io.Discard, in) // a good program ends with its input
	os.Exit(0)
}

// played counts the processes of a script, this one too.
func played() int {
	f, err := os.OpenFile(os.Getenv("SEAT_COUNT"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		os.Exit(3)
	}
	defer f.Close()
	fmt.Fprintln(f)
	all, _ := f.Stat()
	return int(all.Size())
}

func misbehave(word, arg string) {
	switch word {
	case "exit":
		code, _ := strconv.Atoi(arg)
		os.Exit(code)
	case "hang":
		forever()
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "stderr":
		s, _ := strconv.Unquote(arg)
		fmt.Fprint(os.Stderr, s)
	case "complain": // was on stderr; on stdout its place among the other lines is certain
		fmt.Println(arg)
	case "long": // a long answer in one line
		n, _ := strconv.Atoi(arg)
		fmt.Printf(`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":%q}}}`+"\n", strings.Repeat("x", n))
	case "longer": // likewise, of an agent
		n, _ := strconv.Atoi(arg)
		fmt.Println(strings.TrimPrefix(piece(strings.Repeat("x", n)), "< "))
	case "endless": // a line that never ends
		for chunk := strings.Repeat("x", 1<<20); ; {
			if _, err := fmt.Print(chunk); err != nil {
				os.Exit(1)
			}
		}
	case "tell": // writes what it was started with
		cwd, _ := os.Getwd()
		lines := append(os.Args[1:], "cwd="+cwd)
		os.WriteFile(arg, []byte(strings.Join(append(lines, os.Environ()...), "\n")), 0o600)
	case "meddle": // with all that is below a folder, and then a new file there
		filepath.WalkDir(arg, func(path string, d os.DirEntry, err error) error {
			if err == nil && path != arg {
				os.Chmod(path, 0o777)
				os.Rename(path, path+".old")
				os.WriteFile(filepath.Join(path, "evil"), []byte("evil"), 0o600)
				os.Remove(path)
				os.WriteFile(path, []byte("evil"), 0o600)
			}
			return nil
		})
		os.WriteFile(filepath.Join(arg, "login"), []byte("renewed"), 0o600)
	case "settings": // copies the settings it was given
		raw, _ := os.ReadFile(filepath.Join(os.Getenv("CRUSH_GLOBAL_CONFIG"), "crush.json"))
		os.WriteFile(arg, raw, 0o600)
	case "pid":
		f, _ := os.OpenFile(arg, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	case "await": // a file that holds a line
		for raw := []byte(nil); !strings.Contains(string(raw), "\n"); raw, _ = os.ReadFile(arg) {
			<-time.After(time.Millisecond)
		}
	case "child", "leaver": // leaves a child that holds the pipes and does not end; or one in a session of its own
		c := exec.Command(os.Args[0])
		if word == "leaver" {
			c = exec.Command("setsid", "--fork", os.Args[0])
		}
		c.Env = append(os.Environ(), "SEAT_PLAY="+arg)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Start()
	}
}

// complaint matches the lines of stderr that are worth recording.
var complaint = regexp.MustCompile(`\bAttempt \d+ failed|"stream error"`)

// record runs the real program and writes down every line both ways, and of a program of plain text every piece, what
// it complains of and how it ends.
func record(file, real string, text bool) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if text { // which is one process a turn
		flags = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	out, err := os.OpenFile(file, flags, 0o600)
	if err != nil {
		os.Exit(3)
	}
	scrub := strings.NewReplacer(strings.Split(os.Getenv("SEAT_SCRUB"), "\n")...)
	c := exec.Command(real, os.Args[1:]...)
	stdin, _ := c.StdinPipe()
	stdout, _ := c.StdoutPipe()
	stderr, _ := c.StderrPipe()
	if err := c.Start(); err != nil {
		os.Exit(3)
	}
	var mu sync.Mutex
	note := func(mark, piece string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprint(out, mark, piece)
	}
	pass := func(r io.Reader, w io.WriteCloser, tell func(line string)) {
		for b := bufio.NewReaderSize(r, 1<<20); ; {
			line, err := b.ReadString('\n')
			if line != "" {
				tell(scrub.Replace(line))
				io.WriteString(w, line)
			}
			if err != nil {
				w.Close()
				return
			}
		}
	}
	if text {
		note("@\n", "")
	}
	go pass(os.Stdin, stdin, func(line string) { note("> ", strings.TrimSuffix(line, "\n")+"\n") })
	complained := make(chan bool)
	go func() {
		defer close(complained)
		pass(stderr, os.Stderr, func(line string) {
			if text {
				note("! stderr ", strconv.Quote(line)+"\n")
			} else if complaint.MatchString(line) {
				note("! complain ", line)
			}
		})
	}()
	if text {
		for piece := make([]byte, 32<<10); ; {
			n, err := stdout.Read(piece)
			if err != nil {
				break
			}
			note("<< ", strconv.Quote(scrub.Replace(string(piece[:n])))+"\n")
			os.Stdout.Write(piece[:n])
		}
	} else {
		pass(stdout, os.Stdout, func(line string) { note("< ", line) })
	}
	<-complained
	c.Wait()
	if text {
		note("! exit ", strconv.Itoa(c.ProcessState.ExitCode())+"\n")
	}
	os.Exit(c.ProcessState.ExitCode())
}

// parent is a process that seats a program which never answers, and waits.
func parent(script string) {
	self, _ := os.Executable()
	if home := os.Getenv("SEAT_GROK"); home != "" {
		m := model("grok", cli.Options{Bin: self, Home: home, Hold: &cli.Hold{Cell: true}, Env: []string{"SEAT_PLAY=" + script}})
		listen(context.Background(), m, hi(""))
		return
	}
	m := cli.Claude(cli.Options{Bin: self, Env: []string{"SEAT_PLAY=" + script}})
	listen(context.Background(), m, llm.Request{Messages: []llm.Message{llm.UserText("hi")}, Dir: filepath.Dir(script)})
}

// serve is a vendor that answers with so many words, each in a delta, until its input ends.
func serve(words string) {
	n, _ := strconv.Atoi(words)
	vendor := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: strings.Repeat("a-word-as-long-as-delta ", n)}))
	fmt.Println(vendor.URL)
	io.Copy(io.Discard, os.Stdin)
	vendor.Close()
}

// acting is a model whose program acts out script.
func acting(t *testing.T, name, script string, o cli.Options) llm.Model {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Bin = self
	o.Env = append(o.Env, "SEAT_PLAY="+script, "SEAT_COUNT="+filepath.Join(t.TempDir(), "count"))
	m := model(name, o)
	t.Cleanup(func() { m.(io.Closer).Close() })
	return m
}

func model(name string, o cli.Options) llm.Model {
	for _, p := range cli.Programs {
		if p.Name == name {
			return p.New(o)
		}
	}
	panic("no program " + name)
}

// script writes a script of one or more lines to a file.
func script(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// received is all that came of one call.
type received struct {
	text, think string
	notes       []string
	retries     []*llm.Retry
	end         *llm.End
	err         error
}

func listen(ctx context.Context, m llm.Model, req llm.Request) received {
	ctx, cancel := context.WithTimeout(ctx, hang)
	defer cancel()
	var h received
	for d, err := range m.Stream(ctx, req) {
		h.text += d.Text
		h.think += d.Think
		if d.Note != "" {
			h.notes = append(h.notes, d.Note)
		}
		if d.Retry != nil {
			h.retries = append(h.retries, d.Retry)
		}
		if d.End != nil {
			h.end = d.End
		}
		h.err = err
	}
	return h
}

// pids reads the numbers a script's "! pid" wrote.
func pids(t *testing.T, file string) []int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for f := range strings.FieldsSeq(string(raw)) {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// gone waits until none of the processes exists, and fails the test if one never ends.
func gone(t *testing.T, ids ...int) {
	t.Helper()
	for _, id := range ids {
		for tries := 0; alive(id); tries++ {
			if tries == 1000 {
				t.Fatalf("process %d is still there", id)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
}

// forever never returns. An empty select would be taken for a deadlock where no other goroutine is left.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}
