package permission_test

import (
	"fmt"
	"log"
	"os"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
)

// A script is judged command by command, on its real words; the strictest of them decides. Nothing is run.
func ExamplePolicy_Script() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	policy, err := permission.NewPolicy(permission.Balanced, dir)
	if err != nil {
		log.Fatal(err)
	}

	decision := policy.Script("git log -3 && git push --force", shell.Context{Dir: dir})
	fmt.Println(decision.Verdict)
	for _, part := range decision.Parts {
		fmt.Printf("- %s: %s, %s\n", part.Verdict, part.Text, part.Reason)
	}
	// Output:
	// ask
	// - allow: git log -3, git log only reads
	// - ask: git push --force, contacts a remote repository; git push --force overwrites the remote branch and loses commits that exist only there
}

// A rule that denies wins over one that allows, and over the mode. A rule never allows what cannot be undone.
func ExampleParseRule() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	policy, err := permission.NewPolicy(permission.Yolo, dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range []string{"allow bash git *", "deny bash git push*"} {
		rule, err := permission.ParseRule(line)
		if err != nil {
			log.Fatal(err)
		}
		policy.Rules = append(policy.Rules, rule)
	}

	for _, script := range []string{"git fetch", "env git push origin main", "git reset --hard"} {
		decision := policy.Script(script, shell.Context{Dir: dir})
		fmt.Printf("%s: %s (rule %q)\n", script, decision.Verdict, decision.Rule)
	}
	// Output:
	// git fetch: allow (rule "allow bash git *")
	// env git push origin main: deny (rule "deny bash git push*")
	// git reset --hard: ask (rule "")
}
