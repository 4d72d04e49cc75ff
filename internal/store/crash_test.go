package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TestMain lets tests start this binary again as another process at the store.
func TestMain(m *testing.M) {
	if act := os.Getenv("STORE_TEST_ACT"); act != "" {
		if err := acts[act](os.Getenv("STORE_TEST_PATH")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// acts are what another process does.
var acts = map[string]func(path string) error{"arrive": arrive}

func another(act, path string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), "STORE_TEST_ACT="+act, "STORE_TEST_PATH="+path)
	return c
}

// arrive waits for the end of its input, so that all processes open the store at once, and commits three nodes.
func arrive(path string) error {
	ctx := context.Background()
	io.Copy(io.Discard, os.Stdin)
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	root := node("", "root")
	_, err = s.Append(ctx, root, node(root.ID, "one"), node(root.ID, "two"))
	return err
}

// Sixteen processes find no store and one is made.
func TestManyArriveAtOnce(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "s.db")
		var starts []io.Closer
		var others []*exec.Cmd
		for range 16 {
			c := another("arrive", path)
			gate, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout = t.Output()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			starts, others = append(starts, gate), append(others, c)
		}
		for _, s := range starts {
			s.Close()
		}
		for _, c := range others {
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		}
		if got := since(t, open(t, path, nil), 0, ""); len(got) != 48 {
			t.Errorf("%d nodes, want 48", len(got))
		}
	}
}

// TestPowerLoss cuts the log of a store at every frame's edge, around it, and at random bytes, and flips bytes: what
// opens again holds a prefix of the commits, each whole.
func TestPowerLoss(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.db")
	s := open(t, path, nil)
	root := add(t, s, node("", "root"))[0]
	sizes := map[int]bool{0: true, 1: true} // how many nodes there are after each commit, and before the root's
	total := 1
	for i := range 30 {
		batch := make([]tree.Node, i%4+1)
		for j := range batch {
			batch[j] = node(root.ID, strings.Repeat("word ", (i*j*97)%3000))
		}
		add(t, s, batch...)
		total += len(batch)
		sizes[total] = true
	}
	all := since(t, s, 0, "")
	db, log := read(t, path), read(t, path+"-wal")
	if len(log) < 40*4096 {
		t.Fatalf("the log has only %d bytes", len(log))
	}
	frame := int(binary.BigEndian.Uint32(log[8:12])) + 24
	rnd := rand.New(rand.NewPCG(1, 2))
	try := func(what string, log []byte) {
		copied := filepath.Join(dir, "copy.db")
		for _, name := range []string{copied + "-wal", copied + "-shm"} {
			os.Remove(name)
		}
		write(t, copied, db)
		write(t, copied+"-wal", log)
		s, err := store.Open(t.Context(), copied, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer s.Close()
		got := since(t, s, 0, "")
		if !sizes[len(got)] || len(got) > 0 && !reflect.DeepEqual(got, all[:len(got)]) {
			t.Fatalf("%s: %d nodes, which is no prefix of the commits", what, len(got))
		}
		if _, err := s.Append(t.Context(), node("", "goes on")); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var ok string
		db := raw(t, copied)
		defer db.Close()
		if err := db.QueryRow("PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
			t.Fatalf("%s: %s %v", what, ok, err)
		}
	}
	for at := 32; at <= len(log); at += frame {
		try(fmt.Sprintf("cut at frame edge %d", at), log[:at])
	}
	for range 60 {
		at := rnd.IntN(len(log))
		try(fmt.Sprintf("cut at %d", at), log[:at])
		flipped := bytes.Clone(log)
		flipped[at] ^= 1 << rnd.IntN(8)
		try(fmt.Sprintf("bit flipped at %d", at), flipped)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}
