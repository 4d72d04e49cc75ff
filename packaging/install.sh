#!/bin/sh
# Installs Socrates for you alone: no root, nothing outside ~/.local/bin (or $SOCRATES_INSTALL).
#
#   curl -fsSL https://github.com/socrates-cli/socrates/releases/latest/download/install.sh | sh
#   sh install.sh 0.1.0           # this version
#   sh install.sh --uninstall
#
# The program, and socrates-hub for its commands hub and worker, are put in place only if the SHA-256 of their archive is the one the
# release lists, and if both start. Later: socrates update.
set -eu

address="${SOCRATES_UPDATE_URL:-https://github.com/socrates-cli/socrates/releases}"
address="${address%/}"

fail() {
  echo "install: $1" >&2
  shift
  for line in "$@"; do echo "  $line" >&2; done
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# fetch URL FILE downloads with one scheme only: a redirect to another one fails.
fetch() {
  if have curl; then
    curl --fail --silent --show-error --location --proto "=$scheme" --retry 2 --output "$2" "$1"
  else
    follow "$1" "$2"
  fi
}

# follow URL FILE is for wget, which would follow a redirect from https to http: --https-only is not about redirects.
follow() {
  url="$1"
  for _ in 1 2 3 4 5 6; do
    case "$url" in
      "$scheme"://*) ;;
      *)
        echo "install: refused a redirect to ${url:-nowhere}: only $scheme is allowed" >&2
        return 1
        ;;
    esac
    if wget -q --server-response --max-redirect=0 -O "$2" "$url" 2>"$2.answer"; then return 0; fi
    grep -q '^ *HTTP/[0-9.]* 30[12378]' "$2.answer" || return 1
    url="$(grep -i '^ *location: ' "$2.answer" || true)" url="${url##*ocation: }"
  done
  return 1
}

sum() {
  if have sha256sum; then
    sha256sum <"$1"
  else
    shasum -a 256 <"$1"
  fi | cut -d ' ' -f 1
}

check_tools() {
  have curl || have wget || fail "curl or wget is needed to download, and neither is installed"
  have curl || wget --max-redirect=0 --version >/dev/null 2>&1 ||
    fail "this wget cannot be kept from following redirects to http" "install curl, or GNU wget"
  have sha256sum || have shasum || fail "sha256sum or shasum is needed to check the download, and neither is installed"
  have tar || fail "tar is needed to unpack the download, and it is not installed"
  have gzip || fail "gzip is needed to unpack the download, and it is not installed"
  case "$address" in
    https://*) scheme=https ;;
    http://127.0.0.1:* | http://localhost:*) scheme=http ;;
    *) fail "downloads need https, and SOCRATES_UPDATE_URL is $address" ;;
  esac
}

# target sets the system and the processor as files of a release name them.
find_target() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    FreeBSD) system=freebsd ;;
    *) fail "no build for $(uname -s)" "on Windows: scoop, winget, npm or the zip of the release; elsewhere: go install github.com/socrates-cli/socrates@latest" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) processor=amd64 ;;
    aarch64 | arm64) processor=arm64 ;;
    armv7* | armv8l) processor=armv7 ;;
    *) processor="$(uname -m)" ;;
  esac
  # A shell that Rosetta translates calls the processor another.
  if test "$system" = darwin && test "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1; then processor=arm64; fi
}

# find_file reads the name and the checksum of the archive, and with that the version, from the list of a release.
find_file() {
  if test -n "$version"; then
    list="$address/download/v$version/checksums.txt"
  else
    list="$address/latest/download/checksums.txt"
  fi
  fetch "$list" "$new/checksums.txt" || fail "cannot download $list" "check the network, and the version if you gave one"
  line="$(grep "  socrates_.*_${system}_$processor\.tar\.gz\$" "$new/checksums.txt" || true)"
  test -n "$line" || fail "the release has no build for $system $processor" "with Go: go install github.com/socrates-cli/socrates@latest"
  want="${line%% *}" archive="${line##* }"
  listed="${archive#socrates_}" listed="${listed%"_${system}_$processor.tar.gz"}"
  case "$listed" in
    *[!0-9A-Za-z.-]* | '') fail "the release lists a file with an invalid name: $archive" ;;
  esac
  test "${version:-$listed}" = "$listed" || fail "the release of version $version lists version $listed" "nothing was installed"
  version="$listed"
}

