#!/bin/sh
# Writes the tarball that npm installs: deploy/package.sh [options of npm pack]. Run it as `npm run package`, which
# builds `dist/` before.
set -eu
cd "$(dirname "$0")/.."
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT

cp -r dist schema.graphql LICENSE README.md "$staged"
mkdir "$staged/deploy"
cp -r deploy/alerts deploy/grafana deploy/haproxy deploy/kubernetes deploy/nginx deploy/systemd "$staged/deploy"
node_modules/.bin/tsx build/manifest.ts >"$staged/package.json"
npm pack "$@" "$staged"
