package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tree"
)

// How a prompt ends.
const (
	ended     = "end_turn"
	cancelled = "cancelled"
	limited   = "max_turn_requests"
)

// promptResult is the answer to a prompt, after all its updates.
type promptResult struct {
	StopReason string `json:"stopReason"`
}

// answering is a prompt that is being answered. The first cancel ends the work gracefully, the second at once.
// Further ones do nothing. It is safe for concurrent use.
type answering struct {
	mu         sync.Mutex
	stop, kill chan struct{} // closed by the first and the second
	over       chan struct{} // closed at the end
	cancels    int
	reason     string // how it ended
}

// newAnswering returns a prompt that nobody has cancelled.
func newAnswering() *answering {
	return &answering{stop: make(chan struct{}), kill: make(chan struct{}), over: make(chan struct{})}
}

// cancel closes stop, or the second time kill.
func (n *answering) cancel() {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch n.cancels++; n.cancels {
	case 1:
		close(n.stop)
	case 2:
		close(n.kill)
	}
}

// cancelled reports whether it was asked to end, which may not have happened yet.
func (n *answering) cancelled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cancels > 0
}

// cancel cancels what a session is answering, if anything.
func (s *session) cancel() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.now != nil {
		s.now.cancel()
	}
}

// idle waits until a session is answering nothing, or ctx is done.
func idle(ctx context.Context, s *session) {
	s.turn.Lock()
	now := s.now
	s.turn.Unlock()
	if now == nil {
		return
	}
	select {
	case <-now.over:
	case <-ctx.Done():
	}
}

// prompted begins to answer a prompt. One that arrives while another is answered is a message to that turn.
func (a *agent) prompted(params json.RawMessage) (task, error) {
	var in prompt
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	s, err := a.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	return answers(s, in.Prompt), nil
}

// answers begins to answer, or makes a message to what is being answered.
func answers(s *session, blocks []block) task {
	s.turn.Lock()
	defer s.turn.Unlock()
	if now := s.now; now != nil {
		return func(ctx context.Context) (any, func(), error) { return s.interject(ctx, now, blocks) }
	}
	now := newAnswering()
	s.now = now
	return func(ctx context.Context) (any, func(), error) {
		defer context.AfterFunc(ctx, now.cancel)() // $/cancel_request
		reason, err := s.answer(now, blocks)
		if now.cancelled() {
			reason, err = cancelled, nil
		}
		s.turn.Lock()
		s.now, now.reason = nil, reason
		s.turn.Unlock()
		close(now.over)
		return promptResult{reason}, nil, err
	}
}

