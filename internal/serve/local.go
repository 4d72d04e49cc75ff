package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/local"
	"github.com/socrates-cli/socrates/internal/plain"
)

// socket is the name of the socket by which commands of the same person reach the server.
const socket = "serve.sock"

// Links are addresses that sign a browser in; the second is for browsers that do not resolve names below localhost.
type Links struct {
	Link  string `json:"link"`
	Plain string `json:"plain"`
	Base  string `json:"base"` // of the server
}

// Links makes links for a person of a hub; empty: for whoever runs the server.
func (s *Server) Links(person string) Links {
	return Links{Link: s.URL() + "/in#" + s.Guard.Link(person), Plain: s.Plain() + "/in#" + s.Guard.Link(person), Base: s.Plain()}
}

// Ask asks a running server for links, for a person of a hub or for whoever runs it. ok is false if none runs.
// Whoever can open the socket runs the server: the folder and the socket are private.
func Ask(ctx context.Context, dir, person string) (l Links, ok bool) {
	c := local.Client(dir, socket)
	c.Timeout = 5 * time.Second
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://socrates/links?person="+url.QueryEscape(person), nil)
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

// alone refuses a second server of the same store.
func (s *Server) alone() error {
	if l, ok := Ask(context.Background(), s.o.Dir, ""); ok {
		return failure.Usage("a server for this store is already running at "+l.Base, "open it: socrates web")
	}
	return nil
}

// listenLocal opens the socket. One left by a killed server is replaced: nobody answered there.
func (s *Server) listenLocal() error {
	l, err := local.Listen(s.o.Dir, socket)
	if err != nil {
		s.tcp.Close()
		return failure.New(failure.ExitFailed, "listen", plain.Text(err.Error()), "")
	}
	if l == nil {
		s.warn("other commands cannot find this server: the path of " + s.o.Dir + " is too long for a socket; use a shorter one with " +
			"--store")
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /links", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(s.Links(r.URL.Query().Get("person")))
	})
	s.unix, s.local = l, server(mux)
	return nil
}
