package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// piEnd closes a turn of pi that was answered with "fine".
var piEnd = []string{`< {"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"fine"}],"stopReason":"stop","model":"m","usage":{"input":3,"output":2,"cacheRead":5,"cost":{"total":0.25}}}}`,
	`< {"type":"agent_end","messages":[]}`}

func piFailed(why string) string {
	return fmt.Sprintf(`< {"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":%q}}`, why)
}

func TestWhatPiSays(t *testing.T) {
	long := strings.Repeat("x", 5000)
	ended := `< {"type":"agent_end"}`
	for name, c := range map[string]struct {
		lines []string
		kind  trouble.Kind
		says  string // in what was streamed or in the error
	}{
		"unknown events": {[]string{"> ", `< {"type":"queue_update","steering":7}`, `< {"type":"message_update","assistantMessageEvent":3}`, "< Warning: noise"}, "", "fine"},
		"a delta after what it repeats": {[]string{"> ", `< {"message":{"content":"` + long + `"},"assistantMessageEvent":{"partial":{"text":"` + long +
			`"},"delta":"late","type":"text_delta"},"type":"message_update"}`}, "", "late"},
		"a delta longer than the head": {[]string{"> ", `< {"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"` + long + `"}}`}, "", long},
		"escape sequences in the head": {[]string{"> ", `< {"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"\u001b[31mred","partial":"` + long + `"}}`}, "", "\x1b[31mred"},
		"an extension asks":            {[]string{"> ", `< {"type":"extension_ui_request","id":"x","method":"confirm"}`, `? "cancelled":true`}, "", "fine"},
		"an answer to an earlier turn": {[]string{"> ", `< {"type":"response","command":"prompt","id":"prompt-0","success":false,"error":"old"}`}, "", "fine"},
		"refused":                      {[]string{"> ", `< {"type":"response","command":"prompt","id":"prompt-1","success":false,"error":"No API key found for google"}`}, trouble.Auth, "No API key"},
		"an error by status":           {[]string{"> ", piFailed("401 who are you"), ended}, trouble.Auth, "who are you"},
		"an error, never told":         {[]string{"> ", piFailed("it went wrong"), ended}, trouble.BadRequest, "wrong"},
		"an error that may be repeated, and is": {[]string{"> ", piFailed("429 slow down"), ended, `< {"type":"auto_retry_start","attempt":1,"delayMs":5,"errorMessage":"429 slow down"}`,
			"? get_state", `< {"type":"response","command":"get_state","id":"settled-1","success":true}`}, "", "fine"},
		"an error that may be repeated, and is not": {[]string{"> ", piFailed("429 slow down"), ended, "? get_state",
			`< {"type":"response","command":"get_state","id":"settled-1","success":true}`}, trouble.RateLimit, "slow down"},
		"repeated too often": {[]string{"> ", `< {"type":"auto_retry_start","attempt":3,"delayMs":5,"errorMessage":"529 busy"}`}, trouble.Overloaded, "busy"},
		"given up":           {[]string{"> ", `< {"type":"auto_retry_end","success":false,"finalError":"500 boom"}`}, trouble.Overloaded, "boom"},
		"nothing said":       {[]string{"> ", `< {"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"stop"}}`, ended}, trouble.Empty, ""},
		"a calm end":         {[]string{"> ", "! exit 0"}, trouble.Crash, "exit status 0"},
		"no such model":      {[]string{`! stderr "\x1b[31mUnknown provider \"x\"\x1b[0m"`, "! exit 1"}, trouble.Crash, `Unknown provider "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			m := acting(t, "pi", script(t, append(c.lines, piEnd...)...), cli.Options{})
			h := listen(t.Context(), m, hi(""))
			if c.kind == "" {
				if h.err != nil || h.end.Message.Text() != "fine" || c.says != "fine" && h.text != c.says {
					t.Fatalf("got %.80q, %v", h.text, h.err)
				}
				if want := (cost.Usage{Input: 3, Output: 2, CacheRead: 5, USD: 0.25, Source: cost.Provider}); h.end.Usage != want {
					t.Errorf("usage %+v, want %+v", h.end.Usage, want)
				}
			} else if e := trouble.As(h.err); e == nil || e.Kind != c.kind || !strings.Contains(e.Message, c.says) {
				t.Fatalf("got %.80q and %v, want %s with %q", h.text, h.err, c.kind, c.says)
			}
		})
	}
}

func TestPiIsKeptOutOfAFolderThatNamesACommand(t *testing.T) {
	for settings, refused := range map[string]bool{`{"npmCommand":["touch","x"]}`: true, `{"npmCommand`: true, `{"theme":"dark"}`: false} {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, ".pi"), 0o700)
		os.WriteFile(filepath.Join(dir, ".pi", "settings.json"), []byte(settings), 0o600)
		req := hi("")
		req.Dir = dir
		h := listen(t.Context(), acting(t, "pi", script(t, append([]string{"> "}, piEnd...)...), cli.Options{}), req)
		if e := trouble.As(h.err); (e != nil && e.Kind == trouble.BadRequest) != refused {
			t.Errorf("%s: %v", settings, h.err)
		}
	}
}

func TestTheModelPiIsSetTo(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PI_CODING_AGENT_DIR", home)
	for settings, want := range map[string]string{`{"defaultProvider":"anthropic","defaultModel":"claude-x"}`: "anthropic/claude-x", `{}`: "", `{"defaultModel`: ""} {
		os.WriteFile(filepath.Join(home, "settings.json"), []byte(settings), 0o600)
		for _, p := range cli.Programs {
			if got := p.Chosen(); p.Name == "pi" && got != want {
				t.Errorf("%s: %q, want %q", settings, got, want)
			}
		}
	}
}

// An update of pi repeats the whole message twice, unless our extension is respected.
func TestRealPiRepeatsNothing(t *testing.T) {
	const words = 500
	vendor := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: strings.Repeat("a-word-as-long-as-delta ", words)}))
	t.Cleanup(vendor.Close)
	o, file := real(t, "pi", vendor.URL), filepath.Join(t.TempDir(), "heard")
	o.Hold = nil // what records could not write there
	o.Env = append(o.Env, "SEAT_RECORD="+file, "SEAT_REAL="+o.Bin, "SEAT_SCRUB=\n")
	o.Bin, _ = os.Executable()
	m := cli.Pi(o)
	h := listen(t.Context(), m, hi(""))
	m.(io.Closer).Close()
	if h.err != nil || strings.Count(h.text, "word") != words {
		t.Fatalf("got %.80q, %v", h.text, h.err)
	}
	if raw, err := os.ReadFile(file); err != nil || len(raw) == 0 || len(raw) > words*250 {
		t.Errorf("%d bytes for %d words (%v)", len(raw), words, err)
	}
}
