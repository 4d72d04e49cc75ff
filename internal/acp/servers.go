package acp

import (
	"cmp"

	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// unnamed matches what our names may not contain.
var unnamed = pattern.Of(`[^A-Za-z0-9_.-]+`)

// definition converts a server to the form of .mcp.json, so that it is judged, pinned and started as one of a project
// would be. Its name is adapted to our rules.
func (m mcpServer) definition() (name string, as map[string]any) {
	as = map[string]any{}
	for key, value := range map[string]string{"type": m.Type, "command": m.Command, "url": m.URL} {
		if value != "" {
			as[key] = value
		}
	}
	if len(m.Args) > 0 {
		as["args"] = m.Args
	}
	for key, list := range map[string][]pair{"env": m.Env, "headers": m.Headers} {
		held := map[string]string{}
		for _, p := range list {
			held[p.Name] = p.Value
		}
		if len(held) > 0 {
			as[key] = held
		}
	}
	return unnamed().ReplaceAllString(m.Name, "-"), as
}

// bring asks the person, once a session and before the first turn, about the MCP servers that the editor provides: a
// program named in an editor's project file is code that would run. For each server that is not used it reports why.
// A cancel leaves the rest out for this session.
func (s *session) bring(now *answering) {
	s.mu.Lock()
	servers, tree, dir := s.brought, s.env.Tree, s.env.Dir
	s.brought = nil
	s.mu.Unlock()
	for _, one := range servers {
		if now.cancelled() {
			return
		}
		name, as := one.definition()
		b, err := s.Bring(dir, name, as)
		why := ""
		if err != nil {
			why = problemOf(err).Message
		} else if keep, ok := s.allowed(now, b); !ok {
			why = "you did not allow it"
		} else if err := s.Lend(tree, b, keep); err != nil {
			why = problemOf(err).Message
		}
		if why != "" {
			s.notice("warning", "the MCP server "+cmp.Or(one.Name, "without a name")+" of your editor is not used: "+why)
		}
	}
}

// allowed asks whether a server may be used, unless that was approved; keep means that the approval lasts for the
// project. The question shows its whole definition, since its name says nothing.
func (s *session) allowed(now *answering, b home.EditorServer) (keep, ok bool) {
	if b.Approved {
		return false, true
	}
	call := toolCall{Kind: "tool_call", ID: "mcp/" + b.Name, Title: "Use the MCP server " + b.Name + ": " + s.Out.Clean(b.Says()),
		Sort:   "execute",
		Status: "pending", Content: []toolContent{words(fenced(s.Out.Clean(b.Item.Text)))}}
	if b.URL != "" {
		call.Sort = "fetch"
	}
	s.update(call)
	picked, err := s.permit(now, call, []way{{"once", "Use it in this session", "allow_once"},
		{"project", "Use it in this project", "allow_always"}, {"deny", "Do not use it", "reject_once"}})
	end := toolCall{Kind: "tool_call_update", ID: call.ID, Status: "completed"}
	if ok = err == nil && picked != "deny"; !ok {
		end.Status = "failed"
	}
	s.update(end)
	return picked == "project", ok
}
