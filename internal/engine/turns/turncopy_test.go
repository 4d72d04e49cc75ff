package turns_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
)

// lodger is a program in a conversation: it says where it works and what a.txt holds there, and writes what it is told to. Told
// to call, it says each word and calls a tool of its own; told of a file, it is while it answers that somebody writes that file.
type lodger struct{ held bool }

func (l lodger) Info() llm.Info {
	return llm.Info{ID: "lodger", Lineage: "l", Acts: true, Held: l.held}
}

func (l lodger) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		body, err := os.ReadFile(filepath.Join(req.Dir, "a.txt"))
		if name, writes := strings.CutPrefix(req.Messages[len(req.Messages)-1].Text(), "write "); writes && err == nil {
			err = os.WriteFile(filepath.Join(req.Dir, name), []byte("mine"), 0o600)
		}
		if _, name, meanwhile := strings.Cut(req.Messages[len(req.Messages)-1].Text(), "meanwhile "); meanwhile && err == nil {
			err = os.WriteFile(name, []byte("a person's"), 0o600)
		}
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if said, acts := strings.CutPrefix(req.Messages[len(req.Messages)-1].Text(), "call "); acts {
			for i, text := range strings.Fields(said) {
				call := llm.Call{ID: strconv.Itoa(i), Name: "look"}
				if !yield(llm.Delta{Text: text}, nil) || !yield(llm.Delta{Call: &call, Result: &llm.Result{ID: call.ID, Name: call.Name, Text: "seen"}}, nil) {
					return
				}
			}
		}
		yield(llm.Delta{End: &llm.End{Stop: llm.StopDone, Message: llm.AssistantText(req.Dir + " " + string(body))}}, nil)
	}
}

// A program that answers in a conversation works in one copy of the project, which is as the project is in every turn; one
// that changes it gives no answer, and the project is never touched. Without a copy nothing is asked.
func TestAProgramInAConversationWorksInACopy(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	holds := func(body string) {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := &office{t: t, dir: dir}
	o.Engine = all.New(s, all.Wiring{
		Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) { return lodger{spec == "held"}, nil }},
		Turns: turns.Wiring{
			Phase: func(_, name string) (phase.Phase, error) { return phase.Find(name) },
			Brief: func(context.Context, string, phase.Phase, permission.Mode, []tool.Tool, bool) (phase.Prompt, []string, error) {
				return phase.Prompt{Shared: "read"}, nil, nil
			},
			Guard: turns.Guard{
				Policy: func(dir string, m permission.Mode) (permission.Policy, error) { return permission.NewPolicy(m, dir) },
			},
		},
	})
	defer o.Close()
	o.do(conversation.NewTree{Name: "work", Dir: dir})
	ask := func(model, text string) (where, body string, r talk.Reply) {
		o.do(turns.Say{Tree: "work", Text: text, Model: model})
		r = o.reply()
		where, body, _ = strings.Cut(r.Message.Text(), " ")
		return where, body, r
	}
	holds("1")
	first, body, _ := ask("free", "hello")
	if first == dir || first == "" || body != "1" {
		t.Errorf("it worked in %q and read %q", first, body)
	}
	holds("2")
	if where, body, _ := ask("free", "again"); where != first || body != "2" {
		t.Errorf("then it worked in %q and read %q, not in %q", where, body, first)
	}
	if _, _, r := ask("free", "write mine.txt"); r.State != talk.Failed || r.Kind != trouble.Refused || !strings.Contains(r.Reason, "changed mine.txt in its copy") {
		t.Errorf("it wrote, and the turn is %s (%s): %s", r.State, r.Kind, r.Reason)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.txt")); err == nil {
		t.Error("the project was written to")
	}
	if where, body, _ := ask("free", "and now"); where == first || body != "2" {
		t.Errorf("after that it worked in %q and read %q", where, body)
	}
	if where, body, _ := ask("held", "hello"); where == dir || where == "" || body != "2" {
		t.Errorf("what the system holds worked in %q and read %q", where, body)
	}
	holds("3")
	if where, body, _ := ask("held", "hello"); where == dir || body != "3" {
		t.Errorf("then it worked in %q and read %q", where, body)
	}
	t.Setenv("TMPDIR", filepath.Join(temp, "gone"))
	t.Setenv("TMP", filepath.Join(temp, "gone"))
	if where, _, r := ask("free", "hello"); r.State != talk.Failed || r.Kind != exchange.NoCopyKind || where != "" {
		t.Errorf("without a copy the turn is %s (%s): %s", r.State, r.Kind, where)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*", "copy-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// What a person changes while a program answers that the system keeps from writing is no fault of the program; one that nothing keeps from
// it may have done it, and its turn says so.
func TestChangedMeanwhile(t *testing.T) {
	o := newOffice(t, true)
	o.say("echo 1 > a.txt")
	for model, want := range map[string]talk.State{"held": talk.Done, "free": talk.Failed} {
		o.do(turns.Say{Tree: "work", Text: "meanwhile " + filepath.Join(o.dir, model+".txt"), Model: model})
		if r := o.reply(); r.State != want || (want == talk.Failed) != strings.Contains(r.Reason, "project files changed") {
			t.Errorf("%s: the turn is %s: %s", model, r.State, r.Reason)
		}
	}
}

// What a program says before a call of its own stands with that call, and with no later one.
func TestWhatIsSaidBeforeACall(t *testing.T) {
	o := newOffice(t, false)
	if err := os.WriteFile(filepath.Join(o.dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.do(turns.Say{Tree: "work", Text: "call one two three", Model: "held", Mode: permission.Yolo})
	var said []string
	for _, x := range talk.ExchangeKind.All(o.path()) {
		said = append(said, x.Messages[0].Text())
	}
	if got := strings.Join(said, " "); got != "one two three" {
		t.Errorf("it said %q: %+v", got, o.reply())
	}
}
