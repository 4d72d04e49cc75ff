package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// groups are the groups of commands in the program's help, in this order. A command in no group would be listed below
// them as another one; a test refuses that.
var groups = []struct{ title, commands string }{
	{"Ask a panel, keep its decisions:", "debate decisions panel verify eval"},
	{"Work with one agent:", "chat run tree memory phases personas tool"},
	{"From a request to merged commits:", "do refine analyze plan execute work why"},
	{"On the web and in your editor:", "web serve token acp hub worker"},
	{"Permissions, trust and privacy:", "permission trust redact"},
	{"Set up and find your way:", "demo doctor login logout seats models presets config mcp hooks events update version completion help"},
}

// group assigns the commands of the program to groups.
func group(root *cobra.Command) {
	of := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for name := range strings.FieldsSeq(g.commands) {
			of[name] = g.title
		}
	}
	root.SetHelpCommandGroupID(of["help"])
	root.SetCompletionCommandGroupID(of["completion"])
	for _, c := range root.Commands() {
		c.GroupID = of[c.Name()]
	}
}
