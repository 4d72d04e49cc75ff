package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

// withHub are the commands that work with a hub as well as with the person's own store. All others are about this
// machine.
const withHub = `
debate; debate list; debate show; debate resume; debate tell; debate rm; debate restore; debate export
debate share
decisions; decisions list; decisions show; decisions search; decisions check; decisions confirm; decisions overrule; decisions outcome
decisions supersede; decisions write; verify
tree; tree list; tree show; tree search; tree branches; tree leaves; tree export; tree new; tree use; tree rename; tree fork; tree switch
tree back; tree label; tree merge; tree delete; tree restore; tree add
memory list; memory search; memory show; memory add; memory forget; memory restore
work; work list; work show; work status; work trace; work report; work review; work logs; work board; work watch; work pause; work cancel
work resume; work approve; work retry; work skip; work reassign; work rm; work restore
work issue list; work issue show; work issue new; work issue edit; work issue rm; work issue restore
eval list; eval show`

// atHub marks them, by their full names without the program's.
func atHub(root *cobra.Command) {
	for name := range strings.FieldsFuncSeq(withHub, func(r rune) bool { return r == ';' || r == '\n' }) {
		c, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 || c == root {
			panic("cmd: no command " + name + " works with a hub") // TestHubCommands builds the tree and would meet this
		}
		call.WithHub(c)
	}
}
