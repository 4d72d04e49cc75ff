package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Who answers, with which model, at what price, and what the status line says of it.
func TestTierFrames(t *testing.T) {
	setup := func(s *stage) {
		s.say("/login")
		s.write("zeta")
		s.press("enter")
	}
	for name, act := range map[string]func(s *stage){
		"choice": setup,
		"chosen": func(s *stage) { setup(s); s.write("big"); s.press("enter"); s.wait(time.Second) },
		"phase": func(s *stage) {
			setup(s)
			s.write("small")
			s.press("enter")
			s.wait(time.Second)
			s.say("/phase planner")
		},
		"server": func(s *stage) { s.say("/login"); s.write("here"); s.press("enter") },
		"models": func(s *stage) {
			s.written["tiers.zeta"], s.answers = "small", "zeta"
			s.run(s.people.Look(dialog.Nothing))
			s.wait(time.Second)
			s.press("f4")
			s.wait(time.Second)
		},
		"model tier": func(s *stage) { s.press("f4"); s.wait(time.Second); s.write("zeta:b"); s.press("ctrl+t") },
		"not there": func(s *stage) {
			s.lacking()
			s.run(s.findModel())
			s.wait(time.Second)
			s.press("end", "enter")
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) { act(s); s.inked("tiers-" + fileOf(name)) })
		})
	}
}

// What is chosen is kept where settings are, and holds at once.
func TestTiersAreKept(t *testing.T) {
	for name, tc := range map[string]struct {
		act  func(s *stage)
		want string // key=value of what was kept
		says string
	}{
		"setup": {func(s *stage) { s.say("/login"); s.write("zeta"); s.press("enter"); s.write("big"); s.press("enter") },
			"chat.model=zeta tiers.zeta=big", "zeta:zeta-4-pro · big"},
		"setup of a server": {func(s *stage) { s.say("/login"); s.write("here"); s.press("enter"); s.write("tiny"); s.press("enter") },
			"chat.model=here:small", "here:small"},
		"a program":    {func(s *stage) { s.say("/login"); s.write("scripted"); s.press("enter") }, "chat.model=scripted", "scripted"},
		"for this one": {func(s *stage) { s.press("f4"); s.wait(time.Second); s.write("zeta:small"); s.press("enter") }, "", "zeta:zeta-4-mini · small"},
		"for all":      {func(s *stage) { s.press("f4"); s.wait(time.Second); s.write("zeta:small"); s.press("ctrl+s") }, "chat.model=zeta:small", "zeta:zeta-4-mini · small"},
		"the tier": {func(s *stage) {
			s.press("f4")
			s.wait(time.Second)
			s.write("zeta:m")
			s.press("ctrl+t")
			s.write("big")
			s.press("enter")
		},
			"tiers.zeta=big", "zeta uses big by default"},
		"of a seat": {func(s *stage) {
			s.press("alt+s")
			s.wait(time.Second)
			s.write("zeta")
			s.press("ctrl+t")
			s.write("small")
			s.press("enter")
		},
			"tiers.zeta=small", "saved in /home/config.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				tc.act(s)
				s.wait(time.Second)
				var got []string
				for _, key := range []string{"chat.model", "tiers.here", "tiers.zeta"} {
					if v, ok := s.written[key]; ok {
						got = append(got, key+"="+v)
					}
				}
				if strings.Join(got, " ") != tc.want {
					t.Errorf("kept is %q, not %q", got, tc.want)
				}
				s.see(tc.says)
			})
		})
	}
}

