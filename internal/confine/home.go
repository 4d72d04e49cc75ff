package confine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// toolchains are the places in a home, with slashes, that programs need to run or that configure them, and that contain
// nothing private. Everything else in a home is hidden. A name belongs here only if its tool does not start without it:
// every command an agent runs can read what is listed.
var toolchains = []string{
	"go/bin", "go/pkg", "sdk", ".config/go", ".rustup", ".cargo", ".nvm", ".fnm", ".local/share/fnm", ".volta", ".bun", ".deno", ".nodenv",
	".npm-global", ".npm", ".yarn", ".config/yarn",
	".local/share/pnpm", "Library/pnpm", ".cache/node", ".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".pyenv", ".venv",
	".virtualenvs", ".local/bin", ".local/lib", ".local/share/uv",
	".local/share/pipx", ".local/pipx", ".local/share/virtualenv", ".rye", "miniconda3", "anaconda3", "miniforge3", "mambaforge", ".rbenv",
	".rvm", ".gem", ".local/share/gem",
	".asdf", ".local/share/mise", ".config/mise", ".local/share/rtx", ".tool-versions", ".python-version", ".node-version", ".ruby-version",
	".sdkman", ".jenv", ".jbang", ".m2/repository",
	".m2/wrapper", ".gradle/caches", ".gradle/wrapper", ".gradle/jdks", ".ivy2", ".sbt", ".cache/coursier", ".dotnet", ".nuget/packages",
	".opam", ".ghcup", ".cabal", ".stack", ".elan", ".juliaup", ".julia",
	".composer/vendor", ".config/composer/vendor", ".pub-cache", "flutter", ".swiftpm", ".swiftly", ".zvm", ".nix-profile",
	".local/state/nix", ".linuxbrew", ".cache/pre-commit", ".terraform-versions",
	".gitconfig", ".config/git", ".gitignore", ".gitignore_global", ".gitattributes", ".editorconfig", ".prettierrc", ".clang-format",
	".config/ripgrep", ".config/fd", ".config/nvim/spell", ".local/share/bash-completion",
	"bin", ".bin",
}

// home hides the homes and other places where people keep files outside the system's folders, except for toolchains,
// the project and what the command's own words name. A project that is the home or contains it cannot hide it: then
// only what may contain secrets is denied.
//
// Toolchain folders are readable, so known secrets in them (tokens of cargo, npm, gradle) are denied one by one.
func (k *Keeper) home(p permission.Policy, needs permission.Need, cmd *exec.Cmd, r *sandbox.Rules) {
	cover, read := k.Cover(cmd, slices.Concat(r.Read, needs.Read, r.Write))
	r.Read = slices.DeleteFunc(read, func(path string) bool { // it is readable anyway, and whoever writes there decides where a name leads
		return within(path, r.Write) && !slices.Contains(needs.Read, path)
	})
	for _, dir := range cover {
		if !slices.ContainsFunc(r.Write, func(w string) bool { return below(dir, w) }) {
			r.Cover = append(r.Cover, dir)
		}
	}
	r.Deny = append(r.Deny, k.otherSecrets(p, k.isGit(cmd, p), slices.Concat(needs.Read, k.Read), read)...)
	for _, home := range k.homes() {
		for _, name := range sensitive.HomeSecrets() {
			if path := filepath.Join(home, filepath.FromSlash(name)); exists(path) {
				r.Deny = append(r.Deny, path)
			}
		}
		for _, pattern := range []string{".cargo/credentials*", ".npm/_logs", ".gem/credentials", ".config/git/credentials",
			".gradle/caches/*/secrets"} {
			found, _ := filepath.Glob(filepath.Join(home, filepath.FromSlash(pattern)))
			r.Deny = append(r.Deny, found...)
		}
		for _, name := range toolchains {
			r.Deny = append(r.Deny, k.Secrets(filepath.Join(home, filepath.FromSlash(name))).Find(context.Background(), false)...)
		}
	}
	entries, _ := os.ReadDir(k.Home)
	for _, e := range entries { // even where it is covered: no single layer keeps them out
		if sensitive.Secret(e.Name()) && e.Name() != ".git" {
			r.Deny = append(r.Deny, filepath.Join(k.Home, e.Name()))
		}
	}
}

