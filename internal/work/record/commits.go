package record

import (
	"slices"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Commits returns the commits that a run's nodes name, whether a ref leads to them or not; sorted, each once. An
// empty name means that none was made.
func Commits(nodes []tree.Node) (list []string) {
	for _, b := range BeginKind.All(nodes) {
		list = append(list, b.Base.Commit, b.Base.Head)
	}
	for _, c := range ClaimKind.All(nodes) {
		list = append(list, c.Base)
	}
	for _, t := range TryKind.All(nodes) {
		list = append(list, t.Commit)
	}
	for _, m := range MergeKind.All(nodes) {
		list = append(list, m.Commit)
	}
	for _, m := range MoveKind.All(nodes) {
		list = append(list, m.From, m.Head)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
