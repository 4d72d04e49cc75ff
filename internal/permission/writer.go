package permission

import (
	"os"
	"slices"
	"strings"
)

// writer is a program that only changes the files it is given.
type writer struct {
	short string // options that do not change that
	long  []string
	from  bool   // all arguments but the last are only read
	moves bool   // what it is given is removed from there
	text  int    // number of leading arguments that are not files
	value string // letters of options whose value is the next argument
	into  string // a short option whose value is the target folder
}

var writers = map[string]*writer{
	"touch": {short: "acm", value: "dtr"}, "mkfifo": {value: "m"},
	"mkdir": {short: "pv", value: "m", long: []string{"parents", "verbose"}}, "rmdir": {short: "pv"},
	"tee": {short: "ai", long: []string{"append"}}, "cp": {short: "aprRvnuLPdfi",
		long: []string{"archive", "recursive", "verbose", "no-clobber", "update*", "preserve*"}, from: true, into: "t"},
	"mv":    {short: "vnui", long: []string{"verbose", "no-clobber"}, moves: true, into: "t"},
	"ln":    {short: "svfn", long: []string{"symbolic", "verbose"}, moves: true},
	"chmod": {short: "v", long: []string{"verbose"}, text: 1}, "install": {short: "dDvm", from: true, value: "m", into: "t"},
}

// writes lists the files that a writer reads, changes or removes.
func (v analyzer) writes(w *writer, argv []string) []risk {
	var files []string
	var out []risk
	into, only, deep, folders := "", false, false, false
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case only || a == "-" || a == "" || a[0] != '-':
			files = append(files, a)
		case a == "--":
			only = true
		case w.into != "" && (a == "-"+w.into || a == "--target-directory") && i+1 < len(argv):
			i++
			into = argv[i]
		case len(a) == 2 && strings.Contains(w.value, a[1:]) && i+1 < len(argv):
			if i++; a == "-m" && setsOwner(argv[i]) {
				return []risk{{unclear, "", "lets a program run with its owner's rights"}}
			}
		case !(&reader{short: w.short, long: w.long}).takes(a):
			out = append(out, risk{runs, "", "effect of " + a + " on " + argv[0] + " is unknown"})
			if _, value, ok := strings.Cut(a, "="); ok {
				files = append(files, value)
			}
		default:
			deep = deep || argv[0] == "cp" && strings.ContainsAny(a, "arR")
			folders = folders || argv[0] == "install" && strings.Contains(a, "d") // it creates everything that it names
		}
	}
	if argv[0] == "chmod" && len(files) > 0 && setsOwner(files[0]) {
		return []risk{{unclear, "", "lets a program run with its owner's rights"}}
	}
	files = files[min(w.text, len(files)):]
	if strange := len(out) > 0; strange || folders {
		w = &writer{} // then it may write each of them
	}
	for i, f := range files {
		k := writes
		last := i == len(files)-1 && into == "" && len(files) > 1
		switch {
		case w.from && !last && (len(files) > 1 || into != ""):
			k = reads
		case argv[0] == "ln" && !last:
			k = reads // a link gives access to its target afterwards
		case argv[0] == "rmdir":
			k = deletes
		}
		if k == reads && deep {
			out = append(out, v.readsBelow(f, nil)...)
			continue
		}
		out = append(out, v.touch(k, f))
		if (w.from || w.moves) && !last && !v.isFile(files[len(files)-1]) { // it may end up inside a folder, under its own name
			out = append(out, v.touch(writes, files[len(files)-1]+"/"+base(f)))
		}
	}
	if into != "" {
		out = append(out, v.touch(writes, into))
	}
	if len(out) == 0 {
		return []risk{{kind: safe, why: "names no file"}}
	}
	return out
}

