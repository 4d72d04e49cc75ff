package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
)

// claim is one of a ballot. quote is what it rests on: look finds what holds the word true.
func claim(text, option, quote string, supports bool) string {
	q, _ := json.Marshal(quote)
	return fmt.Sprintf(`{"text": %q, "kind": "logic", "impact": 4, "option": "{{option %q}}", "supports": %t,
 "evidence": {"kind": "quote", "file": "store.go", "line": 1, "quote": %s, "command": [], "expect": "", "url": ""}}`, text, option, supports, q)
}

func ballot(option string, claims ...string) string {
	return fmt.Sprintf(`{"option": "{{option %q}}", "other": "", "summary": "I hold that %s is the better way, and I looked.",
 "claims": [%s], "change_my_mind": "a measurement of a busy day", "confidence": 0.8}`, option, option, strings.Join(claims, ", "))
}

func second(option, stance, why string) string {
	return fmt.Sprintf(`{"option": "{{option %q}}", "because": [], "claims": [], "stances": [{"claim": "{{claim 1}}", "stance": %q, "why": %q, "cites": [], "same": "", "impact": 2}]}`, option, stance, why)
}

func judged(item int) string {
	return fmt.Sprintf(`{"item": %d, "entails": "yes", "bears": "yes", "grave": "", "why": "it says so"}`, item)
}

// table seats models that were scripted under these names, for the next question.
func (s *stage) table(strategy string, seats ...string) {
	f := table.Frame{Question: "Shall the store have one writer or a pool of writers?", Strategy: strategy, Origin: "question", Dir: s.dir,
		Options: motion.Letters([]string{"one writer", "a pool"}), Seed: 7, Limits: table.Limits{Rounds: 1, SeatTimeout: 10 * time.Minute, Timeout: time.Hour, Grace: time.Minute}}
	f.SealBySeed()
	for i, spec := range seats {
		info := table.Seat{ID: fmt.Sprintf("s%d", i+1), Spec: spec, Model: spec, Lineage: spec}
		if i == 2 {
			info.Persona = table.Persona{Name: "sceptic", Text: "Doubt."}
		}
		f.Seats = append(f.Seats, info)
	}
	s.next = rooms.Debate{Frame: f, Context: "Nothing is known."}
}

// panel scripts three seats that disagree: one claims what is true, one what is not.
func (s *stage) panel() {
	for i, who := range []string{"acme", "zeta", "ohm"} {
		option, quote, stance := "one writer", "true of the store", "AGREE"
		if who == "zeta" {
			option, quote, stance = "a pool", "it was never so", "OBJECT"
		}
		s.script(who, script.Rule{Act: "verify", DelayMS: 100 * (i + 1), Reply: `{"judgements": [` + judged(1) + "," + judged(2) + "," + judged(3) + `]}`},
			script.Rule{Act: "cross", DelayMS: 2000 + 100*i, Reply: second(option, stance, "the file says something else")},
			script.Rule{Act: "blind", DelayMS: 1000 * (i + 1), Usage: &cost.Usage{Input: 2000, Output: 300, USD: 0.0035},
				Reply: ballot(option, claim(option+" is simpler", option, quote, true), claim(option+" is quicker than the other by a good deal", option, "true", i != 2))})
	}
	s.table("council", "acme", "zeta", "ohm")
}

// level scripts two seats that come to a tie.
func (s *stage) level() {
	for who, option := range map[string]string{"acme": "one writer", "zeta": "a pool"} {
		s.script(who, script.Rule{Act: "cross", Reply: fmt.Sprintf(`{"option": "{{option %q}}", "stances": []}`, option)}, script.Rule{Reply: ballot(option, claim("it is simpler", option, "a guess", true))})
	}
	s.table("council", "acme", "zeta")
}

// begin lets a debate begin, and so much time pass.
func (s *stage) begin(d time.Duration) {
	s.write("/debate What is better?")
	s.press("enter")
	s.wait(d)
}

