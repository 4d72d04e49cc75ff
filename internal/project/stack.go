package project

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// manifest is the content of a build file. Every field may be empty.
type manifest struct {
	name     string
	versions []string // of languages and runtimes, such as "go 1.26"
	needs    []string // direct dependencies with their versions
}

// manifests knows how to read the build files of the common languages. A file that is only named has no reader. Their
// order is the order of the lines.
var manifests = []struct {
	pattern string
	read    func(body []byte) manifest
}{
	{"go.mod", goMod}, {"package.json", packageJSON}, {"Cargo.toml", cargo}, {"pyproject.toml", pyproject}, {"pom.xml", pom},
	{"build.gradle", nil}, {"build.gradle.kts", nil}, {"requirements.txt", requirements}, {"setup.py", nil}, {"Gemfile", nil},
	{"composer.json", packageJSON}, {"mix.exs", nil}, {"CMakeLists.txt", nil}, {"*.csproj", nil}, {"*.sln", nil}, {"Package.swift", nil},
	{"pubspec.yaml", nil}, {"build.zig", nil}, {"deno.json", nil}, {"Dockerfile", nil}, {"docker-compose.y*ml", nil}, {"compose.y*ml", nil},
}

const (
	mostManifests = 4
	mostNeeds     = 10
)

// stack lists what the build files among names declare, one per line. Build files beyond mostManifests are named in the
// last line. A file that cannot be read or parsed is only named.
func stack(f *folder.Folder, names []string) []string {
	var lines, more []string
	for _, m := range manifests {
		for _, name := range names {
			if ok, _ := path.Match(m.pattern, path.Base(name)); !ok {
				continue
			}
			if len(lines) == mostManifests {
				more = append(more, clean.Line(name))
				continue
			}
			var said manifest
			if body, err := f.Read(name, 1<<20); err == nil && m.read != nil {
				said = m.read(body)
			}
			lines = append(lines, said.line(name))
		}
	}
	if len(more) > 0 {
		last := len(lines) - 1
		lines[last] += "; also built by " + enumerate(more, mostManifests)
	}
	return lines
}

// line describes a build file in one line, cut if it is too long.
func (m manifest) line(file string) string {
	line := "- " + clean.Line(file)
	if facts := append(nonEmpty(m.name), m.versions...); len(facts) > 0 {
		line += ": " + shorten(strings.Join(facts, ", "), 200)
	}
	var short []string
	for _, need := range m.needs {
		short = append(short, shorten(need, 80))
	}
	if len(short) > 0 {
		line += "; needs " + enumerate(short, mostNeeds)
	}
	return line
}

// nonEmpty omits empty texts.
func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// goDirective and goRequire match lines of a go.mod, in and out of a block.
var goDirective = pattern.Of(`(?m)^(module|go|toolchain)[ \t]+"?([^\s"]+)`)
var goRequire = pattern.Of(`(?m)^(?:require)?[ \t]+([^\s()]+\.[^\s()]+)[ \t]+(v\S+)[ \t]*(//.*)?$`)

// goMod omits indirect requirements: nobody chose them.
func goMod(body []byte) manifest {
	var m manifest
	for _, d := range goDirective().FindAllStringSubmatch(string(body), -1) {
		switch d[1] {
		case "module":
			m.name = "module " + d[2]
		default:
			m.versions = append(m.versions, d[1]+" "+d[2])
		}
	}
	for _, r := range goRequire().FindAllStringSubmatch(string(body), -1) {
		if !strings.Contains(r[3], "indirect") {
			m.needs = append(m.needs, r[1]+" "+r[2])
		}
	}
	return m
}

// packageJSON reads a package.json, and a composer.json, which has the same shape.
func packageJSON(body []byte) manifest {
	// Each field is decoded separately, so that one of the wrong type does not hide the others.
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return manifest{}
	}
	text := func(key string) string {
		var s string
		json.Unmarshal(fields[key], &s)
		return s
	}
	table := func(key string) []string {
		var t map[string]string
		json.Unmarshal(fields[key], &t)
		var rows []string
		for _, k := range slices.Sorted(maps.Keys(t)) {
			rows = append(rows, k+" "+t[k])
		}
		return rows
	}
	m := manifest{name: strings.TrimSpace(text("name") + " " + text("version")), versions: table("engines")}
	if manager := text("packageManager"); manager != "" {
		m.versions = append(m.versions, manager)
	}
	m.needs = slices.Concat(table("dependencies"), table("devDependencies"), table("require"))
	return m
}