// dd judges dd, whose arguments name its input and output. Without an output it prints.
func dd(v analyzer, c command) []risk {
	if !v.policy.Confined {
		return []risk{{loses, "", "overwrites disks and files"}}
	}
	out := []risk{{kind: safe, why: "copies bytes"}}
	bounded := slices.ContainsFunc(c.args(), func(a string) bool { return strings.HasPrefix(a, "count=") })
	for _, a := range c.args() {
		switch name, value, _ := strings.Cut(a, "="); name {
		case "if":
			if bounded && (value == "/dev/zero" || value == "/dev/urandom") {
				continue
			}
			out = append(out, v.touch(reads, value))
		case "of":
			out = append(out, v.touch(writes, value))
		case "bs", "ibs", "obs", "count", "skip", "seek", "iseek", "oseek", "conv", "status", "iflag", "oflag":
		default:
			return []risk{{loses, "", "effect of " + a + " on dd is unknown; it may overwrite disks"}}
		}
	}
	return out
}

// truncate changes the length of files, like a redirection.
func truncate(v analyzer, c command) []risk {
	if !v.policy.Confined {
		return []risk{{loses, "", "truncates files"}}
	}
	out := []risk{{kind: safe, why: "changes the length of files"}}
	for i := 1; i < len(c.argv); i++ {
		switch a := c.argv[i]; {
		case a == "-s" || a == "-r":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			out = append(out, v.touch(writes, a))
		}
	}
	return out
}

// isFile reports whether an argument names an existing regular file.
func (s site) isFile(arg string) bool {
	path, ok := s.path(arg)
	info, err := os.Lstat(path)
	return ok && err == nil && info.Mode().IsRegular()
}

// setsOwner reports whether a mode makes a program run with the rights of its owner or group: s among letters, or a fourth octal digit.
func setsOwner(mode string) bool {
	octal := strings.TrimLeft(mode, "0")
	return strings.ContainsAny(mode, "st") || len(octal) > 3 && strings.Trim(octal, "01234567") == ""
}

