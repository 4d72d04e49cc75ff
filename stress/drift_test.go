package stress_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDecisionsDrift makes decisions on this repository as it was some commits ago, plays its real history on, and holds what
// `decisions check` says after each commit against a search of its own: every quote that changed is named with its commit, none is
// wrongly. With SOCRATES_STRESS=full it makes 20 decisions and plays 30 commits, else fewer.
func TestDecisionsDrift(t *testing.T) {
	decisions, commits := 5, 6
	if os.Getenv("SOCRATES_STRESS") == "full" {
		decisions, commits = 20, 30
	}
	h := newReplay(t)
	quotes := h.window(commits, decisions*4)
	for i := range decisions {
		h.decide(i, quotes[4*i:4*i+4])
	}
	h.write()
	for _, commit := range h.commits {
		h.git("checkout", "-q", "-f", commit)
		h.compare(commit, quotes)
	}
	t.Logf("%d decisions with %d quotes, %d commits: %d reports were compared; in the end %d quotes had changed or gone and %d had moved to another file",
		decisions, len(quotes), len(h.commits), h.compared, h.fallen, h.elsewhere)
	if h.compared == 0 || h.fallen+h.elsewhere == 0 {
		t.Error("nothing changed: this tested nothing")
	}
}

// quoted is a line that a decision cites.
type quoted struct {
	file, text string
	line       int
	room       string
}

// replay is a clone of this repository in which its history is played on.
type replay struct {
	t                           *testing.T
	dir, program, home          string
	base                        string
	commits                     []string                     // oldest first
	blobs                       map[string]map[string]string // what a commit holds: file, object
	texts                       map[string]string            // objects, their white space closed up
	ask                         io.Writer                    // takes the names of objects
	told                        *bufio.Reader                // gives them
	compared, fallen, elsewhere int
}

func newReplay(t *testing.T) *replay {
	h := &replay{t: t, dir: filepath.Join(t.TempDir(), "clone"), home: t.TempDir(), blobs: map[string]map[string]string{},
		texts: map[string]string{}}
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("this is not a git repository, or git is not installed")
	}
	if h.program, err = built(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "clone", "-q", "--no-local", "--no-checkout", strings.TrimSpace(string(top)), h.dir).CombinedOutput(); err != nil {
		t.Skipf("this repository cannot be cloned: %s", out)
	}
	return h
}

// window takes the newest n commits in a row of the history that take away lines for half of the quotes, and picks the quotes.
func (h *replay) window(n, quotes int) []quoted {
	all := strings.Fields(h.git("log", "--first-parent", "--format=%H")) // newest first
	for ; len(all) > n; all = all[n:] {
		h.commits = slices.Clone(all[:n])
		slices.Reverse(h.commits)
		h.base = all[n]
		h.git("checkout", "-q", "-f", h.base)
		if out := h.choose(quotes); len(out) == quotes {
			return out
		}
	}
	h.t.Skip("no part of the history here takes away enough lines")
	return nil
}

func (h *replay) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimRight(string(out), "\n")
}

// files are what a commit holds: names and objects.
func (h *replay) files(commit string) map[string]string {
	if h.blobs[commit] == nil {
		h.blobs[commit] = map[string]string{}
		for _, row := range strings.Split(h.git("ls-tree", "-r", "-z", commit), "\x00") {
			if about, name, ok := strings.Cut(row, "\t"); ok {
				h.blobs[commit][name] = about[strings.LastIndex(about, " ")+1:]
			}
		}
	}
	return h.blobs[commit]
}

// at is a file as it was in a commit, its white space closed up; empty: it was not there.
func (h *replay) at(commit, file string) string {
	id, ok := h.files(commit)[file]
	if !ok {
		return ""
	}
	if text, ok := h.texts[id]; ok {
		return text
	}
	if h.ask == nil {
		h.open()
	}
	size := 0
	_, asked := fmt.Fprintln(h.ask, id)
	line, told := h.told.ReadString('\n')
	_, sized := fmt.Sscanf(line, id+" blob %d\n", &size)
	raw := make([]byte, size+1) // and the end of a line
	_, read := io.ReadFull(h.told, raw)
	if err := errors.Join(asked, told, sized, read); err != nil {
		h.t.Fatalf("%s in %s: %v: %s", file, commit, err, line)
	}
	h.texts[id] = strings.Join(strings.Fields(string(raw)), " ")
	return h.texts[id]
}

