package phase

import (
	"fmt"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/work/plan"
)

// Bounds of the plans that are looked through.
const (
	mostPlan  = 256 << 10 // bytes
	mostWrong = 8         // things said about one plan
)

// Plans says what is wrong with the plans of a project's tickets, a sentence each: what cannot be read as a plan, or cannot be
// followed in its order.
// A project without tickets has nothing wrong. It reads at most mostPlan bytes of each, and no model is asked.
func Plans(dir string) (wrong []string) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	files, _ := filepath.Glob(filepath.Join(f.Dir(), "specs", "tickets", "*", "plan.md")) // the pattern is ours
	for _, file := range files {
		name, err := f.Inside(file)
		if err != nil {
			continue
		}
		raw, err := f.Read(name, mostPlan)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		_, faults := plan.Read(string(raw))
		for _, fault := range faults[:min(len(faults), mostWrong)] {
			wrong = append(wrong, clean.Line(name+": "+fault.String()))
		}
		if more := len(faults) - mostWrong; more > 0 {
			wrong = append(wrong, clean.Line(fmt.Sprintf("%s: %s more", name, count(more, "thing"))))
		}
	}
	return wrong
}
