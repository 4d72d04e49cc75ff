package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/cmd"
	"github.com/socrates-cli/socrates/internal/release"
)

// releaseFile is what these tests look at of .goreleaser.yaml.
type releaseFile struct {
	Version  int
	Builds   []releaseBuild
	Archives []struct {
		IDs     []string `yaml:"ids"`
		Name    string   `yaml:"name_template"`
		Formats []string
		Others  []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		Files []struct {
			Src, Dst string
			Strip    bool `yaml:"strip_parent"`
		}
	}
	Checksum struct {
		Name  string    `yaml:"name_template"`
		Extra []globbed `yaml:"extra_files"`
	}
	Sboms []struct {
		ID        string
		IDs       []string `yaml:"ids"`
		Documents []string
	}
	Nfpms []struct {
		Formats  []string
		Contents []struct{ Src, Dst, Packager string }
	}
	Images []struct {
		Images     []string
		Dockerfile string
		Files      []string `yaml:"extra_files"`
	} `yaml:"dockers_v2"`
	Casks []struct {
		Binaries, Manpages []string
		Completions        map[string]string
	} `yaml:"homebrew_casks"`
	Release struct {
		Github struct{ Owner, Name string }
		Extra  []globbed `yaml:"extra_files"`
	}
}

type globbed struct{ Glob string }

type releaseBuild struct {
	ID, Main, Binary        string
	Targets, Flags, Ldflags []string
}

