package test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// TestTheNetworkIsWaitedFor: a turn whose vendor cannot be reached waits, says so, and goes on once it can; nobody does anything.
func TestTheNetworkIsWaitedFor(t *testing.T) {
	place, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := place.Addr().String()
	place.Close() // the network is away
	home := t.TempDir()
	c := exec.Command(ourselves(t), "run", "--model", "anthropic:claude-opus-5-5", "hello")
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".data"),
		"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=http://"+address)
	var stdout strings.Builder
	c.Stdout = &stdout
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	var back *llmtest.Server
	for s := bufio.NewScanner(said); s.Scan(); {
		lines = append(lines, s.Text())
		if back == nil && strings.Contains(s.Text(), "retrying in") { // it waits: the network comes back
			back, err = llmtest.Serve(address, func(llmtest.Ask) llmtest.Reply { return llmtest.Reply{Text: "I am back."} })
			if err != nil {
				c.Process.Kill()
				t.Skip("somebody took the address meanwhile: ", err)
			}
			defer back.Close()
		}
	}
	if err := c.Wait(); err != nil || back == nil || stdout.String() != "I am back.\n" || len(back.Calls()) != 1 {
		t.Errorf("%v: %q %q", err, stdout.String(), lines)
	}
}
