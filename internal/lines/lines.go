// Package lines reads text line by line, however long a line is.
package lines

import (
	"bufio"
	"bytes"
	"errors"
)

// Read is the next line without blanks around it. One of more than most bytes is not kept, which long says, but read to its end,
// so that the next one begins where it should. The last line may lack its end; it comes with io.EOF.
func Read(in *bufio.Reader, most int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}
