// Package litter names the folders that programs fill by themselves while they run, and fill again: what lies in them and is not
// tracked is nobody's work. A turn that only ran the tests must not count as one that changed files, nor a step commit what its check
// left behind.
package litter

// Folders are their names.
var Folders = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
