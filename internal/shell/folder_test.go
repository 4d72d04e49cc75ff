package shell_test

import "testing"

// A change of folder is followed where it happens for certain, in this shell, to a folder that is known.
func TestFolders(t *testing.T) {
	found(t, `
		case $Q in a) ls;; $(b)) cd src; pwd;; esac; pwd
		ls
		b
		cd src
		pwd [in "/src"]
		pwd [in ""]

		cd src; ls *
		cd src
		ls c.go [in "/src"]

		cd src && ls
		cd src
		ls [in "/src"]

		cd src || ls; pwd
		cd src
		ls [in "/src"]
		pwd [in "/src"]

		cd src | ls; pwd
		cd src
		ls [piped; feed [["cd" "src"]]]
		pwd

		(cd src; ls); pwd
		cd src
		ls [in "/src"]
		pwd

		{ cd src; ls; }; pwd
		cd src
		ls [in "/src"]
		pwd [in "/src"]

		cd; pwd
		cd
		pwd [in "/home/person"]

		cd -; pwd
		cd -
		pwd [in ""]

		cd --; pwd
		cd --
		pwd [in "/home/person"]

		cd -P src; pwd
		cd -P src
		pwd [in "/src"]

		cd a b; pwd
		cd a b
		pwd [in ""]

		cd /etc/../usr; pwd
		cd /etc/../usr
		pwd [in "/usr"]

		cd $NONE; pwd
		cd $NONE [unknown: the value of $NONE, which is not set]
		pwd [in ""]

		cd $NONE; ls *
		cd $NONE [unknown: the value of $NONE, which is not set]
		ls * [unknown: the expansion of *; in ""]

		cd $NONE; cd /etc; pwd
		cd $NONE [unknown: the value of $NONE, which is not set]
		cd /etc [in ""]
		pwd [in "/etc"]

		HOME=/x; cd; pwd
		[HOME=/x]
		cd
		pwd [in ""]

		CDPATH=/x; cd src; pwd
		[CDPATH=/x]
		cd src
		pwd [in ""]

		pushd src; pwd
		pushd src
		pwd [in ""]

		eval ls; pwd
		eval ls
		pwd [in ""]

		if a; then cd src; fi; pwd
		a
		cd src
		pwd [in ""]

		if a; then cd .; fi; pwd
		a
		cd .
		pwd

		while a; do cd src; done; pwd
		a
		cd src
		pwd [in ""]

		coproc cd src; pwd
		cd src
		pwd

		function f { cd src; }; pwd
		[function f]
		cd src [in ""]
		pwd

		f() { ls; }; cd src
		[function f]
		ls [in ""]
		cd src

		echo "$(cd src; ls)"; pwd
		echo "$(cd src; ls)" [unknown: the output of $(cd src; ls)]
		cd src
		ls [in "/src"]
		pwd

		cd src; echo $PWD
		cd src
		echo $PWD [unknown: the value of $PWD; in "/src"]
	`)
}

// What a command reads and writes is found, and whether it reads what another command says, which one, or goes on behind.
func TestPipes(t *testing.T) {
	found(t, `
		while read l; do rm $l; done < a.txt
		[reads=a.txt]
		read l
		rm $l [unknown: the value of $l]

		until false; do ls; done > x
		[writes=x]
		false
		ls

		f() { ls; } > x
		[function f]
		[writes=x]
		ls

		ls > x 2>&1 < a.txt
		ls [writes=x; reads=a.txt]

		ls >> x &> y >| z <> w
		ls [writes=x; writes=y; writes=z; writes=w]

		ls >&2 2>&- >&x <&3
		ls [writes=x]

		ls > $NONE > "$V" > *.txt
		ls [writes~$NONE; writes=one two; writes=*.txt; unknown: the value of $NONE, which is not set]

		cat <<E\n$(pwd)\nE
		pwd
		cat [piped; draft "$(pwd)\n"]

		cat <<< $(pwd)
		pwd
		cat [piped]

		ls &
		ls [behind]

		(ls; pwd) &
		[behind]
		ls [behind]
		pwd [behind]

		{ ls; } > x &
		[writes=x; behind]
		ls [behind]

		ls | cat
		ls
		cat [piped; feed [["ls"]]]

		ls | cat | wc
		ls
		cat [piped; feed [["ls"]]]
		wc [piped; feed [["ls"] ["cat"]]]

		ls |& cat
		ls
		cat [piped]

		ls 2>x | cat
		ls [writes=x]
		cat [piped]

		ls 2>/dev/null | cat
		ls [writes=/dev/null]
		cat [piped; feed [["ls"]]]

		ls >/dev/null | cat
		ls [writes=/dev/null]
		cat [piped]

		find . | xargs cat < a.txt
		find .
		xargs cat [reads=a.txt; piped]

		A=b ls | cat
		ls [A=b]
		cat [piped]

		$X | cat
		$X [name: the value of $X, which is not set]
		cat [piped]

		ls $NONE | cat
		ls $NONE [unknown: the value of $NONE, which is not set]
		cat [piped]

		{ ls; } | cat
		ls
		cat [piped]

		ls | { cat; pwd; }
		ls
		cat [piped]
		pwd [piped]

		ls | (cat; pwd); pwd
		ls
		cat [piped]
		pwd [piped]
		pwd

		ls | cat $(head)
		ls
		cat $(head) [unknown: the output of $(head); piped; feed [["ls"]]]
		head

		mapfile A < a.txt; echo $A
		mapfile A [reads=a.txt]
		echo $A [unknown: the value of $A]

		> x
		[writes=x]

		A=b > x
		[A=b; writes=x]
	`)
}

