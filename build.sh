#!/usr/bin/env bash
# One command per task: build | serve | test | check | bench | fuzz | reproduce | release. What is missing is installed,
# or named.
set -euo pipefail
cd "$(dirname "$0")"

target=wasm32-unknown-unknown
out="${CARGO_TARGET_DIR:-target}"

say() { printf '\n== %s\n' "$*"; }
missing() { echo "missing: $1" >&2; echo "  $2" >&2; exit 1; }

# The Rust toolchain and the wasm target.
need_rust() {
  command -v cargo >/dev/null || missing "cargo" "install Rust with rustup: https://rustup.rs"
  if command -v rustup >/dev/null && ! rustup target list --installed | grep -qx "$target"; then rustup target add "$target"; fi
}

need_node() {
  local hint="https://nodejs.org, or: apt-get install nodejs npm"
  command -v node >/dev/null && command -v npm >/dev/null || missing "node 20.11 or later" "$hint"
  # the first version with import.meta.dirname
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 11) ? 0 : 1)' ||
    missing "node 20.11 or later, found $(node --version)" "$hint"
  if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then npm ci; fi
}

need_chromium() {
  CHROMIUM=${CHROMIUM:-$(command -v chromium || true)}; export CHROMIUM
  if [ -n "$CHROMIUM" ]; then return; fi
  local get="apt-get install -y chromium"
  if [ "$(id -u)" = 0 ]; then apt-get update && $get
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo apt-get update && sudo $get
  else missing "chromium" "run: sudo $get"; fi
  CHROMIUM=$(command -v chromium)
}

glue() {
  need_rust
  cargo fetch
  # a panic names the file it happened in: without the folders of the machine that built the page
  local libraries sources=()
  for libraries in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do sources+=("'--remap-path-prefix=$libraries='"); done
  cargo build --release --package localcal-page --target "$target" --config "target.$target.rustflags=[$(IFS=,; echo "${sources[*]}")]"
  cargo run --quiet --profile tools --package localcal-glue -- "$out/$target/release/localcal_page.wasm" www/pkg
}

# The types of requests and answers, by the program that prints their JSON Schema, and with them those of window.localcal
# for scripts: add dist/types/*.d.ts to a project.
described() {
  "$@" | node www/types.mjs
  npx --no-install tsc -p www/tsconfig.types.json
  cp www/global.d.ts www/messages.d.ts www/pkg/localcal_types.d.ts dist/types/; cp www/pkg/localcal.d.ts dist/types/core_types.d.ts
}
# Compiled for nothing else.
schema=(cargo run --quiet --profile tools --example schema --features schema)

page() {
  need_node
  say "core"; glue
  # only what every supported browser has: without the list, wasm-opt also emits what none has yet
  # what the core keeps apart stays apart: browsers compile a function well once it has been called often
  local features=(--mvp-features --enable-{simd,bulk-memory,sign-ext,nontrapping-float-to-int,mutable-globals,reference-types,multivalue})
  npx --no-install wasm-opt -O3 --one-caller-inline-max-function-size=0 --reorder-functions "${features[@]}" -o www/pkg/optimized.wasm www/pkg/localcal_bg.wasm
  mv www/pkg/optimized.wasm www/pkg/localcal_bg.wasm
  node www/compress.mjs
  say "one file"; node www/build.mjs "$@"
}

build() {
  page "$@"
  described "${schema[@]}"
}

# Nothing may ask the system for random numbers or need a C toolchain; nothing in the core may know JavaScript.
dependencies() {
  local tree found of
  for of in "$target" "$(rustc -vV | sed -n 's/^host: //p')"; do
    # by itself: a search that finds nothing may fail, a tree may not
    tree=$(cargo tree --package localcal -e normal --target "$of" --prefix none --format '{p}')
    found=$(sort -u <<<"$tree" | grep -E '^getrandom |-sys |^wasm-bindgen|^tsify|^plotters-canvas|^console_error' || true)
    [ -z "$found" ] || { echo "forbidden dependencies of the core:"; echo "$found"; exit 1; }
  done
  tree=$(cargo tree --package localcal-page -e normal --target "$target" --prefix none --format '{p}')
  found=$(sort -u <<<"$tree" | grep -E '^getrandom |-sys ' | grep -v '^\(js\|web\)-sys ' || true)
  [ -z "$found" ] || { echo "forbidden dependencies of the page:"; echo "$found"; exit 1; }
  echo "dependencies: no getrandom, no C, no JavaScript in the core"
}

# The crates as they would be published: the core alone, without tests, data and page. They are unpacked and built, too,
# unless `--no-verify` says otherwise.
package() { cargo package --quiet --workspace --exclude localcal-page --exclude localcal-cli --exclude localcal-glue --exclude localcal-benches "$@"; }

