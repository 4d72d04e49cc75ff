// Package release says which releases of hub and worker are compatible.
package release

import (
	"fmt"
	"slices"
)

// Speaks is the version of the protocol between hub and workers. A release that changes it raises it by one and still
// understands the one before, so that hub and workers may be upgraded one after the other while tasks run.
const Speaks = 2

// first is the version of programs that do not send theirs.
const first = 1

// Skew returns an error if a worker and a hub are more than a release apart. builds are their versions, in words for
// people.
func Skew(worker int, workerBuild string, hub int, hubBuild string) error {
	worker, hub = max(worker, first), max(hub, first)
	switch {
	case worker < hub-1:
		return fmt.Errorf("the worker (%s) is more than one release older than the hub (%s): upgrade the worker", version(workerBuild),
			version(hubBuild))
	case worker > hub+1:
		return fmt.Errorf("the worker (%s) is more than one release newer than the hub (%s): upgrade the hub", version(workerBuild),
			version(hubBuild))
	}
	return nil
}

// version returns a program's version, as it reports it.
func version(build string) string {
	if build == "" {
		return "version not named"
	}
	return build
}

// NATS is the first release of its servers without known vulnerabilities.
const NATS = "2.15.2"

// AtLeast reports whether a version is the same or newer. Both have three numbers; the rest is ignored.
func AtLeast(version, least string) bool {
	var a, b [3]int
	fmt.Sscanf(version, "%d.%d.%d", &a[0], &a[1], &a[2])
	fmt.Sscanf(least, "%d.%d.%d", &b[0], &b[1], &b[2])
	return slices.Compare(a[:], b[:]) >= 0
}
