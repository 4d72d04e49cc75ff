//go:build unix

package stress_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLitestream has the real litestream copy a hub's table while tasks are done, kills the hub, and goes on with what was copied:
// workers need not join again, and no epoch is granted twice. SOCRATES_TEST_LITESTREAM is the program's path.
func TestLitestream(t *testing.T) {
	program := os.Getenv("SOCRATES_TEST_LITESTREAM")
	if program == "" {
		t.Skip("SOCRATES_TEST_LITESTREAM names no program")
	}
	f := newFleet(t)
	f.startHub()
	f.join("w0")
	table := filepath.Join(f.dir, "hub", ".local", "share", "socrates", "hub", "hub.db")
	config := filepath.Join(f.dir, "litestream.yml")
	text := fmt.Sprintf("dbs:\n  - path: %s\n    replica:\n      type: file\n      path: %s\n", table, filepath.Join(f.dir, "copy"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(program, append(args, "-config", config)...).CombinedOutput(); err != nil {
			t.Fatalf("litestream %v: %v\n%s", args, err, out)
		}
	}
	seat := f.seat()
	for i := range 8 {
		f.ask(seat, i, 0)
	}
	run("replicate", "-once")
	for i := range 8 { // these are lost
		f.ask(seat, i, 1)
	}
	f.hub.Process.Signal(syscall.SIGKILL)
	f.hub.Wait()
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(table+ending, table+ending+".lost"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(program, "restore", "-config", config, table).CombinedOutput(); err != nil {
		t.Fatalf("litestream restore: %v\n%s", err, out)
	}
	f.startHub()
	for i := range 8 { // the worker has stayed; the queue's store is newer than the table
		f.ask(seat, i, 1)
	}
	f.look(16)
	if f.reclaims != 0 {
		t.Errorf("%d claims too many", f.reclaims)
	}
}
