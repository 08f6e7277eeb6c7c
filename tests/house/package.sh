#!/bin/sh
# The Debian packages: equal bytes twice, the planner asks for neither BLAS nor MPI, no file is in two of them, and what
# is in the planner's answers from where it is unpacked.
set -eu
for tool in dpkg-deb dpkg-shlibdeps python3; do
    command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
[ -x "$RECKON" ] || { echo "there is no executable yet"; exit 77; }
unset RECKON_DATA
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$RECKON_SOURCE/tools/package" "$RECKON_BUILD" "$place/one" >"$place/made"
"$RECKON_SOURCE/tools/package" "$RECKON_BUILD" "$place/two" >/dev/null
one=$(head -n 1 "$place/made")
while read -r package; do
    cmp "$package" "$place/two/${package##*/}"
    dpkg-deb --contents "$package" | sed -n 's/^-.* \.\/\(usr\/.*\)/\1/p' >>"$place/files"
done <"$place/made"
[ -z "$(sort "$place/files" | uniq -d)" ] || { echo "in two packages:"; sort "$place/files" | uniq -d; exit 1; }
for program in run mpi; do
    [ -x "$RECKON_BUILD/reckon-$program" ] || continue
    package=$place/one/reckon-${program}_${one#*/one/reckon_}
    dpkg-deb --contents "$package" | grep -q "usr/bin/reckon-$program\$" || { echo "no reckon-$program in it"; exit 1; }
    dpkg-deb --field "$package" Depends | grep -q "^reckon (= " || { echo "$package needs no planner"; exit 1; }
done
if dpkg-deb --field "$one" Depends | grep -E 'blas|mpi|dnnl|hwloc'; then
    echo "the planner's package asks for them"
    exit 1
fi
dpkg-deb --field "$one" Depends | grep -q 'libjansson4' || { echo "no dependencies"; exit 1; }

dpkg-deb --extract "$one" "$place/root"
cd "$place"
root=$place/root/usr
for file in include/reckon/command.h share/man/man1/reckon.1.gz share/reckon/models \
    share/bash-completion/completions/reckon lib/libreckon.a; do
    [ -e "$root/$file" ] || { echo "not in it: $file"; exit 1; }
done
python3 - "$root/share/doc/reckon/reckon.spdx.json" <<'TEXT'
import json, sys

made = json.load(open(sys.argv[1]))
names = {package["name"] for package in made["packages"]}
assert made["spdxVersion"] == "SPDX-2.3" and {"reckon", "libjansson4", "libsqlite3-0", "libc6"} <= names, names
assert all(package["versionInfo"] for package in made["packages"])
TEXT
asked='tp8 gbs32 -f json'
# shellcheck disable=SC2086
"$root/bin/reckon" predict -m llama3.1-8b -s h100-sxm5-80g $asked >program.json
LD_LIBRARY_PATH=$root/lib PYTHONPATH=$root/lib/python3/dist-packages python3 -c '
import reckon
print(end=reckon.predict("llama3.1-8b", "h100-sxm5-80g", "tp8 gbs32").json)' >module.json
cmp program.json module.json
