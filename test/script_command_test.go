package test

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/socrates-cli/socrates/internal/terminal"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// exits runs a program and wants its exit code: exits CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	sameCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func sameCode(ts *testscript.TestScript, want string, err error) {
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, not %s", code, want)
	}
}

// running is a program in the background. Its stdin stays open and silent.
type running struct {
	cmd         *exec.Cmd
	lines       chan string // of stderr
	seen        []string    // those that were waited through
	out, errors bytes.Buffer
	stdin       io.Closer
}

// runsKey is where a script keeps its background programs, by name.
type runsKey struct{}

// passed are the variables a background program gets from the script.
var passed = []string{"HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GIT_CONFIG_NOSYSTEM",
	"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_BASE_URL", "LMSTUDIO_BASE_URL", "SYSTEMROOT", "SSH_CONNECTION", "SOCRATES_DEPTH"}

// background is a program as the script would start it.
func background(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, args[0]); cmd.Err != nil {
			cmd = exec.Command(path, args[1:]...)
		}
	}
	cmd.Dir = ts.MkAbs(".")
	for _, name := range passed {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}

func launch(ts *testscript.TestScript, args []string) *running {
	r := &running{lines: make(chan string, 10_000), cmd: background(ts, args)}
	stderr, err := r.cmd.StderrPipe()
	ts.Check(err)
	r.stdin, err = r.cmd.StdinPipe()
	ts.Check(err)
	r.cmd.Stdout = &r.out
	ts.Check(r.cmd.Start())
	ts.Defer(func() { r.cmd.Process.Kill() })
	go func() {
		defer close(r.lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			r.errors.WriteString(s.Text() + "\n")
			r.lines <- s.Text()
		}
	}()
	return r
}

// finish waits for the program and hands its output to the script as that of a program in the foreground.
func (r *running) finish(ts *testscript.TestScript, code string) {
	for range r.lines {
	}
	err := r.cmd.Wait()
	io.Copy(ts.Stdout(), &r.out)
	io.Copy(ts.Stderr(), &r.errors)
	sameCode(ts, code, err)
}

// silent runs a program whose stdin is open and says nothing: silent CODE PROGRAM ARGS...
func silent(ts *testscript.TestScript, _ bool, args []string) {
	launch(ts, args[1:]).finish(ts, args[0])
}

// start runs a program in the background: start NAME PROGRAM ARGS...
func start(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(runsKey{}).(map[string]*running)[args[0]] = launch(ts, args[1:])
}

func named(ts *testscript.TestScript, name string) *running {
	r := ts.Value(runsKey{}).(map[string]*running)[name]
	if r == nil {
		ts.Fatalf("nothing named %s was started", name)
	}
	return r
}

// await waits for a line on the stderr of a background program, also one that came earlier: await NAME PATTERN.
func await(ts *testscript.TestScript, _ bool, args []string) {
	r, pattern := named(ts, args[0]), regexp.MustCompile(args[1])
	if slices.ContainsFunc(r.seen, pattern.MatchString) {
		return
	}
	for line := range r.lines {
		if r.seen = append(r.seen, line); pattern.MatchString(line) {
			return
		}
	}
	ts.Fatalf("%s ended without saying %s:\n%s", args[0], args[1], r.errors.String())
}

// room puts a value of a JSON file into a variable: room NAME FILE path.to.0.value
func room(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], fmt.Sprint(jsonValue(ts, args[1], args[2])))
}

// signalTo sends INT, TERM, HUP or KILL to a background program: signal NAME SIGNAL. Without a name it is for the terminal.
func signalTo(onTerminal terminal.Command) terminal.Command {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) == 1 {
			onTerminal(ts, neg, args)
			return
		}
		signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill}
		ts.Check(named(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
	}
}

// ended waits for the end of a background program: ended NAME CODE.
func ended(ts *testscript.TestScript, _ bool, args []string) { named(ts, args[0]).finish(ts, args[1]) }

// stream wants a file to keep the contract of stream-json: stream FILE.
func stream(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s does not end in a newline", args[0])
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last, session := 0.0, ""
	for i, line := range lines {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			ts.Fatalf("line %d: %v", i+1, err)
		}
		for _, key := range []string{"seq", "ts", "type", "session"} {
			if _, ok := l[key]; !ok {
				ts.Fatalf("line %d has no %s: %.300s", i+1, key, line)
			}
		}
		seq, _ := l["seq"].(float64)
		if seq <= last {
			ts.Fatalf("line %d: seq %v after %v", i+1, seq, last)
		}
		last = seq
		if (i == len(lines)-1) != (l["type"] == "result") {
			ts.Fatalf("line %d of %d is of type %v", i+1, len(lines), l["type"])
		}
		if i > 0 && l["session"] != session {
			ts.Fatalf("line %d: session %v, not %s", i+1, l["session"], session)
		}
		session, _ = l["session"].(string)
		if i > 0 || len(lines) == 1 {
			continue
		}
		for _, key := range []string{"schema", "cwd", "models", "mode", "config", "failed"} {
			if _, ok := l[key]; !ok || l["type"] != "start" {
				ts.Fatalf("the first line is no start with %s: %s", key, line)
			}
		}
	}
}

