package test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/tree"
)

// shortExam says that of what is many times alike only a part is tried.
var shortExam = os.Getenv("SOCRATES_TEST_EXAM") == "short"

// damaged are stores whose pages, bytes or rows were changed at random; SOCRATES_DAMAGE says how many of each kind.
const damaged = 1

// readings are what is asked of a damaged store.
var readings = [][]string{
	{"debate", "list"}, {"debate", "list", "--deleted"}, {"debate", "show", "last"}, {"debate", "show", "last", "--nodes"}, {"debate", "show", "last", "--explain"},
	{"debate", "export", "last", "--format", "json"}, {"debate", "resume", "last"}, {"decisions", "list"}, {"decisions", "search", "mutex"},
	{"tree", "list", "--all"}, {"tree", "show", "work"}, {"tree", "search", "tax"}, {"tree", "context", "work"}, {"tree", "branches", "work"}, {"tree", "leaves", "work"},
	{"tree", "export", "work"}, {"memory", "list"}, {"memory", "search", "tabs"}, {"run", "--session", "work", "--model", "script:model.yaml", "hello"},
	{"run", "--continue", "--model", "script:model.yaml", "hello"}, {"debate", "--seat", "rehearsal", "Should the cache use a mutex or use a channel?"}, {"doctor", "--full"},
	{"tree", "prune", "--older-than", "1d", "--dry-run"}, {"debate", "prune", "--older-than", "1d", "--dry-run"}, {"eval", "list"}, {"__complete", "debate", "show", ""},
}

// answered are the exit codes of a command that did what it could: docs/exit-codes.md.
var answered = []int{0, 1, 2, 10, 11, 12}

// stall is longer than any of them takes on a store this small.
const stall = 2 * time.Minute

// TestDamagedStore damages copies of a real store and asks everything of them: no command panics or hangs, each ends with
// a documented exit code, and what cannot be read is said in a sentence that names a way out.
func TestDamagedStore(t *testing.T) {
	if testing.Short() {
		t.Skip("asks some two dozen commands of each of several stores")
	}
	most := damaged
	if n, err := strconv.Atoi(os.Getenv("SOCRATES_DAMAGE")); err == nil {
		most = n
	}
	home, whole := soundStore(t)
	for how, hurt := range map[string]func(testing.TB, string, *rand.Rand){"pages": hurtPages, "bytes": hurtBytes, "rows": hurtRows, "index": hurtIndex} {
		for seed := range most {
			t.Run(fmt.Sprintf("%s/%d", how, seed), func(t *testing.T) {
				t.Parallel()
				path := copyStore(t, whole)
				hurt(t, path, rand.New(rand.NewPCG(uint64(seed), 7)))
				for _, args := range readings {
					code, text := ask(t, home, path, args)
					if !slices.Contains(answered, code) || strings.Contains(text, "goroutine ") || strings.Contains(text, "a fault in the program") {
						t.Errorf("%v: exit %d: %s", args, code, text)
					}
					if code == 1 && strings.Contains(text, "damaged") && !strings.Contains(text, "socrates doctor") && args[0] != "doctor" {
						t.Errorf("%v says no way out: %s", args, text)
					}
				}
			})
		}
	}
}

// soundStore makes a store with conversations, debates and a note, in a home of its own.
func soundStore(t *testing.T) (home, whole string) {
	t.Helper()
	home = t.TempDir()
	whole = filepath.Join(home, "whole.db")
	for name, text := range map[string]string{"model.yaml": "info: {id: m}\nrules:\n  - contains: hello\n    reply: Hello.\n", "cache.go": "package app\n\n// Cache guards its map with a mutex.\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"debate", "--seat", "rehearsal", "Should the cache use a mutex or use a channel?"},
		{"debate", "--seat", "rehearsal", "Should the tax round up or round down?"}, {"run", "--session", "work", "--model", "script:model.yaml", "hello tax"},
		{"run", "--session", "work", "--model", "script:model.yaml", "hello again"}, {"memory", "add", "use tabs"}, {"debate", "rm", "last"}} {
		if code, text := ask(t, home, whole, args); !slices.Contains(answered, code) {
			t.Fatalf("%v: exit %d: %s", args, code, text)
		}
	}
	return home, whole
}