// interject sends a message to the running turn, and ends with it. If the turn ends without reading it, the message
// is answered then.
func (s *session) interject(ctx context.Context, now *answering, blocks []block) (any, func(), error) {
	s.mu.Lock()
	name := s.env.Tree
	text, data, images := s.read(blocks)
	op := slash.Interject(s.ctx, s.env, text)
	s.mu.Unlock()
	op.Data, op.Images = data, images
	if !slash.Message(text) {
		return nil, nil, &problem{Code: badRequest, Message: "a turn is running: send it a message, or cancel it first"}
	}
	message, err := s.Engine.Do(s.ctx, op)
	refused := (*engine.Refusal)(nil)
	if err != nil && !errors.As(err, &refused) {
		return nil, nil, err
	}
	select {
	case <-now.over:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	read := false
	if refused == nil { // otherwise it was just ending, or is no turn
		if read, err = turns.In(s.Engine).AwaitRead(ctx, name, message); err != nil {
			return nil, nil, err
		}
	}
	if !read && !now.cancelled() {
		return answers(s, blocks)(ctx)
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	return promptResult{cmp.Or(now.reason, ended)}, nil, nil
}

// attached returns a picture or file; an error says why a model is not shown it.
func attached(name string, body []byte, before int) (attach.File, error) {
	if before >= attach.Most {
		return attach.File{}, fmt.Errorf("a prompt can have at most %d attachments", attach.Most)
	}
	return attach.Read(name, body)
}

// read returns a prompt as text, its attached texts as data, and its pictures. A file of the project becomes a
// mention (@path), so that it is read under the same rules. What cannot be used is left out and reported.
func (s *session) read(blocks []block) (text, data string, images []llm.Attachment) {
	var said, with []string
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			said = append(said, b.Text)
		case b.Type == "image":
			f, err := attached("", b.Data, len(images))
			if err != nil {
				s.notice("warning", "an image was left out: "+err.Error())
				continue
			}
			images = append(images, f.Attachments...)
		case b.Type == "resource_link":
			link := s.link(b.URI)
			if !strings.HasPrefix(link, "@") { // only what was typed is a command
				link = "<" + link + ">"
			}
			said = append(said, " "+link+" ")
		case b.Type == "resource" && b.Resource != nil && b.Resource.Text != nil:
			with = append(with, strings.TrimPrefix(s.link(b.Resource.URI), "@")+":\n"+*b.Resource.Text)
		case b.Type == "resource" && b.Resource != nil && len(b.Resource.Blob) > 0:
			name := path.Base(b.Resource.URI)
			f, err := attached(name, b.Resource.Blob, len(images))
			if err != nil {
				s.notice("warning", name+" was left out: "+err.Error())
				continue
			}
			images = append(images, f.Attachments...)
			if f.Text != "" {
				with = append(with, name+":\n"+f.Text)
			}
		default:
			s.notice("warning", "content of type "+b.Type+" was left out")
		}
	}
	return strings.TrimSpace(strings.Join(said, "")), strings.Join(with, "\n\n"), images
}

// link returns the mention of a URI's file: @path:from-to; for anything else, the URI.
func (s *session) link(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // of /C:/project
	}
	rel, err := filepath.Rel(s.env.Dir, filepath.FromSlash(path))
	if err != nil || !filepath.IsLocal(rel) || strings.ContainsAny(rel, " \t\n") {
		return path
	}
	lines := strings.ReplaceAll(strings.TrimPrefix(u.Fragment, "L"), "-L", "-")
	if from, to, ok := strings.Cut(lines, ":"); ok {
		lines = from + "-" + to
	}
	if lines != "" {
		lines = ":" + lines
	}
	return "@" + filepath.ToSlash(rel) + lines
}

// answer executes a prompt.
func (s *session) answer(now *answering, blocks []block) (string, error) {
	s.mu.Lock()
	text, data, images := s.read(blocks)
	e, err := s.effect(text, data, images)
	s.mu.Unlock()
	if err != nil {
		return "", err
	}
	defer s.settle()
	s.say(e.Text + e.News)
	if e.Write != nil {
		if err := s.write(now, *e.Write); err != nil {
			return "", err
		}
	}
	if e.Debate != nil {
		if err := s.debate(now, *e.Debate); err != nil {
			return "", err
		}
	}
	switch op := e.Start.(type) {
	case nil:
		return ended, nil
	case runs.Execute, runs.Advance:
		return ended, s.execute(now, op)
	case turns.Say:
		s.bring(now)
		if now.cancelled() {
			return cancelled, nil
		}
		return s.take(now, op)
	default:
		return s.take(now, op)
	}
}

// effect returns the effect of a line. A message gets the model and mode of its answer. The caller holds s.mu.
func (s *session) effect(text, data string, images []llm.Attachment) (e slash.Effect, err error) {
	if text == "" && data == "" && len(images) == 0 {
		return e, &problem{Code: badParams, Message: "no message given"}
	}
	if err := s.onBranch(); err != nil {
		return e, err
	}
	if name, _, ok := slash.Parse(text); ok {
		if left[name] {
			e.Text = "/" + name + " is not needed here: your editor opens and closes sessions; sign in with: socrates login"
			return e, nil
		}
		e, err = slash.Run(s.ctx, s.env, text)
	} else {
		e, err = slash.Say(s.ctx, s.env, text)
	}
	if say, ok := e.Start.(turns.Say); ok && err == nil {
		if data != "" {
			say.Data = strings.TrimLeft(say.Data+"\n\n"+data, "\n")
		}
		say.Images = images
		e.Start, err = s.Fill(s.ctx, say)
	} else if len(images) > 0 && err == nil {
		s.notice("warning", "images were left out: only agent turns accept them")
	}
	return e, err
}

