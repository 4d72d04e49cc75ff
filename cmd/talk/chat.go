// Package talk holds the commands that make an agent work for a person, a pipe or a program: run and chat.
//
// run is one turn for a script: nobody is asked, the answer is on stdout, the exit code says how it went. chat is
// many turns for a person (or, in a pipe, for whoever writes lines): a console reads lines, internal/slash executes
// slash commands, everything else is a turn, and events are shown as they are committed. The full screen is another
// front end of the same engine; see cmd/screen.
//
// One goroutine reads keys or lines, one per job reads its news, and a single loop (watch, talk) decides what to do
// next. So nothing else touches the view or the line being typed.
//
// Exit codes of run: 0 done, 4 no login, 5 the vendor failed, 6 a call was denied, 7 a limit, 8 the answer does not
// match --output-schema, 13 a steering file was written, 14 no snapshot could be taken, 130, 143 or 129 stopped. A
// chat with a person exits with 0; in a pipe with the code of the last line that failed.
package talk

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/slash/env"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Talk has the conversation commands of a call.
type Talk struct {
	*call.Call
	frames *frame.Framer
	rooms  *room.Rooms
}

// New returns the conversation commands of a call.
func New(shared *call.Call, frames *frame.Framer, rooms *room.Rooms) *Talk {
	return &Talk{Call: shared, frames: frames, rooms: rooms}
}

// Commands returns run and chat.
func (a *Talk) Commands() []*cobra.Command { return []*cobra.Command{a.runCommand(), a.chatCommand()} }

// chatCommand is the command chat.
func (a *Talk) chatCommand() *cobra.Command {
	f := &turn.Flags{}
	c := &cobra.Command{
		Use:   "chat [TREE]",
		Short: "Chat with an agent in this folder",
		Long: `Type what you want; each line is a turn. The agent works with its tools and asks before it
does anything that needs your permission. The conversation is saved as a tree: you can go back
to any point and continue from there, with a different model if you like.

A line that begins with / is a command; /help lists them. A line that begins with ! runs in
the shell, and the model sees its output. End a line with \ to continue it on the next one.
Ctrl-C stops a turn and keeps what it did; ctrl-D quits.

In a pipe, every line is a turn. No questions are asked: a call that needs approval is denied.`,
		Example: `  socrates chat
  socrates chat --continue
  socrates chat --phase socrates --model anthropic:big
  printf 'list the files\n/cost\n' | socrates chat --plain`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.Offer(1, a.treeNames),
		RunE:              func(c *cobra.Command, args []string) error { return a.Chat(c.Context(), f, strings.Join(args, "")) },
	}
	f.AddAll(c)
	return c
}

//go:embed chat.md
var chatDoc string

// Page returns the page of docs/ on conversations.
func (*Talk) Page() string {
	var b strings.Builder
	b.WriteString("| command | |\n|---|---|\n")
	for _, c := range slash.Table() {
		name := "`" + strings.ReplaceAll(c.Form(), "|", "\\|") + "`"
		for _, also := range c.Also {
			name += ", `/" + also + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.ReplaceAll(c.Doc, "|", "\\|"))
	}
	return strings.Replace(chatDoc, "{{commands}}", b.String(), 1)
}

// treeNames returns the names of all conversations.
func (a *Talk) treeNames(ctx context.Context, _ string) (list []string, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := conversation.In(e).List(ctx, "")
	for _, t := range all {
		list = append(list, t.Name)
	}
	return list, err
}

// chat is a conversation with a person, or with a pipe. It belongs to one goroutine except for what the console
// guards itself.
type chat struct {
	*console
	e     *engine.Engine
	env   *slash.Env
	f     *turn.Flags
	view  *chatView
	lost  error         // in a pipe: the error of the last line that failed
	sent  []sent        // typed while a turn ran
	hears *teller.Turns // is told about turns
	run   *execution    // the running plan; nil: none
	files []string      // attached to the first message
	mute  error         // in a pipe: why no model answers; commands that need none still work
}

