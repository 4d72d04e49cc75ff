package folder

import "os"

func keepOwner(*os.Root, string, *os.File) error { return nil }

func notFolder(error) bool { return false } // a path through a file is one that does not exist here