// What can no longer be done when a debate has ended is not offered there, and /check is said to do what it does.
func TestDebateOffersWhatCanBeDone(t *testing.T) {
	const holds, stands = "check if the decision still holds", "show the standing"
	onStage(t, func(s *stage) {
		s.panel()
		s.begin(1500 * time.Millisecond)
		offered := func() string {
			text := ""
			s.press("ctrl+k")
			for range 8 {
				lines, _ := s.frame(120, 36)
				text += ansi.Strip(strings.Join(lines, "\n"))
				s.press("pgdown")
			}
			s.press("esc")
			s.write("/")
			s.wait(time.Second)
			for range 60 {
				lines, _ := s.frame(120, 36)
				text += ansi.Strip(strings.Join(lines, "\n"))
				s.press("down")
			}
			s.press("esc", "ctrl+c")
			return text
		}
		over := []string{"Pause or resume", "Decide now", "Drop a seat", "End the round", "Veto a claim", "Break a tie", "/pause", "/deadline", "/resume", stands}
		first := []string{"Plan and execute the decision", "Copy the decision", "/overrule", holds}
		now := offered()
		for _, text := range over {
			if !strings.Contains(now, text) {
				t.Errorf("while it runs %q is not offered", text)
			}
		}
		for _, text := range first {
			if strings.Contains(now, text) {
				t.Errorf("while it runs %q is offered", text)
			}
		}
		s.say("/check")
		if s.wait(time.Second); s.seen("no decision yet") {
			t.Error("/check does not show the standing")
		}
		s.wait(30 * time.Second)
		now = offered()
		for _, text := range over {
			if strings.Contains(now, text) {
				t.Errorf("after the end %q is offered", text)
			}
		}
		for _, text := range first {
			if !strings.Contains(now, text) {
				t.Errorf("after the end %q is not offered", text)
			}
		}
	})
}

// Help of a debate names what its keys do there.
func TestDebateHelp(t *testing.T) {
	onStage(t, func(s *stage) {
		s.panel()
		s.begin(1500 * time.Millisecond)
		s.press("?")
		if s.see("previous view"); s.seen("change the mode") || s.seen("shell") {
			t.Error("help of a debate names keys of a conversation")
		}
	})
}

// The menu says that more commands exist than it has room for.
func TestMenuTellsOfMore(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.write("/")
		s.wait(time.Second)
		s.see(" more · type to find")
		s.write("undo")
		if s.wait(time.Second); s.seen("more · type to find") {
			t.Error("one command is told of as more")
		}
	})
}

