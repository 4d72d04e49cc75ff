package code

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// sizes returns the sizes of blobs, in order.
func sizes(ctx context.Context, s git.Store, blobs []string) ([]int64, error) {
	out, err := s.Run(ctx, strings.NewReader(strings.Join(blobs, "\n")+"\n"), "cat-file", "--batch-check=%(objecttype) %(objectsize)")
	var all []int64
	for row := range strings.Lines(string(out)) {
		kind, size, _ := strings.Cut(strings.TrimSpace(row), " ")
		n, numErr := strconv.ParseInt(size, 10, 64)
		if kind != "blob" || numErr != nil {
			return nil, fmt.Errorf("git reports %q for the content of a file", strings.TrimSpace(row))
		}
		all = append(all, n)
	}
	if err == nil && len(all) != len(blobs) {
		err = fmt.Errorf("git has %d of %d file contents", len(all), len(blobs))
	}
	return all, err
}

// contents reads blobs one after the other, with one git process. each must read its input to the end.
func contents(ctx context.Context, s git.Store, blobs []string, each func(i int, body io.Reader) error) error {
	if len(blobs) == 0 {
		return nil
	}
	read := func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 64<<10)
		for i, blob := range blobs {
			head, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("reading %s: %w", blob, err)
			}
			var kind string
			var size int64
			if _, err := fmt.Sscanf(strings.TrimPrefix(head, blob+" "), "%s %d\n", &kind, &size); err != nil || kind != "blob" {
				return fmt.Errorf("git reports %q for the content of a file", strings.TrimSpace(head))
			}
			body := &io.LimitedReader{R: in, N: size}
			if err := each(i, body); err != nil {
				return err
			}
			if body.N > 0 {
				return errors.New("a file's content was not read completely")
			}
			if _, err := in.Discard(1); err != nil {
				return err
			}
		}
		return nil
	}
	return s.Stream(ctx, strings.NewReader(strings.Join(blobs, "\n")+"\n"), read, "cat-file", "--batch")
}