// open starts the one git that gives all objects: one for each would be a hundred for every line that moved.
func (h *replay) open() {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir = h.dir
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	h.ask, h.told = in, bufio.NewReader(out)
}

// choose picks lines that stand once in the project: half of them in what the commits to come take away, the others anywhere. It
// picks none where there are too few of them.
func (h *replay) choose(n int) (out []quoted) {
	last := h.commits[len(h.commits)-1]
	var lost, kept []quoted
	for _, file := range slices.Sorted(maps.Keys(h.files(h.base))) {
		if !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".md") || strings.Contains(file, "testdata") || strings.HasPrefix(file, "examples/") { // quotes of decisions are no evidence
			continue
		}
		raw, err := os.ReadFile(filepath.Join(h.dir, file))
		if err != nil {
			h.t.Fatal(err)
		}
		flat, now := h.at(h.base, file), h.at(last, file)
		taken := 0
		for i, line := range strings.Split(string(raw), "\n") {
			text := strings.Join(strings.Fields(line), " ")
			if len(text) < 40 || len(text) > 110 || strings.ContainsAny(text, "{}\"`\\…") || strings.Count(flat, text) != 1 {
				continue
			}
			q := quoted{file: file, text: text, line: i + 1}
			if gone := !strings.Contains(now, text); gone && taken < 3 {
				lost, taken = append(lost, q), taken+1
			} else if !gone && i%37 == 0 {
				kept = append(kept, q)
			}
		}
	}
	half := n / 2
	if len(lost) < half || len(kept) < n-half {
		return nil
	}
	lost, kept = spread(lost, half), spread(kept, n-half)
	for len(lost)+len(kept) > 0 { // in turns
		from := &kept
		if len(lost) > len(kept)*half/n {
			from = &lost
		}
		out, *from = append(out, (*from)[0]), (*from)[1:]
	}
	return out
}

// spread picks n of all, over all of it.
func spread(all []quoted, n int) (out []quoted) {
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}

// seat is a scripted seat that votes for an option and quotes a line for it. As a judge it finds every claim shown.
const seat = `info: {id: %s, lineage: %s}
rules:
  - act: blind
    reply: |
      {"option": "{{option "%s"}}", "other": "", "summary": "the line says so", "claims": [{"text": "%s", "kind": "architecture", "impact": 5,
       "option": "{{option "%s"}}", "supports": true, "evidence": {"kind": "quote", "file": "%s", "line": %d, "quote": "%s", "command": [],
       "expect": "", "url": ""}}], "change_my_mind": "the line is gone", "confidence": 0.8}
  - act: verify
    reply: |
      {"judgements": [%s]}
  - act: cross
    reply: |
      {"option": "{{option "%s"}}", "because": [], "stances": [], "claims": []}
`

// decide has four seats debate, three for one option and one for the other, with a quote each.
func (h *replay) decide(n int, quotes []quoted) {
	var judged []string
	for i := range 3 {
		judged = append(judged, fmt.Sprintf(`{"item": %d, "entails": "yes", "bears": "yes", "grave": "", "why": "yes"}`, i+1))
	}
	args := []string{"debate", "--gate", "any", "--no-history", "--output", "json"}
	for i, q := range quotes {
		option, id := []string{"keep it", "keep it", "keep it", "change it"}[i], fmt.Sprintf("s%d", i+1)
		path := filepath.Join(h.home, fmt.Sprintf("%d-%s.yaml", n, id))
		text := fmt.Sprintf(seat, id, "family-"+id, option, fmt.Sprintf("Line %d of %s speaks for it.", q.line, q.file), option, q.file, q.line, q.text,
			strings.Join(judged, ", "), option)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
		args = append(args, "--seat", "script:"+path)
	}
	var res struct {
		Room   string
		Winner string
		Checks []struct{ Claim, Kind, Result, Detail string }
	}
	h.run(&res, append(args, fmt.Sprintf("Should part %d of this project keep it or change it?", n+1))...)
	found := 0
	for _, k := range res.Checks {
		if k.Kind == "quote" && k.Result == "pass" {
			found++
		}
	}
	if found != len(quotes) || res.Winner != "A" {
		h.t.Fatalf("decision %d: %d quotes found, winner %s: %+v, %+v", n+1, found, res.Winner, quotes, res.Checks)
	}
	for i := range quotes {
		quotes[i].room = res.Room
	}
	h.t.Logf("decision %d, %s: %+v", n+1, res.Room, quotes)
}

