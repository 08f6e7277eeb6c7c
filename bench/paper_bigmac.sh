#!/bin/sh
# paper_bigmac.sh: the experiment of `reckon papers bigmac`, as CSV: bench/bigmac.sh over a link of 10 Mbit/s. As root; exits 77 where something is missing.
set -eu
sh "$(dirname "$0")/bigmac.sh" | awk -v OFS=, '
    BEGIN { print "structure", "what", "predicted", "measured" }
    $1 == "usual" || $1 == "narrowed" { if (match($0, /exchanges, s|gradients, s|step, s|forward alone, s|sent in layers, MB/)) {
        what = substr($0, RSTART, RLENGTH); gsub(/,/, "", what); rest = substr($0, RSTART + RLENGTH); split(rest, n, " "); print $1, what, n[1], n[2] } }'
