#!/bin/sh
# The wheel of `./dev wheel`: at most 10 MB, nothing but glibc's own libraries and no symbol younger than
# 2.28; in a fresh virtual environment the module and the command `reckon` answer what the build does.
set -eu
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 -c 'import ensurepip' 2>/dev/null || { echo "no python3-venv"; exit 77; }
[ -f "$RECKON_BUILD/wheel/libreckon.so" ] || { echo "no static libraries, or not GCC: cmake/wheel.cmake"; exit 77; }
unset RECKON_DATA PYTHONPATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cd "$RECKON_SOURCE/python"
RECKON_PORTABLE=1 PYTHONDONTWRITEBYTECODE=1 \
    python3 -c 'import sys, backend; print(backend.build_wheel(sys.argv[1]))' "$place" >"$place/built"
wheel=$place/$(tail -n 1 "$place/built")
case $wheel in *-py3-none-manylinux_2_28_*.whl) ;; *) echo "named $wheel"; exit 1 ;; esac
bytes=$(wc -c <"$wheel")
[ "$bytes" -le 10000000 ] || { echo "$bytes bytes are more than 10 MB"; exit 1; }

python3 -m venv "$place/venv"
"$place/venv/bin/pip" --disable-pip-version-check --quiet install --no-index "$wheel"
module=$(echo "$place"/venv/lib/python3*/site-packages/reckon)
for file in "$module/libreckon.so" "$module/reckon"; do
    objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -u | sed 's/GLIBC_//' |
        awk -F. '$1 > 2 || $2 > 28 { print "needs glibc " $0; bad = 1 } END { exit bad }'
    readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$place/needed"
    if grep -vE '^(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|ld-linux-.*)$' "$place/needed"; then
        echo "$file needs more than glibc"
        exit 1
    fi
done

cd "$place"
question='-m llama3.1-8b -s h100-sxm5-80g -g 16 -b 64 --top 3 --format json'
# shellcheck disable=SC2086
for threads in 1 5; do
    "$RECKON" search $question --threads "$threads" >expected
    "$place/venv/bin/reckon" search $question --threads "$threads" >answered 2>remarks
    cmp expected answered
done
"$place/venv/bin/python" - expected <<'TEXT'
import sys
import reckon

found = reckon.search("llama3.1-8b", "h100-sxm5-80g", 16, 64, top=3)
assert found.json == open(sys.argv[1]).read()
plans = [f"tp{t} gbs32 mbs{m}" for t in (1, 2, 4, 8) for m in (1, 2, 4)] * 20
one = reckon.predict_many("llama3.1-8b", "h100-sxm5-80g", plans, gpus=8, threads=1)
many = reckon.predict_many("llama3.1-8b", "h100-sxm5-80g", plans, gpus=8, threads=7)
assert one["step_s"] == many["step_s"] and one["verdict"] == many["verdict"]
study = {"models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "gpus": [8, 16], "batch": 64}
assert reckon.study(study, db="kept.sqlite")
TEXT
