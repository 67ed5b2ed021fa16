#!/bin/sh
# Assembles what the container image runs: deploy/build.sh <folder>. The Dockerfile runs this, and so does `npm run image`.
# Needs the development dependencies: run `npm ci` first.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
app=$(cd "$1" && pwd)

node_modules/.bin/tsx build/main.ts "$app/dist"
node_modules/.bin/tsx build/manifest.ts >"$app/package.json"
cp package-lock.json LICENSE "$app"
cd "$app"
npm ci --omit=dev --engine-strict --ignore-scripts --no-audit --no-fund
rm package-lock.json
node dist/main.js print-schema >schema.graphql
