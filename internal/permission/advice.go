package permission

import (
	"os/exec"
	"strings"
)

// advices are suggestions to the model, by a phrase in the reason. The first match applies. If a reason is reworded
// elsewhere, it has to be reworded here.
var advices = []struct{ says, instead string }{
	{"saves a note that later conversations", "show the person the note, who can save it: /remember TEXT"},
	{Plan.Denies(), "say what you would change"},
	{"the code given to", "run rm, git and other programs as separate commands of the script, so that each is judged separately; " +
		"to read a web page, use the tool fetch"},
	{"shows all environment variables", "name the variable: printenv NAME"},
	{"only known at run time", "write the values out, or move the commands out of sh -c, xargs or find -exec into the script itself"},
	{"are only known to", "write the names out, or loop over them in the script: for f in …; do …; done"},
	{"on files only find knows", "loop over the names: for f in $(find …); do …; done"},
	{"runs or redefines shell commands", "write the commands themselves"},
	{"changes how other commands behave", "set it for one command by an option of that command, or have the person set it"},
	{"changes how the shell reads", "write the script without that option"},
	{"may contain secrets", "do without this file: the person can tell you what you need from it"},
	{"steering file", "show the text to the person, who can put it there"},
	{"creates a repository", "have the person create it"},
	{"changes the repository", "use the tool git_commit to commit; leave other changes of the repository to the person"},
	{"cannot be undone", "do it in a way that can be undone, or tell the person the command"},
	{"never allowed", "leave it out"},
	{"is outside the project", "work inside the project, or in the folder that $TMPDIR names"},
	{"in a temporary folder", "use mktemp in the script that deletes it"},
	{"deletes ", "leave the files where they are, or tell the person which to delete"},
	{"is not installed in the project", "use what is installed, or tell the person what to install"},
	{downloads, "use what is installed; if a package is missing, tell the person the command that installs it"},
	{"may download", "use what is installed; if a package is missing, tell the person the command that installs it"},
	{"installs packages", "use what is installed; if a package is missing, tell the person the command that installs it"},
	{"downloads and runs", "use what is installed; if a package is missing, tell the person the command that installs it"},
	{"another machine", "commands have no network; to read a web page, use the tool fetch"},
	{"kills processes", "end only what the script itself started: kill $!"},
	{"is not analysed", "put the program into a file of the project and run that, or hand it over in a quoted here-document"},
	{"is part of the running system", "leave it out; of /proc only cpuinfo, meminfo, version, loadavg and uptime may be read"},
	{"awk", "write it in Python, or use grep, cut and sed"},
	{"what a name refers to", "use the variable by its own name"},
	{"text of a variable", "write out what it stands for"},
	{"output into", "write the program into a file of the project and run that"},
}

// Advice tells the model what to do instead of a refused call; empty: there is no advice.
func (d Decision) Advice() string {
	for _, p := range d.Parts {
		if p.Verdict != d.Verdict || p.Verdict == Allow {
			continue
		}
		if strings.HasSuffix(p.Reason, " is unknown") && len(p.Act.Argv) > 0 {
			if _, err := exec.LookPath(p.Act.Argv[0]); err != nil && !strings.ContainsAny(p.Act.Argv[0], `/\`) {
				return p.Act.Argv[0] + " is not installed; use what is installed"
			}
			return "use a program that builds, tests or checks the project, " +
				"or ask the person for a rule: allow bash " + p.Act.Argv[0] + " *"
		}
		for _, a := range advices {
			if strings.Contains(p.Reason, a.says) {
				return a.instead
			}
		}
	}
	return ""
}
