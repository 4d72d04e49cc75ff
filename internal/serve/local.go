package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
)

// longestPath is how long the path of a socket can be on every system.
// The kernels allow 104 bytes (macOS) and 108 (Linux), with the zero at the end.
const longestPath = 100

// socket is the way by which commands of the same person reach the server; its folder is theirs alone. A path that would be too long
// leads, on Linux, through the opened folder; elsewhere there is none, and it is empty. close is called when it is not used any more.
func socket(dir string) (path string, close func() error) {
	if path := filepath.Join(dir, "serve.sock"); len(path) <= longestPath {
		return path, func() error { return nil }
	}
	folder, err := os.Open(dir)
	if err != nil {
		return "", func() error { return nil }
	}
	short := fmt.Sprintf("/proc/self/fd/%d", folder.Fd())
	if _, err := os.Stat(short); err != nil {
		folder.Close()
		return "", func() error { return nil }
	}
	return filepath.Join(short, "serve.sock"), folder.Close
}

// Links are addresses that sign a browser in; the second is for browsers that do not know names below localhost.
type Links struct {
	Link  string `json:"link"`
	Plain string `json:"plain"`
	Base  string `json:"base"` // of the server
}

// Links makes them.
func (s *Server) Links() Links {
	return Links{Link: s.Link(), Plain: s.Plain() + "/in#" + s.Guard.Link(), Base: s.Plain()}
}

// Ask has a server that runs make links. ok is false if none runs.
// Whoever can open the socket is the person: the folder is private, and the socket as well.
func Ask(ctx context.Context, dir string) (l Links, ok bool) {
	path, end := socket(dir)
	defer end()
	if path == "" {
		return l, false
	}
	c := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: func(ctx context.Context, _,
		_ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://socrates/links", nil)
	if err != nil {
		return l, false
	}
	answer, err := c.Do(req)
	if err != nil {
		return l, false
	}
	defer answer.Body.Close()
	return l, json.NewDecoder(answer.Body).Decode(&l) == nil && l.Link != ""
}

// alone refuses a second server of one store.
func (s *Server) alone() error {
	if l, ok := Ask(context.Background(), s.o.Dir); ok {
		return failure.Usage("a server of this store runs already at "+l.Base, "open it: socrates web")
	}
	return nil
}

// listenLocal opens the socket. One that is left of a server that was killed is taken over: nobody answered there.
func (s *Server) listenLocal() error {
	path, end := socket(s.o.Dir)
	if path == "" {
		s.warn("other commands cannot find this server: the path of " + s.o.Dir + " is too long for a socket; use a shorter one with " +
			"--store")
		return nil
	}
	os.Remove(path)
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		s.tcp.Close()
		end()
		return failure.New(failure.ExitFailed, "listen", "cannot make the socket "+path+": "+because(err), "")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /links", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(s.Links()) })
	s.unix, s.local, s.end = l, server(mux), end
	return nil
}
