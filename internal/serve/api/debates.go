package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Named is a request about one thing.
type Named struct {
	Name string `json:"name"`
}

// Listing is a request for a list.
type Listing struct {
	Words  string `json:"q,omitempty" jsonschema:"words it must contain"`
	Folder string `json:"folder,omitempty" jsonschema:"only of this folder and those below it; empty: of all"`
	State  string `json:"state,omitempty" jsonschema:"of debates: running, ended or stopped"`
	Most   int    `json:"limit,omitempty" jsonschema:"maximum number; default: 100, at most 1000"`
}

// most returns the effective limit, 1 to 1000.
func (l Listing) most() int { return min(1000, max(1, cmp.Or(l.Most, 100))) }

// items is an answer with a list.
type items[T any] struct {
	Items []T  `json:"items"`
	More  bool `json:"more,omitempty" jsonschema:"there are more than limit"`
}

// begunDebate is the answer to a request for a debate.
type begunDebate struct {
	Debate string   `json:"debate"`
	URL    string   `json:"url" jsonschema:"where to read it"`
	Events string   `json:"events" jsonschema:"where to follow it"`
	Notes  []string `json:"notes,omitempty" jsonschema:"warnings"`
}

// Asked is a request for a debate, with its folder.
type Asked struct {
	door.Ask
	Folder string `json:"folder,omitempty" jsonschema:"the project; empty: where the server was started"`
}

// rooted is the answer to an operation: the first node of the tree concerned.
type rooted struct {
	Root   tree.ID `json:"root,omitempty"`
	Debate string  `json:"debate,omitempty" jsonschema:"the name, of a debate"`
}

// debateRoutes are the routes of debates, from the list to the trash.
func debateRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/debates", "rooms.Library.List rooms.Library.Each", guard.Read, "List debates, newest first",
			listDebates),
		row("POST", "/api/v1/debates", "rooms.Debate", guard.Debate, "Start a debate; it runs in a process of its own", Start).
			status(http.StatusAccepted),
		row("POST", "/api/v1/estimate", "", guard.Read, "Estimate a debate's seats and cost; no model is called", estimate),
		row("GET", "/api/v1/debates/{name}", "rooms.Library.Result rooms.Library.Room", guard.Read,
			"The result of a debate, or its standing if it is running", named).tagged(),
		row("GET", "/api/v1/debates/{name}/info", "rooms.Library.Info rooms.Library.Elsewhere", guard.Read, "A debate's entry in the list",
			debateInfo),
		row("GET", "/api/v1/debates/{name}/frame", "rooms.Library.Frame", guard.Read,
			"The settings a debate started with", frame).tagged(),
		row("GET", "/api/v1/debates/{name}/ledger", "", guard.Read, "Votes, claims, checks and stances", ledger).tagged(),
		row("GET", "/api/v1/debates/{name}/nodes", "Engine.Tree Engine.Sound", guard.Read, "All nodes of a debate, as committed",
			nodes).tagged(),
		{Method: "GET", Path: "/api/v1/debates/{name}/decision", Scope: guard.Read, raw: decision,
			Doc: "The decision as a document: JSON, Markdown or HTML, by Accept"},
		row("POST", "/api/v1/debates/{name}/words", "rooms.Tell", guard.Debate,
			"Send a debate a message or a command of debate tell", say).status(http.StatusAccepted),
		row("POST", "/api/v1/debates/{name}/resume", "rooms.Resume", guard.Debate, "Resume an interrupted debate", resume).
			status(http.StatusAccepted),
		row("DELETE", "/api/v1/debates/{name}", "rooms.Delete", guard.Debate, "Move a debate to the trash",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				if i, err := rooms.In(r.Engine).Info(ctx, in.Name); err != nil {
					return rooted{}, err
				} else if err := started(r, i); err != nil {
					return rooted{}, err
				}
				done, err := r.do(ctx, rooms.Delete{Rooms: []string{in.Name}})
				done.Debate = in.Name
				return done, err
			}),
		row("POST", "/api/v1/debates/{name}/restore", "rooms.Restore rooms.Library.Deleted", guard.Debate, "Restore a deleted debate",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				list, err := rooms.In(r.Engine).Trash(ctx, "", 0)
				for _, d := range list {
					if d.Room == in.Name && err == nil {
						err = started(r, d.Info)
					}
				}
				if err != nil {
					return rooted{}, err
				}
				done, err := r.do(ctx, rooms.Restore{Room: in.Name})
				done.Debate = in.Name
				return done, err
			}),
		row("GET", "/api/v1/trash/debates", "rooms.Library.Trash", guard.Read, "List deleted debates",
			func(ctx context.Context, r Request, in Listing) (items[rooms.Deleted], error) {
				list, err := rooms.In(r.Engine).Trash(ctx, in.Folder, in.most())
				return items[rooms.Deleted]{Items: list}, err
			}),
	}
}

