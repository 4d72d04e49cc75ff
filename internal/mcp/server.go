// Package mcp lets agents use tools of servers that speak the Model Context Protocol, over pipes or HTTP. What a
// server says of its tools and answers to a call is data from outside: it is cleaned, bounded and marked as such.
//
// [Open] connects a conversation's servers at once and makes a [Set] of their tools, named mcp__SERVER__TOOL. A
// server that fails is a warning, and the others work. [Connect] is one server; Call, Read and the prompts are what
// it can be asked. The protocol itself is the official SDK's.
//
// What holds here and not in the SDK:
//
//   - A server's program runs in a group of its own, with a small environment, and nothing of it is left after Close.
//   - Beginning, listing and calling have time limits; a server that does not even read its input holds nobody up.
//   - Over HTTP only https is spoken, or http to this machine; redirects stay on the host; headers go to that host alone.
//   - A sign-in (OAuth with PKCE, by the SDK) asks the person once a connection. Tokens are kept by the caller ([Tokens]), bound
//     to the server's address, and renewed.
//   - Descriptions and schemas are cleaned before a model sees them. Vet may refuse an offer: package trust compares it with what
//     the person approved, so that a tool cannot change its description later.
//   - A panic in the SDK over a malformed message is an error of that message.
//   - A server may ask the person something (elicitation) while one of its tools runs, and not otherwise. It never gets to use a
//     model (no sampling) or to list folders (no roots).
//
// Calls may run at once. Whether a call may happen is decided by env.May, with the whole of its arguments: what a
// server elsewhere is asked counts as sent, unless the person has marked the server as local.
package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Server is where tools come from: a program or a URL.
type Server struct {
	Name    string
	Command string
	Args    []string
	Env     []string // NAME: as we have it; NAME=value
	URL     string
	Headers []string // "Name: value"
	Bearer  string   // a key sent as Authorization; empty: none, or what Login obtained
	Dir     string   // where the program runs: the project folder
	Origin  string   // who wants it: the user's settings or a file of the project
	Local   bool     // the person says that it passes nothing on to other machines; never read from a project's file
}

// Parse reads a server as .mcp.json has it. Fields that are not ours are passed over: they change nothing here.
func Parse(name string, definition []byte) (Server, error) {
	var said struct {
		Type    string            `json:"type"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(definition, &said); err != nil {
		return Server{}, fmt.Errorf("the MCP server %s: %w", name, err)
	}
	s := Server{Name: name, Command: said.Command, Args: said.Args, URL: said.URL}
	for _, n := range slices.Sorted(maps.Keys(said.Env)) {
		s.Env = append(s.Env, n+"="+said.Env[n])
	}
	for _, n := range slices.Sorted(maps.Keys(said.Headers)) {
		s.Headers = append(s.Headers, n+": "+said.Headers[n])
	}
	if said.Type == "sse" {
		return s, fmt.Errorf("the MCP server %s speaks the old protocol over SSE; ask its provider for the HTTP address", name)
	}
	return s, s.Check()
}

// Forms of what stands in a definition. None lets through a newline, which would add a header or a variable.
var (
	serverName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	headerLine = pattern.Of(`^[A-Za-z0-9-]+: ?[^\r\n]+$`)
	envLine    = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*(=.*)?$`)
)

// Check says in a sentence what is wrong with a server.
func (s Server) Check() error {
	fail := func(text string, args ...any) error {
		return fmt.Errorf("the MCP server %s "+text, append([]any{s.Name}, args...)...)
	}
	switch {
	case !serverName().MatchString(s.Name):
		return fmt.Errorf("an MCP server's name may contain only letters, digits, dots, dashes and underscores, not %q", s.Name)
	case s.Command == "" && s.URL == "":
		return fail("has neither a command nor a url")
	case s.Command != "" && s.URL != "":
		return fail("has both a command and a url")
	case s.Command != "" && (len(s.Headers) > 0 || s.Bearer != ""):
		return fail("has headers or a bearer, which need a url")
	case s.URL != "" && (len(s.Args) > 0 || len(s.Env) > 0):
		return fail("has args or env, which need a command")
	}
	if u, err := url.Parse(s.URL); s.Local && s.URL != "" && (err != nil || !loopback(u.Hostname())) {
		return fail("is marked local, but its url is on another machine")
	}
	for _, e := range s.Env {
		if !envLine().MatchString(e) {
			return fail("has %q in its env; write NAME or NAME=value", e)
		}
	}
	for _, h := range s.Headers {
		if !headerLine().MatchString(h) {
			return fail("has a header that is not written Name: value")
		}
	}
	if s.URL == "" {
		return nil
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return fail("must have an https url, or http to this machine")
	case u.User != nil:
		return fail("must not have a user or a password in its url")
	}
	return nil
}

// loopback says whether a host is this machine by its name alone; no name is looked up.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Says is what is started or reached, for an eye and for the pin of its tools: of variables and headers the names.
func (s Server) Says() string {
	if s.URL != "" {
		var names []string
		for _, h := range s.Headers {
			name, _, _ := strings.Cut(h, ":")
			names = append(names, name)
		}
		return strings.TrimSuffix(s.URL+" with "+strings.Join(names, ", "), " with ")
	}
	line := []string{s.Command}
	for _, a := range s.Args {
		if strings.ContainsAny(a, " \t\n\"'") || a == "" {
			a = fmt.Sprintf("%q", a)
		}
		line = append(line, a)
	}
	var names []string
	for _, e := range s.Env {
		name, _, _ := strings.Cut(e, "=")
		names = append(names, name)
	}
	return strings.TrimSuffix(strings.Join(line, " ")+" with "+strings.Join(names, ", "), " with ")
}

// variable is one in a definition, with what stands for it if it is not set.
var variable = pattern.Of(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// expanded is the server with ${NAME} and ${NAME:-else} replaced by variables. A missing one is an error, which no value
// is part of.
func (s Server) expanded(lookup func(string) (string, bool)) (Server, error) {
	var missing string
	replace := func(text string) string {
		return variable().ReplaceAllStringFunc(text, func(m string) string {
			parts := variable().FindStringSubmatch(m)
			if value, ok := lookup(parts[1]); ok && value != "" {
				return value
			}
			if parts[2] == "" {
				missing = parts[1]
			}
			return strings.TrimPrefix(parts[2], ":-")
		})
	}
	all := func(list []string) []string {
		out := make([]string, len(list))
		for i, text := range list {
			out[i] = replace(text)
		}
		return out
	}
	s.Command, s.URL = replace(s.Command), replace(s.URL)
	s.Args, s.Env, s.Headers = all(s.Args), all(s.Env), all(s.Headers)
	if missing != "" {
		return s, fmt.Errorf("it needs the variable %s, which is not set", missing)
	}
	return s, s.Check()
}
