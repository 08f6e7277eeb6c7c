#!/bin/sh
# Two clusters on one machine: network namespaces joined by a link that is shaped, MPI over TCP between
# them and over shared memory within. The same training step under plans that differ in what crosses
# the link (docs/train.md). Usage: bench/train_clusters.sh [RATE], as root; needs ip, tc,
# mpirun and build/reckon-mpi; exits 77 where one is missing.
set -eu
cd "$(dirname "$0")/.."
rate=${1:-20mbit}
for tool in ip tc mpirun unshare; do
    command -v $tool >/dev/null || { echo "train_clusters: needs $tool" >&2; exit 77; }
done
[ -x build/reckon-mpi ] || { echo 'train_clusters: build reckon-mpi first' >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo 'train_clusters: needs root, for network namespaces' >&2; exit 77; }

work=$(mktemp -d)
a=rk$$a b=rk$$b
end()
{
    ip netns del $a 2>/dev/null || true
    ip netns del $b 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

ip netns add $a || exit 77
ip netns add $b
ip link add rk0 netns $a type veth peer name rk1 netns $b
for end in "$a rk0 1" "$b rk1 2"; do
    set -- $end
    ip -n "$1" addr add "10.77.0.$3/24" dev "$2"
    ip -n "$1" link set lo up
    ip -n "$1" link set "$2" up
    ip netns exec "$1" tc qdisc add dev "$2" root tbf rate "$rate" burst 64kb latency 100ms ||
        { echo 'train_clusters: this kernel shapes no links' >&2; exit 77; }
done

# mpirun's way to the other host: its namespace, under a name of its own.
cat >"$work/agent" <<END
#!/bin/sh
host=\$1
shift
case \$host in 10.77.0.1) ns=$a ;; *) ns=$b ;; esac
exec ip netns exec \$ns unshare -u sh -c "hostname \$ns; \$*"
END
chmod +x "$work/agent"

# Ranks 0 and 1 are in the first cluster, 2 and 3 in the second; groups take the interface of that net.
train() # plan
{
    ip netns exec $a unshare -u sh -c "hostname $a; exec mpirun --allow-run-as-root --oversubscribe \
        --mca plm_rsh_agent $work/agent --mca oob_tcp_if_include 10.77.0.0/24 \
        --mca btl self,vader,tcp --mca btl_tcp_if_include 10.77.0.0/24 --mca pml ob1 \
        --host 10.77.0.1:2,10.77.0.2:2 -n 4 $PWD/build/reckon-mpi train -q --double -n 4 \
        -m examples/train/tiny.json -d data/corpus/declaration/en.txt --log $work/log $1" >"$work/table"
    loss=$(tail -n 1 "$work/log" | sed 's/.*"loss": \([0-9.]*\).*/\1/')
    seconds=$(sed 's/.*"seconds": \([0-9.e+-]*\).*/\1/' "$work/log" | sort -g | head -n 1)
    printf '%-44s %8.3f s  loss %s\n' "$1" "$seconds" "$loss"
}

echo "the fastest of 4 steps; the link between the clusters: $rate"
words='gbs16 mbs1 seq64'
train "pp2 dp2 $words"
train "pp2 dp2 order=tp-cp-pp-dp $words"
train "dp4 $words"
