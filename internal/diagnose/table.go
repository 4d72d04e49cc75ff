package diagnose

import (
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// language is what a language server is told that a file is written in, by the end of its name.
var language = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python", ".rs": "rust", ".ts": "typescript", ".tsx": "typescriptreact", ".mts": "typescript",
	".cts": "typescript", ".js": "javascript", ".jsx": "javascriptreact", ".mjs": "javascript", ".cjs": "javascript", ".c": "c", ".h": "c",
	".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".rb": "ruby", ".php": "php", ".java": "java", ".cs": "csharp",
	".kt": "kotlin", ".lua": "lua", ".zig": "zig", ".ex": "elixir", ".exs": "elixir", ".dart": "dart", ".sh": "shellscript",
	".bash": "shellscript", ".swift": "swift", ".hs": "haskell", ".tf": "terraform", ".vue": "vue", ".svelte": "svelte",
}

// helper is a program that looks at files of some endings.
type helper struct {
	argv    []string
	endings string   // with blanks between them
	marks   []string // one of these files must be at the top of the project, with, after a colon, this text in it; empty: none need be
	diff    bool     // it ends with 0 and prints what it would change
}

const web = ".ts .tsx .mts .cts .js .jsx .mjs .cjs"

// servers are language servers over stdin, of each language the best first.
var servers = []helper{
	{argv: []string{"gopls"}, endings: ".go"},
	{argv: []string{"basedpyright-langserver", "--stdio"}, endings: ".py .pyi"},
	{argv: []string{"pyright-langserver", "--stdio"}, endings: ".py .pyi"},
	{argv: []string{"pylsp"}, endings: ".py .pyi"},
	{argv: []string{"ty", "server"}, endings: ".py .pyi"},
	{argv: []string{"typescript-language-server", "--stdio"}, endings: web},
	{argv: []string{"vtsls", "--stdio"}, endings: web},
	{argv: []string{"tsc", "--lsp", "--stdio"}, endings: web}, // of TypeScript 7
	{argv: []string{"rust-analyzer"}, endings: ".rs", marks: []string{"Cargo.toml", "rust-project.json"}},
	{argv: []string{"clangd"}, endings: ".c .h .cc .cpp .cxx .hpp .hh"},
	{argv: []string{"ruby-lsp"}, endings: ".rb", marks: []string{"Gemfile"}},
	{argv: []string{"solargraph", "stdio"}, endings: ".rb"},
	{argv: []string{"intelephense", "--stdio"}, endings: ".php"},
	{argv: []string{"phpactor", "language-server"}, endings: ".php"},
	{argv: []string{"jdtls"}, endings: ".java"},
	{argv: []string{"csharp-ls"}, endings: ".cs"},
	{argv: []string{"kotlin-lsp", "--stdio"}, endings: ".kt"},
	{argv: []string{"lua-language-server"}, endings: ".lua"},
	{argv: []string{"zls"}, endings: ".zig"},
	{argv: []string{"elixir-ls"}, endings: ".ex .exs"},
	{argv: []string{"dart", "language-server"}, endings: ".dart"},
	{argv: []string{"bash-language-server", "start"}, endings: ".sh .bash"},
	{argv: []string{"sourcekit-lsp"}, endings: ".swift", marks: []string{"Package.swift"}},
	{argv: []string{"haskell-language-server-wrapper", "--lsp"}, endings: ".hs"},
	{argv: []string{"terraform-ls", "serve"}, endings: ".tf"},
	{argv: []string{"vue-language-server", "--stdio"}, endings: ".vue"},
	{argv: []string{"svelteserver", "--stdio"}, endings: ".svelte"},
}

// formatters are asked what they would change; the file's name follows. One that projects choose must have been
// chosen: a project without a prettier file does not want to hear what prettier thinks.
var formatters = []helper{
	{argv: []string{"gofmt", "-d"}, endings: ".go", diff: true},
	{argv: []string{"rustfmt", "--check", "--edition", "2021"}, endings: ".rs", marks: []string{"Cargo.toml"}},
	{argv: []string{"ruff", "format", "--diff"}, endings: ".py .pyi",
		marks: []string{"ruff.toml", ".ruff.toml", "pyproject.toml:[tool.ruff", "uv.lock"}},
	{argv: []string{"black", "--diff", "-q"}, endings: ".py .pyi", marks: []string{"pyproject.toml:[tool.black"}, diff: true},
	{argv: []string{"biome", "format"}, endings: web + " .json .css", marks: []string{"biome.json", "biome.jsonc"}},
	{argv: []string{"prettier", "--check", "--log-level", "warn"},
		endings: web + " .json .css .scss .html .md .yaml .yml .vue .svelte",
		marks: []string{".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.toml", ".prettierrc.js",
			".prettierrc.cjs", ".prettierrc.mjs", "prettier.config.js", "prettier.config.cjs", "prettier.config.mjs",
			`package.json:"prettier":`}},
	{argv: []string{"clang-format", "--dry-run", "-Werror"}, endings: ".c .h .cc .cpp .cxx .hpp .hh", marks: []string{".clang-format"}},
	{argv: []string{"zig", "fmt", "--check"}, endings: ".zig"},
	{argv: []string{"stylua", "--check"}, endings: ".lua", marks: []string{"stylua.toml", ".stylua.toml"}},
	{argv: []string{"terraform", "fmt", "-diff", "-check"}, endings: ".tf"},
	{argv: []string{"mix", "format", "--check-formatted"}, endings: ".ex .exs", marks: []string{".formatter.exs"}},
	{argv: []string{"dart", "format", "--output=none", "--set-exit-if-changed"}, endings: ".dart"},
}

// beside are the folders of a project in which its own programs are.
var beside = []string{"node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"}

// pick are those of some helpers for a file that the project at dir wants and that are installed, with their paths, the best first.
func pick(all []helper, dir, file string) iter.Seq2[helper, string] {
	return func(yield func(helper, string) bool) {
		for _, h := range all {
			if !slices.Contains(strings.Fields(h.endings), filepath.Ext(file)) || !h.wanted(dir) {
				continue
			}
			if at := h.found(dir); filepath.IsAbs(at) {
				if strings.HasPrefix(at, dir+string(filepath.Separator)) {
					h.argv = append([]string{at}, h.argv[1:]...)
				}
				if !yield(h, at) {
					return
				}
			}
		}
	}
}

// found is the path of the helper's program: the project's own, else that of the system; empty: it is not installed.
func (h helper) found(dir string) string {
	for _, folder := range beside {
		if at := filepath.Join(dir, filepath.FromSlash(folder), h.argv[0]); executable(at) {
			return at
		}
	}
	at, err := exec.LookPath(h.argv[0])
	if err != nil {
		return ""
	}
	return at
}

// executable says whether a file is a program.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// wanted says whether the project has chosen the helper.
func (h helper) wanted(dir string) bool {
	return len(h.marks) == 0 || slices.ContainsFunc(h.marks, func(mark string) bool {
		name, text, within := strings.Cut(mark, ":")
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > mostRead {
			return false
		}
		if !within {
			return true
		}
		body, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(body), text)
	})
}
