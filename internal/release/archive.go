package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// mostProgram is how large a program may be.
const mostProgram = 512 << 20

// Unpack finds the program in an archive. It must have been verified before. Only the one file is read, whatever
// else the archive holds.
func (t Target) Unpack(archive []byte) ([]byte, error) {
	if t.OS == "windows" {
		z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			return nil, err
		}
		f, err := z.Open(t.Program())
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, mostProgram))
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil, fmt.Errorf("it contains no %s", t.Program())
		}
		if err != nil {
			return nil, err
		}
		if h.Name == t.Program() && h.Typeflag == tar.TypeReg {
			return io.ReadAll(io.LimitReader(r, mostProgram))
		}
	}
}