// onBranch switches to the session's branch, if somebody left the conversation on another.
func (s *session) onBranch() error {
	if s.env.Tree == "" || s.branch == "" {
		return nil
	}
	t, err := conversation.In(s.Engine).Open(s.ctx, s.env.Tree)
	if err == nil && t.Branch != s.branch {
		_, err = s.Engine.Do(s.ctx, conversation.SwitchTo{Tree: t.Name, Branch: s.branch})
	}
	return err
}

// settle records where a prompt left the conversation, and tells the editor what changed.
func (s *session) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.env.Tree == "" {
		return
	}
	ctx := context.WithoutCancel(s.ctx)
	if t, err := conversation.In(s.Engine).Open(ctx, s.env.Tree); err == nil { // the next prompt reports errors
		s.branch = t.Branch
		s.tellTitle(ctx, t)
		go retitle(s, t)
	}
	s.tellSettings()
}

// retitle sends the editor the title that a model writes for the first message, which may take a little longer than
// the answer.
func retitle(s *session, t conversation.Tree) {
	turns.In(s.Engine).AwaitTitle(s.ctx, t.Root)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		s.tellTitle(s.ctx, t)
	}
}

// tellTitle sends the editor the title of the conversation.
func (s *session) tellTitle(ctx context.Context, t conversation.Tree) error {
	title, err := conversation.In(s.Engine).Title(ctx, t)
	if _, branch := at(s.id); branch != "" && title != "" {
		title = forkTitle(title, branch)
	}
	if err == nil && title != "" && title != s.told {
		s.told = title
		s.update(infoUpdate{"session_info_update", title})
	}
	return err
}

// write asks for permission, and writes.
func (s *session) write(now *answering, f slash.File) error {
	text := s.Out.Clean(f.Text)
	call := toolCall{Kind: "tool_call", ID: string(tree.NewID()), Title: "Write " + f.Path, Sort: "edit", Status: "pending",
		Content: []toolContent{{Type: "diff", Path: filepath.Join(s.env.Dir, filepath.FromSlash(f.Path)), New: &text}}}
	s.update(call)
	picked, err := s.permit(now, call, []way{{"once", "Write this file", "allow_once"}, {"deny", "Do not write it", "reject_once"}})
	end := toolCall{Kind: "tool_call_update", ID: call.ID, Status: "failed"}
	if err == nil && picked == "once" {
		if err = (slash.File{Path: f.Path, Text: text}).Create(s.env.Dir); err == nil {
			end.Status = "completed"
		}
	}
	s.update(end)
	return err
}

// update sends the editor an update of a session.
func (s *session) update(u any) {
	s.conn.notify("session/update", struct {
		SessionID string `json:"sessionId"`
		Update    any    `json:"update"`
	}{s.id, u})
}

// say sends a text of the agent.
func (s *session) say(text string) {
	if text != "" {
		s.update(chunk{"agent_message_chunk", textBlock(text)})
	}
}

// think reports progress.
func (s *session) think(text string) {
	s.update(chunk{"agent_thought_chunk", textBlock(text + "\n\n")})
}

// notice sends the person a notice of the program.
func (s *session) notice(severity, text string) {
	if s.able().Session.Notices == nil {
		s.think(text)
		return
	}
	s.update(notice{"notice", severity, text})
}

// stopped makes a job follow the cancels of a prompt until over is closed.
func (s *session) stopped(now *answering, gentle, hard engine.Op, over <-chan struct{}) {
	for _, one := range []struct {
		when <-chan struct{}
		op   engine.Op
	}{{now.stop, gentle}, {now.kill, hard}} {
		select {
		case <-one.when:
			s.Engine.Do(context.WithoutCancel(s.ctx), one.op)
		case <-over:
			return
		}
	}
}
