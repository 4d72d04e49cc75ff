package turns_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// obedient runs what it is told as a shell script, and then says done. "wait" makes it wait, "say X" answer X, "job X" start X
// as a job and do much else meanwhile, "look" wait for it to end, "task X" give X as a task. What follows an empty line is another
// call.
type obedient struct{}

func (obedient) Info() llm.Info { return llm.Info{ID: "obedient", Lineage: "none"} }

func (o obedient) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		d := draft.New(o.Info(), yield)
		last := req.Messages[len(req.Messages)-1]
		text := last.Parts[len(last.Parts)-1]
		told, ok := text.(llm.Text)
		switch {
		case !ok && busy(req.Messages):
			d.Call(llm.Call{ID: fmt.Sprint("c", len(req.Messages)), Name: "bash", Args: json.RawMessage(fmt.Sprintf(`{"command": "echo %d"}`, len(req.Messages)))})
		case !ok && further(req.Messages) != "":
			args, _ := json.Marshal(map[string]string{"command": further(req.Messages)})
			d.Call(llm.Call{ID: fmt.Sprint("c", len(req.Messages)), Name: "bash", Args: args})
		case !ok:
			d.Text("done")
		case told.Text == "look":
			d.Call(llm.Call{ID: fmt.Sprint("c", len(req.Messages)), Name: "job_output", Args: json.RawMessage(`{"id": 1, "wait_seconds": 60}`)})
		case strings.HasPrefix(told.Text, "job "):
			args, _ := json.Marshal(map[string]string{"command": told.Text[4:]})
			d.Call(llm.Call{ID: fmt.Sprint("c", len(req.Messages)), Name: "job_start", Args: args})
		case strings.HasPrefix(told.Text, "task "):
			args, _ := json.Marshal(map[string]string{"prompt": told.Text[5:]})
			d.Call(llm.Call{ID: fmt.Sprint("c", len(req.Messages)), Name: "task", Args: args})
		case told.Text == "wait":
			d.Text("half a ")
			<-ctx.Done()
			yield(llm.Delta{}, ctx.Err())
			return
		case strings.HasPrefix(told.Text, "say "):
			d.Text(told.Text[4:])
		default:
			first, _, _ := strings.Cut(told.Text, "\n\n")
			args, _ := json.Marshal(map[string]string{"command": first})
			d.Call(llm.Call{ID: fmt.Sprint("c", len(req.Messages)), Name: "bash", Args: args})
		}
		d.End()
	}
}

// busy says whether a job was started not long ago.
func busy(messages []llm.Message) bool {
	for i := len(messages) - 1; i >= 0 && i > len(messages)-24; i-- {
		if text, ok := messages[i].Parts[len(messages[i].Parts)-1].(llm.Text); ok {
			return strings.HasPrefix(text.Text, "job ")
		}
	}
	return false
}

// further is the next of the calls that were told, empty if there is none.
func further(messages []llm.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if text, ok := messages[i].Parts[len(messages[i].Parts)-1].(llm.Text); ok {
			all := strings.Split(text.Text, "\n\n")
			return append(all, make([]string, len(messages))...)[(len(messages)-i)/2]
		}
	}
	return ""
}

// office is an engine in which an agent works on a folder.
type office struct {
	*engine.Engine
	t    testing.TB
	dir  string
	home string // where snapshots are kept; made when it is needed
	root tree.ID

	unkept  bool                                 // the files of the project are not kept
	fetched []string                             // files that came from outside
	extend  func(session string) turns.Extension // nil: nothing is added to a conversation
	titler  llm.Model                            // writes titles
}

func newOffice(t testing.TB, attended bool) *office {
	t.Helper()
	o := openOffice(t, filepath.Join(t.TempDir(), "s.db"), attended)
	o.root = o.do(conversation.NewTree{Name: "work", Dir: o.dir})
	return o
}

