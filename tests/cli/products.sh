#!/bin/sh
# What multiplies is said, and warned of where the environment forces slow kernels; a machine file that
# was measured with others is refused.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
model=$RECKON_SOURCE/examples/train/tiny.json
seq 20000 >text
unset OPENBLAS_CORETYPE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA || true

fail() { echo "products: $*" >&2; exit 1; }

train() { "$RECKON" train -m "$model" -d text -n 1 gbs1 "$@" 2>&1; }

train >plain
grep -qE '^kernels: OpenBLAS [0-9.]* [A-Za-z0-9]*(; fp32: oneDNN 2[^;]*)?; 1 thread per rank$' plain || fail "no head: $(cat plain)"
train --threads 2 | grep -q '; 2 threads per rank$' || fail 'threads are not said'
train precision=bf16 | grep -qE '^kernels: OpenBLAS .*; bf16(: oneDNN 2| is emulated)' || fail 'bf16 is not said'
train --double >double
grep -q '^kernels: OpenBLAS [0-9.]* [A-Za-z0-9]*; 1 thread per rank$' double || fail "64 bits: $(cat double)"
! train -q | grep -q '^kernels' || fail '-q is not quiet'

# cli.train-measure holds what measure itself writes, and that its own file is taken
sed 's/"source": "[^"]*"/"source": "measured: products by OtherBLAS 1.0"/' \
    "$RECKON_SOURCE/data/systems/h100-sxm5-80g.json" >other.json
! train -s 'other.json mem2=64GiB@10GB/s' >refused || fail 'a machine measured with others, and words, is not refused'
"$RECKON" predict -m "$model" -s 'other.json mem2=64GiB@10GB/s' gbs8 --format json | tr -d '\n' >predicted
grep -q 'products by OtherBLAS .*, as measured' predicted || fail "a prediction does not say it: $(cat predicted)"
! train -s other.json >refused || fail 'a machine measured with others is not refused'
grep -q 'other.json: was measured with products by OtherBLAS .*: measure again' refused || fail "$(cat refused)"

# a named core keeps products of 32 bits with OpenBLAS, so that other machines bring the same bytes
OPENBLAS_CORETYPE=Haswell train >named || fail "$(cat named)"
grep -q '^kernels: OpenBLAS [0-9.]* [A-Za-z0-9]*; 1 thread per rank$' named || fail "named core: $(cat named)"

# slow kernels: only where the processor has better ones
grep -qw avx2 /proc/cpuinfo 2>/dev/null || exit 0
OPENBLAS_CORETYPE=Sandybridge train >forced || fail "$(cat forced)"
if grep -q '^kernels: OpenBLAS [0-9.]* Sandybridge' forced; then
    grep -q 'warning: OpenBLAS runs its kernels for Sandybridge (AVX), .* unset OPENBLAS_CORETYPE (Sandybridge)' forced ||
        fail "no warning: $(cat forced)"
fi
! grep -q 'warning: OpenBLAS' plain || fail "a warning without a reason: $(cat plain)"