func TestDebateFrames(t *testing.T) {
	growing := func(text string) []script.Rule {
		return []script.Rule{{Cut: len(text), Reply: text + strings.Repeat(" ", 50), Error: trouble.Stall}}
	}
	for name, act := range map[string]func(s *stage){
		"begins":      func(s *stage) { s.begin(0) },
		"blind":       func(s *stage) { s.begin(1500 * time.Millisecond) },
		"cross":       func(s *stage) { s.begin(4 * time.Second) },
		"ended":       func(s *stage) { s.begin(20 * time.Second); s.write("/no-such"); s.press("esc") }, // which stays in the view
		"seats":       func(s *stage) { s.begin(20 * time.Second); s.press("esc") },
		"ledger":      func(s *stage) { s.begin(20 * time.Second); s.press("esc", "tab") },
		"score":       func(s *stage) { s.begin(20 * time.Second); s.press("esc", "tab", "tab") },
		"transcript":  func(s *stage) { s.begin(20 * time.Second); s.press("esc", "tab", "tab", "tab") },
		"log":         func(s *stage) { s.begin(20 * time.Second); s.press("esc", "tab", "tab", "tab", "tab", "tab") },
		"undecided":   func(s *stage) { s.begin(1500 * time.Millisecond); s.press("tab", "tab", "tab", "tab") },
		"help":        func(s *stage) { s.begin(1500 * time.Millisecond); s.say("/help") },
		"help debate": func(s *stage) { s.begin(1500 * time.Millisecond); s.say("/help debate") },
		"streaming": func(s *stage) {
			s.script("acme", growing(`{"option": "A", "summary": "Half of what I hold: **one writer** has no`)...)
			s.script("zeta", growing(`{"option": "B", "summary": "A pool.", "claims": [{"text": "it waits less", "option": "B", "supports": true}, {"text": "and ano`)...)
			s.begin(2500 * time.Millisecond)
		},
		"five": func(s *stage) {
			for i := range 5 {
				s.script(fmt.Sprint("m", i), growing(fmt.Sprintf(`{"option": "A", "summary": "Seat %d says this and that, and goes on for a while so that it takes some lines`, i))...)
			}
			s.table("council", "m0", "m1", "m2", "m3", "m4")
			s.begin(2500 * time.Millisecond)
		},
		"failed": func(s *stage) {
			s.script("zeta", script.Rule{Error: trouble.Auth})
			s.script("ohm", script.Rule{Reply: "I will not vote."})
			s.begin(20 * time.Second)
			s.press("esc")
		},
		"unexamined": func(s *stage) { s.begin(3500 * time.Millisecond); s.press("tab") }, // nobody objected, and nobody was asked yet
		"paused": func(s *stage) {
			s.begin(500 * time.Millisecond)
			s.press("ctrl+space")
			s.wait(10 * time.Second)
		},
		"needed": func(s *stage) {
			s.level()
			s.begin(10 * time.Second)
		},
		"side": func(s *stage) { // what lies on the table beside the panels, and the keys there
			s.next.Files = []string{"store.go", "docs/why.md:1-9"}
			s.begin(20 * time.Second)
			s.press("f2", "down", "down", "down")
		},
		"asks":      func(s *stage) { s.say("/new debate the pool") },
		"rehearsal": func(s *stage) { s.next.Frame.Rehearsal = true; s.begin(1500 * time.Millisecond) },
		"words": func(s *stage) {
			s.begin(500 * time.Millisecond)
			s.say("Think of a phone with little memory.")
			s.say("/drop s3")
			s.say("/drop s9")
			s.wait(5 * time.Second)
			s.press("esc", "tab", "tab", "tab", "tab", "tab")
		},
		"pending": func(s *stage) {
			s.begin(500 * time.Millisecond)
			s.press("ctrl+space")
			for _, text := range []string{"Think of a phone.", "/claim against A it was tried and broke", "/add ohm"} {
				s.write(text)
				s.press("enter")
				s.wait(50 * time.Millisecond)
			}
			s.press("ctrl+a") // there is nothing to decide from
		},
		"dropped": func(s *stage) {
			s.begin(500 * time.Millisecond)
			s.press("ctrl+space")
			s.wait(4 * time.Second)
			s.say("/drop s3")
			s.say("/veto c1 it is hearsay")
			s.press("ctrl+space")
			s.wait(2 * time.Second)
		},
		"lost": func(s *stage) {
			s.script("ohm", script.Rule{Error: trouble.Auth})
			s.begin(1500 * time.Millisecond)
		},
		"ruled": func(s *stage) {
			s.level()
			s.begin(10 * time.Second)
			s.say("b")
			s.wait(time.Second)
		},
		"level": func(s *stage) {
			s.level()
			s.next.Frame.Limits.USD, s.next.Frame.Limits.Tokens = 2, 100_000
			s.begin(10 * time.Second)
			s.say("/go")
			s.wait(time.Second)
		},
		"chosen late": func(s *stage) {
			s.level()
			s.begin(10 * time.Second)
			s.say("/go")
			s.wait(time.Second)
			s.say("a")
			s.wait(5 * time.Second)
		},
		"budget": func(s *stage) {
			s.next.Frame.Limits.USD, s.next.Frame.Limits.Tokens = 2, 100_000
			s.begin(2500 * time.Millisecond)
		},
		"rests": func(s *stage) {
			s.begin(1500 * time.Millisecond)
			s.do(engine.Stop{Root: s.current().(*roompage.Page).Scene().Root})
			s.wait(10 * time.Second)
		},
		"one family": func(s *stage) {
			for i := range s.next.Frame.Seats {
				s.next.Frame.Seats[i].Lineage = "acme"
			}
			s.begin(1500 * time.Millisecond)
		},
		"told":     func(s *stage) { s.begin(20 * time.Second); s.press("alt+1") },
		"carried":  func(s *stage) { s.begin(20 * time.Second); s.press("ctrl+e"); s.wait(time.Second) },
		"unframed": func(s *stage) { s.next.Frame.Seats[0].Spec = "nobody"; s.begin(time.Second) },
		"interrupted": func(s *stage) {
			s.begin(1500 * time.Millisecond)
			s.press("ctrl+x")
			s.wait(5 * time.Second)
			s.press("esc")
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.panel()
				act(s)
				s.inked("debate-" + fileOf(name))
				if name == "five" || name == "ended" || name == "needed" {
					s.compare("narrow-debate-"+name, false, [2]int{60, 15}, [2]int{40, 12}, [2]int{200, 50})
				}
			})
		})
	}
}
