package permission

import (
	"os"
	"strings"
)

// writer is a program that changes the files it is given, and nothing else.
type writer struct {
	short string // options that do not change that
	long  []string
	from  bool   // all but the last argument are only read
	moves bool   // what it is given is gone from there
	text  int    // how many arguments come first that are no files
	value string // letters of options whose value is the next argument
	into  string // a short option whose value is the folder that is written to
}

var writers = map[string]*writer{
	"touch": {short: "acm", value: "dtr"}, "mkdir": {short: "pv", value: "m", long: []string{"parents", "verbose"}}, "rmdir": {short: "pv"},
	"tee": {short: "ai", long: []string{"append"}}, "cp": {short: "aprRvnuLPdfi", long: []string{"archive", "recursive", "verbose", "no-clobber", "update*", "preserve*"}, from: true, into: "t"},
	"mv": {short: "vnui", long: []string{"verbose", "no-clobber"}, moves: true, into: "t"}, "ln": {short: "svfn", long: []string{"symbolic", "verbose"}, moves: true},
	"chmod": {short: "v", long: []string{"verbose"}, text: 1}, "install": {short: "dDvm", from: true, value: "m", into: "t"},
}

// writes lists the files that a writer reads, changes or takes away.
func (v viewer) writes(w *writer, argv []string) []risk {
	var files []string
	var out []risk
	into, only, deep := "", false, false
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
				return []risk{{unclear, "", "it gives a program the rights of its owner"}}
			}
		case !(&reader{short: w.short, long: w.long}).takes(a):
			out = append(out, risk{runs, "", "it is not known what " + a + " makes of " + argv[0]})
			if _, value, ok := strings.Cut(a, "="); ok {
				files = append(files, value)
			}
		default:
			deep = deep || argv[0] == "cp" && strings.ContainsAny(a, "arR")
		}
	}
	if argv[0] == "chmod" && len(files) > 0 && setsOwner(files[0]) {
		return []risk{{unclear, "", "it gives a program the rights of its owner"}}
	}
	files = files[min(w.text, len(files)):]
	if strange := len(out) > 0; strange {
		w = &writer{} // then each may be what is written
	}
	for i, f := range files {
		k := writes
		last := i == len(files)-1 && into == "" && len(files) > 1
		switch {
		case w.from && !last && (len(files) > 1 || into != ""):
			k = reads
		case argv[0] == "ln" && !last:
			k = reads // what it leads to can be reached through it afterwards
		case argv[0] == "rmdir":
			k = deletes
		}
		if k == reads && deep {
			out = append(out, v.recursive(f, nil)...)
			continue
		}
		out = append(out, v.touch(k, f))
		if (w.from || w.moves) && !last && !v.plain(files[len(files)-1]) { // it may land inside a folder, under its own name
			out = append(out, v.touch(writes, files[len(files)-1]+"/"+base(f)))
		}
	}
	if into != "" {
		out = append(out, v.touch(writes, into))
	}
	if len(out) == 0 {
		return []risk{{kind: safe, why: "it names no file"}}
	}
	return out
}

// plain says whether an argument names a file that is there, and no folder.
func (v viewer) plain(arg string) bool {
	path, ok := v.path(arg)
	info, err := os.Lstat(path)
	return ok && err == nil && info.Mode().IsRegular()
}

// setsOwner says whether a mode makes a program run with the rights of its owner or group.
func setsOwner(mode string) bool {
	octal := strings.TrimLeft(mode, "0")
	return strings.ContainsAny(mode, "st") || len(octal) > 3 && strings.Trim(octal, "01234567") == ""
}