// started refuses to delete or restore a debate of somebody else: whoever started it may, and admins.
func started(r Request, i rooms.Info) error {
	if i.Person == r.Caller.Who || r.Caller.Scope.Covers(guard.Admin) {
		return nil
	}
	return &Problem{Status: http.StatusForbidden, Detail: cmp.Or(i.Person, "the person who runs this hub") + " started the debate " +
		i.Room + "; only they and admins can delete or restore it", Hint: "ask them, or an admin of the hub"}
}

// listDebates filters while it reads, so a long list costs no more than the part that is shown.
func listDebates(ctx context.Context, r Request, in Listing) (items[rooms.Info], error) {
	out := items[rooms.Info]{Items: []rooms.Info{}}
	if states := []string{"running", "ended", "stopped"}; in.State != "" && !slices.Contains(states, in.State) {
		return out, &Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf("state=%q is not a state of debates", in.State),
			Hint: "use " + strings.Join(states, ", ")}
	}
	for info, err := range rooms.In(r.Engine).Each(ctx, false) {
		if err != nil {
			return out, err
		}
		if !Below(info.Dir, in.Folder) || !Contains(info.Question+" "+info.Room, in.Words) || in.State != "" && in.State != info.State {
			continue
		}
		if len(out.Items) == in.most() {
			out.More = true
			break
		}
		out.Items = append(out.Items, info)
	}
	return out, nil
}

// Below reports whether dir is folder or is inside it; everything is below an empty folder. It compares names only:
// links are not followed. Backslashes on Windows count as slashes.
func Below(dir, folder string) bool {
	dir, folder = filepath.ToSlash(dir), strings.TrimRight(filepath.ToSlash(folder), "/")
	return folder == "" || dir == folder || strings.HasPrefix(dir, folder+"/")
}

// Contains reports whether a text contains all words, in any case.
func Contains(text, words string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(text, w) })
}

// Start starts a debate. The caller's name is part of the record. An Idempotency-Key is combined with the caller, so
// two callers with the same key have two debates.
func Start(ctx context.Context, r Request, in Asked) (begunDebate, error) {
	in.Client = r.Caller.Name + " (HTTP)"
	if key := r.HTTP.Header.Get("Idempotency-Key"); key != "" && in.Retry == "" {
		in.Retry = r.Caller.Name + " " + key // also across a restart of this server
	}
	dir := cmp.Or(in.Folder, r.Main())
	if err := r.folder(ctx, dir); err != nil {
		return begunDebate{}, err
	}
	room, notes, err := r.Debate(ctx, dir, in.Ask)
	at := "/api/v1/debates/" + room
	return begunDebate{Debate: room, URL: at, Events: at + "/events", Notes: notes}, err
}

// estimate asks another process to estimate a debate; nothing is sent to a model.
func estimate(ctx context.Context, r Request, in Asked) (door.Estimate, error) {
	dir := cmp.Or(in.Folder, r.Main())
	if err := r.folder(ctx, dir); err != nil {
		return door.Estimate{}, err
	}
	return r.Estimate(ctx, dir, in.Ask)
}

// result returns the result of a debate, or the preliminary one.
func result(ctx context.Context, r Request, in Named) (debate.Result, error) {
	return rooms.Named(ctx, rooms.In(r.Engine), in.Name)
}

// oneResult is a result with the names that lists have, too.
type oneResult struct {
	debate.Result
	Debate string `json:"debate" jsonschema:"the debate's name, as room"`
	Text   string `json:"winner_text" jsonschema:"the text of the option whose key is winner; empty: none"`
}

