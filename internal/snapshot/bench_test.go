package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkTake is a snapshot after one of 50,000 files was changed. The first one, of all files, is reported apart.
func BenchmarkTake(b *testing.B) {
	p := large(b)
	begin := time.Now()
	p.take(b)
	first := time.Since(begin)
	for n := 0; b.Loop(); n++ {
		write(b, p.dir, "d1/e26/f7.go", fmt.Sprint("package x // ", n))
		p.take(b)
	}
	b.ReportMetric(first.Seconds(), "first-s")
}

// BenchmarkRestore brings 1 of 50,000 files back.
func BenchmarkRestore(b *testing.B) {
	p := large(b)
	to := p.take(b).Tree
	for n := 0; b.Loop(); n++ {
		write(b, p.dir, "d1/e26/f7.go", fmt.Sprint("package x // ", n))
		p.restore(b, to, to)
	}
}

func large(b *testing.B) kept {
	dir := b.TempDir()
	for d := range 500 {
		sub := filepath.Join(dir, fmt.Sprint("d", d/25), fmt.Sprint("e", d))
		try(b, os.MkdirAll(sub, 0o755))
		for f := range 100 {
			body := fmt.Sprintf("package x // %d %d\n%s", d, f, strings.Repeat("line of text\n", f*2))
			try(b, os.WriteFile(filepath.Join(sub, fmt.Sprint("f", f, ".go")), []byte(body), 0o644))
		}
	}
	return open(b, dir)
}
