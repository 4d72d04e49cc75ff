#!/bin/sh
# Prints the section of CHANGELOG.md on a version, which are the notes of its release. Fails if there is none.
set -eu
notes="$(awk -v version="$1" '
  /^## / { on = ($2 == version) ; next }
  on
' "$(dirname "$0")/../CHANGELOG.md")"
test -n "$notes" || { echo "notes: CHANGELOG.md has no section \"## $1\"" >&2; exit 1; }
printf '%s\n' "$notes"
