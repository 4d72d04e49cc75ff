package confine

import (
	"context"
	"os/exec"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// Work extends the rules of a vendor's program (a whole agent, such as a seat that edits) by what it may do while it
// works in the projects of a policy: write there and in their repositories, since it runs git itself. Steering files,
// and what git obeys, stay as they are; secrets, and settings of repositories that contain a password, are hidden. It
// gets the project's caches, and no network. Nothing is compared afterwards: unlike Start, Work makes no exception for
// what git replaces.
func (k *Keeper) Work(ctx context.Context, p permission.Policy, cmd *exec.Cmd, r *sandbox.Rules) {
	k.cache(p, cmd, r) // if they cannot be made, it has none
	for _, dir := range p.Workspace {
		first := k.found(ctx, dir)
		repo := first.repo
		r.Write = append(append(r.Write, dir), repo.dirs()...)
		r.Read = append(r.Read, repo.borrowed()...)
		r.Deny = append(append(append(r.Deny, first.secrets...), first.logins...), k.Secrets(dir).Find(ctx, k.Deep)...)
		for _, path := range first.held() {
			if isRepository(path) {
				r.Protect = append(r.Protect, obeyed(path)...)
			} else {
				r.Protect = append(r.Protect, path)
			}
		}
		r.Protect = append(r.Protect, first.names.there...)
		for _, own := range repo.dirs() {
			r.Protect = append(r.Protect, repo.obeyed(own)...)
		}
		if repo.top != "" && repo.top != dir { // git reads what is above, and changes it nowhere
			r.Read = append(r.Read, repo.top)
			r.Deny = append(r.Deny, k.Secrets(repo.top).Find(ctx, k.Deep)...)
		}
	}
	r.Limits.Processes, r.Limits.File = k.Limits.Processes, k.Limits.File
}
