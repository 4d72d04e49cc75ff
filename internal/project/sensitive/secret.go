// Package sensitive recognizes by name the files and folders that contain secrets, and those that steer agents, editors, git and shells.
//
// Both questions are answered from a name alone, so they also apply to what does not exist yet, and need no disk
// access. Secret is checked before anything is read; Steers before anything is written: a file that tells an agent, an
// editor, git or a shell what to do is as powerful as a command. Names are compared folded, like disks that ignore case
// (Fold), and without what Windows drops at their end.
//
// The lists err on the side of too much within a project, but a name that is meant to be shown (.env.example) is
// allowed. HomeSecret knows places in a home whose names may be ordinary in a project. Nothing here has state; all of
// it is safe for concurrent use.
package sensitive

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// secrets match a component of a path that contains secrets or git's internals, in lower case. A folder that matches is
// secret with everything in it.
var secrets = sync.OnceValue(func() *globs { return newGlobs(secretNames) })

var secretNames = []string{
	".git", ".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd",
	".git-credentials", "credentials*", "*.credentials", "*_credentials.json", "*-credentials.json",
	"service-account*.json", "service_account*.json", "secrets.y*ml", "secrets.json", "secrets.toml", "client_secret*.json",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore",
	"*.kdbx", "*.tfstate", "*.tfstate.*", "*.tfvars", ".vault-token", ".terraform.d", ".s3cfg", ".boto", ".password-store", ".*_history",
	".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker",
}

// SecretNames are the patterns of names in a project that are known to contain secrets.
func SecretNames() []string { return slices.Clone(secretNames) }

// harmless are names that match one of secrets but are meant to be shown.
var harmless = sync.OnceValue(func() *globs {
	return newGlobs([]string{".env.example", ".env.sample", ".env.template", ".env.dist", "*.example.env", "*.pub"})
})

// code are the extensions of source files: a file called credentials.go is about credentials but contains none.
var code = map[string]bool{
	".go": true, ".js": true, ".ts": true, ".jsx": true, ".tsx": true, ".py": true, ".rs": true, ".java": true, ".kt": true,
	".rb": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".cs": true, ".php": true, ".swift": true, ".md": true,
}

// Secret reports whether path names something no model may see. The path may use either slash; case does not matter.
// Every part of the path is checked: a file in a secret folder is secret.
func Secret(name string) bool {
	name = Fold(name)
	isCode := code[path.Ext(name)]
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		// Windows opens "x." and "x " as "x", and "x:stream" as a part of x.
		part, _, _ = strings.Cut(part, ":")
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			part = trimmed
		}
		aboutThem := isCode && strings.HasPrefix(part, "credentials")
		if secrets().match(part) && !harmless().match(part) && !aboutThem {
			return true
		}
	}
	return false
}

// globs are patterns for one component of a path, indexed by their first character or, if that may be anything, by their last: nearly no
// name matches, so few patterns should be tried.
type globs struct {
	first, last [256][]string
	rest        []string
}

// newGlobs indexes patterns, which must not be empty.
func newGlobs(patterns []string) *globs {
	g := new(globs)
	for _, p := range patterns {
		switch first, last := p[0], p[len(p)-1]; {
		case first != '*':
			g.first[first] = append(g.first[first], p)
		case last != '*':
			g.last[last] = append(g.last[last], p)
		default:
			g.rest = append(g.rest, p)
		}
	}
	return g
}

// match reports whether a pattern matches the name, which is one component and folded.
func (g *globs) match(name string) bool {
	fits := func(p string) bool { ok, _ := path.Match(p, name); return ok }
	return name != "" && (slices.ContainsFunc(g.first[name[0]], fits) || slices.ContainsFunc(g.last[name[len(name)-1]], fits) ||
		slices.ContainsFunc(g.rest, fits))
}

// Fold is name as seen by disks that ignore case, compositions of letters and invisible characters: names that one of
// them treats as the same are the same here. Names are compared by it whenever a name decides what may be done. Names
// in ASCII, nearly all there are, cost one pass.
func Fold(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return strings.Map(fold, norm.NFKC.String(name))
		}
	}
	return strings.ToLower(name)
}

// fold is the least of the letters that differ from r only by case; negative: disks ignore r.
func fold(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return unicode.ToLower(least)
}
