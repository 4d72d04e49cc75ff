package sandbox

import (
	"errors"
	"runtime"
	"testing"
)

func TestProfile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of another kind")
	}
	r := Rules{Write: []string{"/u/work"}, Deny: []string{"/u/.ssh"}, Protect: []string{"/u/work/.git/hooks", `/u/work/a "b" \c`}}
	const want = `(version 1)
(allow default)
(deny appleevent-send job-creation lsopen)
(deny file-write*)
(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))
(allow file-read* file-write* (subpath "/u/work"))
(deny file-write* (subpath "/u/work/.git/hooks"))
(deny file-write* (subpath "/u/work/a \"b\" \\c"))
(deny file-read* file-write* (subpath "/u/.ssh"))
(deny file-write-unlink (literal "/u/work/.git"))
`
	if got := r.profile(); got != want+"(deny network*)\n" {
		t.Errorf("got\n%s", got)
	}
	r.Network = true
	if got := r.profile(); got != want+"(deny network-outbound (remote unix-socket))\n(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n" {
		t.Errorf("got\n%s", got)
	}
}

// A program that fails is quoted; of one that said nothing, how it ended is told.
func TestReason(t *testing.T) {
	for said, want := range map[string]string{" no room\n": "no room", " \n": "exit status 1", "": "exit status 1"} {
		if got := reason([]byte(said), errors.New("exit status 1")); got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}
