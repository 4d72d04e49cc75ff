//go:build !linux

package cli_test

func hostile(string) {}

func haunt(string) {}
