package clipboard

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestPaste asks stand-ins of the programs that read a clipboard: a script for each, which answers what it is asked.
func TestPaste(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("stand-ins are scripts of a shell")
	}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	says := func(kind string, body []byte) string {
		return fmt.Sprintf("echo %s %s", kind, base64.StdEncoding.EncodeToString(body))
	}
	wayland, x := "WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0"
	lists := func(kinds string) string {
		return `case "$*" in *TARGETS|--list-types) echo "` + kinds + `";; *) echo "asked $*";; esac`
	}
	for _, c := range []struct {
		name, system, env, program, script, want string
	}{
		{"nothing is copied", "linux", wayland, "wl-paste", "echo Nothing is copied >&2; exit 1", "the clipboard is empty"},
		{"nothing is copied in X", "linux", x, "xclip", "echo Error: target TARGETS not available >&2; exit 1", "the clipboard is empty"},
		{"a text", "linux", wayland, "wl-paste", lists("STRING text/plain"), "asked --no-newline --type text/plain\n"},
		{"a text in X", "linux", x, "xclip", lists("STRING UTF8_STRING"), "asked -selection clipboard -o -t UTF8_STRING\n"},
		{"a picture before a text", "linux", wayland, "wl-paste", lists("text/plain image/jpeg"), "cannot paste the picture: it is not a PNG"},
		{"a picture of another kind", "linux", wayland, "wl-paste", lists("image/bmp"), "the clipboard has a picture as image/bmp"},
		{"an error without end", "linux", wayland, "wl-paste", "PATH=/usr/bin:/bin; yes x | tr -d '\\n' | head -c 1000000 >&2; exit 1",
			"cannot read the clipboard: wl-paste: " + strings.Repeat("x", mostSaid) + "\n"},
		{"an error without a word", "linux", wayland, "wl-paste", "exit 7", "cannot read the clipboard: wl-paste: exit status 7"},
		{"a kind without end", "linux", wayland, "wl-paste", lists("image/" + strings.Repeat("x", 9000)), "neither a picture nor text"},
		{"neither", "linux", wayland, "wl-paste", lists("x-special/files"), "the clipboard has neither a picture nor text"},
		{"a broken display", "linux", x, "xclip", "echo Error: no display >&2; exit 1", "xclip: Error: no display"},
		{"X where Wayland's program is missing", "linux", wayland + " " + x, "xclip", lists("STRING"),
			"asked -selection clipboard -o -t STRING\n"},
		{"none installed", "linux", wayland + " " + x, "cat", "", "wl-paste is not installed; install the package wl-clipboard"},
		{"no desktop", "linux", "", "xclip", "", "no desktop in this terminal"},
		{"X over SSH", "linux", x + " SSH_CONNECTION=yes", "xclip", lists("STRING"), "asked -selection clipboard -o -t STRING\n"},
		{"macOS over SSH", "darwin", "SSH_CONNECTION=yes", "osascript", "echo wrong", "clipboard cannot be read over SSH"},
		{"a text of macOS", "darwin", "", "osascript",
			`case "$2" in "clipboard info") echo "«class utf8», 12, string, 8";; "the clipboard as text") echo "Good day";; esac`, "Good day"},
		{"a file of macOS", "darwin", "", "osascript", `case "$2" in "clipboard info") echo "«class furl», 30, TIFF picture, 900";; ` +
			`"POSIX path of (the clipboard as «class furl»)") echo "/Users/ada/my plan.png";; esac`, `"/Users/ada/my plan.png"`},
		{"a picture of macOS", "darwin", "", "osascript", `case "$2" in "clipboard info") echo "«class PNGf», 75, TIFF picture, 900";; ` +
			`"the clipboard as «class PNGf»") echo "«data PNGf` + strings.ToUpper(hex.EncodeToString(b.Bytes())) + `»";; esac`, "/pasted-1.png"},
		{"nothing on macOS", "darwin", "", "osascript", "", "the clipboard is empty"},
		{"a text of Windows", "windows", "", "powershell", says("text", []byte("Größe")), "Größe"},
		{"nothing on Windows", "windows", "", "powershell", "echo 'text '", "the clipboard is empty"},
		{"a picture of Windows", "windows", "", "powershell", says("picture", b.Bytes()), "/pasted-1.png"},
		{"WSL asks Windows", "linux", wayland + " WSL_DISTRO_NAME=Debian", "powershell.exe", says("picture", b.Bytes()), "/pasted-1.png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.program), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			board := New(c.system, func(name string) string {
				for v := range strings.FieldsSeq(c.env) {
					if value, ok := strings.CutPrefix(v, name+"="); ok {
						return value
					}
				}
				return ""
			}, filepath.Join(dir, "pictures"))
			got, err := board.Paste(t.Context())
			if err != nil {
				got = err.Error() + "\n"
			}
			if !strings.Contains(got, c.want) || strings.HasSuffix(c.want, "\n") && got != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
			if err := board.Close("a draft of " + got); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(got); strings.HasSuffix(c.want, ".png") && err != nil {
				t.Error("the picture of a draft is gone")
			}
			if board.own = filepath.Dir(got); strings.HasSuffix(c.want, ".png") {
				if err := board.Close(); err != nil {
					t.Error(err)
				}
			}
			if _, err := os.Stat(got); strings.HasSuffix(c.want, ".png") && err == nil {
				t.Error("the picture stays")
			}
		})
	}
}
