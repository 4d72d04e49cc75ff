package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// chromiumIs names the browser that TestBrowser drives.
const chromiumIs = "SOCRATES_TEST_CHROMIUM"

// TestBrowser runs test/testdata/browser: what a person does with the pages, in a real browser.
func TestBrowser(t *testing.T) {
	if guest.Path(chromiumIs) == "" {
		t.Skip(chromiumIs + " names no browser")
	}
	all := commands()
	all["page"] = page
	testscript.Run(t, testscript.Params{Dir: "test/testdata/browser", Cmds: all, Setup: func(e *testscript.Env) error {
		e.Values[pagesKey{}] = new(*chromium)
		return setup(e)
	}})
}

// chromium is a browser with one page. Its protocol goes over a pipe: objects of JSON that end with a zero byte.
type chromium struct {
	in      io.Writer
	out     *bufio.Reader
	id      int
	session string
	dragged json.RawMessage // what is being dragged
}

// pagesKey is where a script keeps its browser, once it has one.
type pagesKey struct{}

// page is what a person does in the browser:
//
//	page open NAME           opens the link that a server says on its stderr
//	page link FILE           opens the link in a file at the name that is open, in the same tab
//	page goto PATH           opens a page of that server
//	page see REGEXP          waits until the page says it
//	page click TEXT          clicks the link, button or fold that begins with TEXT
//	page fill LABEL TEXT     replaces what is in the field of that label
//	page choose LABEL TEXT   chooses the entry of a list that begins with TEXT
//	page press KEY…          presses keys one after the other
//	page drag CSS CSS        drags the one onto the other
//	page focus CSS           has the keys go there
//	page path REGEXP         waits until the address is such
//	page js EXPR             waits until an expression is true
//	page walk [PATH…]        goes to pages, or stays, and Tab must reach everything that can be used
//	page attack NAME         has an attacker's pages try everything against a server
func page(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("a page cannot be waited for not to be so")
	}
	kept := ts.Value(pagesKey{}).(**chromium)
	var err error
	if *kept == nil {
		var end func()
		*kept, end, err = startChromium(ts.MkAbs("."))
		ts.Check(err)
		ts.Defer(end)
	}
	c := *kept
	switch verb, rest := args[0], args[1:]; verb {
	case "open":
		err = c.open(linkOf(ts, rest[0]).String())
	case "link":
		_, code, _ := strings.Cut(strings.TrimSpace(ts.ReadFile(rest[0])), "#")
		var origin string
		if origin, err = c.eval("location.origin"); err == nil {
			err = c.open(origin + "/in#" + code)
		}
	case "goto":
		err = c.goTo(rest[0])
	case "see":
		err = c.until("document.body.innerText", rest[0])
	case "path":
		err = c.until("location.pathname + location.search", rest[0])
	case "js":
		err = c.until("String(!!("+rest[0]+"))", "^true$")
	case "click":
		err = c.click(rest[0])
	case "fill":
		err = c.fill(rest[0], rest[1])
	case "choose":
		err = c.until(fmt.Sprintf(`(() => { const f = %s; const o = f && [...f.options].find((o) => o.text.startsWith(%q)); if (!o) return "no";
			f.value = o.value; f.dispatchEvent(new Event("change", {bubbles: true})); return "yes" })()`, field(rest[0]), rest[1]), "^yes$")
	case "press":
		err = c.until("document.readyState", "^complete$") // a page hears keys once it is there
		for _, key := range rest {
			err = errors.Join(err, c.press(key))
		}
	case "focus":
		err = c.until(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e?.focus(); return String(!!e && document.activeElement === e) })()`,
			rest[0]), "^true$")
	case "drag":
		err = c.drag(rest[0], rest[1])
	case "walk":
		err = c.walk(rest)
	case "attack":
		err = c.attack(ts, rest[0])
	default:
		ts.Fatalf("page %s is nothing that is done", verb)
	}
	if err != nil {
		said, _ := c.eval("location.href + '\\n' + document.body.innerText")
		ts.Fatalf("page %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// startChromium starts one with an empty profile.
func startChromium(dir string) (*chromium, func(), error) {
	profile, err := os.MkdirTemp(dir, "chromium")
	if err != nil {
		return nil, nil, err
	}
	hears, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out, tells, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(os.Getenv(chromiumIs), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
		"--user-data-dir="+profile, "--window-size=1280,900",
		"--host-resolver-rules=MAP *.test 127.0.0.1", "about:blank")
	cmd.ExtraFiles = []*os.File{hears, tells} // it looks for them at 3 and 4
	cmd.Env = append(os.Environ(), "HOME="+profile, "XDG_CONFIG_HOME="+filepath.Join(profile, "config"))
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	hears.Close()
	tells.Close()
	c := &chromium{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	end := func() {
		c.call("", "Browser.close", nil)
		in.Close()
		gone, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		context.AfterFunc(gone, func() { cmd.Process.Kill() })
		cmd.Wait()
		out.Close()
		os.RemoveAll(profile)
	}
	return c, end, c.begin()
}

// begin opens the page.
func (c *chromium) begin() error {
	raw, err := c.call("", "Target.createTarget", object{"url": "about:blank"})
	if err != nil {
		return err
	}
	var t struct{ TargetID, SessionID string }
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	if raw, err = c.call("", "Target.attachToTarget", object{"targetId": t.TargetID, "flatten": true}); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	c.session = t.SessionID
	_, err = c.do("Page.enable", nil)
	return err
}

// do calls a method of the page.
func (c *chromium) do(method string, params object) (json.RawMessage, error) {
	return c.call(c.session, method, params)
}

// call sends a command and reads until its answer. A dialog that opens meanwhile is agreed to.
func (c *chromium) call(session, method string, params object) (json.RawMessage, error) {
	c.id++
	id := c.id
	if err := c.send(object{"id": id, "sessionId": session, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		raw, err := c.out.ReadBytes(0)
		if err != nil {
			return nil, err
		}
		var m struct {
			ID             int
			Method         string
			Params, Result json.RawMessage
			Error          struct{ Message string }
		}
		if err := json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m); err != nil {
			return nil, err
		}
		switch {
		case m.Method == "Page.javascriptDialogOpening":
			err = c.send(object{"id": 1 << 30, "sessionId": c.session, "method": "Page.handleJavaScriptDialog", "params": object{"accept": true}})
		case m.Method == "Input.dragIntercepted":
			c.dragged = m.Params
		case m.ID == id && m.Error.Message != "":
			return nil, errors.New(method + ": " + m.Error.Message)
		case m.ID == id:
			return m.Result, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (c *chromium) send(m object) error {
	if m["sessionId"] == "" {
		delete(m, "sessionId")
	}
	raw, err := json.Marshal(m)
	if err == nil {
		_, err = c.in.Write(append(raw, 0))
	}
	return err
}

// open goes to a page of any server.
func (c *chromium) open(url string) error {
	_, err := c.do("Page.navigate", object{"url": url})
	return err
}

// goTo opens a page of the server whose page is open, and waits until it has come.
func (c *chromium) goTo(path string) error {
	if _, err := c.eval(fmt.Sprintf("window.left = true, location.href = %q", path)); err != nil {
		return err
	}
	return c.until("String(!window.left) + document.readyState", "^truecomplete$")
}

// eval is an expression as a text.
func (c *chromium) eval(expr string) (string, error) {
	raw, err := c.do("Runtime.evaluate", object{"expression": expr, "awaitPromise": true, "returnByValue": true})
	if err != nil {
		return "", err
	}
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Text string }
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", err
	}
	if r.ExceptionDetails != nil {
		return "", errors.New(r.ExceptionDetails.Text + " in " + expr)
	}
	return fmt.Sprint(r.Result.Value), nil
}

// until waits until an expression matches. While the page changes it is asked again.
func (c *chromium) until(expr, pattern string) error {
	want, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); ; {
		said, err := c.eval(expr)
		if err == nil && want.MatchString(said) {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(err, fmt.Errorf("it is not so, but %.200q", said))
		}
		time.Sleep(30 * time.Millisecond) // the server needs the processor more
	}
}

// place is the middle of what an expression finds, once it has one and stands still.
func (c *chromium) place(element string) (x, y float64, err error) {
	where := fmt.Sprintf(`(() => { const e = %s; if (!e) return ""; e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		const r = e.getBoundingClientRect(); return r.width && r.height ? (r.x + r.width / 2) + " " + (r.y + r.height / 2) : "" })()`, element)
	if err := c.until(where, `^\S+ \S+$`); err != nil {
		return 0, 0, err
	}
	said, err := c.eval(where)
	if err == nil {
		_, err = fmt.Sscan(said, &x, &y)
	}
	return x, y, err
}

// click presses the mouse on a link, button or fold that begins with a text.
func (c *chromium) click(text string) error {
	x, y, err := c.place(fmt.Sprintf(`[...document.querySelectorAll("a, button, summary")].find((e) =>
		(e.ariaLabel || "").startsWith(%q) || e.textContent.trim().startsWith(%q))`, text, text))
	if err != nil {
		return err
	}
	return errors.Join(c.mouse("mousePressed", x, y), c.mouse("mouseReleased", x, y))
}

func (c *chromium) mouse(kind string, x, y float64) error {
	_, err := c.do("Input.dispatchMouseEvent", object{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})
	return err
}

// field is the field of a label that begins with a text, or that is named so, as an expression.
func field(label string) string {
	return fmt.Sprintf(`([...document.querySelectorAll("label")].find((l) => l.textContent.trim().startsWith(%q))?.control ||
		[...document.querySelectorAll("input, textarea, select")].find((e) => (e.ariaLabel || e.name || "").startsWith(%q)))`, label, label)
}

// fill replaces what is in a field by typing.
func (c *chromium) fill(label, text string) error {
	err := c.until(fmt.Sprintf(`(() => { const f = %s; f?.focus(); f?.select(); return String(!!f && document.activeElement === f) })()`, field(label)),
		"^true$")
	if err == nil {
		_, err = c.do("Input.insertText", object{"text": text})
	}
	return err
}

// codes are keys that write nothing.
var codes = map[string]int{"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}

// press presses a key, or one with Ctrl before it.
func (c *chromium) press(key string) error {
	key, ctrl := strings.CutPrefix(key, "Ctrl-")
	down := object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	switch {
	case ctrl:
		down["modifiers"], down["type"] = 2, "rawKeyDown"
	case key == "Enter":
		down["text"] = "\r"
	case codes[key] == 0:
		down["text"] = key
	}
	if _, err := c.do("Input.dispatchKeyEvent", down); err != nil {
		return err
	}
	_, err := c.do("Input.dispatchKeyEvent", object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]})
	return err
}

// drag drags what one selector finds onto what another does.
func (c *chromium) drag(from, to string) error {
	if _, err := c.do("Input.setInterceptDrags", object{"enabled": true}); err != nil {
		return err
	}
	defer c.do("Input.setInterceptDrags", object{"enabled": false})
	x, y, err := c.place(fmt.Sprintf("document.querySelector(%q)", from))
	if err != nil {
		return err
	}
	c.dragged = nil
	if err := errors.Join(c.mouse("mousePressed", x, y), c.mouse("mouseMoved", x+8, y+4), c.mouse("mouseMoved", x+16, y+8)); err != nil {
		return err
	}
	if err := c.until("1", "1"); err != nil || c.dragged == nil {
		return errors.Join(err, errors.New("nothing is dragged"))
	}
	var held struct{ Data json.RawMessage }
	if err := json.Unmarshal(c.dragged, &held); err != nil {
		return err
	}
	if x, y, err = c.place(fmt.Sprintf("document.querySelector(%q)", to)); err != nil {
		return err
	}
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		if _, err := c.do("Input.dispatchDragEvent", object{"type": kind, "x": x, "y": y, "data": held.Data}); err != nil {
			return err
		}
	}
	return c.mouse("mouseReleased", x, y)
}
