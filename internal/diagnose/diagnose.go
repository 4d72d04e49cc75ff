// Package diagnose asks a project's formatter and language server about files that have just changed. Which they
// are is detected: what the project has chosen and what is installed (table.go). They only look; whoever starts
// them decides whether they may.
//
// [Servers] belong to one conversation. [Servers.Examine] is called after a tool has changed files, and returns what a
// model should read about them, or nothing. It is best effort by design: it never fails, takes two seconds at most,
// looks at five files and shows twelve lines of each helper. What is late is not waited for, but heard: a server
// goes on, and its findings count as known at the next change.
//
// Language servers (server.go) are started at the first change of a file of their language and run until Close.
// They are told the content of files as they are on disk, in full, and are asked to change nothing. One that dies
// is not started again. What is reported is every error in the changed files, and elsewhere what was not said
// before.
//
// Examine may be called by several goroutines; servers are shared.
package diagnose

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/scratch"
)

const (
	longest   = 2 * time.Second // that a change waits for what is said about it
	mostFiles = 5               // of one change that are looked at
	mostLines = 12              // of what each helper says
	mostRead  = 1 << 20         // bytes of a file that is looked at
)

// Start is asked before a program starts, which it puts into a sandbox; end is called once it has ended. An error: it may not start.
type Start func(cmd *exec.Cmd) (end func() error, err error)

// Servers are the language servers of one conversation. Ready to use as its zero value.
type Servers struct {
	mu      sync.Mutex
	servers map[string]*server // by program
	temp    *scratch.Dir
}

// Close ends the servers.
func (d *Servers) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.servers {
		s.close()
	}
	d.servers = nil
	if d.temp == nil {
		return nil
	}
	defer func() { d.temp = nil }()
	return d.temp.Remove()
}

// Examine is what is wrong with files of the project at dir that were just changed, named relative to it; empty: nothing that is known
// within two seconds. environ is what the programs see, but for the folder for temporary files.
func (d *Servers) Examine(ctx context.Context, dir string, environ func(temp string) []string, files []string, start Start) string {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	env, err := d.environ(environ)
	if err != nil {
		return ""
	}
	files = files[:min(len(files), mostFiles)]
	said := make([]string, len(files)+1)
	var wait sync.WaitGroup
	for i, file := range files {
		wait.Go(func() { said[i] = format(ctx, dir, env, file, start) })
	}
	wait.Go(func() { said[len(files)] = d.ask(ctx, dir, env, files, start) })
	wait.Wait()
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "")
}

// environ is what the programs see, with a folder for temporary files that lasts as long as they do.
func (d *Servers) environ(environ func(temp string) []string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.temp == nil {
		temp, err := scratch.New("check")
		if err != nil {
			return nil, err
		}
		d.temp = temp
	}
	return environ(d.temp.Path), nil
}

// format is what the project's formatter would change in a file, or why it cannot read it.
func format(ctx context.Context, dir string, env []string, file string, start Start) string {
	for h, program := range pick(formatters, dir, file) {
		return h.format(ctx, dir, env, program, file, start)
	}
	return ""
}

// format runs a formatter on a file, in the mode in which it only says what it would change.
func (h helper) format(ctx context.Context, dir string, env []string, program, file string, start Start) string {
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(h.argv[1:]), filepath.FromSlash(file))...)
	cmd.Dir, cmd.Env, cmd.Args[0] = dir, env, h.argv[0]
	end, err := start(cmd)
	if err != nil {
		return ""
	}
	defer end()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := process.Run(cmd); err != nil || ctx.Err() != nil || cmd.ProcessState.Success() && !(h.diff && out.Len() > 0) {
		return ""
	}
	return told(filepath.Base(h.argv[0])+" on "+file, strings.Split(strings.TrimSpace(clean.Text(out.String())), "\n"))
}

// told is what a helper says, within bounds.
func told(who string, lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", who)
	for _, l := range lines[:min(len(lines), mostLines)] {
		if r := []rune(l); len(r) > 200 {
			l = string(r[:200]) + "…"
		}
		b.WriteString("  " + l + "\n")
	}
	if more := len(lines) - mostLines; more > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", more)
	}
	return b.String()
}

// ask is what language servers find wrong since the change.
func (d *Servers) ask(ctx context.Context, dir string, env []string, files []string, start Start) string {
	by := map[*server][]string{}
	for _, file := range files {
		if s := d.server(dir, env, file, start); s != nil {
			by[s] = append(by[s], file)
		}
	}
	var said []string
	for s, files := range by {
		said = append(said, s.examine(ctx, dir, files))
	}
	slices.Sort(said)
	return strings.Join(said, "")
}

// server is the best server for a file that stays, which is started where it does not run yet; nil: there is none, or it may not.
func (d *Servers) server(dir string, env []string, file string, start Start) *server {
	d.mu.Lock()
	defer d.mu.Unlock()
	for h, program := range pick(servers, dir, file) {
		if s := d.servers[program]; s != nil {
			select {
			case <-s.dead: // it is not started again
				continue
			default:
				return s
			}
		}
		ctx, cancel := context.WithCancel(context.Background()) // it outlives the call
		cmd := exec.CommandContext(ctx, program, h.argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Args[0] = dir, env, h.argv[0]
		s, err := begin(cmd, cancel, filepath.Base(h.argv[0]), dir, start)
		if err != nil {
			cancel()
			return nil // in another mode it may
		}
		if d.servers == nil {
			d.servers = map[string]*server{}
		}
		d.servers[program] = s
		return s
	}
	return nil
}

// examine tells a server of changed files and says what it finds wrong: every error in them, and elsewhere, or where it only warns,
// what it did not say before.
func (s *server) examine(ctx context.Context, dir string, files []string) string {
	select {
	case <-s.ready:
	case <-s.dead:
		return ""
	case <-ctx.Done():
		return ""
	}
	before, _ := s.reports()
	want := map[string]int{}
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		body, err := os.ReadFile(path)
		if err != nil || len(body) > mostRead {
			continue // it was deleted, or is none to be read
		}
		if version, err := s.tell(address(path), string(body)); err == nil {
			want[address(path)] = version
		}
	}
	if len(want) == 0 {
		return ""
	}
	now, ok := s.hear(ctx, before, want)
	if !ok {
		return ""
	}
	var lines []string
	for _, uri := range slices.Sorted(maps.Keys(now)) {
		for _, f := range now[uri].found {
			_, changed := want[uri]
			fresh := !slices.ContainsFunc(before[uri].found, func(b finding) bool { return b.Message == f.Message })
			if f.Severity <= 1 && changed || fresh && f.Severity <= 2 && (changed || before[uri].at > 0) {
				lines = append(lines, f.line(dir, uri))
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return told(s.name, lines)
}

// line is a finding as compilers write it.
func (f finding) line(dir, uri string) string {
	name := strings.TrimPrefix(uri, address(dir)+"/")
	if plain, err := url.PathUnescape(name); err == nil {
		name = clean.Line(plain)
	}
	kind := ""
	if f.Severity == 2 {
		kind = "warning: "
	}
	text := strings.Join(strings.Fields(clean.Text(f.Message)), " ")
	return fmt.Sprintf("%s:%d:%d: %s%s", name, f.Range.Start.Line+1, f.Range.Start.Character+1, kind, text)
}
