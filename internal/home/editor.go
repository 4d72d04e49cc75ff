package home

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/mcp"
	"github.com/socrates-cli/socrates/internal/trust"
)

// EditorServer is an MCP server that a person's editor provides: neither their settings nor the project names
// it.
type EditorServer struct {
	mcp.Server
	Item     trust.Item
	Approved bool // for every conversation of the project
}

// Inspect examines a server that an editor provides, written as in .mcp.json. Values of its variables and
// headers are neither shown nor kept. It starts and approves nothing. Values that look like secrets are
// learned, so that they are never shown.
func (sv *Servers) Inspect(dir, name string, definition map[string]any) (b EditorServer, err error) {
	raw, err := json.Marshal(definition)
	if err != nil {
		return b, err
	}
	if b.Server, err = mcp.Parse(name, raw); err != nil {
		return b, err
	}
	b.Dir, b.Origin = dir, FromEditor
	if b.Item, err = trust.Lent(dir, name, FromEditor, withoutValues(definition), append([]string{b.Command}, b.Args...)); err != nil {
		return b, err
	}
	if b.Item.Problem != "" {
		return b, fmt.Errorf("the MCP server %s: %s", name, b.Item.Problem)
	}
	for _, line := range append(slices.Clone(b.Env), b.Headers...) {
		if sv.home.Clean(line) != line {
			_, value, _ := strings.Cut(strings.Replace(line, ": ", "=", 1), "=")
			sv.home.Learn(strings.TrimPrefix(value, "Bearer "))
		}
	}
	store, err := sv.home.Approvals.Store()
	if err != nil {
		return b, err
	}
	project, err := trust.Project(dir)
	if err != nil {
		return b, err
	}
	state, _ := store.State(project, b.Item)
	b.Approved = state == trust.Approved
	return b, nil
}

// FromEditor is the origin of servers that an editor provides.
const FromEditor = "your editor"

// withoutValues replaces the values of variables and headers by their hashes, so that an approval covers them:
// a changed token makes another server.
func withoutValues(definition map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range definition {
		if held, ok := value.(map[string]string); ok {
			hashes := map[string]string{}
			for name, text := range held {
				sum := sha256.Sum256([]byte(text))
				hashes[name] = "sha256:" + hex.EncodeToString(sum[:8])
			}
			value = hashes
		}
		out[key] = value
	}
	return out
}

// Attach adds a server to a conversation that has no turn yet in this process. With keep it is approved for
// every conversation of the project. Later turns of the conversation have it as long as this process lives.
func (sv *Servers) Attach(tree string, b EditorServer, keep bool) error {
	if keep && !b.Approved {
		store, err := sv.home.Approvals.Store()
		if err != nil {
			return err
		}
		project, err := trust.Project(b.Dir)
		if err != nil {
			return err
		}
		if err := store.Approve(project, b.Item); err != nil {
			return err
		}
	}
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if sv.attached == nil {
		sv.attached = map[string][]mcp.Server{}
	}
	if !slices.ContainsFunc(sv.attached[tree], func(s mcp.Server) bool { return s.Name == b.Name }) {
		sv.attached[tree] = append(sv.attached[tree], b.Server)
	}
	return nil
}

// withAttached adds the servers attached to a conversation whose names are not in have.
func (sv *Servers) withAttached(tree string, have []mcp.Server) []mcp.Server {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	for _, s := range sv.attached[tree] {
		if slices.ContainsFunc(have, func(h mcp.Server) bool { return h.Name == s.Name }) {
			sv.home.Warn("MCP server " + s.Name + " of your editor skipped: the name is already used")
			continue
		}
		have = append(have, s)
	}
	return have
}
