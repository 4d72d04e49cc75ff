package tui

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/redact"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/people"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// bare is a desk of 140×40 at which nothing comes by itself: what it costs is what it draws.
func bare(b *testing.B) *Desk {
	st, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "s.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	e := all.New(st, all.Wiring{Rooms: rooms.Wiring{Attended: true}})
	b.Cleanup(func() { e.Close(); st.Close() })
	dark, _ := theme.Find("dark")
	secrets := redact.New("a-secret-nobody-says")
	d := New(b.Context(), Wiring{Engine: e, Theme: dark,
		Home: homeOf(b, b.TempDir(), func(s string) string { return secrets.String(clean.Text(s)) }, secrets.String)}, Start{Dir: b.TempDir()})
	d.people.World = people.World{}
	d.open(d.pages.newChat)
	d.Update(tea.WindowSizeMsg{Width: 140, Height: 40})
	return d
}

// longPath is a conversation of 10,000 nodes.
func longPath(dir string) []tree.Node {
	path := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: "long", Dir: dir})}
	add := func(n tree.Node) {
		n.Parent, n.Seq = path[len(path)-1].ID, int64(len(path)+1)
		path = append(path, n)
	}
	for i := range 2500 {
		args, _ := json.Marshal(map[string]string{"command": fmt.Sprint("ls ", i)})
		add(talk.SayKind.New("", "person", talk.Said{Text: fmt.Sprintf("Where is thing %d?", i)}))
		add(talk.JudgeKind.New("", "code", talk.Judged{Call: "c", Tool: "bash", Verdict: "allow"}))
		add(talk.ExchangeKind.New("", "m", talk.Exchange{Model: "m", Messages: []llm.Message{
			{Role: llm.Assistant, Parts: []llm.Part{llm.Call{ID: "c", Name: "bash", Args: args}}},
			{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "c", Name: "bash", Text: strings.Repeat("some file\n", 20)}}}}}))
		add(talk.ReplyKind.New("", "m", talk.Reply{State: talk.Done, Message: llm.AssistantText(fmt.Sprintf("Thing %d is in **file %d**.", i, i*7))}))
	}
	return path
}

func (d *Desk) takeLong() *chatpage.Page {
	p := d.current().(*chatpage.Page)
	d.takeAll(p, longPath(d.Dir))
	return p
}

// takeAll takes in a path as load does.
func (d *Desk) takeAll(p *chatpage.Page, path []tree.Node) {
	made := scene.NewChat("todo")
	made.Load(conversation.Tree{Name: "long", Root: path[0].ID, Head: path[len(path)-1].ID, Branch: "main", Dir: d.Dir}, path, path)
	p.Show(made, path)
}

// BenchmarkFirstFrame is what the first picture of an empty conversation costs, without the start of the program.
func BenchmarkFirstFrame(b *testing.B) {
	d := bare(b)
	for b.Loop() {
		d.tabs, d.at = nil, 0
		d.open(d.pages.newChat)
		d.View()
	}
}

// BenchmarkOpen is what a path of 10,000 nodes, and its end, cost from the store's answer to its picture.
func BenchmarkOpen(b *testing.B) {
	d := bare(b)
	p := d.takeLong()
	path := longPath(d.Dir)
	for _, n := range []int{len(path), 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p.Update(screen.Recolored{})
				d.takeAll(p, path[len(path)-n:])
				d.View()
			}
		})
	}
}

// BenchmarkKeypress10000 is a key and its picture below 10,000 nodes.
func BenchmarkKeypress10000(b *testing.B) {
	d := bare(b)
	d.takeLong()
	for i := 0; b.Loop(); i++ {
		if i%60 == 59 {
			d.Update(keyOf("ctrl+u"))
		}
		d.Update(keyOf("x"))
		d.View()
	}
}

// BenchmarkScroll10000 goes up through 10,000 nodes, a page at a time.
func BenchmarkScroll10000(b *testing.B) {
	d := bare(b)
	d.takeLong()
	for i := 0; b.Loop(); i++ {
		if i%400 == 399 {
			d.Update(keyOf("ctrl+end"))
		}
		d.Update(keyOf("pgup"))
		d.View()
	}
}

