package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// scripts are the extensions of files that interpreters run.
var scripts = wordSet(`
	.py .js .mjs .cjs .ts .tsx .jsx .sh .bash .zsh .fish .rb .pl .php .lua .r .tcl .awk .sed .jl .ps1 .go .java .groovy .sql .mk .gradle
	.exp .vim .el
`)

// definitions are the files in which a program finds what to run.
var definitions = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"}, "gmake": {"GNUmakefile", "makefile", "Makefile"}, "npm": {"package.json"},
	"pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"}, "just": {"justfile", "Justfile", ".justfile"},
	"task": {"Taskfile.yml", "Taskfile.yaml"}, "rake": {"Rakefile"}, "composer": {"composer.json"},
	"gradle": {"build.gradle", "build.gradle.kts"}, "mvn": {"pom.xml"}, "docker": {"Dockerfile", "docker-compose.yml", "compose.yaml"},
	"tox": {"tox.ini"}, "nox": {"noxfile.py"},
}

// executed returns the files of the project that a command executes or interprets, and that its words name or its
// program looks for, each with the hash of its content. A grant for the command ends when one of them changes: a person
// allowed what make test did then, not what an agent makes of it. What those files in turn run is not followed.
func (p Policy) executed(s subject) map[string]string {
	if s.tool != "bash" || s.dir == "" {
		return nil
	}
	var out map[string]string
	v := analyzer{site: site{p, s.dir}}
	looked := map[string]bool{}
	add := func(word string) bool {
		if looked[word] {
			return false
		}
		looked[word] = true
		path, ok := v.path(word)
		if !ok || word == "" {
			return false
		}
		if _, in := within(slices.Concat(p.Workspace, p.Temp), path); !in {
			return false
		}
		hash := contentOf(path)
		if hash == "" {
			return false
		}
		if out == nil {
			out = map[string]string{}
		}
		out[path] = hash
		return true
	}
	inside, _ := innerCommands(s.argv)
	for i, argv := range inside {
		name, first := base(argv[0]), true
		if i > 0 || strings.ContainsAny(argv[0], `/\`) {
			add(argv[0])
		}
		for _, file := range definitions[name] {
			add(file)
		}
		if _, runs := interpreters[name]; !runs && isKnownCommand(name) && definitions[name] == nil && name != "go" {
			continue
		}
		for _, a := range argv[1:] {
			_, value, _ := strings.Cut(a, "=")
			for _, word := range []string{a, value, strings.TrimPrefix(a, "-f")} {
				_, runs := interpreters[name]
				if scripts()[strings.ToLower(filepath.Ext(word))] || runs && first || definitions[name] != nil {
					if add(word) {
						first = false
					}
				}
			}
		}
	}
	return out
}

// contentOf is the hash of a regular file; empty: it does not exist, or cannot be read.
func contentOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
