package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/config/setting"
)

// UserHook is a program the user wants to run around what an agent does.
// On and Command are not empty only if the user wrote them so; hook.Check is asked before one is used.
type UserHook struct {
	Name               string
	On, Tools, Command []string
	Timeout            time.Duration // 0: the usual
	Guard              bool
	Form               string // of what it reads and answers; empty: ours
}

// Hooks returns the user's hooks in the order of their names.
func (c *Config) Hooks() []UserHook {
	var out []UserHook
	for _, name := range c.Below("hooks") {
		at := "hooks." + name + "."
		h := UserHook{Name: name, On: c.Strings(at + "on"), Tools: c.Strings(at + "tools"), Command: c.Strings(at + "command"),
			Timeout: c.Duration(at + "timeout"), Guard: c.String(at+"guard") == "true", Form: c.String(at + "form")}
		if len(h.Command) > 0 {
			if program, err := setting.Absolute(h.Command[0]); err == nil { // else a name, or relative to the project
				h.Command[0] = program
			}
		}
		out = append(out, h)
	}
	return out
}

// Server is an MCP server of the user's: a command or a URL.
// Headers are "Name: value" and Env "NAME" or "NAME=value", as the settings have them.
type Server struct {
	Name, Command string
	Args, Env     []string
	URL           string
	Headers       []string
	Bearer        setting.Secret
	Local         bool
}

// Servers returns the user's MCP servers in the order of their names.
func (c *Config) Servers() []Server {
	var out []Server
	for _, name := range c.Below("mcp") {
		at := "mcp." + name + "."
		bearer, _ := c.value(at + "bearer").(setting.Secret)
		out = append(out, Server{Name: name, Command: c.String(at + "command"), Args: c.Strings(at + "args"), Env: c.Strings(at + "env"),
			URL: c.String(at + "url"), Headers: c.Strings(at + "headers"), Bearer: bearer, Local: c.String(at+"local") == "true"})
	}
	return out
}

// Below are the names that have a value in a section, sorted.
func (c *Config) Below(section string) []string {
	names := map[string]bool{}
	for key := range c.origins {
		if rest, ok := strings.CutPrefix(key, section+"."); ok && c.value(key) != nil {
			name, _, _ := strings.Cut(rest, ".")
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
