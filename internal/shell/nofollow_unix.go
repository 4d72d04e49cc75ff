//go:build unix

package shell

import "syscall"

// noFollow refuses a link that took the place of the file that was judged; nonblocking, a pipe cannot hang the open.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
