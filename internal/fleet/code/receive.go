package code

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// order is one line of a push: move a ref from one commit to another.
type order struct{ old, new, ref string }

const mostOrders = 16 // of one push; more are not read

// errUnpack means that a push is incomplete or invalid.
var errUnpack = errors.New("the objects cannot be stored")

// receive answers a push. It parses the push itself: of everything git's own receiver can do, only one new ref is
// wanted, and a hook would be one more program.
func (h *handler) receive(v visit) {
	body := bufio.NewReaderSize(moving{r: http.MaxBytesReader(v.w, v.r.Body, h.most), conn: v.conn}, 64<<10)
	orders, err := readOrders(body)
	if err != nil {
		h.Refused(v.task, v.epoch, "a push that cannot be read")
		http.Error(v.w, "this is not a push request", http.StatusBadRequest)
		return
	}
	v.w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
	if len(orders) == 0 {
		return // git probes for access before it sends much
	}
	s, done, ok := h.store(v)
	if !ok {
		return
	}
	defer done()
	why := h.refused(v, orders)
	if why == "" {
		why, err = h.take(v, s, orders[0], body)
	}
	// A client that is still sending would not read an answer. The rest is limited.
	io.Copy(io.Discard, body)
	out := moving{w: v.w, conn: v.conn}
	unpacked := "ok"
	if errors.Is(err, errUnpack) {
		unpacked, why = errText(err), "unpacker error"
	} else if err != nil {
		why = "the hub cannot accept it"
	}
	if why != "" {
		h.Refused(v.task, v.epoch, "a push: "+cmp.Or(errText(err), why))
	}
	answer := pkt("unpack %s\n", unpacked)
	for _, o := range orders {
		if why == "" {
			answer += pkt("ok %s\n", o.ref)
		} else {
			answer += pkt("ng %s %s\n", o.ref, why)
		}
	}
	io.WriteString(out, answer+flush)
}

// errText returns an error in one line; nil: empty.
func errText(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

// readOrders parses what a push wants to change.
func readOrders(body *bufio.Reader) (orders []order, err error) {
	for {
		text, end, err := readPkt(body)
		if err != nil || end {
			return orders, err
		}
		text, _, _ = strings.Cut(text, "\x00")
		words := strings.SplitN(text, " ", 3)
		if len(words) != 3 || !isHash(words[0]) || !isHash(words[1]) || len(orders) == mostOrders || strings.ContainsAny(words[2], "\r\n") {
			return nil, fmt.Errorf("a push cannot begin with %q", text)
		}
		orders = append(orders, order{words[0], words[1], words[2]})
	}
}

// staleWhy is the refusal of a push whose epoch is not current.
const staleWhy = "stale epoch"

// refused returns why a push is refused, before its objects are read.
func (h *handler) refused(v visit, orders []order) string {
	o := orders[0]
	switch number, ours := strings.CutPrefix(o.ref, taskRef+v.task+"/"); {
	case len(orders) > 1:
		return "one ref at a time"
	case o.new == noCommit:
		return "refs cannot be deleted"
	case !ours || !isEpoch(number):
		return "only " + taskRef + v.task + "/EPOCH can be pushed to"
	case o.ref != epochRef(v.task, v.epoch):
		return staleWhy
	case o.old != noCommit:
		return "a pushed ref cannot be changed"
	}
	return ""
}

// isEpoch reports whether a word is a number in our form.
func isEpoch(word string) bool {
	n, err := strconv.Atoi(word)
	return err == nil && n > 0 && strconv.Itoa(n) == word
}

// take checks the objects of a push in a separate folder, asks the gate again, and only then adds them and creates
// the ref.
func (h *handler) take(v visit, s git.Store, o order, body io.Reader) (why string, err error) {
	ctx, at := v.r.Context(), place(h.dir, v.task)
	quarantine, err := os.MkdirTemp(at, "incoming-*")
	if err != nil {
		return "", err
	}
	defer scratch.RemoveAll(quarantine)
	in, err := storeAt(ctx, h.dir, quarantine)
	if err != nil {
		return "", err
	}
	if err := write(filepath.Join(quarantine, "objects", "info", "alternates"), filepath.Join(at, "objects")+"\n"); err != nil {
		return "", err
	}
	if raw, err := os.ReadFile(filepath.Join(at, "shallow")); err == nil {
		if err := write(filepath.Join(quarantine, "shallow"), string(raw)); err != nil {
			return "", err
		}
	}
	base, err := line(s.Run(ctx, nil, "rev-parse", "--verify", baseRef))
	if err != nil {
		return "", err
	}
	if err := sound(ctx, frugal(in), o.new, base, body, h.most); err != nil {
		return "", err
	}
	if epoch, ok := h.Gate(v.pass, v.task); !ok || epoch != v.epoch {
		return staleWhy, nil
	}
	if err := moveIn(filepath.Join(quarantine, "objects", "pack"), filepath.Join(at, "objects", "pack")); err != nil {
		return "", err
	}
	// A killed hub left a lock that nobody holds: only this process makes these refs.
	h.making.Lock()
	defer h.making.Unlock()
	if err := os.Remove(filepath.Join(at, filepath.FromSlash(o.ref)+".lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := s.Run(ctx, strings.NewReader(fmt.Sprintf("create %s %s\n", o.ref, o.new)), "update-ref", "--stdin"); err != nil {
		if is, _ := line(s.Run(ctx, nil, "rev-parse", "--verify", "--quiet", o.ref)); is != o.new { // the same push again changes nothing
			return "a pushed ref cannot be changed", nil
		}
	}
	return "", nil
}

// sound unpacks the objects of a push and returns what is wrong with them: git checks each, everything the commit
// reaches must be there, and its parent must be the offered commit.
func sound(ctx context.Context, in git.Store, commit, base string, body io.Reader, most int64) error {
	_, err := in.Run(ctx, body, "index-pack", "--stdin", "--fix-thin", "--strict", "--max-input-size="+strconv.FormatInt(most, 10))
	if err == nil {
		_, err = in.Run(ctx, strings.NewReader(commit+"\n^"+base+"\n"), "rev-list", "--objects", "--quiet", "--stdin")
	}
	if err == nil {
		_, err = in.Run(ctx, nil, "merge-base", "--is-ancestor", base, commit)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUnpack, err)
	}
	return nil
}

// moveIn moves packs to another store; the index of a pack goes last, since it makes the pack valid.
func moveIn(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	slices.SortStableFunc(files, func(a, b os.DirEntry) int { return last(a) - last(b) })
	for _, f := range files {
		err = errors.Join(err, os.Rename(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())))
	}
	return err
}

// last returns 1 for what goes last.
func last(f os.DirEntry) int {
	if strings.HasSuffix(f.Name(), ".idx") {
		return 1
	}
	return 0
}
