package door

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A line that is no message is answered, and what comes before and after it is heard.
func TestLines(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		name, in, answer string
		heard            int
	}{
		{"garbage", ping + "\ngarbage\n\n" + ping + "\n", `"code":-32700`, 2},
		{"half", ping + "\n" + ping[:20] + "\n" + ping + "\n", `"code":-32700`, 2},
		{"two in a line", ping + ping + "\n" + ping, `"code":-32700`, 1},
		{"no message", "[]\n7\n" + `{"jsonrpc":"2.0"}` + "\n" + ping + "\r\n", `"code":-32600`, 1},
		{"too long", strings.Repeat("x", longestLine+1) + "\n" + ping + "\n", "too long", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			conn, err := Lines(strings.NewReader(c.in), &out).Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			heard := 0
			for {
				m, err := conn.Read(t.Context())
				if errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if r, ok := m.(*jsonrpc.Request); ok && r.Method == "ping" {
					heard++
				}
			}
			if heard != c.heard || !strings.Contains(out.String(), c.answer) || !strings.Contains(out.String(), `"id":null`) {
				t.Errorf("heard %d, answered %s", heard, &out)
			}
		})
	}
}