// run runs the program and reads what it prints as JSON. It may end with any code of a check or a debate.
func (h *replay) run(into any, args ...string) {
	h.t.Helper()
	cmd := exec.Command(h.program, args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "HOME="+h.home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "SOCRATES_STORE_PATH=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if json.Unmarshal(stdout.Bytes(), into) != nil {
		h.t.Fatalf("socrates %s: %v: %s%s", strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	}
}

// write writes the decisions' files, and takes the store away: from now on the files are all there is.
func (h *replay) write() {
	var files []struct{ Path string }
	h.run(&files, "decisions", "write", "--output", "json", "--dir", "drift-decisions")
	if len(files) == 0 {
		h.t.Fatal("no decision file was written")
	}
	h.home = h.t.TempDir()
}

// cite is what the check says of a quote.
type cite struct {
	File, Quote, State string
	Line               int
	Now                *struct {
		File string
		Line int
	}
	Commit *struct{ Hash string }
}

// compare holds what the check says after a commit against what a search finds.
func (h *replay) compare(commit string, quotes []quoted) {
	var got struct {
		Decisions []struct {
			Room     string
			Evidence []cite
		}
	}
	h.run(&got, "decisions", "check", "--output", "json", "--dir", "drift-decisions")
	said := map[string]cite{}
	for _, d := range got.Decisions {
		for _, c := range d.Evidence {
			said[d.Room+"\x00"+c.File+"\x00"+c.Quote] = c
		}
	}
	h.fallen, h.elsewhere = 0, 0
	for _, q := range quotes {
		c, ok := said[q.room+"\x00"+q.file+"\x00"+q.text]
		if !ok {
			h.t.Errorf("%.10s: nothing is said of %v", commit, q)
			continue
		}
		h.compared++
		if strings.Contains(h.at(commit, q.file), q.text) {
			if c.State != "true" && (c.State != "moved" || c.Now.File != q.file) {
				h.t.Errorf("%.10s: %v is there, but the check says %s", commit, q, c.State)
			}
			continue
		}
		by, before := h.lost(commit, q)
		if c.Commit == nil || c.Commit.Hash != by {
			h.t.Errorf("%.10s: %v went with %.10s, but the check says %+v", commit, q, by, c.Commit)
			continue
		}
		h.moved(commit, q, c, before, by)
	}
}

// lost finds the commit that took a quote away, and the one before it.
func (h *replay) lost(at string, q quoted) (by, before string) {
	i := slices.Index(h.commits, at)
	for ; i >= 0; i-- {
		before = h.base
		if i > 0 {
			before = h.commits[i-1]
		}
		if strings.Contains(h.at(before, q.file), q.text) {
			return h.commits[i], before
		}
	}
	return "", ""
}

// moved says whether the check tells a quote that went from one that the same commit brought to one other file.
func (h *replay) moved(commit string, q quoted, c cite, before, by string) {
	var to []string
	for file := range h.files(commit) {
		if file != q.file && strings.Contains(h.at(commit, file), q.text) && strings.Contains(h.at(by, file), q.text) &&
			!strings.Contains(h.at(before, file), q.text) {
			to = append(to, file)
		}
	}
	there := h.at(commit, q.file) != ""
	switch {
	case len(to) == 1 && c.State == "moved" && c.Now.File == to[0]:
		h.elsewhere++
	case len(to) != 1 && (there && c.State == "changed" || !there && c.State == "gone"):
		h.fallen++
	default:
		h.t.Errorf("%.10s: %v went with %.10s and is in %v now, but the check says %s", commit, q, by, to, c.State)
		return
	}
	if commit == by {
		h.t.Logf("%.10s: %s %s:%d %q %v", commit, c.State, q.file, q.line, q.text, to)
	}
}