// Chat runs a conversation until the person leaves. It asks what the project may run before the first turn, while the
// terminal is still in line mode.
func (a *Talk) Chat(ctx context.Context, f *turn.Flags, name string) error {
	if a.Out.Format != "text" {
		return failure.Usage("a chat has only text output", "for programs, use: socrates run --output "+a.Out.Format)
	}
	a.Audience = call.Nobody
	if a.attended() {
		a.Audience = call.Person
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return err
	}
	c := &chat{e: e, env: env.Of(a.Home, e, dir), f: f}
	c.env.Drops = a.Audience == call.Person
	if c.files, err = f.Attached(dir); err != nil {
		return err
	}
	// An unknown name is a mistake: a new chat needs no name.
	if name != "" {
		if _, err := conversation.In(e).Open(ctx, name); err != nil {
			return err
		}
		f.Session = name
	}
	// The conversation may belong to another folder, whose settings and files then apply.
	if f.Session != "" || f.Resume || f.Fork != "" {
		if err := a.Modelled(ctx, func() (err error) { c.env.Tree, err = f.Open(ctx, a.Call, e, "", true); return err }); err != nil {
			return err
		}
		t, err := conversation.In(e).Open(ctx, c.env.Tree)
		if err != nil {
			return err
		}
		c.env = env.Of(a.Home, e, t.Dir)
		c.env.Tree, c.env.Drops = t.Name, a.Audience == call.Person
	}
	if err := c.begin(ctx, a); err != nil {
		return err
	}
	// A bare chat uses no hooks or servers of the project.
	if !f.Bare {
		if _, err := a.Home.Approvals.Allowed(c.env.Dir); err != nil {
			return err
		}
	}
	if c.hears, err = teller.NewTurn(a.Call); err != nil {
		return err
	}
	gone := false
	defer func() { c.hears.Close(gone) }()
	c.console = a.openConsole(f.Plain)
	defer c.close()
	// While the chat owns the keyboard, others must borrow it.
	a.rooms.Lend, a.Lent = c.lend, true
	defer func() { a.rooms.Lend, a.Lent = nil, false }()
	c.view = &chatView{a: a, live: c.rich && !a.Out.Quiet, plain: c.person && !c.rich,
		color: a.Out.Colored(os.Stderr), told: map[string]bool{}}
	if c.line.Past, err = c.past(ctx); err == nil {
		err = c.greet(ctx)
	}
	if err != nil {
		return err
	}
	err = c.talk(ctx)
	if left, ok := errors.AsType[*failure.Error](err); ok {
		gone = left.Code == failure.ExitTerminated || left.Code == failure.ExitHungUp
	}
	return err
}

// past returns what the person said on this branch, for the up arrow.
func (c *chat) past(ctx context.Context) (list []string, _ error) {
	if c.env.Tree == "" {
		return nil, nil
	}
	t, err := conversation.In(c.e).Open(ctx, c.env.Tree)
	if err != nil {
		return nil, err
	}
	path, err := conversation.In(c.e).Path(ctx, t.Head)
	for _, s := range talk.SayKind.All(path) {
		list = append(list, s.Text)
	}
	return list, err
}

// begin takes the settings from the flags. Flags win over the conversation's settings, and those over the settings of
// its folder.
func (c *chat) begin(ctx context.Context, a *Talk) error {
	if err := c.f.Sound(ctx, a.Call); err != nil {
		return err
	}
	set, err := c.env.Settings(ctx)
	if err != nil {
		return err
	}
	if c.f.Model != "" || c.f.Tier != "" || set["model"] == "" {
		c.f.Model, err = a.chosen(ctx, cmp.Or(c.f.Model, set["model"]), c.f.Tier)
		if errors.Is(err, home.ErrNoModel) && a.Audience == call.Nobody {
			c.mute = err
		} else if err != nil {
			return err
		} else if _, err := a.Home.Seats.Solo(ctx, c.f.Model); err != nil {
			return err
		}
	}
	cfg, err := a.Home.Settings.Of(c.env.Dir)
	if err != nil {
		return err
	}
	mode := c.f.Mode
	if mode == "" && set["mode"] == "" {
		mode = cfg.String("permission.mode")
	}
	for key, value := range map[string]string{"model": c.f.Model, "phase": c.f.Phase, "mode": mode} {
		if value != "" {
			c.env.Begin[key] = value
		}
	}
	return nil
}

