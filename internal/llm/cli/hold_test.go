package cli_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// busy is a turn that the vendor was too busy for.
const busy = `< {"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"API Error: Overloaded"}`

// A program that gives up before its first word because its vendor is busy is asked once more, and no more than once. One
// that told of tries of its own, or said something, has had its chance.
func TestABusyVendorIsAskedOnceMore(t *testing.T) {
	text := `< {"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"half"}}}`
	retry := `< {"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":1,"error_status":529,"error":"overloaded"}`
	for name, c := range map[string]struct {
		lines   []string
		kind    trouble.Kind
		retries int
	}{
		"once":      {[]string{"> ", busy, "@", "> ", result}, "", 1},
		"twice":     {[]string{"> ", busy, "@", "> ", busy, "@", "> ", result}, trouble.Overloaded, 1},
		"has tried": {[]string{"> ", retry, busy, "@", "> ", result}, trouble.Overloaded, 1},
		"has begun": {[]string{"> ", text, busy, "@", "> ", result}, trouble.Overloaded, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := listen(t.Context(), acting(t, "claude", script(t, append([]string{"@"}, c.lines...)...), cli.Options{}), hi(""))
			if e := trouble.As(h.err); len(h.retries) != c.retries || c.kind == "" && h.err != nil || c.kind != "" && (e == nil || e.Kind != c.kind) {
				t.Errorf("%d retries, %v", len(h.retries), h.err)
			}
		})
	}
}

// The limit of an answer is told as such also while a busy vendor is left alone.
func TestTheLimitEndsTheWaitForABusyVendor(t *testing.T) {
	m := acting(t, "claude", script(t, "@", "> ", busy, "@", "> ", result), cli.Options{Longest: 800 * time.Millisecond})
	if h := listen(t.Context(), m, hi("")); trouble.As(h.err).Kind != trouble.Stall || !strings.Contains(h.err.Error(), "no answer within") {
		t.Fatal(h.err)
	}
}

// A program that goes on without a word although it reaches none of its hosts is given up, and they are named.
func TestAHostThatCannotBeReached(t *testing.T) {
	if err := sandbox.Cells(); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	agent := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(agent, []byte(`read x; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read x; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}'
read x; exec 3<>/dev/tcp/127.0.0.1/`+port+`; cat <&3; sleep 1000
`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := cli.Agent([]string{"bash", agent}).New(cli.Options{Hold: &cli.Hold{Cell: true}, Mute: time.Millisecond, Env: []string{"OPENAI_BASE_URL=http://127.0.0.1:" + port + "/v1"}})
	defer m.(io.Closer).Close()
	if e := trouble.As(listen(t.Context(), m, hi("")).err); e == nil || e.Kind != trouble.Network || !strings.HasPrefix(e.Message, "127.0.0.1:"+port+" cannot be reached: ") {
		t.Errorf("got %v", e)
	}
}

// What lies in a home is in memory: when we are killed nothing of it is on the disk, and another command sweeps its place.
func TestNoKeyOutlivesItsProcess(t *testing.T) {
	if err := sandbox.Cells(); err != nil {
		t.Skip(err)
	}
	self, _ := os.Executable()
	home, temp := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("[model.x]\napi_key = \"sk-of-grok\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pid := filepath.Join(home, "pid")
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), "SEAT_PARENT="+script(t, "! pid "+pid, "! hang"), "SEAT_GROK="+home, "XAI_API_KEY=sk-of-grok", "TMPDIR="+temp)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	for raw := []byte(nil); !strings.Contains(string(raw), "\n") && ctx.Err() == nil; raw, _ = os.ReadFile(pid) {
		<-time.After(time.Millisecond)
	}
	parent.Process.Kill()
	parent.Wait()
	filepath.WalkDir(temp, func(path string, d os.DirEntry, err error) error {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "sk-of-grok") {
			err = errors.New("the key is in it")
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
}