func named(ctx context.Context, r Request, in Named) (oneResult, error) {
	res, err := result(ctx, r, in)
	out := oneResult{Result: res, Debate: res.Room}
	for _, o := range res.Options {
		if o.Key == res.Winner {
			out.Text = o.Text
		}
	}
	return out, err
}

// debateInfo returns a debate's entry in the list.
func debateInfo(ctx context.Context, r Request, in Named) (rooms.Info, error) {
	return rooms.In(r.Engine).Info(ctx, in.Name)
}

// frame returns what was fixed before the debate began.
func frame(ctx context.Context, r Request, in Named) (oneFrame, error) {
	f, err := rooms.In(r.Engine).Frame(ctx, in.Name)
	out := oneFrame{Frame: f, Debate: f.Room, Seats: []pricedSeat{}}
	for _, s := range f.Seats {
		p := s.Price
		out.Seats = append(out.Seats, pricedSeat{s, price{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.Known,
			p.Input, p.Output, p.CacheRead, p.CacheWrite, p.Known}})
	}
	return out, err
}

// oneFrame is a frame whose prices also have names like all other fields; records have them as they are in Go.
type oneFrame struct {
	table.Frame
	Debate string       `json:"debate" jsonschema:"the debate's name, as room"`
	Seats  []pricedSeat `json:"seats"`
}

type pricedSeat struct {
	table.Seat
	Price price `json:"price"`
}

// price is in dollars per million tokens.
type price struct {
	Input, Output, CacheRead, CacheWrite float64
	Known                                bool

	In    float64 `json:"input"`
	Out   float64 `json:"output"`
	Read  float64 `json:"cache_read"`
	Write float64 `json:"cache_write"`
	Set   bool    `json:"known"`
}

// ledger returns what the verdict is computed from.
func ledger(ctx context.Context, r Request, in Named) (verdict.Ledger, error) {
	res, err := result(ctx, r, in)
	return res.Ledger(), err
}

// nodes returns all nodes of a debate. Seats' texts are named by their hash: see /api/v1/texts.
func nodes(ctx context.Context, r Request, in Named) (items[tree.Node], error) {
	root, err := rooms.In(r.Engine).Room(ctx, in.Name)
	if err != nil {
		return items[tree.Node]{}, err
	}
	all, err := r.Engine.Tree(ctx, root)
	return items[tree.Node]{Items: all}, err
}

// wordsTo is a message to a debate.
type wordsTo struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// taken is its effect so far.
type taken struct {
	Text    string `json:"text"`
	Running bool   `json:"running" jsonschema:"false: it is read when the debate resumes"`
}

// A message to a debate that no process runs is kept until it resumes; one to a debate that has ended is recorded, as
// outcomes are.
func say(ctx context.Context, r Request, in wordsTo) (taken, error) {
	w, err := people.ParseMessage(in.Text)
	if err != nil {
		return taken{}, &Problem{Status: http.StatusBadRequest, Detail: err.Error(), Hint: "all commands: socrates debate tell --help"}
	}
	if _, err := r.Engine.Do(context.WithoutCancel(ctx), rooms.Tell{Room: in.Name, Message: w}); err != nil {
		return taken{}, err
	}
	info, err := rooms.In(r.Engine).Info(ctx, in.Name)
	if err != nil {
		return taken{}, err
	}
	text := "Saved. The debate reads it when it resumes."
	if info.Running {
		text = "Sent. It is delivered at the next step."
	} else if info.Ended {
		text = "Recorded."
	}
	return taken{text, info.Running}, nil
}

// A debate that already runs is left alone, so a retry does no harm.
func resume(ctx context.Context, r Request, in Named) (taken, error) {
	info, err := rooms.In(r.Engine).Info(ctx, in.Name)
	switch {
	case err != nil:
		return taken{}, err
	case info.Ended:
		return taken{}, &Problem{Status: http.StatusConflict, Detail: "debate " + info.Room + " has ended"}
	case !info.Running:
		if err := r.Resume(ctx, info.Dir, info.Room); err != nil {
			return taken{}, err
		}
	}
	return taken{"The debate continues.", true}, nil
}