// copyStore copies a store that nobody has open.
func copyStore(t *testing.T, whole string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.db")
	raw, err := os.ReadFile(whole)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDamageIsSaid does one damage at a time: the command that meets it says that the store is damaged, and what to do.
func TestDamageIsSaid(t *testing.T) {
	home, whole := soundStore(t)
	db, err := sql.Open("sqlite", "file:"+whole)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	if err := errors.Join(db.QueryRow("SELECT substr(name, 6) FROM ref WHERE name LIKE 'room/%'").Scan(&name), db.Close()); err != nil {
		t.Fatal(err)
	}
	work := []string{"run", "--session", "work", "--model", "script:model.yaml", "hello"}
	all := [][]string{{"debate", "list"}, {"debate", "show", "last"}, {"debate", "resume", "last"}, {"tree", "list", "--all"}, {"memory", "list"}, {"decisions", "list"}, {"debate", "list", "--deleted"}}
	for _, c := range []struct {
		damage []string
		met    [][]string
	}{
		{lie("node_root"), [][]string{{"debate", "show", "last"}, {"debate", "resume", "last"}}},
		{[]string{"UPDATE node SET body = '{}' WHERE kind = 'room'"}, [][]string{{"debate", "show", name}, {"debate", "resume", name}}},
		{[]string{"UPDATE node SET body = '[' WHERE kind = 'tree'"}, [][]string{{"tree", "show", "work"}, work}},
		{[]string{"DELETE FROM node WHERE kind = 'say'"}, [][]string{{"tree", "context", "work"}, work}},
		{[]string{"PRAGMA user_version = -1"}, [][]string{{"debate", "list"}, {"tree", "list"}, work}},
		{[]string{"PRAGMA user_version = 0"}, [][]string{{"debate", "list"}, work}},
		{[]string{"PRAGMA user_version = 2"}, [][]string{{"debate", "list"}, work}},
		{[]string{"DROP TABLE ref"}, [][]string{{"debate", "list"}, {"tree", "list"}, work}},
		{[]string{"DROP TABLE node"}, [][]string{{"debate", "list"}, {"tree", "list"}, work}},
		{[]string{"UPDATE node SET parent = id WHERE kind = 'say'"}, [][]string{{"tree", "context"}, {"tree", "export", "work"}, work}},
		{[]string{"UPDATE node SET parent = (SELECT max(id) FROM node WHERE kind = 'answer') WHERE kind = 'brief'"}, [][]string{{"tree", "context"}, {"tree", "export", "work"}, work}},
		{[]string{"UPDATE node SET id = '' WHERE kind = 'brief'"}, [][]string{{"tree", "context"}, {"tree", "export", "work"}, work}},
		{[]string{"UPDATE node SET body = 'null'"}, append(all, work)},
		{[]string{"UPDATE node SET body = '{}'"}, append(all, work)},
		{[]string{"UPDATE node SET body = '[]' WHERE kind = 'say'"}, [][]string{{"tree", "context"}, work}},
		{[]string{"UPDATE node SET body = '3' WHERE kind = 'reply'"}, [][]string{{"debate", "resume", name}}},
		{[]string{"DELETE FROM node WHERE parent = ''"}, append(all, work)},
		{[]string{"DELETE FROM node"}, append(all, work)},
		{[]string{"DELETE FROM node WHERE id IN (SELECT head FROM ref)"}, append(all, work, []string{"tree", "context"})},
		{[]string{"UPDATE ref SET head = (SELECT head FROM ref WHERE name = 'memory/1') WHERE name LIKE 'tree/%' OR name LIKE 'room/%'"}, append(all[:4:4], work)},
		{[]string{"DELETE FROM blob"}, [][]string{{"tree", "context"}, work}},
	} {
		path := copyStore(t, whole)
		change(t, path, c.damage...)
		for _, args := range c.met {
			if code, text := ask(t, home, path, args); code != 1 || !strings.Contains(text, "damaged") || !strings.Contains(text, "socrates doctor") {
				t.Errorf("%q, %v: exit %d: %s", c.damage, args, code, text)
			}
		}
		if code, text := ask(t, home, path, []string{"doctor", "--full"}); code == 0 || strings.Contains(text, "goroutine ") {
			t.Errorf("%q: doctor finds nothing: %s", c.damage, text)
		}
	}
}

// TestIncompleteIsSaid has replies of a debate cut off: what can be read of it is shown, with a warning.
func TestIncompleteIsSaid(t *testing.T) {
	home, path := soundStore(t)
	change(t, path, "UPDATE node SET body = substr(body, 1, 20) WHERE kind = 'reply'")
	for _, args := range [][]string{{"debate", "show", "last"}, {"debate", "export", "last"}} {
		if code, text := ask(t, home, path, args); code != 0 || !strings.Contains(text, "incomplete") || !strings.Contains(text, "socrates doctor") {
			t.Errorf("%v: exit %d: %s", args, code, text)
		}
	}
}

// ask runs the program on a store and returns its exit code and what it told a person.
func ask(t testing.TB, home, path string, args []string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], append(slices.Clone(args), "--store", path)...)
	c.Args[0] = "socrates"
	if args[0] == "__complete" { // what it completes stands last
		c.Args = slices.Concat([]string{"socrates", "__complete", "--store", path}, args[1:])
	}
	c.Dir = home
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SOCRATES_KEYRING=file", "OLLAMA_BASE_URL=http://127.0.0.1:1/v1", "LMSTUDIO_BASE_URL=http://127.0.0.1:1/v1", "TMPDIR=" + t.TempDir()}
	var said bytes.Buffer
	c.Stderr = &said
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), said.String()
	} else if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return 0, said.String()
}