// fiveSeats is a debate in which five seats were asked.
func (d *Desk) fiveSeats() (p *roompage.Page, asks []tree.ID) {
	d.open(func(id int) screen.Page { p = roompage.New(d.Screen, id); return p })
	f := table.Frame{Room: "room", Question: "One writer or a pool?", Strategy: "council", Options: motion.Letters([]string{"one writer", "a pool"})}
	for i := range 5 {
		id := fmt.Sprintf("s%d", i+1)
		f.Seats = append(f.Seats, table.Seat{ID: id, Spec: "m" + id, Model: "m" + id, Lineage: "l" + id})
	}
	root := table.FrameKind.New("", "code", f)
	nodes := []tree.Node{root}
	for _, s := range f.Seats {
		n := exchange.AskKind.New(nodes[len(nodes)-1].ID, "code", exchange.Asked{Seat: s.ID, Act: exchange.Blind, Key: "blind/" + s.ID})
		nodes, asks = append(nodes, n), append(asks, n.ID)
	}
	p.Update(screen.News{Batch: engine.Batch{Nodes: nodes}})
	return p, asks
}

// sentence is what seats say again and again.
const sentence = "The store has *one writer*, and a reader sees what was committed before it began. "

// BenchmarkStreamFivePanels is a picture of five seats, each of which wrote 1,300 bytes more since the one before: 10,000
// tokens a second at 30 pictures a second. It is taken at two lengths of what is there already: they must not differ much.
func BenchmarkStreamFivePanels(b *testing.B) {
	for _, kB := range []int{20, 200} {
		for form, whole := range map[string]string{"prose": "", "ballot": `{"option": "A", "summary": "`} {
			b.Run(fmt.Sprintf("%s-%dkB", form, kB), func(b *testing.B) {
				d := bare(b)
				p, asks := d.fiveSeats()
				between := "\n\n"
				if form == "ballot" {
					between = `\n\n`
				}
				said := whole + strings.Repeat(strings.Repeat(sentence, 6)+between, kB*1000*2/500)
				grow := func(n int) {
					all := map[tree.ID]feed.Snapshot{}
					for _, of := range asks {
						all[of] = feed.Snapshot{Of: of, State: "writing", Text: strings.Clone(said[:n]), Usage: n / 4}
					}
					d.hear(screen.ToTab{ID: d.tabs[d.at].id, Msg: screen.News{Batch: engine.Batch{Growing: all}}})
					d.View()
				}
				from := kB * 1000
				n := from
				_ = p
				for b.Loop() {
					if n += 1300; n > len(said) {
						n = from
					}
					grow(n)
				}
			})
		}
	}
}

// BenchmarkStreamChat is a picture of an answer that grew by 1,300 bytes.
func BenchmarkStreamChat(b *testing.B) {
	for _, kB := range []int{20, 200} {
		b.Run(fmt.Sprintf("%dkB", kB), func(b *testing.B) {
			d := bare(b)
			p := d.takeLong()
			said := strings.Repeat(strings.Repeat(sentence, 6)+"\n\n", kB*1000*2/500)
			n := kB * 1000
			for b.Loop() {
				if n += 1300; n > len(said) {
					n = kB * 1000
				}
				p.Scene().Live = feed.Snapshot{Of: p.Scene().Tree.Head, State: "writing", Text: strings.Clone(said[:n])}
				d.View()
			}
		})
	}
}