// openOffice opens an engine of its own over a store that others may have open.
func openOffice(t testing.TB, path string, attended bool) *office {
	t.Helper()
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{t: t, dir: t.TempDir()}
	if o.dir, err = filepath.EvalSymlinks(o.dir); err != nil {
		t.Fatal(err)
	}
	o.home = filepath.Join(t.TempDir(), "kept")
	o.Engine = all.New(s, all.Wiring{
		Rooms: rooms.Wiring{Attended: attended,
			Seat: func(_ context.Context, spec string) (llm.Model, error) {
				switch spec {
				case "held", "free":
					return lodger{spec == "held"}, nil
				case "titler":
					if o.titler != nil {
						return o.titler, nil
					}
					return nil, errors.New("nobody writes titles")
				}
				return obedient{}, nil
			}},
		Turns: turns.Wiring{
			Tools:  builtin.All(),
			Titles: "titler",
			Extend: func(_ context.Context, _, session string, _ []string) (turns.Extension, error) {
				if o.extend == nil {
					return turns.Extension{}, nil
				}
				return o.extend(session), nil
			},
			Phase: func(_, name string) (phase.Phase, error) {
				if name == "drafter" {
					return phase.Phase{Name: name, Tools: []string{"runs"}, Mode: string(permission.Paranoid), Writes: []string{"drafts/*.md"}}, nil
				}
				return phase.Find(name)
			},
			Brief: func(context.Context, string, phase.Phase, permission.Mode, []tool.Tool, bool) (phase.Prompt, []string, error) {
				return phase.Prompt{Shared: "obey"}, nil, nil
			},
			Guard: turns.Guard{
				Policy: func(dir string, m permission.Mode) (permission.Policy, error) {
					p, err := permission.NewPolicy(m, dir)
					p.Fetched = o.fetched
					return p, err
				},
				Grants: func() (kept.File, error) { return kept.File{File: filepath.Join(o.home, "grants.json")}, nil },
			},
		},
		Files: conversation.Files{
			Keeper: func(ctx context.Context, dir string) (*snapshot.Keeper, error) {
				if o.unkept {
					return nil, nil
				}
				return snapshot.Open(ctx, dir, o.home)
			},
		},
	})
	t.Cleanup(func() { o.Close(); s.Close() })
	return o
}

func (o *office) do(op engine.Op) tree.ID {
	o.t.Helper()
	id, err := o.Do(o.t.Context(), op)
	if err != nil {
		o.t.Fatalf("%T: %v", op, err)
	}
	if err := o.Wait(id); err != nil {
		o.t.Fatalf("%T: %v", op, err)
	}
	return id
}

func (o *office) say(text string) talk.Reply {
	o.t.Helper()
	o.do(turns.Say{Tree: "work", Text: text, Model: "x", Mode: permission.Yolo})
	return o.reply()
}

func (o *office) path() []tree.Node {
	o.t.Helper()
	now, err := conversation.In(o.Engine).Open(o.t.Context(), "work")
	if err != nil {
		o.t.Fatal(err)
	}
	path, err := conversation.In(o.Engine).Path(o.t.Context(), now.Head)
	if err != nil {
		o.t.Fatal(err)
	}
	return path
}

func (o *office) reply() talk.Reply {
	o.t.Helper()
	all := talk.ReplyKind.All(o.path())
	if len(all) == 0 {
		o.t.Fatal("there is no answer")
	}
	return all[len(all)-1]
}

// files are the names and texts of everything in the project.
func (o *office) files() map[string]string {
	o.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		out[path[len(o.dir)+1:]] = string(raw)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return out
}