func TestStatusParts(t *testing.T) {
	parts := []screen.Part{{Text: "● working, esc ends it", Short: "● working", Rank: 2}, {Text: "anthropic:claude-opus", Short: "claude-opus", Rank: 5}, {Text: "big", Rank: 6}, {Text: "planner", Rank: 3},
		{Text: "plan", Rank: 1}, {Text: "⎇ a-long-branch", Rank: 8}, {Text: "12k tokens", Rank: 9, Right: true}, {Text: "$0.12", Rank: 4, Right: true}, {Text: "f1 help", Rank: 7, Right: true}}
	for w, want := range map[int]string{
		140: "● working, esc ends it · anthropic:claude-opus · big · planner · plan · ⎇ a-long-branch | 12k tokens · $0.12 · f1 help",
		107: "● working, esc ends it · anthropic:claude-opus · big · planner · plan · ⎇ a-long-branch | $0.12 · f1 help",
		95:  "● working, esc ends it · anthropic:claude-opus · big · planner · plan | $0.12 · f1 help",
		80:  "● working, esc ends it · anthropic:claude-opus · big · planner · plan | $0.12",
		75:  "● working, esc ends it · anthropic:claude-opus · planner · plan | $0.12",
		69:  "● working, esc ends it · claude-opus · planner · plan | $0.12",
		57:  "● working, esc ends it · claude-opus · planner · plan | ",
		50:  "● working, esc ends it · claude-opus · plan | ",
		40:  "● working · claude-opus · plan | ",
		30:  "● working · claude-opus | ",
		20:  "● working · clau… | ",
		3:   " | ",
	} {
		left, right := screen.Fitted(parts, w)
		if got := left + " | " + right; got != want {
			t.Errorf("%d columns:\n%q, not\n%q", w, got, want)
		}
	}
}

// Where the last line is full, what stands at its two ends is not read as one.
func TestStatusSeparated(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("Mend the chair.")
		s.press("esc")
		for w := 40; w < 120; w++ {
			lines, _ := s.frame(w, 24)
			last := strings.TrimSpace(ansi.Strip(lines[len(lines)-1]))
			left, right, _ := strings.Cut(last, "scripted")
			if right != "" && !strings.HasPrefix(right, screen.Between) && !strings.HasPrefix(right, "    ") {
				t.Errorf("%d columns: %q runs into %q", w, left+"scripted", right)
			}
		}
	})
}

// A sentence of ours hides nothing of how things stand.
func TestSaidAboveTheInput(t *testing.T) {
	onStage(t, func(s *stage) {
		s.Desk.Tell("a word")
		s.golden("said-short")
		s.Desk.Tell(strings.Repeat("a sentence of many words, ", 20))
		s.golden("said-long")
		s.see("balanced · scripted")
		s.press("ctrl+k")
		s.golden("said-dialog")
		s.Theme.Plain = true // what is read aloud is not cut
		if lines, _ := s.frame(80, 24); strings.Count(strings.Join(lines, "\n"), "sentence") != 20 {
			t.Error(strings.Join(lines, "\n"))
		}
	})
}

// Signing in on the screen: a key, a browser, what is refused, and the way back.
func TestLoginFrames(t *testing.T) {
	begin := func(s *stage, name string) {
		s.lacking()
		s.run(s.findModel())
		s.wait(time.Second)
		for range map[string]int{"sure": 2, "browsed": 3, "vendor": 4}[name] {
			s.press("down")
		}
		if s.press("enter"); name == "vendor" { // one of those whose key can be added
			s.press("enter")
		}
	}
	for name, act := range map[string]func(s *stage){
		"key":     func(s *stage) { begin(s, "vendor"); s.write(secret) },
		"asking":  func(s *stage) { begin(s, "vendor"); s.write("slow"); s.press("enter") },
		"refused": func(s *stage) { begin(s, "vendor"); s.write("bad"); s.press("enter"); s.wait(time.Second) },
		"works": func(s *stage) {
			begin(s, "vendor")
			s.people.Model = func(context.Context) (string, error) { return "zeta", nil }
			s.people.Seats = func(context.Context) ([]Candidate, error) {
				is := seatsFound[1]
				is.Name = "vendor"
				return []Candidate{is}, nil
			}
			s.write("good")
			s.press("enter")
			s.wait(time.Second)
		},
		"unsure":    func(s *stage) { begin(s, "sure") },
		"taken":     func(s *stage) { begin(s, "sure"); s.press("a"); s.wait(time.Second) },
		"browser":   func(s *stage) { begin(s, "browsed") },
		"gone back": func(s *stage) { begin(s, "browsed"); s.press("esc"); s.wait(time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) { act(s); s.inked("login-" + fileOf(name)) })
		})
	}
}
