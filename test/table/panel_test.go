package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
)

// panelSeats is the table of the acceptance line: both real programs and one seat of each wire.
var panelSeats = []string{"claude", "codex", "anthropic:small", "openai:small", "gemini:small"}

// TestRealPanel seats the real claude and codex programs beside three API seats, all served by one loopback model
// server, and then again with one program killed in the middle, with one seat refused with 429, and with one that
// stalls: a decision each time, or a tie where two lineages are left and differ. Whether a person is asked is not its concern.
func TestRealPanel(t *testing.T) {
	if guest.Path("SOCRATES_TEST_CLAUDE") == "" || guest.Path("SOCRATES_TEST_CODEX") == "" {
		t.Skip("SOCRATES_TEST_CLAUDE and SOCRATES_TEST_CODEX do not name the real programs")
	}
	healthy := runPanel(t, nil, panelSeats...)
	if healthy.ExitCode != 0 || healthy.Winner == "" {
		t.Errorf("healthy panel: exit %d, outcome %s: %s", healthy.ExitCode, healthy.Outcome, healthy.text)
	}
	for _, s := range healthy.Seats {
		if s.Status != "voted" && s.Status != "abstained" {
			t.Errorf("healthy panel: %s is %s: %s", s.ID, s.Status, s.Reason)
		}
	}
	for name, c := range map[string]struct {
		missing string
		seats   []string
		seen    func(llmtest.Ask, int)
	}{
		"killed":  {"claude", panelSeats, killer(t)},
		"429":     {"openai-m--429", []string{"claude", "codex", "anthropic:small", "openai:m--429", "gemini:small"}, nil},
		"stalled": {"gemini-m--stall", []string{"claude", "codex", "anthropic:small", "openai:small", "gemini:m--stall"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			hurt := runPanel(t, c.seen, c.seats...)
			// Two lineages that are left and differ are level: neither may judge its own case.
			level := c.missing == "gemini-m--stall" && hurt.ExitCode == 10 && hurt.Outcome == "tie"
			if !level && (hurt.ExitCode != 11 || hurt.Winner == "") {
				t.Errorf("exit %d, outcome %s: %s", hurt.ExitCode, hurt.Outcome, hurt.text)
			}
			for _, s := range hurt.Seats {
				if (s.ID == c.missing) != (s.Status == "failed") {
					t.Errorf("%s is %s: %s", s.ID, s.Status, s.Reason)
				}
			}
			if !strings.Contains(hurt.Decision, "Degraded panel: "+c.missing) {
				t.Errorf("the decision does not say that %s is missing", c.missing)
			}
		})
	}
	// All three at once leave two of five: there is no quorum, and that is said.
	worst := runPanel(t, killer(t), "claude", "codex", "anthropic:small", "openai:m--429", "gemini:m--stall")
	if worst.ExitCode != 10 || worst.Outcome != "no-quorum" {
		t.Errorf("three of five lost: exit %d, outcome %s", worst.ExitCode, worst.Outcome)
	}
}

// killer kills the claude program when its first request arrives.
func killer(t *testing.T) func(llmtest.Ask, int) {
	var once sync.Once
	return func(a llmtest.Ask, pid int) {
		if strings.Contains(a.Header.Get("User-Agent"), "claude") {
			once.Do(func() { killAsker(t, a, pid) })
		}
	}
}

// panelResult is what this test reads of a debate's JSON.
type panelResult struct {
	Outcome, Winner, Decision string
	ExitCode                  int `json:"exit_code"`
	Seats                     []struct{ ID, Status, Reason string }
	text                      string
}

// sitting is how a debate is run.
type sitting struct {
	patience string                          // the deadline for each seat
	grace    string                          // how long the last seat is waited for; empty: the setting's
	seen     func(llmtest.Ask, int)          // hears of every request with the pid of the program; it may be nil
	answer   func(llmtest.Ask) llmtest.Reply // nil: the seats of rehearsal.Panel do
	spoilt   func(fault string)              // hears of every answer that a fault changed; it may be nil
}

// project is a copy of internal/store in a repository of its own: seats search it, and this one's thousands of files would cost more time
// than all else.
func project(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "internal", "store"), os.DirFS("../../internal/store")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return dir
}

// runPanel runs one debate of the real program.
func runPanel(t *testing.T, seen func(llmtest.Ask, int), seats ...string) panelResult {
	t.Helper()
	s := sitting{patience: "60s", seen: seen}
	if slices.ContainsFunc(seats, func(spec string) bool { return strings.HasSuffix(spec, "--stall") }) {
		s.patience = "20s" // it is waited for to the end
	}
	return s.run(t, seats...)
}

