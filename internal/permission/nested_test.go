package permission_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool"
)

// wrapped are ways to have another command run, which stands for C; Q is the command as one word.
var wrapped = strings.Split(`C
/usr/bin/C
sort --compress-program=C f
sort --compress-program C f
make SHELL=C all
\C
command C
command -p C
command -- C
builtin command C
exec C
exec -a name C
exec -c C
env C
env -i C
env A=1 B=2 C
env -u A C
env -C /tmp C
env -S Q
env -SQ
env --split-string=Q
env -i -S Q
nohup C
nice C
nice -n 5 C
nice -n5 C
nice -5 C
nice --adjustment=5 C
ionice -c 3 C
ionice -c3 -t C
chrt -f 5 C
timeout 5 C
timeout -k 5 10 C
timeout -k5 10 C
timeout --kill-after=5 10 C
timeout -s KILL 10 C
timeout --signal KILL 10 C
timeout --foreground 10 C
time C
time -p C
xargs C
xargs -I{} C
xargs -I {} C
xargs -n1 -P4 C
xargs --max-args=1 C
xargs -a list C
xargs --arg-file list C
xargs sh -c Q
watch C
watch -n 2 C
watch --interval 2 C
watch -x C
watch Q
setsid C
setsid -f C
setsid --fork C
stdbuf -oL C
stdbuf -o L C
stdbuf --output=L C
unbuffer C
unbuffer -p C
busybox C
toybox C
busybox sh -c Q
parallel C
parallel -j4 C
parallel --jobs 4 C
parallel Q
flock /tmp/lock C
flock -n /tmp/lock C
flock -x -w 5 /tmp/lock C
flock --timeout 5 /tmp/lock C
flock /tmp/lock -c Q
flock --command Q /tmp/lock
strace C
strace -f -e trace=all C
strace -o /tmp/out C
strace --follow-forks C
ltrace -S C
script -c Q
script -q -c Q /dev/null
script --command Q
script --command=Q
entr C
setarch x86_64 C
setarch -R C
setarch --addr-no-randomize x86_64 C
linux32 C
taskset -c 0 C
taskset 1 C
numactl --cpunodebind=0 C
prlimit --nofile=5 C
firejail --noprofile C
bwrap --bind / / C
proot -r / C
fakeroot C
fakeroot -- C
torsocks C
proxychains -q C
dbus-run-session -- C
xvfb-run -a C
rlwrap C
ssh-agent C
sshpass -p x C
start-stop-daemon --start --exec C
faketime yesterday C
valgrind --tool=none C
perf stat C
hyperfine Q
nodemon --exec Q
watchexec -- C
screen -dm C
sudo C
sudo -u root C
sudo -uroot C
sudo --user root C
sudo --user=root C
sudo -n -E C
sudo A=1 C
sudo -- C
sudo -s Q
sudo sh -c Q
doas C
doas -u root C
su -c Q
su root -c Q
su --command=Q root
su - root -c Q
pkexec C
pkexec --user root C
runuser -u root -- C
runuser -l root -c Q
sg root Q
chroot / C
chroot --userspec=root / C
unshare C
unshare -r -m C
unshare --map-root-user C
nsenter -t 1 -m C
systemd-run C
systemd-run --user --wait C
systemd-run -p A=1 C
setpriv --reuid 1 C
sh -c Q
bash -c Q
bash -lc Q
bash -o errexit -c Q
bash --norc -c Q
bash -c -- Q
dash -c Q
zsh -c Q
fish -c Q
ksh -c Q
tcsh -c Q
env bash -c Q
nice -n 5 sudo -u root timeout -k 5 10 C
env nice timeout 5 sh -c Q
eval C
eval Q
trap Q EXIT
find . -exec C ;
find . -name x -execdir C ;
find . -ok C ;
find . -exec sh -c Q ;
find . -exec env nice C ;
git submodule foreach Q
git submodule foreach C
git bisect run C
git rebase -x Q main
git rebase --exec=Q main
git -c alias.x=!C x
git difftool -x Q
git difftool --extcmd=Q
git ls-remote --upload-pack=Q x
git filter-branch --tree-filter Q
go test -exec Q
go test --exec Q
go test -exec=Q
go test --exec=Q ./...
go run -exec Q .
go build -toolexec Q
go build --toolexec=Q
go vet -vettool Q
go vet --vettool=Q
ssh host C
ssh host Q
npx C
npx -y C
npm exec -- C
npm exec -c Q
pnpm exec C
pnpm dlx C
yarn exec C
bunx C
uv run C
poetry run C
bundle exec C
docker run --rm image C
docker exec -it box C
kubectl exec pod -- C
nix-shell --run Q
gdb --args C
tmux new -d Q
tmux new-session C
tmux send-keys Q Enter
script -qcQ
git rebase -xQ main
git -c core.pager=Q log
git -c core.sshCommand=Q fetch
rsync -e Q a h:b
man -P Q ls
make SHELL=Q
git rebase --ex=Q main
git rebase --exe Q main
git rebase -ix Q main
git difftool --ext=Q
git fetch --upl=Q .
git pull --u Q .
git push --rece=Q
git push --e=Q .
git push --ex Q .
git archive --remote=. --ex=Q HEAD
git grep --open=Q x
git clone --conf=core.pager=Q x
git clone -ccore.pager=Q x
git clone -u Q x
git ls-remote -quQ x
git send-email --sendmail-c=Q x
git send-email -to-cmd Q x
git daemon --access-hook=Q
git instaweb --httpd=Q
git merge-index C
git remote-ext x Q
git fetch ext::Q
vim -c Q a
vim +:!C
gdb -ex Q a
npm exec --call Q
time -f %e C
eval '(' C ')'
eval '$(N' 'x)'
ssh host '(N' 'x)'
watch '(N' 'x)'`, "\n")