// What a script sets, reads into a variable or moves away from is not known afterwards; what it only looks at is.
func TestSets(t *testing.T) {
	found(t, `
		echo ${V:-${!Q}}
		echo ${V:-${!Q}} [name: ${!Q} looks a name up in a variable; unknown: the value of ${V:-${!Q}}]

		echo ${V:-$(rm x)}
		echo ${V:-$(rm x)} [unknown: the value of ${V:-$(rm x)}]
		rm x

		D=$V ls
		ls [D=one two]

		echo ${Q:=x} $Q
		echo ${Q:=x} $Q [name: ${Q:=x} sets the variable it reads; unknown: the value of ${Q:=x}]

		echo ${V%x}; echo $V
		echo ${V%x} [unknown: the value of ${V%x}]
		echo one two

		echo ${Q=x}; echo $Q
		echo ${Q=x} [name: ${Q=x} sets the variable it reads; unknown: the value of ${Q=x}]
		echo $Q [unknown: the value of $Q]

		f() { ls; }; pushd src
		[function f]
		ls [in ""]
		pushd src

		f() { ls; }; popd
		[function f]
		ls [in ""]
		popd

		f() { ls; }; . ./x
		[function f]
		ls [in ""]
		. ./x

		f() { ls; }; source x
		[function f]
		ls [in ""]
		source x

		f() { ls; }; eval ls
		[function f]
		ls [in ""]
		eval ls

		read x; echo $PWD
		read x
		echo $PWD [unknown: the value of $PWD]

		read; echo $REPLY
		read
		echo $REPLY [unknown: the value of $REPLY]

		mapfile; echo $MAPFILE
		mapfile
		echo $MAPFILE [unknown: the value of $MAPFILE]

		readarray Q; echo $Q
		readarray Q
		echo $Q [unknown: the value of $Q]

		cd src; echo $OLDPWD
		cd src
		echo $OLDPWD [unknown: the value of $OLDPWD; in "/src"]

		(( A |= 1, B -= 1, C *= 1, D /= 1, E %= 1, F &= 1, G ^= 1, H <<= 1, I >>= 1, J += 1 ))
		[A~; B~; C~; D~; E~; F~; G~; H~; I~; J~]

		(( A-- )); (( --B )); (( ++C )); (( !D )); (( E == 1 ))
		[A~]
		[B~]
		[C~]

		popd; pwd
		popd
		pwd [in ""]

		source x; pwd
		source x
		pwd [in ""]

		cd -L src; pwd
		cd -L src
		pwd [in "/src"]

		cd -P; pwd
		cd -P
		pwd [in "/home/person"]

		f() { ls; }; cd src; f
		[function f]
		ls [in ""]
		cd src
		f [in "/src"]

		ls < $(cat a.txt)
		cat a.txt
		ls [reads~$(cat a.txt); unknown: the output of $(cat a.txt)]

		ls <&$V
		ls [reads=one two]

		cat <<E | wc\nx\nE
		cat [piped]
		wc [piped]

		ls | for i in a; do cat; done
		ls
		[i~; piped]
		cat [piped]
	`)
}
