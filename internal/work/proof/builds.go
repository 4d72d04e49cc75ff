package proof

import (
	"slices"
	"strings"
)

// goFlags are flags of go build, vet and test, and how Builds reads each: "bool" and "value" do not affect the build;
// "build bool" and "build value" do. A flag that is not listed may name a program to run.
var goFlags = map[string]string{
	"v": "bool", "x": "bool", "short": "bool", "failfast": "bool", "json": "bool", "fullpath": "bool", "cover": "bool",
	"race": "build bool", "msan": "build bool", "asan": "build bool", "trimpath": "build bool",
	"run": "value", "skip": "value", "count": "value", "timeout": "value", "parallel": "value", "cpu": "value", "shuffle": "value",
	"bench": "value", "benchtime": "value", "vet": "value", "covermode": "value", "coverpkg": "value",
	"tags": "build value", "mod": "build value", "p": "build value",
}

// Builds returns the command that builds what a check needs without running any of the project: its results in a
// cache can be trusted, whoever wrote the files. It may be the check itself; for most checks none is known.
//
// Go names cache entries by everything they were made from. Only code run by a test could write a false entry there,
// and go list -export compiles tests without linking or running them.
func Builds(check []string) []string {
	if len(check) < 2 || check[0] != "go" || !slices.Contains([]string{"build", "vet", "test"}, check[1]) {
		return nil
	}
	flags, packages, ok := goArguments(check[2:])
	switch {
	case !ok:
		return nil
	case check[1] != "test":
		return check
	}
	return slices.Concat([]string{"go", "list", "-e", "-export", "-test"}, flags, packages)
}

// goArguments returns the flags that affect the build, and the packages; not ok: a flag is unknown.
func goArguments(args []string) (flags, packages []string, ok bool) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" {
			break
		}
		if !strings.HasPrefix(arg, "-") {
			packages = append(packages, arg)
			continue
		}
		name, _, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		how, known := goFlags[name]
		if !known {
			return nil, nil, false
		}
		words := []string{arg}
		if strings.HasSuffix(how, "value") && !given && i+1 < len(args) {
			i++
			words = append(words, args[i])
		}
		if strings.HasPrefix(how, "build") {
			flags = append(flags, words...)
		}
	}
	return flags, packages, true
}
