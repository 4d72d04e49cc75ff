// Package npm makes the packages for npm from the archives of a release: one name, whose plain version leads to a version for each
// system and processor, which holds the programs.
package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/release"
)

//go:embed start.js
var start []byte

//go:embed install.js
var install []byte

// names are what npm calls our systems and processors. Others are not on npm.
var names = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32", "amd64": "x64", "arm64": "arm64", "arm": "arm"}

// manifest is a package.json.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Homepage             string            `json:"homepage"`
	Repository           map[string]string `json:"repository"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Scripts              map[string]string `json:"scripts,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Files                []string          `json:"files"`
	Engines              map[string]string `json:"engines,omitempty"`
}

func describe(version string) manifest {
	return manifest{Name: release.Package, Version: version, License: "MIT", Homepage: "https://" + release.Module,
		Description: "Coding agent that can convene a panel of models",
		Repository:  map[string]string{"type": "git", "url": "git+https://" + release.Module + ".git"}}
}

// platform is what npm calls a target: linux-x64. Empty: it is not on npm.
func platform(t release.Target) string {
	if names[t.OS] == "" || names[t.Arch] == "" {
		return ""
	}
	return names[t.OS] + "-" + names[t.Arch]
}

// Make writes the packages of a version to a folder, as npm publishes them, from the archives in dist. The last of the names it returns
// is the one people install, which must be published after the others.
func Make(dist, dir, version, license, readme string) (files []string, err error) {
	main := describe(version)
	main.Bin = map[string]string{"socrates": "bin/socrates"}
	main.Scripts = map[string]string{"postinstall": "node install.js"}
	main.Files = []string{"bin", "install.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.OptionalDependencies = map[string]string{}
	for _, t := range release.Targets {
		at := platform(t)
		archive, err := os.ReadFile(filepath.Join(dist, t.Archive(version)))
		if at == "" || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		programs, err := t.Unpack(archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Archive(version), err)
		}
		m := describe(version + "-" + at)
		m.OS, m.CPU, m.Files = []string{names[t.OS]}, []string{names[t.Arch]}, []string{"bin"}
		main.OptionalDependencies[release.Package+"-"+at] = "npm:" + release.Package + "@" + m.Version
		inside := map[string][]byte{"LICENSE": []byte(license)}
		for name, program := range programs {
			inside["bin/"+name] = program
		}
		name, err := write(dir, m, inside)
		if err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no archive of version %s in %s", version, dist)
	}
	name, err := write(dir, main, map[string][]byte{"LICENSE": []byte(license), "README.md": []byte(readme),
		"bin/socrates": start, "install.js": install})
	return append(files, name), err
}

// write makes a package as npm pack does: NAME-VERSION.tgz. The same files give the same bytes.
func write(dir string, m manifest, files map[string][]byte) (string, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return "", err
	}
	files["package.json"] = append(text, '\n')
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		mode := int64(0o644)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o755
		}
		// npm wants a time, and this is the one it gives all files itself.
		h := &tar.Header{Name: "package/" + name, Mode: mode, Size: int64(len(files[name])), ModTime: time.Unix(499162500, 0)}
		if err := w.WriteHeader(h); err != nil {
			return "", err
		}
		if _, err := w.Write(files[name]); err != nil {
			return "", err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return "", err
	}
	name := strings.NewReplacer("@", "", "/", "-").Replace(m.Name) + "-" + m.Version + ".tgz"
	return name, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644)
}
