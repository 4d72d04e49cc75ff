// Command packaging makes the files of a release that no compiler makes: the pages for man, the completions of shells, the list of
// modules in a program, and the packages for npm. The release workflow runs it.
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/cmd"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/packaging/npm"
)

const usage = `usage: packaging pages DIR VERSION DATE              completions and man pages
       packaging sbom PROGRAM FILE VERSION DATE       what a built program consists of (SPDX)
       packaging npm DIST DIR VERSION                 npm packages of the archives in DIST; prints them in the order to publish`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "pages":
		return pages(args[1], args[2], args[3])
	case len(args) == 5 && args[0] == "sbom":
		return sbom(args[1], args[2], args[3], args[4])
	case len(args) == 4 && args[0] == "npm":
		return packages(args[1], args[2], args[3])
	}
	return errors.New(usage)
}

// pages writes completions/ and man/ below a folder.
func pages(dir, version, date string) error {
	scripts, err := cmd.Completions()
	if err != nil {
		return err
	}
	for name, files := range map[string]map[string][]byte{"completions": scripts, "man": cmd.Manual(version, day(date))} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return err
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name, file), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// day is the day of a time such as 2026-11-25T21:00:00Z.
func day(time string) string {
	day, _, _ := strings.Cut(time, "T")
	return day
}

// sbom writes what a program was built from. Version and date are not recorded in it.
func sbom(program, file, version, date string) error {
	recorded, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	is := map[string]string{}
	for _, s := range recorded.Settings {
		is[s.Key] = s.Value
	}
	i := build.Info{Version: version, Date: date, Go: recorded.GoVersion, Target: is["GOOS"] + "/" + is["GOARCH"]}
	text, err := build.SBOM(i, recorded)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// packages writes those for npm. License and README are taken from the folder it runs in, which is that of the repository.
func packages(dist, dir, version string) error {
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}
	files, err := npm.Make(dist, dir, version, string(license), string(readme))
	for _, name := range files {
		fmt.Println(filepath.Join(dir, name))
	}
	return err
}
