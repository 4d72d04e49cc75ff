package permission_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
)

// What a program makes of a text is not what a quick look at it makes of it: where two readings differ, it is not taken
// for one that only reads.
func TestCodeInWhatSeemsToRead(t *testing.T) {
	judged(t, permission.Plan, `
		awk 'BEGIN { if (0) exit /"/; system("x") ; if (0) exit /"/ }' :: deny :: this awk program
		awk '{ if (1) /"/; system("x") ; if (1) /"/ }' a.txt :: deny :: this awk program
		awk '{ while (0) /"/; print > "x" ; if (1) /"/ }' a.txt :: deny :: this awk program
		awk '{ y=x++ / system("x") / 1 }' a.txt :: deny :: this awk program
		awk '{ a[1]-- / system("x") / 2 }' a.txt :: deny :: this awk program
		awk '{ print (a+b)/2, c/3, $1/$2 }' a.txt :: allow :: it only reads
		awk '{ s += $1 } END { print s/NR, (s)/2 }' a.txt :: allow :: it only reads
		awk '/x/ && !/y/ { print $1 } $2 ~ /z/ { n++ } END { print n }' a.txt :: allow :: it only reads
		awk '{ if ($1 ~ /a"b/) print; else next }' a.txt :: allow :: it only reads
		echo 'x]' | sed 's/[]/]/;s/e;/x/p' :: deny :: this sed script
		echo 'x]' | sed 's/[^]/]/;s/w F;/x/p' :: deny :: this sed script
		sed 's/[[:alpha:]/]/;s/e;/x/p' a.txt :: deny :: this sed script
		sed 's/[\]/]/;s/e;/x/p' a.txt :: deny :: this sed script
		sed ':a e touch x' a.txt :: deny :: this sed script
		sed -n 's/[]x]/y/p;s/[^]]/z/;s/[[:space:]]*$//;s/[^\/]*$//;/[0-9]/p' a.txt :: allow :: it only reads
		sed 's/x/[/; s/y/]/' a.txt :: allow :: it only reads
		bash -c 'jobs -x touch x' :: deny :: it is not known what -x
		bash -c 'jobs -l; wait -n' :: allow :: it only reads
		bash -c "wait -n -p 'a[\$(touch x)]'" :: deny :: it is not known what -p
		bash -c "test -v 'a[\$(touch x)]'" :: deny :: the inner script computes
		bash -c "[ -v 'a[\$(touch x)]' ]" :: deny :: the inner script computes
		bash -c 'test -v "$1"' x y :: deny :: the inner script computes
		bash -c "let 'a[\$(touch x)]=1'" :: deny :: the inner script computes
		bash -c 'read x < a.txt; let "$x"' :: deny :: the inner script computes
		bash -c 'test -f a.txt && [ 1 = 3 ]' :: allow :: it
		bash -c 'printf -vPATH %s ./bin; ls' :: deny :: setting PATH
		bash -c 'printf -v x %s y; ls' :: allow :: it
		bash -c 'read -aPATH < a.txt; ls' :: deny :: setting PATH
		bash -c 'read -ra words < a.txt; ls' :: allow :: it
		yarn --version :: deny :: yarn
		pnpm ls :: deny :: pnpm
		cargo ls :: deny :: cargo
		npm ls :: allow :: it
		git log --format=%+G? :: deny :: it
		git log '--format=%h %s' :: allow :: git log only
		git for-each-ref --format '%(*signature)' :: deny :: it
		jq -n '$ ENV' :: deny :: it shows the environment
		size --plugin=./x a.txt :: deny :: it
	`)
}
