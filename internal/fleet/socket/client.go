package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/local"
)

// Client is a client of the hub whose folder is Dir. It is safe for concurrent use.
type Client struct {
	Dir  string
	By   string // the person who makes the changes, for the log; empty: whoever runs the hub
	http *http.Client
}

// NewClient returns a client that connects on first use.
func NewClient(dir string) *Client { return &Client{Dir: dir, http: local.Client(dir, Name)} }

// byHeader names the person who makes a change.
const byHeader = "Socrates-By"

// ask sends a request; an answer other than status 200 is an error.
func (c *Client) ask(ctx context.Context, method, path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://hub"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set(byHeader, c.By)
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, problem(resp.StatusCode, strings.TrimSpace(string(why)))
	}
	return resp, nil
}

// Away reports whether an error means that no hub runs.
func Away(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok
}

// Follow submits a task and yields its events, from the delta with number from of an epoch on. It ends after an event
// with Over set, or with one error: the hub does not run, or went away.
func (c *Client) Follow(ctx context.Context, k lease.Task, epoch, from int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		resp, err := c.ask(ctx, http.MethodPost, fmt.Sprintf("/tasks?epoch=%d&from=%d", epoch, from), k)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer resp.Body.Close()
		for in := json.NewDecoder(resp.Body); ; {
			var e Event
			if err := in.Decode(&e); err != nil {
				if errors.Is(err, io.EOF) {
					err = errStream
				}
				yield(Event{}, err)
				return
			}
			if e.Over {
				io.Copy(io.Discard, io.LimitReader(resp.Body, 1000)) // to its end: the connection is reused
			}
			if !yield(e, nil) || e.Over {
				return
			}
		}
	}
}

// Decide decides whether a tool may be used; no says why not.
func (c *Client) Decide(ctx context.Context, task string, n int, no string) error {
	return c.do(ctx, http.MethodPost, "/tasks/"+task+"/may", decision{n, no})
}

// Cancel ends a task, and returns the worker that had it; empty: none.
func (c *Client) Cancel(ctx context.Context, task string) (worker string, err error) {
	resp, err := c.ask(ctx, http.MethodPost, "/tasks/"+task+"/cancel", nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var s stopped
	err = json.NewDecoder(resp.Body).Decode(&s)
	return s.Worker, err
}

// Forget removes a task.
func (c *Client) Forget(ctx context.Context, task string) error {
	return c.do(ctx, http.MethodDelete, "/tasks/"+task, nil)
}

func (c *Client) do(ctx context.Context, method, path string, body any) error {
	resp, err := c.ask(ctx, method, path, body)
	if err == nil {
		err = resp.Body.Close()
	}
	return err
}

// read requests a list.
func read[T any](ctx context.Context, c *Client, path string) (list T, err error) {
	resp, err := c.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return list, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&list)
	return list, err
}

// Seats returns the seats that workers offer to a person; an empty name is whoever runs the hub.
func (c *Client) Seats(ctx context.Context, person string) ([]Offered, error) {
	return read[[]Offered](ctx, c, "/seats?person="+url.QueryEscape(person))
}

// Workers returns all that joined.
func (c *Client) Workers(ctx context.Context) ([]Worker, error) {
	return read[[]Worker](ctx, c, "/workers")
}

// Audit returns the audit log, newest first.
func (c *Client) Audit(ctx context.Context) ([]lease.AuditLine, error) {
	return read[[]lease.AuditLine](ctx, c, "/audit")
}

// Invite makes a token for a worker to join once.
func (c *Client) Invite(ctx context.Context, i Invitation) (token string, err error) {
	resp, err := c.ask(ctx, http.MethodPost, "/workers", i)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&token)
	return token, err
}

// Drain lets a worker finish its tasks and take no more.
func (c *Client) Drain(ctx context.Context, worker string) error {
	return c.do(ctx, http.MethodPost, "/workers/"+url.PathEscape(worker)+"/drain", nil)
}

// Revoke shuts a worker out.
func (c *Client) Revoke(ctx context.Context, worker string) error {
	return c.do(ctx, http.MethodDelete, "/workers/"+url.PathEscape(worker), nil)
}