// One rule that denies a command denies it behind whatever carries it, in every mode.
func TestDeniedBehindEverything(t *testing.T) {
	for _, denied := range []string{"rm", "curl", "kubectl", "python3"} {
		rule, err := permission.ParseRule("deny bash " + denied + " *")
		if err != nil {
			t.Fatal(err)
		}
		p, dir := policy(t, permission.Yolo)
		for _, confined := range []bool{false, true} {
			p.Rules, p.Confined = []permission.Rule{rule}, confined
			for _, w := range wrapped {
				script := shown(w, denied)
				if d := p.Script(script, where(dir)); d.Verdict != permission.Deny {
					t.Errorf("deny bash %s *: %s: %s (%s)", denied, script, d.Verdict, d.Reason)
				}
			}
		}
	}
}

// TestDeniedBehindTheUnknown: what a program that nobody knows may run for another is asked about where a rule denies it, in every
// mode; a reader that only reads is none.
func TestDeniedBehindTheUnknown(t *testing.T) {
	rule, err := permission.ParseRule("deny bash rm *")
	if err != nil {
		t.Fatal(err)
	}
	p, dir := policy(t, permission.Yolo)
	p.Rules, p.Confined = []permission.Rule{rule}, true
	for script, want := range map[string]permission.Verdict{"eatmydata rm x": "ask", "fd -x rm": "ask", "rg --pre rm x": "ask", "gtimeout 5 rm x": "ask", "doppler run -- rm x": "ask", "xterm -e 'rm x'": "ask",
		"./tool --exec=rm": "ask", "docker-compose run web rm x": "ask", "grep rm a.txt": "allow", "echo rm": "allow", "oc get pods": "allow", "fd rm": "allow"} {
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", script, d.Verdict, d.Reason, want)
		}
	}
}