func readRecipe(t *testing.T) (r releaseFile) {
	t.Helper()
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReleaseNames holds .goreleaser.yaml against the table of names that the install script and `socrates update` go by.
func TestReleaseNames(t *testing.T) {
	r := readRecipe(t)
	build, archive := r.Builds[0], r.Archives[0]
	programs := []string{"socrates", release.Hub}
	if len(r.Builds) != 2 || len(r.Sboms) != 2 || !slices.Equal(release.Targets[0].Programs(), programs) {
		t.Fatalf("%d programs, and lists of %d", len(r.Builds), len(r.Sboms))
	}
	var targets []string
	for _, at := range release.Targets {
		name := at.OS + "_" + at.Arch
		if at.ARM != "" {
			name += "_" + at.ARM
		}
		targets = append(targets, name)
		format := archive.Formats[0]
		for _, o := range archive.Others {
			if o.Goos == at.OS {
				format = o.Formats[0]
			}
		}
		if got, want := filled(t, archive.Name, at)+"."+format, at.Archive("0.1.0"); got != want {
			t.Errorf("the archive of %s is named %s, everybody looks for %s", at.Name(), got, want)
		}
		for i, program := range programs {
			if got, want := filled(t, r.Sboms[i].Documents[0], at), at.SBOM(program, "0.1.0"); got != want || !slices.Equal(r.Sboms[i].IDs, []string{program}) {
				t.Errorf("the SBOM of %v for %s is named %s, not %s", r.Sboms[i].IDs, at.Name(), got, want)
			}
		}
	}
	for i, b := range r.Builds { // both are built alike, and archives and packages without ids hold both
		want := releaseBuild{programs[i], []string{".", "./" + release.Hub}[i], programs[i], build.Targets, build.Flags, build.Ldflags}
		if !reflect.DeepEqual(b, want) || archive.IDs != nil {
			t.Errorf("built is %+v, and the archives hold %v", b, archive.IDs)
		}
		if dir, err := os.Stat(b.Main); err != nil || !dir.IsDir() {
			t.Errorf("there is no %s (%v)", b.Main, err)
		}
	}
	if !slices.Equal(build.Targets, targets) {
		t.Errorf("built are %v, internal/release has %v", build.Targets, targets)
	}
	if got := r.Release.Github.Owner + "/" + r.Release.Github.Name; got != release.Repository || r.Checksum.Name != release.Checksums || r.Version != 2 ||
		r.Images[0].Images[0] != release.Image {
		t.Errorf("released to %s with %s and %s", got, r.Checksum.Name, r.Images[0].Images[0])
	}
	for _, flag := range []string{"-trimpath", "-buildvcs=false"} {
		if !slices.Contains(build.Flags, flag) {
			t.Errorf("built without %s: not the same bytes everywhere", flag)
		}
	}
}

func filled(t *testing.T, text string, at release.Target) string {
	t.Helper()
	tmpl, err := template.New("").Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := tmpl.Execute(&b, map[string]string{"Version": "0.1.0", "Os": at.OS, "Arch": at.Arch, "Arm": at.ARM}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReleaseFiles finds every file that .goreleaser.yaml names, and the variables it sets.
func TestReleaseFiles(t *testing.T) {
	r, made := readRecipe(t), map[string]bool{} // what `packaging pages` writes, and what is in the repository
	scripts, err := cmd.Completions()
	if err != nil {
		t.Fatal(err)
	}
	for name := range scripts {
		made["packaging/made/completions/"+name] = true
	}
	for name := range cmd.Manual("0.1.0", "2026-11-25") {
		made["packaging/made/man/"+name] = true
	}
	find := func(what, pattern string) (found []string) {
		for name := range made {
			if ok, _ := path.Match(pattern, name); ok {
				found = append(found, name)
			}
		}
		if own, _ := filepath.Glob(pattern); len(own) > 0 {
			found = append(found, own...)
		}
		if len(found) == 0 {
			t.Errorf("%s: there is no %s", what, pattern)
		}
		return found
	}
	inside := map[string]bool{"socrates": true, release.Hub: true} // the archive
	for _, f := range r.Archives[0].Files {
		for _, name := range find("archive", f.Src) {
			if f.Strip {
				name = path.Join(f.Dst, path.Base(name))
			}
			inside[name] = true
		}
	}
	for _, name := range []string{"LICENSE", "README.md", "man/socrates.1", "man/socrates-debate.1", "completions/socrates.bash", "completions/_socrates",
		"completions/socrates.fish", "completions/socrates.ps1"} {
		if !inside[name] {
			t.Errorf("%s is not in the archive: %v", name, slices.Sorted(maps.Keys(inside)))
		}
	}
	for _, c := range r.Nfpms[0].Contents {
		find("package", c.Src)
	}
	for _, kind := range r.Nfpms[0].Formats {
		if !slices.ContainsFunc(r.Nfpms[0].Contents, func(c struct{ Src, Dst, Packager string }) bool {
			text, _ := os.ReadFile(c.Src)
			return c.Packager == kind && c.Dst == "/usr/"+release.Channel && strings.TrimSpace(string(text)) == kind
		}) {
			t.Errorf("the package %s does not say that it is one", kind)
		}
	}
	for _, c := range r.Casks {
		if !slices.Equal(c.Binaries, release.Targets[0].Programs()) {
			t.Errorf("the cask installs %v", c.Binaries)
		}
		for _, name := range slices.Concat(c.Binaries, c.Manpages, slices.Collect(maps.Values(c.Completions))) {
			if !inside[name] {
				t.Errorf("cask: %s is not in the archive", name)
			}
		}
	}
	find("image", r.Images[0].Dockerfile)
	for file, has := range map[string]string{r.Images[0].Dockerfile: "${TARGETPLATFORM}/" + release.Hub + " ", "flake.nix": `"` + release.Hub + `"`} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), has) {
			t.Errorf("%s has no %s (%v)", file, has, err)
		}
	}
	for _, g := range slices.Concat(r.Release.Extra, r.Checksum.Extra) {
		find("release", g.Glob)
	}
	for _, name := range r.Images[0].Files {
		find("image", name)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "internal/build/build.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range r.Builds[0].Ldflags {
		if to, ok := strings.CutPrefix(flag, "-X "); ok {
			name, _, _ := strings.Cut(strings.TrimPrefix(to, release.Module+"/internal/build."), "=")
			if o := f.Scope.Lookup(name); o == nil || o.Kind != ast.Var {
				t.Errorf("%s sets a variable that does not exist", flag)
			}
		}
	}
}