// base is the last part of a path, with slashes.
func base(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// irreversible commands cannot be undone, whatever their arguments.
var irreversible = map[string]string{
	"mkfs": "formats a disk", "shred": "destroys file contents", "wipefs": "erases a disk",
	"fdisk": "changes partitions", "parted": "changes partitions",
	"chown": "changes file ownership", "chgrp": "changes file ownership",
	"chattr": "changes file attributes", "setfacl": "changes file permissions",
	"shutdown": "shuts down the machine", "reboot": "restarts the machine", "halt": "shuts down the machine",
	"poweroff": "shuts down the machine", "init": "changes the system state", "systemctl": "changes services",
	"service": "changes services",
	"kill":    "kills processes", "pkill": "kills processes", "killall": "kills processes", "crontab": "changes scheduled jobs",
	"at": "schedules a job", "launchctl": "changes services",
	"mount": "mounts or unmounts a filesystem", "umount": "mounts or unmounts a filesystem", "iptables": "changes the firewall",
	"useradd": "changes accounts", "usermod": "changes accounts", "userdel": "changes accounts", "passwd": "changes accounts",
	"visudo": "changes sudo rights",
	"unlink": "deletes a file", "srm": "destroys files", "dropdb": "deletes a database", "insmod": "changes the kernel",
	"modprobe": "changes the kernel", "sysctl": "changes the kernel",
}

// destroyingWords are the words with which commands that reach elsewhere destroy data there, by command.
var destroyingWords = map[string][]string{
	"docker": {"rm", "rmi", "prune", "kill", "down", "--volumes"}, "podman": {"rm", "rmi", "prune", "kill"},
	"kubectl": {"delete", "drain", "replace", "--prune", "--force"}, "helm": {"uninstall", "delete", "rollback"},
	"terraform": {"apply", "destroy", "taint", "rm", "import", "force-unlock"},
	"aws":       {"rm", "rb", "delete*", "terminate*", "deregister*", "--delete"}, "gcloud": {"delete*", "remove*"},
	"az": {"delete*", "purge", "remove"},
	"gh": {"delete*", "DELETE", "archive", "remove", "merge", "PUT", "PATCH"}, "glab": {"delete*", "DELETE", "merge"},
	"curl": {"DELETE", "-XDELETE"}, "http": {"DELETE"}, "rsync": {"--delete*", "--remove-source-files"},
	"redis-cli": {"flush*", "del", "unlink", "shutdown"}, "psql": {"*drop *", "*delete *", "*truncate *"},
	"mysql": {"*drop *", "*delete *", "*truncate *"}, "sqlite3": {"*drop *", "*delete *"},
	"apt": {"remove", "purge", "autoremove"}, "apt-get": {"remove", "purge", "autoremove"}, "brew": {"uninstall"}, "gem": {"push", "yank"},
	"snap": {"remove"}, "openssl": {"-delete"},
}

// destroyingWord is the word with which a command destroys something elsewhere; empty: there is none.
func destroyingWord(argv []string) string {
	for _, a := range argv[1:] {
		low := strings.ToLower(a)
		for _, word := range destroyingWords[argv[0]] {
			word = strings.ToLower(word)
			inner, part := strings.CutPrefix(word, "*")
			pre, any := strings.CutSuffix(word, "*")
			if low == word || part && strings.Contains(low, strings.TrimSuffix(inner, "*")) || any && !part && strings.HasPrefix(low, pre) {
				return a
			}
		}
	}
	return ""
}

// senders reach other machines, or send what they are given. Each reason begins with a verb whose subject is the
// program, as the person reads it.
var senders = map[string]string{
	"curl": "contacts another machine", "wget": "contacts another machine", "ssh": "runs commands on another machine",
	"scp": "copies to or from another machine", "sftp": "copies to or from another machine",
	"rsync": "may copy to or from another machine",
	"nc":    "opens network connections", "ncat": "opens network connections", "netcat": "opens network connections",
	"socat": "opens network connections", "telnet": "opens network connections", "ftp": "contacts another machine",
	"openssl": "can open network connections",
	"ping":    "sends packets to another machine", "ping6": "sends packets to another machine",
	"traceroute": "sends packets to other machines", "dig": "queries DNS", "nslookup": "queries DNS", "host": "queries DNS",
	"whois": "queries a server", "getent": "may query DNS",
	"gh": "contacts a code hosting service", "glab": "contacts a code hosting service", "aws": "contacts a cloud provider",
	"gcloud": "contacts a cloud provider", "az": "contacts a cloud provider", "kubectl": "contacts a cluster",
	"helm": "contacts a cluster", "terraform": "changes remote infrastructure",
	"docker": "contacts the container daemon, which can do anything on this machine", "podman": "runs containers",
	"pip": "installs packages", "pip3": "installs packages", "pipx": "installs packages", "uv": "installs packages",
	"gem": "installs packages", "brew": "installs packages",
	"apt": "installs packages", "apt-get": "installs packages", "dnf": "installs packages", "yum": "installs packages",
	"apk": "installs packages", "pacman": "installs packages", "snap": "installs packages", "npx": "downloads and runs a package",
	"bunx":  "downloads and runs a package",
	"mongo": "connects to a database", "mongosh": "connects to a database", "mariadb": "connects to a database",
	"clickhouse-client": "connects to a database", "cqlsh": "connects to a database", "https": "contacts another machine",
	"xh": "contacts another machine", "httpie": "contacts another machine",
	"links": "contacts another machine", "elinks": "contacts another machine", "lftp": "contacts another machine",
	"tftp": "contacts another machine", "svn": "contacts a remote repository", "hg": "may contact a remote repository",
	"rclone": "copies to or from cloud storage", "s3cmd": "copies to or from cloud storage",
	"mosh": "runs commands on another machine",
	"hub":  "contacts a code hosting service", "tea": "contacts a code hosting service", "doctl": "contacts a cloud provider",
	"heroku": "contacts a cloud provider", "flyctl": "contacts a cloud provider", "vercel": "contacts a cloud provider",
	"finger": "queries a server", "uvx": "downloads and runs a package", "pnpx": "downloads and runs a package",
	"poetry": "may download packages",
	"pipenv": "may download packages", "conda": "installs packages", "composer": "may download packages",
	"bundle": "may download packages",
	"nix":    "may download packages", "dotnet": "may download packages",
	"twine": "publishes packages", "rails": "may change data or download packages",
	"rustup": "downloads compilers",
	"mail":   "sends mail", "sendmail": "sends mail", "xdg-open": "opens a file or URL in another program",
	"open": "opens a file or URL in another program", "nmap": "probes other machines", "lynx": "contacts another machine",
	"w3m": "contacts another machine", "aria2c": "contacts another machine", "http": "contacts another machine",
	"redis-cli": "connects to a database", "psql": "connects to a database", "mysql": "connects to a database",
}