// hurtPages overwrites up to 40 pages.
func hurtPages(t testing.TB, path string, r *rand.Rand) {
	const size = 4096
	hurtFile(t, path, func(raw []byte) {
		for range 1 + r.IntN(min(40, len(raw)/size/8)) {
			at := size * (1 + r.IntN(len(raw)/size-1)) // the first one gone, it is no store at all
			for i := range size {
				raw[at+i] = byte(r.Uint32())
			}
		}
	})
}

// hurtBytes changes 200 single bytes.
func hurtBytes(t testing.TB, path string, r *rand.Rand) {
	hurtFile(t, path, func(raw []byte) {
		for range 200 {
			raw[100+r.IntN(len(raw)-100)] ^= byte(1 + r.IntN(255))
		}
	})
}

func hurtFile(t testing.TB, path string, hurt func([]byte)) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	hurt(raw)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// hurtRows takes rows out and makes others unreadable, as a failing disk or a wrong hand would.
func hurtRows(t testing.TB, path string, r *rand.Rand) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, change := range []string{
		"DELETE FROM node WHERE seq % ?1 = ?2", "UPDATE node SET body = '{\"room\": 3, \"seats\": \"x\"}' WHERE seq % ?1 = ?2 + 1", "UPDATE node SET body = '[' WHERE seq % ?1 = ?2 + 2",
		"UPDATE node SET body = 'null' WHERE seq % ?1 = ?2 + 3", "UPDATE node SET kind = 'frame' WHERE seq % ?1 = ?2 + 4", "UPDATE node SET parent = 'nobody' WHERE seq % ?1 = ?2 + 5",
		"UPDATE node SET root = 'nobody' WHERE seq % ?1 = ?2 + 6", "UPDATE node SET parent = id WHERE seq % ?1 = ?2 + 8", "UPDATE node SET id = '' WHERE seq = ?1 + ?2", "UPDATE node SET body = '{}' WHERE seq % ?1 = ?2 + 7", "DELETE FROM blob WHERE abs(unicode(hash)) % ?1 = ?2 % 5",
		"UPDATE blob SET data = x'00' WHERE abs(unicode(hash)) % ?1 = 1 + ?2 % 5", "DELETE FROM node WHERE parent = '' AND seq % 2 = ?2 % 2 AND ?1 < 12",
	} {
		if _, err := db.Exec(change, 8+r.IntN(12), r.IntN(8)); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
	}
}

// hurtIndex makes an index lie: by it trees have no nodes, as after a lost page. What was found by words is lost as well.
func hurtIndex(t testing.TB, path string, r *rand.Rand) {
	t.Helper()
	change(t, path, lie([]string{"node_root", "node_kind"}[r.IntN(2)])...)
}

// lie are statements that make an index lie.
func lie(index string) []string {
	return []string{"DELETE FROM entry", "UPDATE ref SET known = 0", "CREATE TABLE lost (a TEXT, b INT)", "CREATE INDEX lost_index ON lost (a, b)", "PRAGMA writable_schema = 1",
		"UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'lost_index') WHERE name = '" + index + "'",
		"DELETE FROM sqlite_schema WHERE name = 'lost_index'"}
}

// change changes a store behind the program's back.
func change(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestDamagedRecord takes every node out of every example, cuts each short, and makes each unreadable in several ways: no
// summary, explanation or replay panics.
func TestDamagedRecord(t *testing.T) {
	records, err := filepath.Glob("examples/*/debate.jsonl")
	if err != nil || len(records) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range records {
		nodes, texts := record(t, file)
		text := func(hash string) (string, bool) { s, ok := texts[hash]; return s, ok }
		look := func(how string, nodes []tree.Node, again bool) {
			defer func() {
				if fault := recover(); fault != nil {
					t.Errorf("%s, %s: %v\n%s", file, how, fault, debug.Stack())
				}
			}()
			res, err := debate.Summarize(nodes)
			if err == nil {
				verdict.Explain(res.Ledger(), res.Rules)
				res.Digest()
			}
			if again {
				debate.Replay(t.Context(), nodes, strategy.Find, text)
			}
		}
		for i, n := range nodes {
			if shortExam && i%3 != len(file)%3 {
				continue
			}
			name := fmt.Sprintf("node %d, %s", i, n.Kind)
			look(name+", taken out", slices.Delete(slices.Clone(nodes), i, i+1), i%5 == 0)
			look(name+", the last", nodes[:i+1], i%5 == 1)
			for _, body := range []string{"{}", "null", "[", "3", `{"seats": [], "options": [], "beliefs": [], "claims": [{}], "votes": [{}], "checks": [{}]}`} {
				hurt := slices.Clone(nodes)
				hurt[i].Body = json.RawMessage(body)
				look(name+" is "+body, hurt, i%5 == 2)
			}
		}
	}
}

// record reads a recorded debate.
func record(t testing.TB, file string) (nodes []tree.Node, texts map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string]string{}
	for line := range bytes.Lines(raw) {
		var l struct {
			SHA256, Text string
			Node         *tree.Node
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if texts[l.SHA256] = l.Text; l.Node != nil {
			nodes = append(nodes, *l.Node)
		}
	}
	return nodes, texts
}
