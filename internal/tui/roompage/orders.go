package roompage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/menu"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// orders handles what a person types to a debate: messages to its seats, and commands.
type orders struct {
	p    *Page
	sent map[string]string // the last one typed, by verb
	menu menu.Menu
	next []string // the seats of the next debate; nil: the same
}

// submit executes a typed line: a command, or a message to the seats.
func (od *orders) submit(text string) tea.Cmd {
	od.menu.Close()
	cmd, _ := od.p.d.TypedIn(od.p.input, text, func() (tea.Cmd, bool) {
		if cmd, ok := od.command(text); ok {
			return cmd, true
		}
		if message, ok := od.letter(text); ok {
			return od.tell(message), true
		}
		return od.say(text), true
	})
	return cmd
}

// command executes a line that is no message to the seats; ok is false for a message.
func (od *orders) command(text string) (cmd tea.Cmd, ok bool) {
	name, args, ok := slash.Parse(text)
	if !ok {
		return nil, false
	}
	for _, c := range ownDebateCommands() {
		if c.Name == name {
			return c.do(od.p, args), true
		}
	}
	if cmd, ok := od.p.d.Desk.Command(name, args); ok {
		return cmd, true
	}
	if name == "history" || name == "sessions" {
		od.p.shown.show(transcriptView)
		od.p.move(1 << 20)
		return nil, true
	}
	called := func(c slash.Command) bool { return c.Name == name || slices.Contains(c.Also, name) }
	if !slices.ContainsFunc(debateCommands(od.p.d.Desk.Commands), called) && slices.ContainsFunc(slash.Table(), called) {
		od.p.d.Refuse("/" + name + " works only in a conversation: /new opens one")
		return nil, true
	}
	return nil, false
}

// another begins a separate debate.
func (od *orders) another(line string) tea.Cmd {
	asked, err := slash.ReadDebate(line)
	if err != nil {
		od.p.d.Refuse(err.Error())
		return nil
	}
	if od.p.asks {
		return od.begin(asked)
	}
	if od.p.gone != "" && od.p.room == "" { // it could not begin, and is tried again
		cmd := od.p.d.Desk.Debate(asked, od.p.back)
		od.p.d.Desk.Close(od.p)
		return cmd
	}
	return od.p.d.Desk.Debate(asked, "")
}

// begin begins the debate of a page that waits for its question.
func (od *orders) begin(asked rooms.Asked) tea.Cmd {
	od.p.asks, od.p.gone = false, ""
	asked.Seats = od.p.d.Seated
	frame := func(ctx context.Context) (rooms.Debate, error) {
		op, err := rooms.Ask(ctx, od.p.d.Engine, asked)
		op.Name = od.p.name
		return op, err
	}
	return od.p.Begin(cmp.Or(od.p.name, asked.Question), "", "/debate "+slash.DebateLine(asked), frame)
}

// context shows what all seats were given, or shares another file.
func (od *orders) context(args string) tea.Cmd {
	switch {
	case args != "" && args != "list":
		return od.say("/context " + args)
	case od.p.room == "":
		od.p.d.Refuse("the debate has not started yet")
		return nil
	}
	hash, names := od.p.scene.Given(), od.p.scene.Result().Files
	return od.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		text, err := "", error(nil)
		if hash != "" {
			text, err = od.p.d.Engine.Text(ctx, hash)
		}
		return func() tea.Cmd {
			if err != nil {
				od.p.d.Fail(err)
				return nil
			}
			text = od.p.d.Clean(cmp.Or(strings.TrimSpace(text), "The seats were given only the question."))
			if len(names) > 0 {
				text = "Shared files: " + od.p.d.Clean(strings.Join(names, ", ")) + "\n\n" + text
			}
			dialog.Panel(od.p.d, "Files that all seats see", func(w int) []string { return line.Wrap(text, w) })
			return nil
		}
	})
}

// say sends a typed message to the room.
func (od *orders) say(text string) tea.Cmd {
	if strings.HasPrefix(text, "!") { // otherwise it would be a question, which costs money
		od.p.d.Refuse("! runs commands only in a conversation: /new opens one")
		return nil
	}
	if od.p.asks && !strings.HasPrefix(text, "/") {
		return od.begin(rooms.Asked{Question: text})
	}
	message, err := people.ParseMessage(text)
	if err != nil {
		od.p.d.Refuse(err.Error() + "; /help lists the commands for a debate")
		return nil
	}
	if message.Verb == people.Say && od.p.scene.End != nil {
		return od.goOn(text)
	}
	od.sent[message.Verb] = text
	return od.tell(message)
}

func (od *orders) tell(message people.Message) tea.Cmd {
	if od.p.room == "" {
		od.p.d.Refuse("the debate has not started yet")
		return nil
	}
	if od.p.scene.End != nil {
		if cmd, ok := od.after(message); ok {
			return cmd
		}
	}
	return od.p.d.Do(rooms.Tell{Room: od.p.room, Message: message}, func(err error) tea.Cmd {
		switch {
		case err != nil || od.p.scene.End == nil:
		case message.Verb == people.Outcome:
			od.p.d.Tell("outcome recorded: " + message.Option + ". Later debates learn from it: socrates panel")
		case message.Verb == people.Share:
			od.p.d.Tell(message.File + " is shared for the next question")
		}
		return nil
	})
}

