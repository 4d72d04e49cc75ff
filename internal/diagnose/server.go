package diagnose

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/process"
)

// server is a language server of a conversation, over the Language Server Protocol 3.17, as far as it takes to hear what is wrong.
type server struct {
	name   string
	in     io.WriteCloser
	cancel context.CancelFunc
	ready  chan struct{} // closed once it may be told of files
	dead   chan struct{} // closed once it has ended

	pulls bool // it must be asked what is wrong; known once it is ready

	pipe     sync.Mutex        // of in: a server that does not read must not keep us from hearing it
	mu       sync.Mutex        // of what follows; nobody writes to the server while it is held
	versions map[string]int    // of what it was told, by address
	said     map[string]report // by address
	news     chan struct{}     // closed when it says something
}

// report is what a server says of a file, at a version it may not name.
type report struct {
	version int // 0: not named
	found   []finding
	at      int // which of the server's reports it is
}

// finding is a diagnostic.
type finding struct {
	Range    struct{ Start struct{ Line, Character int } }
	Severity int // 1 error, 2 warning; 0 if not told
	Message  string
	Source   string
}

// message is a line of the protocol.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

// received is a message as it is read.
type received struct {
	ID             json.RawMessage
	Method         string
	Params, Result json.RawMessage
}

type object = map[string]any

// begin starts a server for the project at dir; cancel ends it.
func begin(cmd *exec.Cmd, cancel context.CancelFunc, name, dir string, start Start) (*server, error) {
	end, err := start(cmd)
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, errors.Join(err, end())
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, end())
	}
	s := &server{name: name, in: in, cancel: cancel, ready: make(chan struct{}), dead: make(chan struct{}),
		versions: map[string]int{}, said: map[string]report{}, news: make(chan struct{})}
	go func() {
		defer close(s.dead)
		process.Run(cmd) // whatever ends it, nothing more is heard
		end()
	}()
	go s.listen(out)
	go s.send(message{ID: json.RawMessage("1"), Method: "initialize", Params: object{
		"processId": os.Getpid(), "rootUri": address(dir), "rootPath": dir, "clientInfo": object{"name": "socrates"},
		"workspaceFolders": []object{{"uri": address(dir), "name": filepath.Base(dir)}},
		"capabilities": object{"workspace": object{"configuration": true, "workspaceFolders": true},
			"textDocument": object{"publishDiagnostics": object{"versionSupport": true}, "synchronization": object{"didSave": true}}},
	}})
	return s, nil
}

// address is a file's URI.
func address(path string) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// send writes one message with its length ahead of it (LSP base protocol).
func (s *server) send(m message) error {
	m.Version = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.pipe.Lock()
	defer s.pipe.Unlock()
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(raw), raw)
	return err
}

// mostSaid bounds one message of a server.
const mostSaid = 32 << 20

// listen reads what the server says until it ends.
func (s *server) listen(out io.Reader) {
	defer s.cancel()
	r := bufio.NewReader(out)
	for {
		head, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil || n < 0 || n > mostSaid {
			return
		}
		raw := make([]byte, n)
		if _, err := io.ReadFull(r, raw); err != nil {
			return
		}
		var m received
		switch {
		case json.Unmarshal(raw, &m) != nil:
		case m.Method == "textDocument/publishDiagnostics": // in order: the last word on a file is the one that counts
			s.publish(m.Params)
		default:
			go s.answer(m)
		}
	}
}

// answer does what a message asks for. We have no settings for a server and do nothing it wants done.
func (s *server) answer(m received) {
	switch {
	case m.Method == "workspace/configuration":
		var want struct{ Items []any }
		json.Unmarshal(m.Params, &want) // none are none
		s.send(message{ID: m.ID, Result: make([]any, len(want.Items))})
	case m.Method != "" && m.ID != nil:
		s.send(message{ID: m.ID, Result: json.RawMessage("null")})
	case m.Method == "" && string(m.ID) == "1":
		s.greeted(m.Result)
	case m.Method == "" && m.Result != nil:
		var ours asked
		var is struct{ Items []finding }
		text := ""
		if errors.Join(json.Unmarshal(m.ID, &text), json.Unmarshal([]byte(text), &ours), json.Unmarshal(m.Result, &is)) == nil {
			s.says(published{URI: ours.URI, Version: ours.Version, Diagnostics: is.Items})
		}
	}
}