var (
	tomlSection = pattern.Of(`^\[+\s*([^\]]+?)\s*\]+`)
	tomlPair    = pattern.Of(`^("?[A-Za-z0-9_.-]+"?)\s*=\s*(.*)$`)
	tomlText    = pattern.Of(`["']([^"']*)["']`)
	tomlVersion = pattern.Of(`version\s*=\s*["']([^"']*)["']`)
)

// toml calls each with the pairs of body, section by section, in order. A list over several lines is one value. It
// knows only as much of the format as build files use.
func toml(body []byte, each func(section, key, value string)) {
	var section, key, value string
	for _, line := range folder.Lines(body) {
		line = strings.TrimSpace(line)
		switch {
		case key != "": // inside a list
			if !strings.HasPrefix(line, "#") {
				value += " " + line
			}
		case tomlSection().MatchString(line):
			section = tomlSection().FindStringSubmatch(line)[1]
			continue
		default:
			pair := tomlPair().FindStringSubmatch(line)
			if pair == nil {
				continue
			}
			key, value = strings.Trim(pair[1], `"`), pair[2]
		}
		if strings.HasPrefix(value, "[") && strings.Count(value, "[") > strings.Count(value, "]") {
			continue
		}
		each(section, key, value)
		key = ""
	}
}

// quoted is the first quoted text in value.
func quoted(value string) string {
	if m := tomlText().FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return ""
}

// cargo reads a Cargo.toml. A dependency without a version, such as one of the workspace, is listed by name.
func cargo(body []byte) manifest {
	var m manifest
	toml(body, func(section, key, value string) {
		switch {
		case section == "package" && key == "name":
			m.name = quoted(value)
		case (section == "package" || section == "workspace.package") && (key == "edition" || key == "rust-version"):
			m.versions = append(m.versions, nonEmpty(strings.TrimSpace(key+" "+quoted(value)))...)
		case section == "dependencies" || section == "workspace.dependencies":
			version := quoted(value)
			if strings.HasPrefix(value, "{") {
				version = ""
				if v := tomlVersion().FindStringSubmatch(value); v != nil {
					version = v[1]
				}
			}
			m.needs = append(m.needs, strings.TrimSpace(key+" "+version))
		}
	})
	return m
}

// pyproject reads both tables that Python projects use, the standard's and Poetry's.
func pyproject(body []byte) manifest {
	var m manifest
	toml(body, func(section, key, value string) {
		switch {
		case (section == "project" || section == "tool.poetry") && key == "name":
			m.name = quoted(value)
		case section == "project" && key == "requires-python":
			m.versions = append(m.versions, "python "+quoted(value))
		case section == "project" && key == "dependencies":
			for _, need := range tomlText().FindAllStringSubmatch(value, -1) {
				m.needs = append(m.needs, need[1])
			}
		case section == "tool.poetry.dependencies" && key == "python":
			m.versions = append(m.versions, "python "+quoted(value))
		case section == "tool.poetry.dependencies":
			m.needs = append(m.needs, strings.TrimSpace(key+" "+quoted(value)))
		}
	})
	return m
}

// requirements reads a list of requirements; options and addresses in it are omitted.
func requirements(body []byte) manifest {
	var m manifest
	for _, line := range folder.Lines(body) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" && line[0] != '-' && !strings.Contains(line, "://") {
			m.needs = append(m.needs, line)
		}
	}
	return m
}

// pom reads a pom.xml. Versions that a parent sets are not resolved.
func pom(body []byte) manifest {
	var p struct {
		Group    string `xml:"groupId"`
		Artifact string `xml:"artifactId"`
		Version  string `xml:"version"`
		Java     string `xml:"properties>java.version"`
		Release  string `xml:"properties>maven.compiler.release"`
		Needs    []struct {
			Group    string `xml:"groupId"`
			Artifact string `xml:"artifactId"`
			Version  string `xml:"version"`
		} `xml:"dependencies>dependency"`
	}
	if xml.Unmarshal(body, &p) != nil {
		return manifest{}
	}
	m := manifest{name: strings.Join(nonEmpty(p.Group, p.Artifact, p.Version), ":")}
	for _, v := range nonEmpty(p.Java, p.Release) {
		m.versions = append(m.versions, "java "+v)
	}
	for _, n := range p.Needs {
		m.needs = append(m.needs, strings.Join(nonEmpty(n.Group, n.Artifact, n.Version), ":"))
	}
	return m
}
