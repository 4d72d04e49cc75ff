package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/sandbox"
)

// login is what a program needs to act for the person. Zero fields: nothing of the kind.
type login struct {
	places    []string // in the home, with slashes
	variables []string // of our environment
	sockets   bool     // it uses an agent or a daemon of this machine
	writes    bool     // it refreshes what it stores there
}

var forSSH = login{places: []string{".ssh"}, variables: []string{"SSH_AUTH_SOCK"}, sockets: true}

// logins are the logins of programs by name. A program gets them once a person has approved its command, or a rule of
// theirs names it. Each list is what that tool's manual names, and nothing else nearby.
var logins = map[string]login{
	"git": {places: []string{".ssh", ".git-credentials", ".config/git/credentials", ".netrc", ".config/gh", ".config/glab-cli", ".gnupg"},
		variables: []string{"SSH_AUTH_SOCK", "GPG_AGENT_INFO", "GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "GIT_SSH_COMMAND", "GIT_ASKPASS",
			"SSH_ASKPASS"}, sockets: true},
	"ssh": forSSH, "scp": forSSH, "sftp": forSSH, "rsync": forSSH, "ssh-add": forSSH, "mosh": forSSH,
	"gpg": {places: []string{".gnupg"}, sockets: true, writes: true}, "gpg2": {places: []string{".gnupg"}, sockets: true, writes: true},
	"gh": {places: []string{".config/gh", ".ssh", ".netrc"},
		variables: []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "SSH_AUTH_SOCK"}, sockets: true, writes: true},
	"glab": {places: []string{".config/glab-cli", ".ssh"}, variables: []string{"GITLAB_TOKEN", "SSH_AUTH_SOCK"}, sockets: true,
		writes: true},
	"hub": {places: []string{".config/hub", ".ssh"}, variables: []string{"GITHUB_TOKEN", "SSH_AUTH_SOCK"}, sockets: true},
	"docker": {places: []string{".docker"}, variables: []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH",
		"DOCKER_TLS_VERIFY", "XDG_RUNTIME_DIR"}, sockets: true, writes: true},
	"podman": {places: []string{".config/containers", ".docker"}, variables: []string{"XDG_RUNTIME_DIR", "CONTAINER_HOST"}, sockets: true},
	"kubectl": {places: []string{".kube", ".aws", ".config/gcloud", ".azure"},
		variables: []string{"KUBECONFIG", "AWS_PROFILE", "AWS_REGION"}, sockets: true, writes: true},
	"helm": {places: []string{".kube", ".config/helm"}, variables: []string{"KUBECONFIG"}, writes: true},
	"aws": {places: []string{".aws"}, variables: []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, writes: true},
	"gcloud": {places: []string{".config/gcloud"}, variables: []string{"GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"}, writes: true},
	"az":     {places: []string{".azure"}, writes: true}, "doctl": {places: []string{".config/doctl"}},
	"flyctl": {places: []string{".fly"}, writes: true}, "vercel": {places: []string{".vercel"}, writes: true},
	"npm":   {places: []string{".npmrc"}, variables: []string{"NPM_TOKEN", "NODE_AUTH_TOKEN"}},
	"pnpm":  {places: []string{".npmrc"}, variables: []string{"NPM_TOKEN", "NODE_AUTH_TOKEN"}},
	"yarn":  {places: []string{".npmrc", ".yarnrc", ".yarnrc.yml"}, variables: []string{"NPM_TOKEN"}},
	"bun":   {places: []string{".npmrc"}, variables: []string{"NPM_TOKEN"}},
	"cargo": {places: []string{".cargo/credentials.toml", ".cargo/credentials"}, variables: []string{"CARGO_REGISTRY_TOKEN"}},
	"twine": {places: []string{".pypirc"}, variables: []string{"TWINE_USERNAME", "TWINE_PASSWORD"}},
	"pip":   {places: []string{".pypirc", ".netrc"}}, "uv": {places: []string{".netrc"}, variables: []string{"UV_PUBLISH_TOKEN"}},
	"gem": {places: []string{".gem/credentials"}}, "mvn": {places: []string{".m2/settings.xml", ".m2/settings-security.xml"}},
	"gradle": {places: []string{".gradle/gradle.properties"}},
	"terraform": {places: []string{".terraform.d", ".terraformrc", ".aws", ".config/gcloud", ".azure"},
		variables: []string{"AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS"}},
	"psql": {places: []string{".pgpass", ".pg_service.conf"}, variables: []string{"PGPASSWORD", "PGHOST", "PGUSER", "PGDATABASE"},
		sockets: true},
	"pg_dump": {places: []string{".pgpass"}, variables: []string{"PGPASSWORD", "PGHOST", "PGUSER", "PGDATABASE"}, sockets: true},
	"mysql":   {places: []string{".my.cnf", ".mylogin.cnf"}, sockets: true}, "redis-cli": {sockets: true},
	"curl": {places: []string{".netrc"}}, "wget": {places: []string{".netrc"}},
	"systemctl": {sockets: true, variables: []string{"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}},
}

// logins gives a program access to its own logins, agents and sockets of the person. A program in a folder that the
// agent may write gets none: anybody can name a file git.
func (k *Keeper) logins(cmd *exec.Cmd, r *sandbox.Rules) {
	mine, ok := logins[strings.TrimSuffix(filepath.Base(cmd.Path), ".exe")]
	if !ok || slices.ContainsFunc(r.Write, func(dir string) bool { return below(cmd.Path, dir) }) {
		return
	}
	for _, name := range mine.places {
		path := filepath.Join(k.Home, filepath.FromSlash(name))
		if !exists(path) {
			continue
		}
		r.Deny = slices.DeleteFunc(r.Deny, func(d string) bool { return d == path })
		if r.Read = append(r.Read, path); mine.writes {
			r.Write = append(r.Write, path)
		}
	}
	for _, name := range mine.variables {
		value, set := os.LookupEnv(name)
		if !set || slices.ContainsFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			continue
		}
		cmd.Env = append(cmd.Env, name+"="+value)
		if at := strings.TrimPrefix(value, "unix://"); filepath.IsAbs(at) && exists(at) {
			r.Read = append(r.Read, at)
		}
	}
	if r.Sockets = r.Sockets || mine.sockets; r.Sockets {
		// The sockets of agents and of the session bus are there.
		r.Cover = slices.DeleteFunc(r.Cover, func(dir string) bool { return dir == "/run/user" })
	}
}
