#!/bin/sh
# Runs a command with TWODOOR_POSTGRES naming a PostgreSQL of its own, which ends with the command.
# The server lies in a temporary folder and listens on 127.0.0.1 only. Where there is none and apt
# is at hand, Debian's is installed.
#
#   scripts/postgres.sh go test ./internal/sqldb ./shelf ./journal
set -eu

[ $# -gt 0 ] || { echo "usage: scripts/postgres.sh COMMAND…" >&2; exit 2; }

programs() { # the newest folder that holds initdb
	for dir in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) $(dirname "$(command -v initdb || echo /none)"); do
		[ -x "$dir/initdb" ] && { echo "$dir"; return; }
	done
	return 1
}

if ! bin=$(programs); then
	command -v apt-get >/dev/null || { echo "postgres: there is none, and no apt to install it" >&2; exit 3; }
	as_root=; [ "$(id -u)" = 0 ] || as_root="sudo -n"
	$as_root apt-get update -q >&2
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends postgresql >&2
	bin=$(programs)
fi

folder=$(mktemp -d)
own() { "$@"; }
if [ "$(id -u)" = 0 ]; then # the server refuses to run as root
	user=postgres; id "$user" >/dev/null 2>&1 || user=nobody
	chown "$user" "$folder"
	own() { (cd "$folder" && runuser -u "$user" -- "$@"); }
fi
stop() {
	own "$bin/pg_ctl" -D "$folder/data" -m immediate -s stop >/dev/null 2>&1 || true
	rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
(umask 077 && echo "$password" >"$folder/password")
[ "$(id -u)" != 0 ] || chown "$user" "$folder/password"
own "$bin/initdb" -D "$folder/data" -U twodoor -A scram-sha-256 --pwfile="$folder/password" -E UTF8 --no-locale >/dev/null

for _ in 1 2 3 4 5 6 7 8 9 10; do # a port that nobody has
	port=$((20000 + $(od -An -N2 -tu2 /dev/urandom | tr -d ' ') % 30000))
	if own "$bin/pg_ctl" -D "$folder/data" -w -s -l "$folder/log" \
		-o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$folder'" start; then
		started=1
		break
	fi
done
[ "${started:-}" = 1 ] || { cat "$folder/log" >&2; exit 1; }

TWODOOR_POSTGRES="postgres://twodoor:$password@127.0.0.1:$port/postgres?sslmode=disable" "$@"