// Cover returns what to hide from a program in the homes of this machine and where people keep files elsewhere, and what it can read of
// them: what programs need to run, and what is shown.
func (k *Keeper) Cover(cmd *exec.Cmd, shown []string) (cover, read []string) {
	all := k.homes()
	for _, dir := range all {
		if parent := filepath.Dir(dir); parent == "/home" || parent == "/Users" { // the folder of all homes
			dir = parent
		}
		if exists(dir) && !slices.Contains(cover, dir) {
			cover = append(cover, dir)
		}
	}
	for _, home := range all {
		for _, name := range toolchains {
			read = append(read, filepath.Join(home, filepath.FromSlash(name)))
		}
		if goroot := filepath.Join(home, "go"); exists(filepath.Join(goroot, "VERSION")) { // it is no GOPATH, whose src is the person's
			read = append(read, goroot)
		}
	}
	read = slices.Concat(read, k.Read, shown, k.programs(cmd, shown))
	read = slices.DeleteFunc(read, func(path string) bool { // otherwise everything would be shown
		return path == k.disk() || slices.ContainsFunc(all, func(home string) bool { return below(home, path) })
	})
	asked := slices.Concat(shown, k.Read)
	for _, dir := range k.others() {
		holds := func(path string) bool { return below(dir, path) }
		if slices.ContainsFunc(asked, func(path string) bool { return holds(path) && slices.Contains(read, path) }) {
			continue // a command or a setting names it
		}
		cover = append(cover, dir)
		for _, path := range slices.Clone(read) { // a toolchain in it
			if holds(path) {
				read = append(read, installation(path)...)
			}
		}
		read = slices.DeleteFunc(read, holds)
	}
	return cover, read
}

// homes are the person's home and, if HOME was changed, root's: programs may still be there. The list is empty if no home is known.
func (k *Keeper) homes() []string {
	if k.Home == "" {
		return nil
	}
	if k.Home != rootHome && os.Geteuid() == 0 {
		return []string{k.Home, rootHome}
	}
	return []string{k.Home}
}

// rootHome is root's home, in case HOME says otherwise.
const rootHome = "/root"

// programs are the program itself and the folders in which it looks for others, with their neighbours and the targets of links in them.
// Folders that are shown already can be written by programs, so links in them must not decide what is readable.
func (k *Keeper) programs(cmd *exec.Cmd, shown []string) []string {
	out := []string{cmd.Path}
	places := []string{filepath.Dir(cmd.Path)}
	if real, err := filepath.EvalSymlinks(cmd.Path); err == nil && !within(cmd.Path, shown) {
		out, places = append(out, real), append(places, filepath.Dir(real))
		if modules, _, ok := strings.Cut(real, "/node_modules/"); ok { // its parts are beside it
			out = append(out, modules+"/node_modules")
		}
	}
	for _, v := range os.Environ() { // not the program's environment, which a script may set
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "PATH":
			out, places = append(out, filepath.SplitList(value)...), append(places, filepath.SplitList(value)...)
		case name == "GOPATH": // src has the person's own projects
			for _, dir := range filepath.SplitList(value) {
				out = append(out, filepath.Join(dir, "bin"), filepath.Join(dir, "pkg"))
			}
		case toolchainVariable(name):
			out = append(out, filepath.SplitList(value)...)
		}
	}
	if others := k.others(); len(others) > 0 {
		places = slices.DeleteFunc(places, func(dir string) bool { return within(dir, shown) })
		for _, dir := range slices.Clone(places) {
			places = append(places, k.linked(dir)...)
		}
		for _, dir := range places {
			if within(dir, others) && !within(dir, k.homes()) {
				out = append(append(out, dir), installation(dir)...)
			}
		}
	}
	return slices.DeleteFunc(out, func(path string) bool { return !filepath.IsAbs(path) })
}

// toolchainVariable reports whether a variable of our environment names the place of a toolchain: JAVA_HOME, PYENV_ROOT
// and the like. What it names becomes readable, so the list is closed: a variable of any other name could name a
// secret.
func toolchainVariable(name string) bool {
	if slices.Contains([]string{"GOROOT", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH", "NVM_BIN", "NVM_INC", "FNM_MULTISHELL_PATH",
		"CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "FNM_DIR",
		"SDKMAN_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "UV_PYTHON_INSTALL_DIR", "HOMEBREW_PREFIX", "CONDA_PREFIX"}, name) {
		return true
	}
	for _, tool := range []string{"JAVA", "JDK", "GRAALVM", "GRADLE", "MAVEN", "M2", "KOTLIN", "SCALA", "PYENV", "RBENV", "NODENV", "VOLTA",
		"BUN", "DENO", "DOTNET", "ANDROID", "FLUTTER", "LLVM", "CUDA", "JULIA", "ELAN", "GHCUP", "PNPM"} {
		if rest, ok := strings.CutPrefix(name, tool); ok && slices.ContainsFunc([]string{"_HOME", "_ROOT", "_DIR", "_PATH", "_INSTALL",
			"_PREFIX", "_SDK_ROOT", "_NDK_HOME"}, func(end string) bool { return strings.HasSuffix(rest, end) }) {
			return true
		}
	}
	return false
}
