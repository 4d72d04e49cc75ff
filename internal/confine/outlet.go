package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/egress"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// outlet is one program's way to the hosts that it may reach. A nil *outlet reaches none.
type outlet struct {
	gate  *egress.Gate
	hosts []string
}

// newOutlet uses the person's proxy, of which the program itself learns nothing.
func newOutlet(hosts []string) (*outlet, error) {
	gate, err := egress.New(hosts, os.Environ(), nil)
	if err != nil {
		return nil, err
	}
	return &outlet{gate, hosts}, nil
}

// cell is a network with only these hosts.
func (o *outlet) cell() *sandbox.Cell {
	return &sandbox.Cell{Listen: o.gate.Listen(), Lead: o.gate.Lead(), System: o.gate.System()}
}

// open accepts connections once the program has started.
func (o *outlet) open(run *sandbox.Run) {
	if o != nil {
		run.Await(func(sockets []*os.File) { o.gate.Serve(sockets) })
	}
}

// close ends all connections. It writes refused connections to the program's error output: otherwise neither a person nor a model could
// know why it failed.
func (o *outlet) close(cmd *exec.Cmd) {
	if o == nil {
		return
	}
	o.gate.Close()
	refused := o.gate.Refused()
	if len(refused) == 0 || cmd.Stderr == nil {
		return
	}
	const most = 5
	fmt.Fprintf(cmd.Stderr, "sandbox: refused %s; allowed: %s; to allow more, a person adds the rule: allow registry HOST\n",
		strings.Join(refused[:min(most, len(refused))], ", "), strings.Join(o.hosts, ", "))
}

// namesRegistry reports whether a file that may contain a secret only configures a package manager, for example the address of its
// registry: no line of it is a literal password or token.
func namesRegistry(path string) bool {
	text, err := os.ReadFile(path)
	if filepath.Base(path) != ".npmrc" || err != nil || len(text) > 1<<16 {
		return false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		private := strings.Contains(name, "auth") || strings.Contains(name, "password") || strings.Contains(name, "token") ||
			strings.Contains(name, "username") || name == "key" || name == "cert"
		if private && !strings.HasPrefix(value, "${") || strings.Contains(value, "@") && strings.Contains(value, "://") {
			return false
		}
	}
	return true
}
