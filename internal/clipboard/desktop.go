package clipboard

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// desktop is where a person works: the system, and what the environment says of the session.
type desktop struct {
	system string
	getenv func(string) string
}

// copied is what a clipboard has: a picture, or else a text.
type copied struct {
	picture []byte
	text    string
}

// What a person is told who has nothing to paste.
var (
	errEmpty = errors.New("the clipboard is empty")
	errSSH   = errors.New("your computer's clipboard cannot be read over SSH; copy the picture to this machine (scp) and type its path")
	errNone  = errors.New("no desktop in this terminal (neither WAYLAND_DISPLAY nor DISPLAY is set); type the path of the picture instead")
)

// session is the clipboard of a Linux or BSD desktop: the variable that says it is there, the program that reads it, what installs that,
// and its arguments.
type session struct {
	variable, program, pack string
	list, get               []string // what there is; one kind of it, which comes last
}

// sessions are those there are. The first that is there and can be read counts.
var sessions = []session{
	{"WAYLAND_DISPLAY", "wl-paste", "wl-clipboard", []string{"--list-types"}, []string{"--no-newline", "--type"}},
	{"DISPLAY", "xclip", "xclip", append(slices.Clip(selection), "TARGETS"), selection},
}

var selection = []string{"-selection", "clipboard", "-o", "-t"}

// read takes what was copied.
func (d desktop) read(ctx context.Context) (copied, error) {
	display := slices.ContainsFunc(sessions, func(s session) bool { return d.getenv(s.variable) != "" })
	own := d.system == "darwin" || d.system == "windows"
	switch {
	case d.getenv("SSH_CONNECTION") != "" && (own || !display):
		return copied{}, errSSH // SSH can pass on a display, and nothing else
	case d.system == "windows":
		return powershell(ctx, "powershell")
	case d.system == "darwin":
		return osascript(ctx)
	case d.getenv("WSL_DISTRO_NAME") != "" && installed(wsl):
		return powershell(ctx, wsl)
	}
	err := errNone
	for _, s := range sessions {
		if d.getenv(s.variable) == "" {
			continue
		}
		if installed(s.program) {
			return s.read(ctx)
		}
		if err == errNone {
			err = fmt.Errorf("cannot read the clipboard: %s is not installed; install the package %s", s.program, s.pack)
		}
	}
	return copied{}, err
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// The kinds that are asked for, the best first.
var (
	pictures = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}
	texts    = []string{"text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"}
)

func (s session) read(ctx context.Context) (c copied, err error) {
	out, err := output(ctx, s.program, s.list...)
	if err != nil {
		return c, nothing(err)
	}
	kinds := strings.Fields(string(out))
	offered := func(of []string) string {
		i := slices.IndexFunc(of, func(kind string) bool { return slices.Contains(kinds, kind) })
		if i < 0 {
			return ""
		}
		return of[i]
	}
	picture, text := offered(pictures), offered(texts)
	if cmp.Or(picture, text) == "" {
		return c, unknown(kinds)
	}
	out, err = output(ctx, s.program, append(slices.Clip(s.get), cmp.Or(picture, text))...)
	if picture != "" {
		return copied{picture: out}, err
	}
	return copied{text: string(out)}, err
}

// nothing is an error of a program that lists what a clipboard has; some fail if it has nothing.
func nothing(err error) error {
	for _, says := range []string{"Nothing is copied", "No selection", "TARGETS not available"} {
		if strings.Contains(err.Error(), says) {
			return errEmpty
		}
	}
	return err
}

// unknown says what a clipboard has that is neither a picture that can be sent nor a text.
func unknown(kinds []string) error {
	for _, kind := range kinds {
		if strings.HasPrefix(kind, "image/") && len(kind) <= mostSaid {
			return fmt.Errorf("the clipboard has a picture as %s, which models do not accept; save it as PNG and type its path", kind)
		}
	}
	return errors.New("the clipboard has neither a picture nor text")
}

// osascript reads the clipboard of macOS. A file counts before its icon, which is offered as a picture.
func osascript(ctx context.Context) (c copied, err error) {
	say := func(what string) (string, error) {
		out, err := output(ctx, "osascript", "-e", what)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	kinds, err := say("clipboard info")
	if err != nil {
		return c, err
	}
	switch {
	case strings.Contains(kinds, "«class furl»"):
		c.text, err = say("POSIX path of (the clipboard as «class furl»)")
		c.text = quoted(c.text)
	case strings.Contains(kinds, "«class PNGf»"), strings.Contains(kinds, "TIFF picture"):
		if c.text, err = say("the clipboard as «class PNGf»"); err == nil {
			c.picture, err = unhexed(c.text)
		}
	case kinds != "":
		c.text, err = say("the clipboard as text")
	}
	return c, err
}

// unhexed are the bytes that osascript writes as «data PNGf89504E47…».
func unhexed(text string) ([]byte, error) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "«data PNGf"), "»")
	body, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read the clipboard: osascript: %w", err)
	}
	return body, nil
}

// windows is what PowerShell is told: it answers in letters that every code page has.
const windows = `$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$files = [Windows.Forms.Clipboard]::GetFileDropList()
$picture = [Windows.Forms.Clipboard]::GetImage()
if ($files.Count -gt 0) { $kind = 'file'; $bytes = [Text.Encoding]::UTF8.GetBytes($files[0]) }
elseif ($picture) { $kind = 'picture'; $to = New-Object IO.MemoryStream
$picture.Save($to, [Drawing.Imaging.ImageFormat]::Png); $bytes = $to.ToArray() }
else { $kind = 'text'; $bytes = [Text.Encoding]::UTF8.GetBytes([Windows.Forms.Clipboard]::GetText()) }
$kind + ' ' + [Convert]::ToBase64String($bytes)`

// wsl is what PowerShell is called in WSL, whose own clipboard has pictures in a form that nobody accepts.
const wsl = "powershell.exe"

// powershell reads the clipboard of Windows, by a program of that name.
func powershell(ctx context.Context, program string) (c copied, err error) {
	out, err := output(ctx, program, "-NoProfile", "-NonInteractive", "-STA", "-Command", windows)
	if err != nil {
		return c, err
	}
	kind, letters, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	body, err := base64.StdEncoding.DecodeString(letters)
	if err != nil {
		return c, fmt.Errorf("cannot read the clipboard: %s: %w", program, err)
	}
	switch kind {
	case "picture":
		c.picture = body
	case "file":
		if program == wsl {
			body, err = output(ctx, "wslpath", "-u", string(body))
		}
		c.text = quoted(strings.TrimSpace(string(body)))
	default:
		c.text = string(body)
	}
	return c, err
}
