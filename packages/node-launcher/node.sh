#!/bin/sh
# Runs the machine's Node where it is new enough, and otherwise Node 24, which npm fetches once into .cache/ beside this
# file. npm links it as node_modules/.bin/node, so every npm script and every tool in that folder runs on such a Node.
set -eu

oldest="22.18" # the first Node that runs TypeScript without a flag
# With any other Node, npm leaves out the packages of native code.
installing="20.19 or a later 20, or 22.12 or newer"
fetched="24.21.0" # what runtime/package-lock.json pins

# A launcher of another project that looks for a Node asks this one for its version: it has none of its own.
[ -z "${NODE_LAUNCHER_ASKS:-}" ] || exit 1

self=$(readlink -f "$0")
here=$(dirname "$self")
own="$here/.cache/v$fetched/node"
found=""
found_in=""

# Whether a version (v22.18.0) is a release (22.18) or one after it.
is_at_least() {
  major=${1#v}
  rest=${major#*.}
  major=${major%%.*}
  minor=${rest%%.*}
  case "$major$minor" in "" | *[!0-9]*) return 1 ;; esac
  [ "$major" -gt "${2%.*}" ] || { [ "$major" -eq "${2%.*}" ] && [ "$minor" -ge "${2#*.}" ]; }
}

# 23.0 to 23.5 came out before 22.18, and lack what it has.
is_new_enough() {
  case $1 in v23.*) is_at_least "$1" 23.6 ;; *) is_at_least "$1" "$oldest" ;; esac
}

is_able_to_install() {
  case $1 in v20.*) is_at_least "$1" 20.19 ;; v21.*) return 1 ;; *) is_at_least "$1" 22.12 ;; esac
}

# Programs that Node starts find the same Node.
run() {
  folder=$1
  shift
  PATH="$folder:$PATH" exec "$folder/node" "$@"
}

fail() {
  echo "This needs Node $oldest or newer (not 23.0 to 23.5); this machine has ${found:-none}. $1" >&2
  echo "Install Node 24 (https://nodejs.org), then run npm ci and the same command again." >&2
  exit 1
}

fetch() {
  [ -n "$found" ] && command -v npm >/dev/null || fail "Without npm none can be fetched."
  is_able_to_install "$found" || fail "With it, npm leaves out packages; they need $installing."
  echo "This needs Node $oldest or newer (not 23.0 to 23.5), and this machine has $found: fetching Node $fetched with npm, once." >&2
  mkdir -p "$here/.cache/v$fetched" && new=$(mktemp -d "$here/.cache/new.XXXXXX") ||
    fail "$here/.cache cannot be written to."
  trap 'rm -rf "$new"' EXIT
  trap 'exit 1' HUP INT TERM
  cp "$here/runtime/package.json" "$here/runtime/package-lock.json" "$new"
  # The older Node comes first in the PATH, because npm would start this launcher again.
  PATH="$found_in:$PATH" npm ci --prefix "$new" --include=optional --ignore-scripts --no-global \
    --prefer-offline --no-audit --no-fund --loglevel=error >/dev/null || fail "npm could not fetch another one."
  set -- "$new"/node_modules/node-*/bin/node
  [ -x "$1" ] && [ "$("$1" --version)" = "v$fetched" ] || fail "npm has none for this kind of machine."
  # A rename: a second launcher that fetches at the same time does the same, and both find a whole file.
  mv -f "$1" "$own"
  rm -rf "$new"
  trap - EXIT HUP INT TERM
}

IFS=:
for folder in $PATH; do
  [ -x "$folder/node" ] && ! [ "$folder/node" -ef "$self" ] || continue
  version=$(NODE_LAUNCHER_ASKS=1 "$folder/node" --version 2>/dev/null) || continue
  if is_new_enough "$version"; then run "$folder" "$@"; fi
  [ -n "$found" ] || { found=$version found_in=$folder; }
done
unset IFS
[ -x "$own" ] || fetch
run "$(dirname "$own")" "$@"