// A person is asked about what cannot be undone, in every mode; what is refused does not happen, what is allowed once is
// asked again, and whatever was said stands in the tree.
func TestPersonIsAsked(t *testing.T) {
	o := newOffice(t, true)
	o.say("mkdir sub; echo 1 > sub/f")
	for _, choice := range []string{"deny", "once"} {
		id, err := o.Do(t.Context(), turns.Say{Tree: "work", Text: "rm -rf sub"})
		if err != nil {
			t.Fatal(err)
		}
		for n, err := range o.Watch(t.Context(), id, o.Recorded(id)) {
			if err != nil {
				t.Fatal(err)
			}
			if n.Node == nil {
				continue
			}
			if need, ok := asking.NeedKind.Of(*n.Node); ok {
				if len(need.Parts) != 1 || need.Parts[0].Text != "rm -rf sub" || need.Parts[0].Lost == "" {
					t.Errorf("asked %+v", need)
				}
				if _, err := o.Do(t.Context(), turns.Answer{To: n.Node.ID, Choice: choice, Reason: "not now"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, there := o.files()["sub/f"]; there != (choice == "deny") {
			t.Errorf("after %s: %v", choice, o.files())
		}
	}
	answers := ""
	for _, j := range talk.JudgeKind.All(o.path()) {
		answers += j.Verdict + " " + j.Answer + ", "
	}
	if answers != "allow , ask deny, ask once, " {
		t.Errorf("recorded %s", answers)
	}
	o.do(conversation.Back{Tree: "work", Files: true})
	if o.files()["sub/f"] != "1\n" {
		t.Errorf("going back left %v", o.files())
	}
}

// Where nobody is there, what needs asking is refused, and the model is told.
func TestNobodyIsAsked(t *testing.T) {
	o := newOffice(t, false)
	o.say("mkdir sub; rm -rf sub")
	x := talk.ExchangeKind.All(o.path())
	if text := x[len(x)-1].Messages[1].Parts[0].(llm.Result); !text.Failed || !strings.Contains(text.Text, "nobody can be asked") {
		t.Errorf("%+v", text)
	}
}

// A phase that asks before it changes anything does not ask for the files that it is there to write, unless the person's own mode does.
func TestPhaseWrites(t *testing.T) {
	for mode, want := range map[permission.Mode]bool{permission.Balanced: true, permission.Yolo: true, permission.Paranoid: false, permission.Plan: false} {
		o := newOffice(t, false)
		if err := os.Mkdir(filepath.Join(o.dir, "drafts"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"drafts/a.md": want, "drafts/a.txt": false, "a.md": false} {
			o.do(turns.Say{Tree: "work", Text: "echo x > " + name, Model: "x", Phase: "drafter", Mode: mode})
			if _, err := os.Lstat(filepath.Join(o.dir, name)); (err == nil) != want {
				t.Errorf("in mode %s, %s is written: %v", mode, name, err == nil)
			}
		}
	}
}

// What had been said when the person ended a turn is kept; a turn that a crash cut off gets an end before the next.
func TestBrokenTurns(t *testing.T) {
	o := newOffice(t, false)
	id, err := o.Do(t.Context(), turns.Say{Tree: "work", Text: "wait", Model: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for n := range o.Watch(t.Context(), id, 0) {
		if n.Snapshot != nil && n.Snapshot.Text != "" {
			o.Do(t.Context(), engine.Interrupt{Root: id})
		}
	}
	if r := o.reply(); r.State != talk.Interrupted || r.Message.Text() != "half a " {
		t.Errorf("%+v", r)
	}
	if r := o.say("say hello"); r.Message.Text() != "hello" {
		t.Errorf("%+v", r)
	}
	_, err = o.Do(t.Context(), turns.Background{Tree: "work"})
	if _, ok := errors.AsType[*engine.Refusal](err); !ok {
		t.Error("what has ended was sent to the background")
	}
	var roles string
	for _, m := range view.Messages(o.path()) {
		roles += string(m.Role)[:1]
	}
	if roles != "uaua" {
		t.Errorf("the model sees %s", roles)
	}
}

// An answer is on the disk before its tools run: when the program is killed then, the next turn has it, and that nobody knows what
// its tools did.
func TestAnAnswerIsKeptBeforeItsToolsRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.db")
	o := openOffice(t, file, false)
	o.do(conversation.NewTree{Name: "work", Dir: o.dir})
	id, err := o.Do(t.Context(), turns.Say{Tree: "work", Text: "touch begun; until test -e go; do sleep 0.01; done", Model: "x", Mode: permission.Yolo})
	if err != nil {
		t.Fatal(err)
	}
	for begun := false; !begun; _, begun = o.files()["begun"] {
		time.Sleep(time.Millisecond)
	}
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	killed := filepath.Join(t.TempDir(), "s.db")
	if _, err := db.Exec("VACUUM INTO ?", killed); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := o.Wait(id); err != nil {
		t.Fatal(err)
	}
	o = openOffice(t, killed, false)
	o.say("say hello")
	kept := talk.ExchangeKind.All(o.path())
	if len(kept) != 1 || len(kept[0].Messages[0].Calls()) != 1 || len(kept[0].Messages) != 2 {
		t.Errorf("what was answered is not kept: %+v", kept)
	}
	if all := talk.ReplyKind.All(o.path()); len(all) != 2 || all[0].State != talk.Interrupted || all[1].Message.Text() != "hello" {
		t.Errorf("replies: %+v", all)
	}
}

// A side question is answered and leaves the branch where it was.
func TestAside(t *testing.T) {
	o := newOffice(t, false)
	o.say("say one")
	before := len(o.path())
	o.do(turns.Say{Tree: "work", Text: "say two", Aside: true})
	if len(o.path()) != before {
		t.Error("the branch has moved")
	}
	now, _ := conversation.In(o.Engine).Open(t.Context(), "work")
	leaves, err := conversation.In(o.Engine).Leaves(t.Context(), now)
	if err != nil || len(leaves) != 1 {
		t.Fatalf("%d leaves, %v", len(leaves), err)
	}
	if r, ok := talk.ReplyKind.Of(leaves[0]); !ok || r.Message.Text() != "two" {
		t.Errorf("the answer is %+v", r)
	}
}

// However one goes through a tree, with the files, they are at each place byte for byte what they were there, and what a
// person changed meanwhile is kept.
func TestFilesTravelWithTheTree(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			o := newOffice(t, false)
			o.say("echo begin > a")
			at := map[string]tree.ID{"main": o.head()}
			was := map[tree.ID]map[string]string{o.head(): o.files()}
			for range 25 {
				switch branches := len(at); r.IntN(5) {
				case 0, 1:
					o.say(fmt.Sprintf("echo %d > f%d; echo more >> a; rm -f f%d", r.IntN(100), r.IntN(4), r.IntN(4)))
					was[o.head()] = o.files()
				case 2:
					name := fmt.Sprint("b", branches)
					o.do(conversation.Branch{Tree: "work", Name: name})
					at[name] = o.head()
				case 3:
					names := slicesOf(at)
					o.do(conversation.SwitchTo{Tree: "work", Branch: names[r.IntN(len(names))], Files: true})
				case 4:
					if len(talk.SayKind.All(o.path())) > 1 {
						o.do(conversation.Back{Tree: "work", Files: true})
					}
				}
				if want, known := was[o.settled(was)]; known && !maps.Equal(want, o.files()) {
					t.Fatalf("files %v, want %v", o.files(), want)
				}
			}
		})
	}
}

func slicesOf(m map[string]tree.ID) (out []string) {
	for i := range len(m) {
		if i == 0 {
			out = append(out, "main")
		} else {
			out = append(out, fmt.Sprint("b", i))
		}
	}
	return out
}

func (o *office) head() tree.ID {
	path := o.path()
	return path[len(path)-1].ID
}

// settled is the last place on the path whose files are known.
func (o *office) settled(was map[tree.ID]map[string]string) tree.ID {
	path := o.path()
	for i := len(path) - 1; i >= 0; i-- {
		if _, ok := was[path[i].ID]; ok {
			return path[i].ID
		}
	}
	return ""
}
