package idea

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// rival is a pair of ways to do one thing, both used in a repository.
type rival struct {
	what          string // the thing, as the text after "Should"
	exts          []string
	first, second side
}

// side is one of the two ways: its name and what a file that uses it contains.
type side struct {
	name  string
	holds []string
	files int
}

// by makes a side from its name and what its files contain.
func by(name string, holds ...string) side { return side{name: name, holds: holds} }

// pairs are the choices that people ask about most. The texts are specific enough that they rarely occur in a comment about them.
var pairs = []rival{
	{"logging", golang, by("log", "log.Printf(", "log.Println("), by("log/slog", "slog.")},
	{"error wrapping", golang, by("github.com/pkg/errors", `"github.com/pkg/errors"`),
		by("fmt.Errorf", "%w\"")},
	{"queries", golang, by("database/sql", `"database/sql"`), by("GORM", `"gorm.io/gorm"`)},
	{"tests", golang, by("testify", `"github.com/stretchr/testify`), by("plain testing", "t.Errorf(")},
	{"tests", python, by("unittest", "import unittest"), by("pytest", "import pytest")},
	{"HTTP calls", python, by("requests", "import requests"), by("httpx", "import httpx")},
	{"paths", python, by("os.path", "os.path."), by("pathlib", "from pathlib", "import pathlib")},
	{"arguments", python, by("argparse", "import argparse"), by("click", "import click")},
	{"modules", []string{".js", ".mjs"}, by("require", "= require("), by("import", "\nimport ")},
	{"HTTP calls", scripts, by("axios", "axios."), by("fetch", "await fetch(", " fetch(")},
	{"dates", scripts, by("moment", "'moment'", `"moment"`), by("dayjs", "'dayjs'", `"dayjs"`)},
	{"asynchronous code", scripts, by("then", ".then("), by("await", "await ")},
	{"errors", rust, by("anyhow", "anyhow::"), by("thiserror", "thiserror::")},
	{"asynchronous code", rust, by("tokio", "tokio::"), by("async-std", "async_std::")},
	{"tests", []string{".java", ".kt"}, by("JUnit 4", "import org.junit.Test"), by("JUnit 5", "org.junit.jupiter")},
}

// golang, python, rust and scripts are the extensions of languages.
var golang, python, rust = []string{".go"}, []string{".py"}, []string{".rs"}

var scripts = []string{".js", ".jsx", ".ts", ".tsx", ".mjs", ".vue", ".svelte"}

// tools are pairs of files of which a repository needs one.
var tools = []rival{
	{"packages", []string{"package-lock.json", "yarn.lock"}, by("npm"), by("yarn")},
	{"packages", []string{"package-lock.json", "pnpm-lock.yaml"}, by("npm"), by("pnpm")},
	{"tasks", []string{"Makefile", "Taskfile.yml"}, by("make"), by("task")},
	{"dependencies", []string{"requirements.txt", "poetry.lock"}, by("pip"), by("poetry")},
}

// rivalsOf returns all pairs, those of tools with their files counted. The table itself is never changed: its rows are copied.
func rivalsOf(names []string) []rival {
	out := slices.Clone(pairs)
	for _, r := range tools {
		for _, name := range names {
			switch path.Base(name) {
			case r.exts[0]:
				r.first.files++
			case r.exts[1]:
				r.second.files++
			}
		}
		out = append(out, r)
	}
	return out
}

// count counts a file. A file that uses both ways counts for both sides.
func (r *rival) count(ext, text string) {
	if !slices.Contains(r.exts, ext) {
		return
	}
	for _, s := range []*side{&r.first, &r.second} {
		if slices.ContainsFunc(s.holds, func(h string) bool { return strings.Contains(text, h) }) {
			s.files++
		}
	}
}

// both is the strength of a pair: how many files use the rarer way.
func (r *rival) both() int { return min(r.first.files, r.second.files) }

// question asks which of the two to use, without a preference.
func (r *rival) question() string {
	return fmt.Sprintf("Should %s use %s or %s?", r.what, r.first.name, r.second.name)
}

// why says how many files use which way.
func (r *rival) why() string {
	return fmt.Sprintf("%s in %s, %s in %d", r.first.name, files(r.first.files), r.second.name, r.second.files)
}

// files is a number of files in words.
func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
