package permission_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
)

// What a program makes of a text is not what a quick look at it makes of it: where two readings differ, it is not taken
// for one that only reads.
func TestCodeInWhatSeemsToRead(t *testing.T) {
	judged(t, permission.Plan, `
		awk 'BEGIN { if (0) exit /"/; system("x") ; if (0) exit /"/ }' :: deny :: awk program may
		awk '{ if (1) /"/; system("x") ; if (1) /"/ }' a.txt :: deny :: awk program may
		awk '{ while (0) /"/; print > "x" ; if (1) /"/ }' a.txt :: deny :: awk program may
		awk '{ y=x++ / system("x") / 1 }' a.txt :: deny :: awk program may
		awk '{ a[1]-- / system("x") / 2 }' a.txt :: deny :: awk program may
		awk '{ print (a+b)/2, c/3, $1/$2 }' a.txt :: allow :: only reads
		awk '{ s += $1 } END { print s/NR, (s)/2 }' a.txt :: allow :: only reads
		awk '/x/ && !/y/ { print $1 } $2 ~ /z/ { n++ } END { print n }' a.txt :: allow :: only reads
		awk '{ if ($1 ~ /a"b/) print; else next }' a.txt :: allow :: only reads
		echo 'x]' | sed 's/[]/]/;s/e;/x/p' :: deny :: sed script may
		echo 'x]' | sed 's/[^]/]/;s/w F;/x/p' :: deny :: sed script may
		sed 's/[[:alpha:]/]/;s/e;/x/p' a.txt :: deny :: sed script may
		sed 's/[\]/]/;s/e;/x/p' a.txt :: deny :: sed script may
		sed ':a e touch x' a.txt :: deny :: sed script may
		sed -n 's/[]x]/y/p;s/[^]]/z/;s/[[:space:]]*$//;s/[^\/]*$//;/[0-9]/p' a.txt :: allow :: only reads
		sed 's/x/[/; s/y/]/' a.txt :: allow :: only reads
		bash -c 'jobs -x touch x' :: deny :: effect of -x
		bash -c 'jobs -l; wait -n' :: allow :: only reads
		bash -c "wait -n -p 'a[\$(touch x)]'" :: deny :: effect of -p
		bash -c "test -v 'a[\$(touch x)]'" :: deny :: inner script evaluates
		bash -c "[ -v 'a[\$(touch x)]' ]" :: deny :: inner script evaluates
		bash -c 'test -v "$1"' x y :: deny :: inner script evaluates
		bash -c "let 'a[\$(touch x)]=1'" :: deny :: inner script evaluates
		bash -c 'read x < a.txt; let "$x"' :: deny :: inner script evaluates
		bash -c 'test -f a.txt && [ 1 = 3 ]' :: allow :: only reads
		bash -c 'printf -vPATH %s ./bin; ls' :: deny :: setting PATH
		bash -c 'printf -v x %s y; ls' :: allow :: sets
		bash -c 'read -aPATH < a.txt; ls' :: deny :: setting PATH
		bash -c 'read -ra words < a.txt; ls' :: allow :: sets
		yarn --version :: deny :: yarn
		pnpm ls :: deny :: pnpm
		cargo ls :: deny :: cargo
		npm ls :: allow :: inside
		git log --format=%+G? :: deny :: git log
		git log '--format=%h %s' :: allow :: git log only
		git for-each-ref --format '%(*signature)' :: deny :: git for-each-ref
		jq -n '$ ENV' :: deny :: shows environment
		jq -n '$#x↵ENV' :: deny :: may show environment
		jq '.ENV' a.json :: allow :: only
		find -H /srv -ls :: ask :: /srv
		find -O2 -D tree /srv :: ask :: /srv
		find -L . -name x :: allow :: only
		sed 'a\↵foo\\↵1e cmd' a.txt :: deny :: sed script may
		sed 'a\↵foo\↵bar' a.txt :: allow :: only reads
		awk '{ print 1,↵"x" > "f" }' a.txt :: deny :: awk program may
		awk '{ print 1,↵↵"x" > "f" }' a.txt :: deny :: awk program may
		awk '{ print 1,↵"x"↵if ($1 > 2) n++ }' a.txt :: allow :: only reads
		nm @opts a.o :: deny :: nm takes options from
		objdump -d -- @opts :: deny :: objdump takes options from
		git log --alternate-refs :: deny :: git log with these options
		git rev-list --alternate-r :: deny :: git rev-list with these options
		git help log :: deny :: git help with these options
		git log --help :: deny :: git log with these options
		git --help log :: deny :: git help with these options
		git help -a :: allow :: git help only reads
		uniq -- a.txt -out :: deny :: plan mode
		xxd -- a.txt -out :: deny :: plan mode
		size --plugin=./x a.txt :: deny :: effect of
	`)
}
