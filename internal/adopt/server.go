package adopt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/redact"
	"github.com/socrates-cli/socrates/internal/trust"
)

// serverFiles are where servers are named under other names than the usual one, by who keeps them there. ~/.claude.json also holds
// what Claude Code remembers of each project, and grows.
var serverFiles = []string{".cursor/mcp.json", ".gemini/settings.json", ".claude/mcp.json", ".codex/config.toml"}

// servers are MCP servers in files of other names than the usual one.
// Keys that ours do not have are dropped, among them those that say it may start unasked.
func (f *finder) servers() {
	files := serverFiles
	if f.own != nil {
		files = append([]string{".claude.json"}, files...)
	}
	for _, from := range files {
		raw, err := f.bounded(from, mostSettings)
		if err != nil {
			continue
		}
		read := trust.Servers
		if path.Ext(from) == ".toml" {
			read = codexServers
		}
		servers, err := read(bytes.TrimPrefix(raw, []byte("\ufeff")))
		if err != nil {
			f.leave(Server, path.Base(from), from, "it cannot be read: "+err.Error())
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			f.server(from, name, servers[name])
		}
	}
}

// mostSettings bounds a file of settings that also holds what another agent remembers.
const mostSettings = 16 << 20 // bytes

// codexServers are the servers of Codex's settings, under the keys that others use.
// A token is named there by its variable (bearer_token_env_var), as headers may be (env_http_headers).
func codexServers(raw []byte) (map[string]map[string]any, error) {
	doc, err := parse(string(raw))
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]any{}
	said, _ := doc["mcp_servers"].(map[string]any)
	for name, one := range said {
		s, _ := one.(map[string]any)
		if s == nil {
			continue
		}
		headers, _ := s["http_headers"].(map[string]any)
		headers = maps.Clone(headers)
		if headers == nil {
			headers = map[string]any{}
		}
		named, _ := s["env_http_headers"].(map[string]any)
		for header, variable := range named {
			headers[header] = fmt.Sprintf("${%v}", variable)
		}
		if token, ok := s["bearer_token_env_var"].(string); ok {
			headers["Authorization"] = "Bearer ${" + token + "}"
		}
		if len(headers) > 0 {
			s["headers"] = headers
		}
		if s["enabled"] == false {
			s["disabled"] = true
		}
		all[name] = s
	}
	return all, nil
}

// server enters one server.
func (f *finder) server(from, name string, s map[string]any) {
	if s["httpUrl"] != nil {
		s["url"] = s["httpUrl"]
	}
	entry := map[string]any{}
	for _, key := range []string{"command", "args", "env", "url", "headers", "type"} {
		if s[key] != nil {
			entry[key] = referring(s[key])
		}
	}
	if len(entry) == 0 {
		return
	}
	if s["disabled"] == true {
		f.leave(Server, name, from, "it is disabled there")
		return
	}
	for _, key := range []string{"command", "args", "url"} {
		if text, err := json.Marshal(entry[key]); err == nil && (secret(string(text)) || slices.ContainsFunc(words(entry[key]), secret)) {
			f.leave(Server, name, from, "its "+key+" may contain a secret: use a variable there, such as ${TOKEN}")
			return
		}
	}
	without := f.unsaid(entry, "env")
	without = append(without, f.unsaid(entry, "headers")...)
	p := Piece{Kind: Server, Name: name, From: from, To: ".mcp.json"}
	if len(without) > 0 {
		p.Note = "secrets are not copied: set " + strings.Join(without, ", ") + " in your environment"
	}
	if f.own != nil {
		if entry = settingsOf(entry); entry == nil {
			f.leave(Server, name, from, "its transport is not supported: only commands and streamable HTTP are")
			return
		}
		p.Name = plain(name)
		text, err := yaml.Marshal(map[string]any{p.Name: entry})
		if err != nil || p.Name == "" {
			return
		}
		p.Text, p.value, p.merge = string(text), entry, intoYAML(entry, "mcp", p.Name)
		f.mine(&p)
		f.add(p)
		return
	}
	text, err := json.MarshalIndent(entry, "", "  ")
	if err != nil {
		return
	}
	p.Text, p.value, p.merge = string(text), entry, intoServers(name, entry)
	f.add(p)
}