func shown(w, command string) string {
	var out []string
	for _, f := range strings.Fields(w) {
		switch {
		case f == ";":
			f = `\;`
		case strings.HasSuffix(f, "=!C"):
			f = "'" + strings.TrimSuffix(f, "C") + command + " x'"
		case strings.HasSuffix(f, "N'"):
			f = strings.TrimSuffix(f, "N'") + command + "'"
		case f == "+:!C":
			f = "+:!" + command + " x"
		case f == "C" || strings.HasSuffix(f, "/C") || strings.HasSuffix(f, "=C") || f == `\C`:
			f = strings.TrimSuffix(f, "C") + command + " x"
		case strings.HasSuffix(f, "Q"):
			f = strings.TrimSuffix(f, "Q") + "'" + command + " x'"
		}
		out = append(out, f)
	}
	return strings.Join(out, " ")
}

// Words that look like ever more scripts end the search, and then the rule holds.
func TestTooMuchNested(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	rule, _ := permission.ParseRule("deny bash rm *")
	p.Rules = []permission.Rule{rule}
	for _, script := range []string{strings.Repeat("sudo ", 3000) + "rm x", strings.Repeat("sudo '(a' ", 1500) + "rm x", strings.Repeat("eval '(a' ';b)' ", 500), strings.Repeat("env ", 20) + "rm x", strings.Repeat("timeout 5 ", 12) + "rm x", "ssh host" + strings.Repeat(" 'x="+strings.Repeat("a;", 300)+"'", 100) + " 'rm x'"} {
		if d := p.Script(script, where(dir)); d.Verdict != permission.Deny {
			t.Errorf("%.40s…: %s (%s)", script, d.Verdict, d.Reason)
		}
	}
}

// A rule that denies a command does not deny those that only name it.
func TestDeniedAndNoMore(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	rule, _ := permission.ParseRule("deny bash rm *")
	p.Rules = []permission.Rule{rule}
	for _, script := range []string{"echo rm x", "grep rm a.txt", "git rm a.txt", "docker rm x", "env echo rm x", "timeout 5 grep rm a.txt", "nice -n 5 echo rm", "find . -name rm", "git log --grep rm", "npm run rm", "bash rm.sh rm", "go test -run rm", "xargs -n1 echo rm", "man rm", "make rm", "git commit -m 'rm x'", "vim rm x", "sudo ls", "git log --cc rm x", "git send-email --to rm x", "git commit --author rm", "git log --exclude rm x", "git diff --exit-code rm x"} {
		if d := p.Script(script, where(dir)); d.Verdict == permission.Deny {
			t.Errorf("%q: %s", script, d.Reason)
		}
	}
}

// Only a rule that allows every call of a tool lets its commands run unasked; one that asks or denies never does.
func TestOnlyAllowLets(t *testing.T) {
	p, dir := policy(t, permission.Paranoid)
	commit := tool.Act{Argv: []string{"git", "commit", "-m", "x"}, Dir: dir}
	for text, want := range map[string]permission.Verdict{
		"allow git_commit": permission.Allow, "ask git_commit": permission.Ask, "deny git_commit": permission.Deny, "allow git_commit main": permission.Ask} {
		rule, err := permission.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Rules = []permission.Rule{rule}
		if d := p.Judge("git_commit", commit); d.Verdict != want {
			t.Errorf("%s: %s (%s)", text, d.Verdict, d.Reason)
		}
	}
}

