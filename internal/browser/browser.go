// Package browser shows an address to the person in the browser they use.
package browser

import (
	"errors"
	"os"
	"os/exec"
	"runtime"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/redact"
)

// Open shows an address to the person. What it starts is theirs and goes on when we end; it is given no secrets.
func Open(address string) error {
	if screenless() {
		return errors.New("no display")
	}
	c := exec.Command("xdg-open", address)
	switch runtime.GOOS {
	case "darwin":
		c = exec.Command("open", address)
	case "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	for _, entry := range os.Environ() {
		if len(redact.FromEnviron([]string{entry})) == 0 {
			c.Env = append(c.Env, entry)
		}
	}
	if err := c.Start(); err != nil {
		return errors.New(failure.Because(err))
	}
	go c.Wait()
	return nil
}

// screenless says whether a browser would open where the person does not see it: on a machine reached by SSH, or in the
// terminal. Elsewhere than on macOS and Windows a screen has a name, which SSH can pass on.
func screenless() bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return home.Environ("SSH_CONNECTION") != ""
	}
	return home.Environ("DISPLAY") == "" && home.Environ("WAYLAND_DISPLAY") == ""
}