// run runs one debate of the real program in an empty home.
func (s sitting) run(t testing.TB, seats ...string) panelResult {
	t.Helper()
	home := t.TempDir()
	var pid int
	var mu sync.Mutex
	if s.answer == nil {
		s.answer = llmtest.Panelist(rehearsal.Panel()...)
	}
	server := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		mu.Lock()
		p := pid
		mu.Unlock()
		if s.seen != nil {
			s.seen(a, p)
		}
		said := s.answer(a)
		if i := strings.LastIndex(a.Model, "--"); i >= 0 && faults[a.Model[i+2:]] == nil {
			said.Fault = fault.Fault(a.Model[i+2:])
		}
		honest := said
		if said = spoiled(a.Model, said); s.spoilt != nil && !reflect.DeepEqual(said, honest) {
			_, fault, _ := strings.Cut(a.Model, "--")
			s.spoilt(fault)
		}
		if said.Fault == crashed { // it must not answer before it is killed
			said.Fault = fault.Stall
		}
		return said
	})
	defer server.Close()
	args := []string{"debate", "--gate", "any", "--output", "json", "--seed", "3", "--seat-timeout", s.patience, "--files", "internal/store/store.go"}
	if s.grace != "" {
		args = append(args, "--grace", s.grace)
	}
	for _, s := range seats {
		args = append(args, "--seat", s)
	}
	env, err := guest.Settle(home, server.URL, suffixes()...)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], append(args, "Should the store keep one writer connection or use a pool?")...)
	c.Args[0] = "socrates"
	c.Dir = project(t)
	c.Env = append(env, "HOME="+home, "TMPDIR="+os.TempDir(), "OPENAI_BASE_URL="+server.URL+"/v1")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	mu.Lock()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid = c.Process.Pid
	mu.Unlock()
	c.Wait() // the exit code is in the JSON too
	res := panelResult{text: errs.String()}
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errs.String())
	}
	if left := children(c.Process.Pid); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if left := guest.Living(home); len(left) > 0 {
		t.Errorf("processes of its programs are left: %v", left)
	}
	return res
}

// killAsker kills the process that sent a request, which is one of those that pid started, or they did, and says
// whether it did. Of a program in a network of its own the request comes from us; it is known by its name. Where there is
// no /proc nothing is killed.
func killAsker(t *testing.T, a llmtest.Ask, pid int) (killed bool) {
	if killSender(t, a, pid) {
		return true
	}
	for _, name := range guest.Names() {
		if strings.HasPrefix(a.Model, guest.Model(name)) || strings.HasPrefix(a.Model, name) {
			return killNamed(name, pid)
		}
	}
	return false
}

// killNamed kills the processes below pid that a program's path began.
func killNamed(name string, pid int) (killed bool) {
	for child, line := range children(pid) {
		killed = killNamed(name, child) || killed
		if !strings.Contains(line, "/"+name+" ") && !strings.Contains(line, "/"+name+"/") {
			continue
		}
		if p, err := os.FindProcess(child); err == nil && p.Kill() == nil {
			killed = true
		}
	}
	return killed
}

// killSender kills the process that holds the other end of the connection a request came by.
func killSender(t *testing.T, a llmtest.Ask, pid int) (killed bool) {
	socket := socketOf(a.Peer)
	for child := range children(pid) {
		killed = killSender(t, a, child) || killed
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", child))
		if !slices.ContainsFunc(files, func(file string) bool { to, err := os.Readlink(file); return err == nil && to == socket }) {
			continue
		}
		p, err := os.FindProcess(child)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Errorf("kill %d, which asked for %s: %v", child, a.Model, err)
		}
		killed = killed || err == nil
	}
	return killed
}

// socketOf is what a process shows for its end of a connection from addr.
func socketOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, _ := os.ReadFile(table)
		for line := range strings.Lines(string(raw)) {
			if fields := strings.Fields(line); len(fields) > 9 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", n)) && fields[9] != "0" {
				return "socket:[" + fields[9] + "]"
			}
		}
	}
	return ""
}

// children are the command lines of the processes whose parent is pid. Where there is no /proc there are none.
func children(pid int) map[int]string {
	out := map[int]string{}
	if runtime.GOOS != "linux" {
		return out
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		raw, err := os.ReadFile(stat)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			line, _ := os.ReadFile(filepath.Dir(stat) + "/cmdline")
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			out[child] = strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return out
}