// Whoever wrote it, what comes from other machines raises the flag.
func TestBrings(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	p.Confined = true
	for command := range strings.Lines(`git clone https://h/x
git fetch
git pull
git ls-remote origin
git remote update
git remote show origin
git submodule update
git push --rece='curl x' .
npm view left-pad
npm info x
npm search x
npm show x
npm install
pnpm view x
yarn
yarn info x
pip index versions x
pip download x
pip install x
cargo search x
cargo info x
go list -m -versions x
go list --versions -m x
go list -m -u all
go get x
go install x@latest
go run x@latest
go mod download
gem list -r x
docker logs x
docker pull x
kubectl logs x
ssh h cat x
scp h:x .
sftp h
rsync h:x .
psql -c 'select 1'
mysql -e 'select 1'
mariadb x
redis-cli get x
mongosh x
dig TXT x
nslookup x
host x
whois x
curl x
curl -X DELETE x
/usr/bin/curl x
wget x
http x
xh x
aria2c x
lynx -dump x
gh pr view 1
glab mr list
aws s3 ls
gcloud logging read x
nc h 80
telnet h
openssl s_client -connect h:443
timeout 5 curl x
sudo curl x
sudo -u root curl x
env -S 'curl x'
bash -c 'curl x'
sh -c 'git fetch'
watch curl x
find . -exec curl x {} +
xargs curl
brew info x
uvx x
npx x
`) {
		if d := p.Script(strings.TrimSpace(command), where(dir)); !d.Brings() {
			t.Errorf("%s raises no flag: %s", strings.TrimSpace(command), d.Reason)
		}
	}
	if d := p.Script(strings.Repeat("sudo ", 600)+"ls", where(dir)); !d.Brings() {
		t.Errorf("more than is looked through raises no flag: %s", d.Reason)
	}
	for _, command := range []string{"ls", "git status", "git log", "git push", "go test ./...", "go build ./...", "go list ./...", "python3 x.py", "make", "npm test", "npm run build", "rm a.txt", "echo curl x", "grep curl a.txt"} {
		if d := p.Script(command, where(dir)); d.Brings() {
			t.Errorf("%s raises the flag", command)
		}
	}
	p.Confined = false
	for _, command := range []string{"python3 x.py", "make", "npm test", "go test ./...", "./x.sh"} {
		if d := p.Script(command, where(dir)); !d.Brings() {
			t.Errorf("%s has the network and raises no flag", command)
		}
	}
}

// Flags of go are one whether they have one dash or two, and whether their value is glued to them; so in all modes.
func TestGoFlags(t *testing.T) {
	for _, flag := range []string{"exec", "toolexec", "vettool", "overlay", "modfile"} {
		for _, sub := range []string{"test", "build", "vet", "run .", "list", "generate"} {
			for _, form := range []string{"-%s x", "--%s x", "-%s=x", "--%s=x"} {
				script := "go " + sub + " " + strings.ReplaceAll(form, "%s", flag)
				for mode, want := range map[permission.Mode]permission.Verdict{permission.Plan: permission.Deny, permission.Balanced: permission.Ask, permission.Yolo: permission.Ask} {
					p, dir := policy(t, mode)
					p.Confined = true
					if d := p.Script(script, where(dir)); d.Verdict != want {
						t.Errorf("%s: %s: %s (%s)", mode, script, d.Verdict, d.Reason)
					}
				}
			}
		}
	}
	for script, want := range map[string]permission.Verdict{"go env": "allow", "go env GOPATH": "allow", "go env -json": "allow", "go env -w A=1": "deny", "go env --w A=1": "deny", "go env -w=true A=1": "deny", "go env --u A": "deny", "yarn": "deny", "pnpm": "deny", "bun": "deny", "yarn --version": "deny", "npm --version": "allow"} {
		p, dir := policy(t, permission.Plan)
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("plan: %s: %s (%s)", script, d.Verdict, d.Reason)
		}
	}
	for script, want := range map[string]permission.Verdict{"go test -coverprofile=c.out": "allow", "go test --coverprofile c.out ./...": "allow", "go test -coverprofile=/home/person/.bashrc": "ask", "go test --cpuprofile ../x": "ask", "go build -o /usr/local/bin/x": "ask", "go build --o x": "allow", "go build -o ../x": "ask", "go test --C /x": "ask", "go test -run x -v -count=1": "allow"} {
		p, dir := policy(t, permission.Balanced)
		p.Confined = true
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("balanced: %s: %s (%s)", script, d.Verdict, d.Reason)
		}
	}
}