func (od *orders) drop() tea.Cmd {
	var items []picker.Item
	for _, s := range od.p.scene.Seats {
		items = append(items, picker.Item{Title: od.p.d.Clean(s.Info.ID + "  " + s.Info.Title()), Note: od.p.d.Clean(s.State),
			Value: s.Info.ID})
	}
	od.p.d.Push(dialog.NewPick(od.p.d, "Drop which seat?", items, func(i picker.Item) tea.Cmd {
		return od.tell(people.Message{Verb: people.Drop, Seat: i.Value.(string)})
	}))
	return nil
}

// veto asks the person for a reason before the claim is removed.
func (od *orders) veto() tea.Cmd {
	var items []picker.Item
	for _, c := range od.p.scene.Result().Claims {
		if c.Vetoed == "" {
			items = append(items, picker.Item{Title: od.p.d.Clean(strings.ToUpper(c.ID) + "  " + c.Text), Note: od.p.d.Clean(c.Seat),
				Value: c.ID})
		}
	}
	list := dialog.NewPick(od.p.d, "Veto which claim?", items, func(i picker.Item) tea.Cmd {
		od.p.input.Set("/veto " + i.Value.(string) + " ")
		od.p.d.Tell("say why; Enter sends it")
		return nil
	})
	list.List.Nothing = "no claims yet: they come with the blind ballots"
	od.p.d.Push(list)
	return nil
}

func (od *orders) choose() tea.Cmd {
	var items []picker.Item
	for _, o := range od.p.scene.Options() {
		items = append(items, picker.Item{Title: od.p.d.Clean(o.Key + "  " + o.Text), Value: o.Key})
	}
	od.p.d.Push(dialog.NewPick(od.p.d, "Which option, if the panel reaches no decision?", items, func(i picker.Item) tea.Cmd {
		return od.tell(people.Message{Verb: people.Choose, Option: i.Value.(string)})
	}))
	return nil
}

// letter returns the option chosen by its letter or text, which a reason may follow, while the person is asked for one, and after an
// end without a decision.
func (od *orders) letter(text string) (people.Message, bool) {
	if need := od.p.scene.Need; need != nil && len(need.Options) > 0 || od.p.scene.End != nil && od.p.canChoose() {
		if key, why := motion.Chosen(text, od.p.scene.Options()); key != "" {
			return people.Message{Verb: people.Choose, Option: key, Text: why}, true
		}
	}
	return people.Message{}, false
}

// offer finds completions for messages to the debate in its current state.
func (od *orders) offer() tea.Cmd {
	names := map[string][]slash.Offer{}
	for _, c := range od.p.possible() {
		names["/"] = append(names["/"], c.Offer())
	}
	for _, s := range od.p.scene.Seats {
		names["/drop "] = append(names["/drop "], slash.Offer{Word: s.Info.ID, Doc: s.Info.Model})
	}
	names["/deadline "] = append(slices.Clone(names["/drop "]), slash.Offer{Word: "all"})
	for _, o := range od.p.scene.Options() {
		names["/choose "] = append(names["/choose "], slash.Offer{Word: o.Key, Doc: od.p.d.Clean(o.Text)})
	}
	if strings.HasPrefix(od.p.input.FirstLine(), "/veto ") {
		for _, c := range od.p.scene.Result().Claims {
			names["/veto "] = append(names["/veto "], slash.Offer{Word: c.ID, Doc: od.p.d.Clean(c.Text)})
		}
	}
	if strings.HasPrefix(od.p.input.FirstLine(), "/theme ") {
		for _, n := range theme.Choices() {
			names["/theme "] = append(names["/theme "], slash.Offer{Word: n})
		}
	}
	return od.menu.Offer(od.p.d, od.p.input, func(_ context.Context, key string) []slash.Offer { return names[key] })
}

func (od *orders) pause() tea.Cmd {
	paused := od.p.scene.Paused
	for _, w := range od.p.scene.Pending() {
		paused = w.Verb == people.Pause || paused && w.Verb != people.Go
	}
	if paused {
		return od.tell(people.Message{Verb: people.Go})
	}
	return od.tell(people.Message{Verb: people.Pause})
}

// answer makes the debate decide now. While something is typed its key moves to the line's beginning.
func (od *orders) answer() tea.Cmd {
	if !od.p.input.Empty() {
		od.p.input.Update(tea.KeyPressMsg{Code: tea.KeyHome})
		return nil
	}
	if od.p.running() && od.p.scene.Result().Panel.Voted == 0 && !od.p.voted() {
		od.p.d.Tell("no answers to decide from yet; /answer ends the round anyway")
		return nil
	}
	return od.tell(people.Message{Verb: people.Answer})
}
