package workspace

import (
	"io"
	"os/exec"
	"testing"
	"time"
)

// What a program in the folder started counts with it, and a name with brackets and spaces in it does not mislead.
func TestProgramOf(t *testing.T) {
	p, ok := programOf([]byte("12 (a) b (c) S 7 12 12 0 -1 0 0 0 0 0 150 50 0 0 20 0 1 0 99 1000 25 0"))
	if want := 2 * time.Second; !ok || p.parent != 7 || p.cpu != want || p.memory == 0 {
		t.Errorf("got %+v, %v", p, ok)
	}
	if _, ok := programOf([]byte("12 (a) S 7")); ok {
		t.Error("half a line was read")
	}
}

// TestLoadOf has one program at work in a folder, and another one elsewhere that it started.
func TestLoadOf(t *testing.T) {
	dir := t.TempDir()
	if l := LoadOf(dir); l != (Load{}) {
		t.Errorf("nothing is at work, got %+v", l)
	}
	cmd := exec.Command("sh", "-c", "exec 3<&0; (cd / && echo up && exec cat) <&3 & wait") // what is in the background has no input of its own
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, len("up\n")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if l := LoadOf(dir); l.Programs != 2 || l.Memory == 0 {
		t.Errorf("a shell and what it started take %+v", l)
	}
	in.Close()
	cmd.Wait()
	if l := LoadOf(dir); l.Programs != 0 {
		t.Errorf("they ended, got %+v", l)
	}
}
