package stress_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// TestRunKilledAnywhere kills a run of a plan with SIGKILL and has it resumed: after each of its recorded nodes, and at random moments. It
// always comes to the same tree; what was recorded is neither done nor paid twice, and nothing is left over. SOCRATES_TEST_KILLS says how
// many random moments there are, and with it every node is walked; without, it is killed once.
func TestRunKilledAnywhere(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("carries plans out")
	}
	if held := sandbox.Probe(t.Context()).Protect; held.Level != sandbox.Held {
		t.Skip("agents and checks need a sandbox: " + held.Say)
	}
	x := &exam{t: t, arena: newArena(t), rnd: rand.New(rand.NewPCG(16, 2)), after: 1500 * time.Millisecond, idle: "1m", parallel: "2",
		check: "gofmt -l ."}
	x.history = newHistory(t, generated(t), "HEAD", "", 4, nil)
	for i, fault := range []string{"red", "crash", "", "lie"} {
		x.history.changes[i].fault = fault
	}
	x.prepare("")
	x.kills = 1
	play := func(run string, state int) {
		x.run, x.state, x.killed = run, state, 0
		x.play()
	}
	s := os.Getenv("SOCRATES_TEST_KILLS")
	if s == "" {
		play("node", 14)
		return
	}
	moments, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	play("whole", 1000)
	all := x.nodes()
	asked := len(record.TryKind.All(all))
	same := func() {
		n := len(record.TryKind.All(x.nodes()))
		if x.resumed { // who did nothing is asked once more
			n--
		}
		if n != asked {
			t.Errorf("%s: %d tries are recorded, without a kill %d", x.run, n, asked)
		}
	}
	for state := 3; state < len(all); state++ {
		play(fmt.Sprint("node", state), state)
		same()
	}
	for i := range moments {
		play(fmt.Sprint("moment", i), 0)
		same()
	}
}

// generated is a repository with four commits, of which the third goes on with the first.
func generated(t *testing.T) string {
	h := &history{t: t}
	dir := t.TempDir()
	h.git(dir, "init", "-q", "-b", "main")
	commit := func(files ...string) {
		for i := 0; i < len(files); i += 2 {
			write(t, filepath.Join(dir, files[i]), "package p\n\n// "+files[i+1]+"\n")
		}
		h.git(dir, "add", "-A")
		h.git(dir, "commit", "-q", "-m", files[1])
	}
	commit("a.go", "one", "b.go", "one", "c.go", "one")
	commit("a.go", "two")
	commit("b.go", "two", "d.go", "one")
	commit("a.go", "three", "c.go", "two")
	commit("e.go", "one")
	return dir
}