# Workflows ask for tasks that there are.
workflows() {
  local task
  for task in $(grep -hoE '\./build\.sh [a-z]+' .github/workflows/*.yml | cut -d' ' -f2 | sort -u); do
    grep -qE "^  $task\)" build.sh || { echo ".github/workflows: build.sh has no task $task"; exit 1; }
  done
  echo "workflows: ok"
}

# The page built anew in another folder must be the same bytes: what is published can be checked by building it.
reproduce() {
  # what is in dist may be of other sources, or of `serve`
  build
  local folder; folder="$(mktemp -d)/another/folder"; mkdir -p "$folder"
  git ls-files -z | xargs -0 cp --parents --no-dereference --target-directory="$folder"
  local when; when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
  (cd "$folder" && SOURCE_DATE_EPOCH=$when CARGO_TARGET_DIR="$folder/target" ./build.sh build >"$folder/build.log" 2>&1) || { tail -20 "$folder/build.log"; exit 1; }
  cmp dist/localcal.html "$folder/dist/localcal.html"
  rm -rf "$folder"
  echo "reproduced: two folders, the same $(sha256sum <dist/localcal.html | cut -c1-12)…"
}

# What is published: the page with its checksum, the crate, and all that is in them with its licence.
release() {
  build; package
  local to=dist/release
  rm -rf "$to"; mkdir -p "$to"
  cp dist/localcal.html dist/localcal.html.sha256 "$out"/package/localcal-*.crate "$to/"
  cargo tree --package localcal-page --package localcal-cli -e normal --prefix none --format '{p} {l}' |
    sed -E 's| \(/[^)]*\)||; s| \(\*\)$||' | sort -u >"$to/dependencies.txt"
  # of the page's bundles, whose licenses are in the page
  cat dist/packages.txt >>"$to/dependencies.txt"
  ls -l "$to"
}

types() {
  for project in www/tsconfig.json www/tsconfig.worker.json www/tsconfig.test.json tests/browser/tsconfig.json; do npx --no-install tsc -p "$project"; done
  echo "types: ok"
}

check() {
  need_rust; need_node
  say "format and lints"; cargo fmt --check
  # a macro declares the analyses, where cargo fmt does not find them
  find src/analysis -name '*.rs' -exec rustfmt --edition 2024 --check {} +
  cargo clippy --workspace --all-targets -- -D warnings
  # without the terminal, whose program has the name of the library
  RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --workspace --exclude localcal-cli
  npx --no-install prettier --check www tests/browser
  node www/words.mjs
  say "dependencies"; dependencies; workflows; package --allow-dirty --no-verify
  say "page"; glue; described "${schema[@]}"; types
}

# Neither the page's build, which ends in one long step on one core, nor a browser fills two cores: both go on beside the
# native tests.
tests() {
  need_rust; need_node; need_chromium
  local log="$out/tests.log" beside="$out/page.log" native=0 browser=0; mkdir -p "$out"
  in_browser >"$beside" 2>&1 & local open=$!
  # with the schema, so that the types of the page need no compilation of their own
  say "cargo test"; cargo test --workspace --exclude localcal-glue --exclude localcal-benches --features localcal/schema 2>&1 | tee "$log" || native=$?
  wait "$open" || browser=$?
  cat "$beside"; cat "$beside" >>"$log"
  [ "$native" = 0 ] && [ "$browser" = 0 ] || { echo "native tests ended with $native, those of the page with $browser" >&2; exit 1; }
  say "dependencies"; dependencies
  say "types"; described "$out/debug/examples/schema"; types
  say "what each runner said last"; grep -E '^test result: |^ℹ (tests|pass|fail|skipped) ' "$log"
  echo "$(grep -c 'skipped: ' "$log" || true) skipped for want of a file or a program"
  say "all passed"
}

in_browser() {
  page
  say "the page's parts"; node www/test.mjs
  say "browser"; node --test --test-reporter=spec --test-concurrency=2 tests/browser/*.spec.mjs
}

# New cases for so many minutes, each family in turn with new seeds. A case that ends the process leaves itself in
# target/fuzz; the next seed goes on.
fuzz() {
  need_rust
  local minutes=${1:-60} seed=${2:-1} until failed=0
  until=$(( $(date +%s) + 60 * minutes ))
  cargo test --no-run --test fuzz
  while [ "$(date +%s)" -lt "$until" ]; do
    LOCALCAL_FUZZ_SEED=$seed cargo test --quiet --test fuzz -- --nocapture --test-threads=1 || failed=$((failed + 1))
    seed=$((seed + 1))
  done
  say "$failed of the seeds before $seed found something; cases stand in $out/fuzz"
  [ "$failed" = 0 ]
}

# Everything measured, or the page against that of another commit, in turn: `bench --against COMMIT [PART OF A NAME]`.
bench() {
  need_chromium
  if [ "${1:-}" = --against ]; then against "${2:?the commit to measure against}" "${3:-}"; return; fi
  cargo bench --package localcal-benches; build; node tests/browser/bench.mjs
}

against() {
  local folder; folder=$(mktemp -d)
  git worktree add --quiet --detach "$folder/tree" "$1"
  # shellcheck disable=SC2064
  trap "git worktree remove --force '$folder/tree'; rm -rf '$folder'" EXIT
  need_node
  if cmp -s package-lock.json "$folder/tree/package-lock.json"; then ln -s "$PWD/node_modules" "$folder/tree/node_modules"; fi
  say "the page of $1"; (cd "$folder/tree" && CARGO_TARGET_DIR="$folder/target" ./build.sh build)
  build
  say "in turn"; node tests/browser/bench_against.mjs "$folder/tree/dist/localcal.html" dist/localcal.html "$2"
}

case "${1:-}" in
  build) build ;;
  serve) page --maps; node www/serve.mjs ;;
  test) tests ;;
  check) check ;;
  bench) bench "${2:-}" "${3:-}" "${4:-}" ;;
  fuzz) fuzz "${2:-}" "${3:-}" ;;
  reproduce) reproduce ;;
  release) release ;;
  *) echo "usage: ./build.sh build | serve | test | check | bench [--against commit [name]] | fuzz [minutes] [seed] | reproduce | release" >&2; exit 2 ;;
esac