// greet shows the person which conversation this is.
func (c *chat) greet(ctx context.Context) error {
	set, err := c.env.Settings(ctx)
	if err != nil {
		return err
	}
	p, err := c.a.Home.Pages.Phase("", cmp.Or(set["phase"], "chat"))
	if err != nil {
		return err
	}
	where, broken := "a new conversation", ""
	if c.env.Tree != "" {
		t, err := conversation.In(c.e).Open(ctx, c.env.Tree)
		if err != nil {
			return err
		}
		where = t.Name + ", branch " + t.Branch
		if path, err := conversation.In(c.e).PathEnd(ctx, t.Head, 1); err == nil && len(path) > 0 {
			broken = told.Interrupted(path[0], t.Name, t.Branch)
		}
	}
	c.a.Out.Tell(fmt.Sprintf("%s · %s · mode %s · phase %s\n", where, cmp.Or(c.a.Home.Pages.Tier(set["model"], p.Tier), "no model"),
		cmp.Or(set["mode"], string(permission.Balanced)),
		p.Name))
	c.a.Out.Tell(broken)
	if c.person {
		c.a.Out.Tell("/help lists the commands; ctrl-D quits.\n")
	}
	return nil
}

// talk reads and executes one line after the other.
func (c *chat) talk(ctx context.Context) error {
	more := ""
	for {
		prompt := "> "
		if more != "" {
			prompt = ". "
		}
		if len(c.sent) > 0 { // the turn ended before it read them
			text := c.sent[0].text
			c.sent = c.sent[1:]
			c.view.put("", "> "+text)
			if leave, err := c.perform(ctx, text); leave || err != nil {
				return err
			}
			continue
		}
		ev := c.next(prompt, func(line string) []string { return slash.Complete(ctx, c.env, line) }, nil)
		switch ev.kind {
		case terminated:
			return failure.New(ev.code, "cancelled", "", "")
		// In a pipe ctrl-C is for the program; at a terminal for the line.
		case interrupted:
			if !c.person {
				return failure.New(failure.ExitInterrupted, "cancelled", "", "")
			}
			empty := c.line.Empty() && more == ""
			if c.drop(); empty {
				c.a.Out.Tell("ctrl-D or /quit quits\n")
			}
			more = ""
			continue
		case inputOver:
			return c.bye()
		}
		if rest, ok := strings.CutSuffix(ev.text, `\`); ok {
			more += rest + "\n"
			continue
		}
		text := more + ev.text
		more = ""
		if strings.TrimSpace(text) == "" {
			continue
		}
		if leave, err := c.perform(ctx, text); leave || err != nil {
			return err
		}
	}
}

// perform executes a line; the chat ends if leave is set or err is not nil. A signal that ends the process ends the
// chat; any other error is printed and the next line is read.
func (c *chat) perform(ctx context.Context, text string) (leave bool, err error) {
	leave, err = c.take(ctx, text)
	if f, ok := errors.AsType[*failure.Error](err); ok && (call.IsEnd(f.Code) && (f.Code != failure.ExitInterrupted || !c.person)) {
		return true, err
	}
	if err != nil {
		c.complain(err)
	}
	if leave {
		return true, c.bye()
	}
	return false, nil
}

// The message is empty because it was printed when it happened; only the code remains.
func (c *chat) bye() error {
	if c.person && c.env.Tree != "" {
		c.a.Out.Tell("Saved. Resume with: socrates chat " + c.env.Tree + "\n")
	}
	if c.lost != nil {
		f := failure.Explain(c.lost)
		return failure.New(f.Code, f.Reason, "", "") // already printed
	}
	return nil
}

// complain prints an error; the conversation continues.
func (c *chat) complain(err error) {
	if !c.person {
		c.lost = err
	}
	f := failure.Explain(err)
	if f.Message != "" {
		c.view.put("31", out.Fit(os.Stderr, f.Message+"\n", "  "))
	}
	if f.Hint != "" {
		c.view.put("", out.Fit(os.Stderr, "  "+f.Hint+"\n", "  "))
	}
}

// take executes a line. A line has effects: a text to show, a file to write, a debate, or a job to start. Several may
// be set, and are done in this order.
func (c *chat) take(ctx context.Context, text string) (leave bool, err error) {
	var eff slash.Effect
	c.env.Width = 0
	if out.IsTerminal(os.Stdout) {
		c.env.Width = out.Columns(os.Stdout) - 1
	}
	if _, _, ok := slash.Parse(text); ok {
		eff, err = slash.Run(ctx, c.env, text)
	} else if err = c.answered(ctx); err == nil || strings.HasPrefix(text, slash.Shell) {
		eff, err = slash.Say(ctx, c.env, text)
	}
	if say, ok := eff.Start.(turns.Say); ok && err == nil {
		say.Attach, c.files = append(c.files, say.Attach...), nil
		eff.Start, err = say, c.answered(ctx)
	}
	if err != nil {
		return false, err
	}
	if eff.Told != "" {
		c.view.known = eff.Told
	}
	if eff.Text += eff.News; eff.Text != "" {
		shown := strings.TrimRight(c.a.Out.Clean(eff.Text), "\n") + "\n"
		if c.env.Width > 0 {
			shown = out.Hang(shown, c.env.Width)
		}
		c.a.Out.Raw(shown)
	}
	if eff.Write != nil {
		err = c.write(ctx, *eff.Write)
	}
	if err == nil && eff.Debate != nil {
		err = c.debate(ctx, *eff.Debate)
	}
	if err == nil && eff.Start != nil {
		err = c.turn(ctx, eff.Start)
	}
	return eff.Leave, err
}

// follow shows the events of a tree until its job has ended. The watch ends with the job and closes the channel; a
// reader that leaves early cancels it.
func (c *chat) follow(ctx context.Context, op engine.Op, root tree.ID, run *scene.Run) error {
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	news := make(chan arrival)
	go func() {
		defer close(news)
		for n, err := range c.e.Watch(watching, root, c.e.Recorded(root)) {
			select {
			case news <- arrival{n, err}:
			case <-watching.Done():
				return
			}
		}
	}()
	return c.watch(ctx, op, news, run)
}

// turn starts a job and shows it until it has ended. Lines that were typed meanwhile and not read by the turn become
// turns of their own afterwards.
func (c *chat) turn(ctx context.Context, op engine.Op) error {
	switch op.(type) {
	// These have no turn: they are followed as runs.
	case runs.Execute, runs.Advance, queues.Run:
		return c.execute(ctx, op)
	}
	if say, ok := op.(turns.Say); ok {
		op = c.f.Manner().Over(say)
	}
	run := &scene.Run{}
	c.view.begin(run)
	root, err := c.e.Do(ctx, op)
	if err != nil {
		return err
	}
	state := "waiting…"
	if _, ok := op.(turns.Exec); ok {
		state = "running…"
	}
	c.view.status(state)
	c.hears.Begin(turns.In(c.e).Turn(root), run)
	if err := c.follow(ctx, op, root, run); err != nil {
		return err
	}
	err = c.e.Wait(root)
	res := turn.NewResult(c.env.Tree, run)
	for i := range c.sent { // the turn read none of them
		c.sent[i].id = ""
	}
	c.view.clear()
	if say, ok := op.(turns.Say); ok && err == nil && !say.Aside {
		if none := slash.Unplanned(ctx, c.env); none != "" {
			c.view.put("2", none)
		} else if next := res.Leads(c.a.Call, turns.In(c.e).Turn(root)); next != "" {
			c.view.put("2", "next: "+slash.Into(next)+", or /next")
		}
	}
	if err == nil && !c.person && res.Code != failure.ExitOK {
		c.lost = failure.New(res.Code, cmp.Or(res.Reason, res.Status), "", "")
	}
	return err
}