// valid holds the last line of a file, or all of it, against a JSON Schema, or one of its definitions: valid FILE SCHEMA[#NAME] [last].
func valid(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if len(args) > 2 {
		text = strings.TrimSpace(text)
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	var schema jsonschema.Schema
	file, name, of := strings.Cut(args[1], "#")
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &schema))
	if of {
		if schema.Defs[name] == nil {
			ts.Fatalf("%s defines no %s", file, name)
		}
		schema = *schema.Defs[name]
	} else if schema.Type == "" && schema.OneOf == nil && len(schema.Defs) > 0 {
		ts.Fatalf("%s only has definitions: name one, in quotes, because # begins a comment", file)
	}
	resolved, err := schema.Resolve(nil)
	ts.Check(err)
	var value any
	ts.Check(json.Unmarshal([]byte(text), &value))
	if err := resolved.Validate(value); (err == nil) == neg {
		ts.Fatalf("%s against %s: %v", args[0], args[1], err)
	}
}

// sqlCommand changes a database: sql FILE STATEMENT.
func sqlCommand(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0])+"?_pragma=secure_delete(1)") // leaves no old bytes, as the program does not
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}

// expand replaces $VARIABLES in a file: expand FILE.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o755))
}

// absent wants no file at or below some paths to hold a text: absent TEXT PATH... Negated: one of them must.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	holder := ""
	look := func(name, text string) {
		if strings.Contains(text, args[0]) {
			holder = name
		}
	}
	for _, path := range args[1:] {
		if path == "stdout" || path == "stderr" {
			look(path, ts.ReadFile(path))
			continue
		}
		ts.Check(filepath.WalkDir(ts.MkAbs(path), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				var raw []byte
				raw, err = os.ReadFile(path)
				look(path, string(raw))
			}
			return err
		}))
	}
	if (holder == "") == neg {
		ts.Fatalf("%q is in %q", args[0], holder)
	}
}

// plain wants a file to be text for people: no control characters, lines of at most so many letters, a newline at the
// end: plain FILE [WIDTH].
func plain(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) {
		ts.Fatalf("%s is not UTF-8 that ends in a newline: %q", args[0], text)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
		ts.Fatalf("%s holds a control character: %q", args[0], text[max(0, i-40):min(len(text), i+40)])
	}
	if len(args) > 1 {
		width, err := strconv.Atoi(args[1])
		ts.Check(err)
		tooWide(ts, args[0], text, width)
	}
}

func tooWide(ts *testscript.TestScript, name, text string, width int) {
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
			ts.Fatalf("%s has a line of %d columns: %s", name, n, line)
		}
	}
}

var subcommand = regexp.MustCompile(`(?m)^  ([a-z]+)\s`)

// noCommands are the parts of a help that list none.
var noCommands = []string{"Usage:", "Aliases:", "Examples:", "Flags:", "Global Flags:"}

// helps asks a program and all its commands for help, which must work and fit on a screen: helps WIDTH PROGRAM.
func helps(ts *testscript.TestScript, _ bool, args []string) {
	width, err := strconv.Atoi(args[0])
	ts.Check(err)
	for todo := [][]string{args[1:]}; len(todo) > 0; todo = todo[1:] {
		words := todo[0]
		ts.Check(ts.Exec(words[0], append(words[1:len(words):len(words)], "--help")...))
		text := ts.ReadFile("stdout")
		tooWide(ts, strings.Join(words, " ")+" --help", text, width)
		_, usage, _ := strings.Cut(text, "\nUsage:\n")
		for part := range strings.SplitSeq(usage, "\n\n") {
			title, commands, _ := strings.Cut(part, "\n")
			if !strings.HasSuffix(title, ":") || slices.Contains(noCommands, title) {
				continue
			}
			for _, m := range subcommand.FindAllStringSubmatch(commands, -1) {
				todo = append(todo, append(words[:len(words):len(words)], m[1]))
			}
		}
	}
}

// distinct wants what a pattern's group matches in a file to be so many different texts: distinct FILE PATTERN COUNT.
func distinct(ts *testscript.TestScript, _ bool, args []string) {
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(args[1]).FindAllStringSubmatch(ts.ReadFile(args[0]), -1) {
		seen[m[1]] = true
	}
	if strconv.Itoa(len(seen)) != args[2] {
		ts.Fatalf("%s has %d different ones, not %s", args[0], len(seen), args[2])
	}
}

// hear is a program that is told of events: hear FILE [PIPE] adds what it is told to FILE, and says into PIPE that a
// debate has started; hear fail fails, hear hang does not end.
func hear() {
	switch os.Args[1] {
	case "fail":
		io.WriteString(os.Stderr, "no such channel\n")
		os.Exit(3)
	case "hang":
		time.Sleep(time.Hour)
	}
	said, err := io.ReadAll(os.Stdin)
	if err == nil {
		said = append([]byte(os.Getenv("SOCRATES_EVENT")+" "), said...)
		var f *os.File
		if f, err = os.OpenFile(os.Args[1], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			_, err = f.Write(said)
			err = errors.Join(err, f.Close())
		}
	}
	if err == nil && len(os.Args) > 2 && os.Getenv("SOCRATES_EVENT") == "debate_started" {
		err = os.WriteFile(os.Args[2], []byte("begun\n"), 0o600)
	}
	if err != nil {
		io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
}