// asked is what the id of a question about a file says.
type asked struct {
	URI     string
	Version int
}

// greeted begins the conversation; a server that could not begin is ended.
func (s *server) greeted(result json.RawMessage) {
	var is struct {
		Capabilities struct{ DiagnosticProvider json.RawMessage }
	}
	if json.Unmarshal(result, &is) != nil {
		s.cancel()
		return
	}
	s.pulls = len(is.Capabilities.DiagnosticProvider) > 0
	s.send(message{Method: "initialized", Params: object{}})
	close(s.ready)
}

// published is a server's word on a file.
type published struct {
	URI         string
	Version     int
	Diagnostics []finding
}

// publish takes what a server says of a file unasked.
func (s *server) publish(params json.RawMessage) {
	var p published
	if json.Unmarshal(params, &p) == nil {
		s.says(p)
	}
}

// says keeps a report, unless it is about an older version of the file, and wakes those who wait.
func (s *server) says(p published) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.said[p.URI]; p.Version >= was.version || p.Version == 0 {
		s.said[p.URI] = report{p.Version, p.Diagnostics, was.at + 1}
	}
	close(s.news)
	s.news = make(chan struct{})
}

// tell gives the server a file's content, and returns its version.
func (s *server) tell(uri, text string) (version int, err error) {
	s.mu.Lock()
	s.versions[uri]++
	version = s.versions[uri]
	s.mu.Unlock()
	if version == 1 {
		err = s.send(message{Method: "textDocument/didOpen", Params: object{"textDocument": object{
			"uri": uri, "languageId": cmp.Or(language[filepath.Ext(uri)], "plaintext"), "version": version, "text": text}}})
	} else {
		err = s.send(message{Method: "textDocument/didChange", Params: object{
			"textDocument": object{"uri": uri, "version": version}, "contentChanges": []object{{"text": text}}}})
	}
	if err == nil {
		err = s.send(message{Method: "textDocument/didSave", Params: object{"textDocument": object{"uri": uri}, "text": text}})
	}
	if err == nil && s.pulls {
		id, _ := json.Marshal(asked{uri, version})
		text, _ := json.Marshal(string(id))
		err = s.send(message{ID: text, Method: "textDocument/diagnostic", Params: object{"textDocument": object{"uri": uri}}})
	}
	return version, err
}

// reports is what the server has said so far, and what is closed when it says more.
func (s *server) reports() (map[string]report, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]report{}
	for uri, r := range s.said {
		all[uri] = r
	}
	return all, s.news
}

// settles is how long a server must have said nothing more for its word on a file to count as its last.
const settles = 250 * time.Millisecond

// hear waits until the server has spoken of these versions of files and said no more for a while, or ctx ends. ok: it has spoken.
func (s *server) hear(ctx context.Context, before map[string]report, want map[string]int) (now map[string]report, ok bool) {
	for {
		all, news := s.reports()
		ok = true
		for uri, version := range want {
			r := all[uri]
			ok = ok && (r.version == version || r.version == 0 && r.at > before[uri].at)
		}
		var rest <-chan time.Time
		if ok {
			rest = time.After(settles)
		}
		select {
		case <-news:
		case <-rest:
			return all, true
		case <-s.dead:
			return all, false
		case <-ctx.Done():
			return all, ok
		}
	}
}

// close ends the server and waits until it has ended. It is killed: it has nothing to save.
func (s *server) close() {
	s.cancel()
	<-s.dead
}