func base(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// lossy commands cannot be undone, whatever their arguments.
var lossy = map[string]string{
	"dd": "it writes over disks and files", "mkfs": "it formats a disk", "shred": "it destroys what files held", "wipefs": "it erases a disk", "fdisk": "it changes partitions", "parted": "it changes partitions",
	"truncate": "it cuts files off", "chown": "it changes who owns files", "chgrp": "it changes who owns files", "chattr": "it changes what may be done with files", "setfacl": "it changes who may use files",
	"shutdown": "it turns the machine off", "reboot": "it restarts the machine", "halt": "it turns the machine off", "poweroff": "it turns the machine off", "init": "it changes how the machine runs", "systemctl": "it changes services", "service": "it changes services",
	"kill": "it ends processes", "pkill": "it ends processes", "killall": "it ends processes", "crontab": "it changes what runs later", "at": "it runs something later", "launchctl": "it changes services",
	"mount": "it changes what is where", "umount": "it changes what is where", "iptables": "it changes the firewall", "useradd": "it changes accounts", "usermod": "it changes accounts", "userdel": "it changes accounts", "passwd": "it changes accounts", "visudo": "it changes who may do what",
	"unlink": "it deletes a file", "srm": "it destroys files", "dropdb": "it deletes a database", "insmod": "it changes the kernel", "modprobe": "it changes the kernel", "sysctl": "it changes the kernel",
}

// destroys are the words by which commands that reach elsewhere destroy what is there, by command.
var destroys = map[string][]string{
	"docker": {"rm", "rmi", "prune", "kill", "down", "--volumes"}, "podman": {"rm", "rmi", "prune", "kill"}, "kubectl": {"delete", "drain", "replace", "--prune", "--force"}, "helm": {"uninstall", "delete", "rollback"},
	"terraform": {"apply", "destroy", "taint", "rm", "import", "force-unlock"}, "aws": {"rm", "rb", "delete*", "terminate*", "deregister*", "--delete"}, "gcloud": {"delete*", "remove*"}, "az": {"delete*", "purge", "remove"},
	"gh": {"delete*", "DELETE", "archive", "remove", "merge", "PUT", "PATCH"}, "glab": {"delete*", "DELETE", "merge"}, "curl": {"DELETE", "-XDELETE"}, "http": {"DELETE"}, "rsync": {"--delete*", "--remove-source-files"},
	"redis-cli": {"flush*", "del", "unlink", "shutdown"}, "psql": {"*drop *", "*delete *", "*truncate *"}, "mysql": {"*drop *", "*delete *", "*truncate *"}, "sqlite3": {"*drop *", "*delete *"},
	"apt": {"remove", "purge", "autoremove"}, "apt-get": {"remove", "purge", "autoremove"}, "brew": {"uninstall"}, "gem": {"push", "yank"}, "snap": {"remove"}, "openssl": {"-delete"},
}

// destroying names the word by which a command destroys something elsewhere; empty: there is none.
func destroying(argv []string) string {
	for _, a := range argv[1:] {
		low := strings.ToLower(a)
		for _, word := range destroys[argv[0]] {
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

// senders reach other machines, or carry what they are told to them.
var senders = map[string]string{
	"curl": "it talks to another machine", "wget": "it talks to another machine", "ssh": "it works on another machine", "scp": "it copies to or from another machine", "sftp": "it copies to or from another machine", "rsync": "it copies, perhaps to another machine",
	"nc": "it opens connections", "ncat": "it opens connections", "netcat": "it opens connections", "socat": "it opens connections", "telnet": "it opens connections", "ftp": "it talks to another machine", "openssl": "it can open connections",
	"ping": "it sends packets to another machine", "ping6": "it sends packets to another machine", "traceroute": "it sends packets to other machines", "dig": "it asks name servers", "nslookup": "it asks name servers", "host": "it asks name servers", "whois": "it asks a server", "getent": "it may ask name servers",
	"gh": "it talks to a hosting service", "glab": "it talks to a hosting service", "aws": "it talks to a cloud", "gcloud": "it talks to a cloud", "az": "it talks to a cloud", "kubectl": "it talks to a cluster", "helm": "it talks to a cluster", "terraform": "it changes what runs elsewhere",
	"docker": "it talks to a service that can do anything here", "podman": "it runs containers", "pip": "it installs packages", "pip3": "it installs packages", "pipx": "it installs packages", "uv": "it installs packages", "gem": "it installs packages", "brew": "it installs packages",
	"apt": "it installs packages", "apt-get": "it installs packages", "dnf": "it installs packages", "yum": "it installs packages", "apk": "it installs packages", "pacman": "it installs packages", "snap": "it installs packages", "npx": "it fetches and runs a package", "bunx": "it fetches and runs a package",
	"mongo": "it talks to a database", "mongosh": "it talks to a database", "mariadb": "it talks to a database", "clickhouse-client": "it talks to a database", "cqlsh": "it talks to a database", "https": "it talks to another machine", "xh": "it talks to another machine", "httpie": "it talks to another machine",
	"links": "it talks to another machine", "elinks": "it talks to another machine", "lftp": "it talks to another machine", "tftp": "it talks to another machine", "svn": "it talks to another repository", "hg": "it may talk to another repository", "rclone": "it copies to or from a cloud", "s3cmd": "it copies to or from a cloud", "mosh": "it works on another machine",
	"hub": "it talks to a hosting service", "tea": "it talks to a hosting service", "doctl": "it talks to a cloud", "heroku": "it talks to a cloud", "flyctl": "it talks to a cloud", "vercel": "it talks to a cloud", "finger": "it asks a server", "uvx": "it fetches and runs a package", "pnpx": "it fetches and runs a package", "poetry": "it may fetch packages",
	"pipenv": "it may fetch packages", "conda": "it installs packages", "composer": "it may fetch packages", "bundle": "it may fetch packages", "nix": "it may fetch packages", "rustup": "it fetches compilers",
	"mail": "it sends mail", "sendmail": "it sends mail", "xdg-open": "it opens something outside", "open": "it opens something outside", "nmap": "it probes other machines", "lynx": "it talks to another machine", "w3m": "it talks to another machine", "aria2c": "it talks to another machine", "http": "it talks to another machine", "redis-cli": "it talks to a database", "psql": "it talks to a database", "mysql": "it talks to a database",
}