// unsaid replaces the secrets of a server's variables or headers by references to the person's environment, and names what the
// person has to set there.
func (f *finder) unsaid(entry map[string]any, key string) (names []string) {
	said, _ := entry[key].(map[string]any)
	if len(said) == 0 {
		delete(entry, key)
		return nil
	}
	kept := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		value := fmt.Sprint(said[name])
		if !confidential(name, value) {
			kept[name] = value
			continue
		}
		variable := name
		if key == "headers" {
			variable = strings.ToUpper(strings.ReplaceAll(plain(name), "-", "_"))
		}
		kept[name] = "${" + variable + "}"
		names = append(names, variable)
	}
	entry[key] = kept
	return names
}

// reference is a value that is nothing but a variable, maybe behind the name of a scheme.
var reference = pattern.Of(`^(Bearer |Basic |token )?\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// confidential says whether the value of a variable or header is one that must not be copied. What is in doubt is.
func confidential(name, value string) bool {
	if value == "" || reference().MatchString(value) {
		return false
	}
	if strings.EqualFold(name, "authorization") || strings.EqualFold(name, "cookie") || redact.SecretName(name) {
		return true
	}
	return secret(name+"="+value) || secret(fmt.Sprintf("%q: %q", name, value))
}

// secret says whether a text holds what looks like one.
func secret(text string) bool { return redact.New().String(text) != text }

// words are the texts of a value.
func words(v any) (out []string) {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for i, one := range v {
			out = append(out, words(one)...)
			if i > 0 { // an option and its value
				out = append(out, fmt.Sprint(v[i-1], " ", one), fmt.Sprint(v[i-1], "=", one))
			}
		}
	}
	return out
}

// theirs are variables as two other agents write them: ${env:NAME} and $NAME.
var theirs = pattern.Of(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Z_][A-Z0-9_]*)\b`)

// referring is a value with variables written as here.
func referring(v any) any {
	switch v := v.(type) {
	case string:
		return theirs().ReplaceAllString(v, "$${$1$2}")
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = referring(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			out[key] = referring(v[key])
		}
		return out
	}
	return v
}

// settingsOf is a server as a person's settings have it; nil: they cannot.
func settingsOf(entry map[string]any) map[string]any {
	if kind := entry["type"]; kind == "sse" || entry["command"] == nil && entry["url"] == nil {
		return nil
	}
	out := map[string]any{}
	for _, key := range []string{"command", "args", "url"} {
		if entry[key] != nil {
			out[key] = entry[key]
		}
	}
	list := func(key, between string) {
		said, _ := entry[key].(map[string]any)
		var all []any
		for _, name := range slices.Sorted(maps.Keys(said)) {
			value := fmt.Sprint(said[name])
			if key == "env" && value == "${"+name+"}" {
				all = append(all, name)
				continue
			}
			all = append(all, name+between+value)
		}
		if len(all) > 0 {
			out[key] = all
		}
	}
	if said, _ := entry["headers"].(map[string]any); said != nil {
		if m := reference().FindStringSubmatch(fmt.Sprint(said["Authorization"])); m != nil && m[1] == "Bearer " {
			delete(said, "Authorization") // entry is ours
			out["bearer"] = "env:" + m[2]
		}
	}
	list("env", "=")
	list("headers", ": ")
	return out
}

// intoServers puts a server into a file of servers.
// The file is read as strictly as trust reads it: what two readers would understand differently is not touched. It is
// written with its keys sorted and two blanks of indentation.
func intoServers(name string, entry map[string]any) merge {
	return func(was []byte) ([]byte, error) {
		all := map[string]any{}
		if len(bytes.TrimSpace(was)) > 0 {
			if _, err := trust.Servers(was); err != nil {
				return nil, fmt.Errorf("it cannot be read: %w", err)
			}
			if err := json.Unmarshal(was, &all); err != nil {
				return nil, fmt.Errorf("it is not JSON: %w", err)
			}
		}
		servers, _ := all["mcpServers"].(map[string]any)
		if have, ok := servers[name]; ok {
			a, _ := json.Marshal(have)
			b, _ := json.Marshal(entry)
			if bytes.Equal(a, b) {
				return was, nil
			}
			return nil, errTaken
		}
		if servers == nil {
			servers = map[string]any{}
		}
		servers[name] = entry
		all["mcpServers"] = servers
		out, err := json.MarshalIndent(all, "", "  ")
		return append(out, '\n'), err
	}
}