get() {
  echo "Downloading socrates $version for $system $processor"
  fetch "$address/download/v$version/$archive" "$new/$archive" || fail "the download of $archive broke off" "nothing was installed; try again"
  got="$(sum "$new/$archive")"
  test "$got" = "$want" || fail "$archive is not the file that was released: its SHA-256 is" "$got" "and should be" "$want" \
    "nothing was installed; try again, and report it if it happens twice"
  tar -xzf "$new/$archive" -C "$new" socrates socrates-hub || fail "cannot unpack $archive" "nothing was installed"
  for program in socrates socrates-hub; do
    chmod 755 "$new/$program"
    "$new/$program" version >/dev/null || fail "$program $version does not start on this machine" "nothing was installed"
  done
}

# keep PROGRAM NAME keeps the program of before under a name.
keep() {
  rm -f "$dir/$2"
  test ! -e "$dir/$1" || ln "$dir/$1" "$dir/$2" 2>/dev/null || cp -p "$dir/$1" "$dir/$2"
}

put() {
  keep socrates-hub .socrates-previous-hub
  keep socrates .socrates-previous
  mv -f "$new/socrates-hub" "$dir/socrates-hub"
  mv -f "$new/socrates" "$dir/socrates"
  echo script >"$dir/.socrates-installed"
  echo "Installed $dir/socrates"
  case ":$PATH:" in
    *":$dir:"*)
      first="$(command -v socrates || true)"
      test "$first" = "$dir/socrates" || echo "Your PATH finds another one first: $first"
      ;;
    *)
      echo "It is not on your PATH yet. Add this line to your shell's startup file (~/.bashrc, ~/.zshrc, ~/.profile):"
      echo "  export PATH=\"$dir:\$PATH\""
      ;;
  esac
  echo "Start:     socrates"
  echo "Update:    socrates update"
  echo "Uninstall: rm $dir/socrates $dir/socrates-hub $dir/.socrates-*"
}

uninstall() {
  test -e "$dir/.socrates-installed" || fail "this script did not install a program in $dir" "set SOCRATES_INSTALL if it is elsewhere"
  rm -f "$dir/socrates" "$dir/socrates-hub" "$dir/.socrates-installed" "$dir/.socrates-previous" "$dir/.socrates-previous-hub"
  echo "Removed $dir/socrates. Your conversations and settings are kept; docs/install.md says where they are."
}

main() {
  version="${1:-}" version="${version#v}"
  dir="${SOCRATES_INSTALL:-${HOME:?set HOME or SOCRATES_INSTALL}/.local/bin}"
  case "$dir" in
    /*) ;;
    *) fail "SOCRATES_INSTALL must be an absolute path, and is $dir" ;;
  esac
  case "$version" in
    -uninstall | --uninstall)
      uninstall
      return
      ;;
    -*) fail "usage: install.sh [VERSION | --uninstall]" ;;
  esac
  check_tools
  find_target
  for program in socrates socrates-hub; do
    if test -e "$dir/$program" && ! test -e "$dir/.socrates-installed"; then
      fail "$dir/$program was not installed by this script, and is left alone" "remove it, or set SOCRATES_INSTALL to another folder"
    fi
  done
  mkdir -p "$dir"
  new="$(mktemp -d "$dir/.socrates-new-XXXXXX")" || fail "cannot write to $dir" "set SOCRATES_INSTALL to a folder of yours"
  trap 'rm -rf "$new"' EXIT
  trap 'exit 1' INT TERM HUP
  find_file
  get
  put
}

# A script that was cut off ends before this line, and does nothing.
main "$@"
