package tui

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/tui/people"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func init() { time.Local = time.UTC } // frames show times

// stage is a desk over a real store and a real engine, in a bubble of its own time. Only the models follow scripts.
type stage struct {
	*Desk
	t      rapid.TB
	wired  Wiring
	begun  Start
	engine *engine.Engine
	store  *store.Store
	dir    string
	models map[string]llm.Model
	next   rooms.Debate // what a question is made into

	written    map[string]string // settings
	answers    string            // who answers where nobody was named
	nobody     error             // why nobody does
	instructed []phase.Command   // pages of instructions
	keeps      bool              // the files of the project are kept, by git

	cancel context.CancelFunc

	mu     sync.Mutex
	inbox  []tea.Msg
	quit   bool
	rung   int    // how often the person was called
	copied string // into the clipboard of the terminal
	told   int    // messages from elsewhere
}

// onStage runs a test in a bubble with a desk that shows a new conversation.
func onStage(t *testing.T, act func(s *stage)) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 7)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, t.TempDir())
		defer s.close()
		act(s)
	})
}

// newStage makes one over a new store below a folder.
func newStage(t rapid.TB, top string) *stage {
	t.Helper()
	s := &stage{t: t, models: map[string]llm.Model{}, written: map[string]string{}, answers: "scripted"}
	if err := os.MkdirAll(filepath.Join(top, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.dir, err = filepath.EvalSymlinks(filepath.Join(top, "project")); err != nil {
		t.Fatal(err)
	}
	if s.store, err = store.Open(context.Background(), filepath.Join(top, "store", "s.db"), nil); err != nil {
		t.Fatal(err)
	}
	s.engine = all.New(s.store, all.Wiring{
		Files: conversation.Files{Keeper: func(ctx context.Context, dir string) (*snapshot.Keeper, error) {
			if !s.keeps {
				return nil, nil
			}
			return snapshot.Open(ctx, dir, filepath.Join(top, "kept"))
		}},
		Rooms: rooms.Wiring{Attended: true,
			Tools: builtin.ReadOnly(),
			Seat:  s.model,
			Join:  join,
			Look:  look,
			Frame: func(context.Context, rooms.Asked) (rooms.Debate, error) {
				if len(s.next.Frame.Seats) == 0 {
					return s.next, errors.New("nobody sits here")
				}
				return s.next, nil
			}},
		Turns: turns.Wiring{
			Tools: builtin.All(),
			Phase: func(_, name string) (phase.Phase, error) { return phase.Find(name) },
			Brief: func(context.Context, string, phase.Phase, permission.Mode, []tool.Tool, bool) (phase.Prompt, []string, error) {
				return phase.Prompt{Shared: "Do as the script says."}, nil, nil
			},
			Files: s.held,
			Guard: turns.Guard{
				Policy: func(dir string, m permission.Mode) (permission.Policy, error) { return permission.NewPolicy(m, dir) },
				Grants: func() (kept.File, error) { return kept.File{File: filepath.Join(s.dir, "..", "grants.json")}, nil },
			},
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	dark, _ := theme.Find("dark")
	s.wired = Wiring{Engine: s.engine, Theme: dark,
		Home: homeOf(t, top, func(text string) string { return s.named(clean.Text(text)) }, s.named)}
	s.begun = Start{Dir: s.dir, Editor: "vi"}
	s.newDesk(ctx)
	s.open(s.pages.newChat)
	s.models["scripted"] = flood{} // who is named can be loaded, whatever will be scripted
	s.run(s.Init())
	s.wait(0)
	delete(s.models, "scripted")
	for _, vendor := range []string{"zeta", "here", "vendor"} {
		s.models[vendor] = flood{}
	}
	return s
}

// homeOf is a home with nothing in it but where its store would be. What a stage settles about models takes the place of what that finds.
func homeOf(t rapid.TB, top string, clean, redact func(string) string) *home.Home {
	t.Helper()
	h := home.New(home.Outside{Warn: func(string) {}, Learn: func(string) {}, Clean: clean, Redact: redact,
		Asker: func() func(home.Wanted) (bool, error) { return nil }})
	h.Settings.Path = filepath.Join(top, "config.yaml")
	if err := os.WriteFile(h.Settings.Path, []byte("store:\n  path: "+filepath.Join(top, "s.db")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// newDesk makes a desk over what the stage has.
func (s *stage) newDesk(ctx context.Context) {
	s.Desk = New(ctx, s.wired, s.begun)
	s.people.World = people.World{Model: func(context.Context) (string, error) { return s.answers, s.nobody },
		Seats: func(context.Context) ([]Candidate, error) { return s.seated(), nil },
		Named: s.called, Keep: s.keepsSetting, Login: s.signs}
	s.Desk.Slash = func(dir string) *slash.Env {
		known := s.slash(dir)
		known.Own = Commands()
		return known
	}
	s.Desk.Send = s.receive
}

// close ends everything; Errors of the store do not matter any more.
func (s *stage) close() {
	time.Sleep(2 * time.Second) // what a wider window began, and what counts how long a turn takes
	s.cancel()
	s.engine.Close()
	s.store.Close()
	synctest.Wait()
}

// secret is what no frame may show of what others say.
const secret = "hunter2hunter2"

// seatsFound are who is there, and who could be.
var seatsFound = []Candidate{
	{Name: "scripted", Spec: "scripted", Open: "scripted", Model: "a big one", Lineage: "acme", Why: "version 2.1, signed in", Source: "program", Ready: true, Used: true},
	{Name: "zeta", Spec: "zeta:mid", Open: "zeta", Model: "a middling one with \x1b[31ma long name of many words\x1b[m", Lineage: "zeta", Why: "ZETA_KEY is set", Source: "key", Ready: true,
		Choices: []Choice{{Spec: "zeta:small", Tier: "small", Model: "zeta-4-mini", Price: "$0.10 in, $0.50 out"}, {Spec: "zeta:mid", Tier: "mid", Model: "zeta-4", Price: "$2 in, $10 out"}, {Spec: "zeta:big", Tier: "big", Model: "zeta-4-pro", Price: ""}}},
	{Name: "here", Spec: "here:llama", Open: "here:llama", Model: "llama", Lineage: "meta", Why: "serves 2 models", Source: "local", Ready: true,
		Choices: []Choice{{Spec: "here:small", Tier: "small", Model: "tiny", Price: "free"}, {Spec: "here:llama", Tier: "", Model: "llama", Price: "free"}}},
	{Name: "ohm", Spec: "ohm", Open: "ohm", Model: "ohm", Lineage: "ohm", Why: "not signed in", Source: "program", SignIn: []string{"ohm", "login"}, How: "opens ohm's sign-in page"},
	{Name: "near", Spec: "near", Open: "near", Model: "near", Lineage: "near", Why: "nothing listens at 127.0.0.1:9", Source: "local", How: "start its server"},
}

// seated are those found, with the tiers that were kept.
func (s *stage) seated() []Candidate {
	all := slices.Clone(seatsFound)
	for i := range all {
		all[i].Tier = s.written["tiers."+all[i].Name]
	}
	return all
}

// called knows the models of zeta, and that the phase planner asks for a big one.
func (s *stage) called(spec, phase string) (name, tier string, window int) {
	vendor, tier, named := strings.Cut(spec, ":")
	if vendor != "zeta" {
		return spec, "", 0
	}
	if !named && phase == "planner" {
		tier = "big"
	} else if !named {
		tier = cmp.Or(s.written["tiers.zeta"], "mid")
	}
	return "zeta:" + map[string]string{"small": "zeta-4-mini", "mid": "zeta-4", "big": "zeta-4-pro"}[tier], tier, 200_000
}

func (s *stage) keepsSetting(key, value string) (string, error) {
	s.written[key] = value
	if key == "chat.model" {
		s.answers = value
	}
	return "/home/config.yaml", nil
}

// signs keeps good keys and refuses bad ones; nobody answers of others, nor comes back from the browser.
func (s *stage) signs(ctx context.Context, vendor, key string, tell func(string)) (string, error) {
	switch key {
	case "good":
		return vendor + ": the key works; saved in /home/key.", nil
	case "bad":
		return "", &engine.Refusal{Message: vendor + " rejected the key; it was not saved"}
	case "":
		tell("A browser opens. If it does not, open this address:\n")
		tell("https://vendor.example/auth?challenge=" + strings.Repeat("x", 90) + "\n")
	}
	<-ctx.Done()
	return "", ctx.Err()
}

// named calls the folder of a test what it could be called.
func (s *stage) named(text string) string {
	return strings.NewReplacer(s.dir, "/home/project", filepath.Dir(s.store.File()), "/home/store", secret, "[secret]").Replace(text)
}

func (s *stage) model(_ context.Context, spec string) (llm.Model, error) {
	vendor, _, _ := strings.Cut(spec, ":")
	for _, name := range []string{spec, vendor} {
		if m := s.models[name]; m != nil {
			return m, nil
		}
	}
	return nil, &engine.Refusal{Message: "no model named " + spec, Hint: "use an existing name"}
}

func join(_ context.Context, spec string, _ table.Frame, names []string) (table.Seat, error) {
	return table.Seat{ID: fmt.Sprintf("s%d", len(names)+1), Spec: spec, Model: spec, Lineage: spec}, nil
}

// look believes the quotes that hold the word true.
func look(table.Frame) (func(context.Context, verdict.Claim) debate.Observation, func() error) {
	return func(_ context.Context, c verdict.Claim) debate.Observation {
		e := c.Evidence
		if strings.Contains(e.Quote, "true") {
			return debate.Observation{Result: verdict.Pass, Grade: verdict.Entailed, Detail: "found at line 1"}
		}
		return debate.Observation{Result: verdict.Fail, Grade: verdict.Nothing, Detail: "the file does not contain it"}
	}, func() error { return nil }
}

func (s *stage) held(_ context.Context, dir, name string) ([]material.Handle, error) {
	raw, err := os.ReadFile(filepath.Join(dir, name))
	return []material.Handle{{URI: "file:" + name, Face: string(raw), Held: true}}, err
}

func (s *stage) slash(dir string) *slash.Env {
	return &slash.Env{Engine: s.engine, Dir: dir, Begin: map[string]string{"mode": "balanced"}, Login: "socrates login",
		Phases: func() []phase.Phase { all, _ := phase.All(""); return all }, Pages: func() []phase.Command { return s.instructed },
		Templates: func() []phase.Template { return nil }, Skills: func(context.Context) []phase.Skill { return nil },
		Trusted: func(phase.Command) error { return nil }, Today: func() string { return "2000-01-01" },
		Models: func(context.Context) []string { return []string{"scripted", "a:big", "b:small"} },
		Files: func(context.Context) []string {
			return []string{"go.mod", "main.go", "internal/desk.go", "internal/chair.go"}
		},
		Export: func(context.Context, conversation.Tree, string) (string, error) { return "# exported\n\ntext\n", nil },
	}
}

// script makes a model that the next who asks for spec gets.
func (s *stage) script(spec string, rules ...script.Rule) {
	s.t.Helper()
	m, err := script.New(llm.Info{ID: spec, Lineage: spec, Price: cost.Price{Input: 1, Output: 5, Known: true}}, rules...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.models[spec] = m
}

func (s *stage) file(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) do(op engine.Op) {
	s.t.Helper()
	if _, err := s.engine.Do(s.Ctx, op); err != nil {
		s.t.Fatalf("%T: %v", op, err)
	}
}

func (s *stage) receive(m tea.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox = append(s.inbox, m)
}

// run does beside the screen what the screen asked for.
func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch m := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range m {
				s.run(c)
			}
		case tea.QuitMsg:
			s.mu.Lock()
			s.quit = true
			s.mu.Unlock()
		case tea.RawMsg:
			s.mu.Lock()
			if m.Msg == "\a" {
				s.rung++
			}
			s.mu.Unlock()
		default:
			if text := fmt.Sprint(m); reflect.TypeOf(m) == reflect.TypeOf(tea.SetClipboard("")()) {
				s.mu.Lock()
				s.copied = text
				s.mu.Unlock()
			}
			s.receive(m)
		}
	}()
}

// tell gives the screen a message, as the terminal does.
func (s *stage) tell(msgs ...tea.Msg) {
	for _, m := range msgs {
		_, cmd := s.Update(m)
		s.run(cmd)
		s.settle()
		s.View()
	}
}

// settle lets everybody go on as far as they get without time passing.
func (s *stage) settle() {
	for {
		synctest.Wait()
		s.mu.Lock()
		got := s.inbox
		s.inbox = nil
		s.mu.Unlock()
		if len(got) == 0 {
			return
		}
		s.told += len(got)
		for _, m := range got {
			_, cmd := s.Update(m)
			s.run(cmd)
		}
	}
}

// wait lets so much time pass on the stage.
func (s *stage) wait(d time.Duration) {
	for s.settle(); d > 0; d -= screen.FrameTime {
		time.Sleep(screen.FrameTime)
		s.settle()
	}
}

// press sends keys by their names.
func (s *stage) press(names ...string) {
	for _, n := range names {
		s.tell(keyOf(n))
	}
}

// write types a text.
func (s *stage) write(text string) {
	for _, r := range text {
		s.tell(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// say types a text, sends it, and waits for what comes of it.
func (s *stage) say(text string) {
	s.write(text)
	s.press("enter")
	s.wait(time.Second)
}

var namedKeys = map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"space": tea.KeySpace, "f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6}

// keyOf is the key of a name as actions have it.
func keyOf(name string) (k tea.KeyPressMsg) {
	for {
		mod, rest, found := strings.Cut(name, "+")
		if !found || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	if code, ok := namedKeys[name]; ok {
		k.Code = code
		if name == "space" && k.Mod == 0 {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}
