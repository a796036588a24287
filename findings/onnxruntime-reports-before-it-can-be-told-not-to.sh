#!/usr/bin/env bash
# Guess: an import of onnxruntime writes nothing outside its package, and its function disable_telemetry_events keeps it
#   from reports about its use.
# Seen: the import alone writes an identifier of the device and a database with a first report into the cache folder of
#   the person, and a file `.ses` into the temporary folder. The function does not undo that, and whoever calls it has
#   imported the package before. Only the environment variable ORT_DISABLE_TELEMETRY=1, set before the import, keeps the
#   folders empty; with ORT_DISABLE_TELEMETRY=0, the variable has no effect.
# Matters: a search by meaning “on this machine” reports to a server of the library's maker. A program that promises to
#   stay on the machine must set the variable in each process that reads vectors, before any other module imports the
#   package. dotagent sets it in the one place that imports onnxruntime.
# With: onnxruntime 1.32.0, numpy 2.4.6, Linux on x86_64, 29 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q onnxruntime==1.32.0 numpy==2.4.6

cat >"$tmp/seen" <<'END'
onnxruntime 1.32.0 numpy 2.4.6
the import alone: .cache/Microsoft/DeveloperTools/.onnxruntime/deviceid .cache/Microsoft/DeveloperTools/.onnxruntime/onnxruntime.db tmp/.ses
the import, then its function: .cache/Microsoft/DeveloperTools/.onnxruntime/deviceid .cache/Microsoft/DeveloperTools/.onnxruntime/onnxruntime.db tmp/.ses
the variable 0: .cache/Microsoft/DeveloperTools/.onnxruntime/deviceid .cache/Microsoft/DeveloperTools/.onnxruntime/onnxruntime.db tmp/.ses
the variable 1:
END

# Prints the files that these words of Python leave in a new home folder.
left() {
  local about=$1 value=$2 home
  home=$(mktemp -d -p "$tmp")
  mkdir "$home/tmp"
  env -u XDG_CACHE_HOME HOME="$home" TMPDIR="$home/tmp" ${value:+ORT_DISABLE_TELEMETRY=$value} \
    "$tmp/venv/bin/python" -c "$3"
  echo "$about:" $(cd "$home" && find . -type f | cut -c3- | sort)
}
versions='print("onnxruntime", version("onnxruntime"), "numpy", version("numpy"))'
{
  "$tmp/venv/bin/python" -c "from importlib.metadata import version; $versions"
  left "the import alone" "" "import onnxruntime"
  left "the import, then its function" "" "import onnxruntime; onnxruntime.disable_telemetry_events()"
  left "the variable 0" 0 "import onnxruntime"
  left "the variable 1" 1 "import onnxruntime"
} | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
