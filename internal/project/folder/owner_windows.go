package folder

import "os"

// keepOwner does nothing: a file has the owner of whoever writes it, and its folder's rights.
func keepOwner(*os.Root, string, *os.File) error { return nil }

func notFolder(error) bool { return false } // a path through a file is one that does not exist here
