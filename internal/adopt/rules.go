package adopt

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/permission"
)

// permission enters a rule. Those of a project can only tighten: what another agent was allowed is for the person to allow.
// A rule that becomes several of ours is several pieces: each stands or falls by itself.
func (f *finder) permission(from, verdict, theirs string) {
	rules := rulesOf(verdict, theirs)
	if len(rules) == 0 {
		f.leave(Permission, verdict+" "+theirs, from, "no rule here says the same")
	}
	for _, rule := range rules {
		if verdict == "allow" {
			f.leave(Permission, rule, from, "a project allows nothing: add it to permission.rules of your own settings")
			continue
		}
		f.add(Piece{Kind: Permission, Name: rule, From: from, To: ".socrates/config.yaml", Text: "- " + rule + "\n",
			merge: intoYAML(rule, "permission", "rules")})
	}
}

// rulesOf is one of their rules in our words, none of which means less; none: we cannot say it.
// Every rule that is returned was parsed by the package that will read it.
func rulesOf(verdict, theirs string) (rules []string) {
	tool, about, has := strings.Cut(strings.TrimSpace(theirs), "(")
	if about = strings.TrimSpace(about); has && !strings.HasSuffix(about, ")") || strings.ContainsAny(theirs, "\n\r") {
		return nil
	}
	about = strings.TrimSpace(strings.TrimSuffix(about, ")"))
	switch ours := map[string]string{"Bash": "bash", "Read": "read", "Edit": "write", "Write": "write", "WebFetch": "fetch"}[tool]; {
	case strings.HasPrefix(tool, "mcp__"):
		rules = []string{tool}
		if server := strings.TrimPrefix(tool, "mcp__"); !strings.Contains(server, "__") { // all of a server's tools
			rules = append(rules, tool+"__*")
		}
	case ours == "bash":
		rules = commandRule(about)
	case ours == "fetch":
		if host, isHost := strings.CutPrefix(about, "domain:"); about == "" || isHost {
			rules = []string{"fetch " + host}
		}
	case ours != "":
		for _, glob := range globsOf(about) {
			rules = append(rules, ours+" "+glob)
		}
	}
	for i, rule := range rules {
		rules[i] = strings.TrimSpace(verdict + " " + rule)
		if _, err := permission.ParseRule(rules[i]); err != nil {
			return nil
		}
	}
	return rules
}

// commandRule is a rule about commands that begin as theirs does; all commands, if theirs says no more.
// A star in the middle of theirs has no like here: none.
func commandRule(about string) []string {
	begin := strings.TrimSuffix(strings.TrimSuffix(about, ":*"), " *")
	switch bare := strings.TrimSuffix(begin, "*"); {
	case bare == "":
		return []string{"bash *"}
	case strings.Contains(bare, "*"):
		return nil
	case bare != begin:
		return []string{"bash " + begin} // "rm*" means rm with its arguments here, too
	}
	return []string{"bash " + begin + " *"}
}

// globsOf are globs for a path as .gitignore has it: a bare name is meant at any depth, and a folder with all that is below it.
func globsOf(about string) []string {
	below, here := strings.CutPrefix(about, "./")
	glob, folder := strings.CutSuffix(below, "/")
	switch parts := strings.Split(glob, "/"); {
	case glob == "" || glob == "." || glob == "**":
		return []string{""} // everything
	case strings.HasPrefix(glob, "~") || strings.HasPrefix(glob, "!") || slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || part == "." || part == ".."
	}):
		return nil
	case len(parts) == 1 && !here:
		glob = "**/" + glob
	}
	switch {
	case strings.HasSuffix(glob, "/**"):
		return []string{glob}
	case folder:
		return []string{glob + "/**"}
	}
	return []string{glob, glob + "/**"}
}