// BenchmarkDebateViews is a key and its picture in each view of a debate that has claims.
func BenchmarkDebateViews(b *testing.B) {
	d := bare(b)
	p, asks := d.fiveSeats()
	var nodes []tree.Node
	last := asks[len(asks)-1]
	texts := map[string]string{}
	for i, of := range asks {
		text := `{"option": "A", "summary": "` + strings.Repeat(sentence, 60) + `"}`
		hash := fmt.Sprintf("%064d", i)
		texts[hash] = text
		n := exchange.ReplyKind.New(of, "code", exchange.Reply{Seat: fmt.Sprintf("s%d", i+1), Act: exchange.Blind, Key: fmt.Sprintf("blind/s%d", i+1), State: exchange.Answered, Text: hash})
		nodes, last = append(nodes, n), n.ID
	}
	_ = last
	for _, n := range nodes {
		n.At = time.Now()
		p.Scene().Node(n)
	}
	p.Scene().Texts(texts)
	for _, v := range []string{"seats", "ledger", "score", "transcript", "decision", "log"} {
		b.Run(v, func(b *testing.B) {
			for _, a := range Actions() {
				if a.Name == "debate-"+v {
					a.Do(d)
				}
			}
			for i := 0; b.Loop(); i++ {
				if i%60 == 59 {
					d.Update(keyOf("ctrl+u"))
				}
				d.Update(keyOf("x"))
				d.View()
			}
		})
	}
}

// BenchmarkPaste10MB takes in a paste of 10 MB and draws what stands for it; the key after it is one picture more.
func BenchmarkPaste10MB(b *testing.B) {
	d := bare(b)
	text := strings.Repeat(strings.Repeat(sentence, 2)+"\n", 10_000_000/165)
	for b.Loop() {
		d.Update(keyOf("ctrl+u"))
		d.Update(tea.PasteMsg{Content: text})
		d.View()
		d.Update(keyOf("x"))
		d.View()
	}
}

// BenchmarkLine5MB is a picture of an answer in one line of 5 MB that grew by 1,300 bytes.
func BenchmarkLine5MB(b *testing.B) {
	d := bare(b)
	p := d.takeLong()
	said := strings.Repeat(sentence, 5_500_000/len(sentence))
	n := 5_000_000
	for b.Loop() {
		if n += 1300; n > len(said) {
			n = 5_000_000
		}
		p.Scene().Live = feed.Snapshot{Of: p.Scene().Tree.Head, State: "writing", Text: said[:n]}
		d.View()
	}
}

// BenchmarkHistory2000 is the list of 2,000 conversations: looked up, a letter that filters it, words looked for in what was
// said, a step to another one, each with its picture.
func BenchmarkHistory2000(b *testing.B) {
	d := bare(b)
	for i := range 2000 {
		name := fmt.Sprintf("talk-%d", i)
		for _, op := range []engine.Op{conversation.NewTree{Name: name, Dir: d.Dir}, conversation.Remark{Tree: name, Role: "user", Text: fmt.Sprintf("Where is thing %d?", i)},
			conversation.Remark{Tree: name, Role: "assistant", Text: fmt.Sprintf("Thing %d is in **file %d**, beside a heron.", i, i*7)}} {
			if _, err := d.Engine.Do(b.Context(), op); err != nil {
				b.Fatal(err)
			}
		}
	}
	run := func(cmd tea.Cmd) { // what is looked up beside the screen
		for cmds := []tea.Cmd{cmd}; len(cmds) > 0; cmds = cmds[1:] {
			if cmds[0] == nil {
				continue
			}
			switch m := cmds[0]().(type) {
			case tea.BatchMsg:
				cmds = append(cmds, m...)
			case tea.Msg:
				_, more := d.Update(m)
				cmds = append(cmds, more)
			}
		}
	}
	run(d.sessions(""))
	d.View()
	list := d.Dialogs[0].(*dialog.Pick)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			d.Dialogs = nil
			run(d.sessions(""))
			d.View()
		}
		list = d.Dialogs[0].(*dialog.Pick)
	})
	b.Run("key", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			d.Update(keyOf([]string{"t", "h", "i", "ctrl+u"}[i%4]))
			d.View()
		}
	})
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			_, cmd := d.Update(keyOf("down"))
			run(cmd)
			d.View()
		}
	})
	b.Run("said", func(b *testing.B) { // with the pause before the store is asked
		for i := 0; b.Loop(); i++ {
			list.List.Filter("")
			_, cmd := d.Update(tea.PasteMsg{Content: []string{"heron", "file 700"}[i%2]})
			run(cmd)
			d.View()
		}
	})
}
