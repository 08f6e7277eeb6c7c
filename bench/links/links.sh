#!/bin/sh
# links.sh [RECKON]: two clusters of two hosts each, made of network namespaces whose links tc shapes, and what
# Reckon makes of them: MPI measures messages and rings inside and across, reckon calibrate reads that, and the
# communication of a hybrid layout is predicted and measured; docs/clusters.md has figures. For root on Linux,
# with ip and tc (iproute2), mpicc and mpirun (Open MPI), awk. INNER and LINK are rates, as 400mbit.
#
# Latency is that of bridges and sockets; where the kernel has netem, DELAY=1ms makes the link's longer. ACKS=first has
# acknowledgements go before data, which shows what rings wait for (docs/clusters.md).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
reckon=$(realpath "${1:-$here/../../build/reckon}")
inner=${INNER:-200mbit} link=${LINK:-40mbit} delay=${DELAY:-}
[ "$(id -u)" -eq 0 ] || { echo "links.sh: only root makes network namespaces" >&2; exit 1; }
work=$(mktemp -d)
clean() {
    for host in a0 a1 b0 b1; do ip netns del "reckon-$host" 2>/dev/null || :; ip link del "rk-$host" 2>/dev/null || :; done
    for device in rk-bridge-a rk-bridge-b rk-link-a; do ip link del "$device" 2>/dev/null || :; done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

# ---- the two clusters ----

# Short queues of small packets, so that acknowledgements do not wait behind data of the other direction; HTB, as a token bucket alone halves both directions when both are used.
shape() { # OPTION DEVICE RATE
    # shellcheck disable=SC2086
    tc $1 qdisc add dev "$2" root handle 1: htb default 1
    # shellcheck disable=SC2086
    tc $1 class add dev "$2" parent 1: classid 1:1 htb rate "$3" burst 15k quantum 60000
    if [ -n "${ACKS:-}" ]; then # ACKS=first: packets below 256 bytes have a class of their own
        few=$((${3%mbit} / 10))mbit most=$((${3%mbit} - ${3%mbit} / 10))mbit
        # shellcheck disable=SC2086
        {
            tc $1 class add dev "$2" parent 1:1 classid 1:2 htb rate "$few" ceil "$3" burst 15k cburst 15k prio 0 quantum 60000
            tc $1 class add dev "$2" parent 1:1 classid 1:3 htb rate "$most" ceil "$3" burst 15k cburst 15k prio 1 quantum 60000
            tc $1 qdisc change dev "$2" root handle 1: htb default 3 2>/dev/null || tc $1 filter add dev "$2" parent 1: protocol ip prio 2 u32 match u32 0 0 flowid 1:3
            tc $1 filter add dev "$2" parent 1: protocol ip prio 1 u32 match u16 0x0000 0xff00 at 2 flowid 1:2
            tc $1 qdisc add dev "$2" parent 1:3 handle 20: pfifo limit 200
        }
    elif [ -z "$delay" ]; then
        # shellcheck disable=SC2086
        tc $1 qdisc add dev "$2" parent 1:1 handle 20: pfifo limit 32
    fi
}
number=1
for cluster in a b; do
    ip link add "rk-bridge-$cluster" type bridge
    ip link set "rk-bridge-$cluster" up
    for host in ${cluster}0 ${cluster}1; do
        ip netns add "reckon-$host"
        ip link add "rk-$host" type veth peer name eth0 netns "reckon-$host"
        ip link set "rk-$host" master "rk-bridge-$cluster" up
        ip -n "reckon-$host" addr add "10.77.0.$number/24" dev eth0
        ip -n "reckon-$host" link set eth0 up gso_max_size 6000
        ip -n "reckon-$host" link set lo up
        # Linux's usual congestion control, whatever this machine's is (bench/clusters.sh)
        ip -n "reckon-$host" route replace 10.77.0.0/24 dev eth0 src "10.77.0.$number" congctl cubic
        shape "" "rk-$host" "$inner"
        shape "-n reckon-$host" eth0 "$inner"
        number=$((number + 1))
    done
done
ip link add rk-link-a type veth peer name rk-link-b
for cluster in a b; do
    ip link set "rk-link-$cluster" master "rk-bridge-$cluster" up
    shape "" "rk-link-$cluster" "$link"
    [ -z "$delay" ] || tc qdisc add dev "rk-link-$cluster" parent 1:1 handle 10: netem delay "$delay"
done

# ---- measured ----

cat >"$work/start" <<'START'
#!/bin/sh
# what mpirun starts its daemons with: start HOST COMMAND...
host=$1
shift
exec ip netns exec "reckon-$host" unshare -u sh -c "hostname $host; $*"
START
chmod +x "$work/start"
mpicc -O2 -o "$work/links" "$here/links.c"
# Messages are sent, not put: Open MPI puts those of two directions one after the other.
run() { # HOSTS ARGUMENTS...
    hosts=$1
    shift
    "$work/start" "${hosts%%,*}" mpirun --allow-run-as-root -H "$hosts" --mca plm_rsh_agent "$work/start" \
        --mca plm_rsh_no_tree_spawn 1 --mca routed direct --mca btl tcp,self --mca btl_tcp_if_include eth0 \
        --mca oob_tcp_if_include eth0 --mca btl_tcp_sndbuf 0 --mca btl_tcp_rcvbuf 0 --mca btl_tcp_flags 1 --mca mpi_yield_when_idle 1 "$work/links" "$@" 2>"$work/errors" ||
        { cat "$work/errors" >&2; exit 1; }
}
run a0,a1 sendrecv >"$work/inside-sends"
run a0,a1 all_reduce >"$work/inside-rings"
run a0,a1,b0,b1 sendrecv >"$work/across-sends"
run a0,a1,b0,b1 all_reduce >"$work/across-rings"

# ---- calibrated: two ranks of a cluster share the link; peaks a tenth above tc's, for its bursts ----

rate() { awk -v r="${1%mbit}" -v share="$2" 'BEGIN { print 1.1 * r / share "Mb/s" }'; }
"$reckon" calibrate "a100-sxm4-80g net0=$(rate "$inner" 1),size=2,name=inner net1=$(rate "$link" 2),size=4,name=link" \
    --nccl "$work/inside-sends" --nccl "$work/inside-rings" --nccl "$work/across-sends" --nccl "$work/across-rings" \
    -o "$work/fitted.json"
json() { # FILE EXPRESSION of the object d
    python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$work/$1"
}
net="d['network'][1]"
achieved=$(json fitted.json "2 * ${net}['bandwidth_GBps'] * ${net}['link']['efficiency']" )
latency=$(json fitted.json "${net}['link']['base_us'] + ${net}['link']['hop_us']")
echo "link: $achieved GB/s of a cluster, $latency us"

# ---- predicted, and measured ----

cat >"$work/model.json" <<'MODEL'
{"name": "links", "layers": 8, "hidden": 512, "feedforward": 2048, "heads": 8, "sequence": 256, "vocabulary": 4096, "tied_embeddings": false}
MODEL
cat >"$work/plan.json" <<'PLAN'
{"batch": 32, "round": 4, "plan": "zero0 no-grad-overlap", "stages": [
    {"layers": 4, "cluster": "a", "words": "dp2"}, {"layers": 4, "cluster": "b", "words": "dp2"}]}
PLAN
shown() { # NAME PREDICTED MEASURED
    awk -v n="$1" -v p="$2" -v m="$3" 'BEGIN { printf "%-32s %10.3f s %10.3f s %+6.1f %%\n", n, p, m, 100 * (p / m - 1) }'
}
echo "layout                            predicted     measured      off"
cluster="$work/fitted.json x2 net1=none"
"$reckon" predict -m "$work/model.json" -s "$cluster name=a + $cluster name=b link=${achieved}GB/s@${latency}us" \
    --plan "$work/plan.json" -f json >"$work/pipeline.json"
traffic="d['traffic']"
shown "pipeline across, data inside" \
    "$(json pipeline.json "${traffic}[0]['messages_s'] + max(t['collectives_s'] for t in ${traffic})")" \
    "$(run a0,a1,b0,b1 step "$(json pipeline.json "int(${traffic}[0]['message_bytes'] / 8)")" 8 \
        "$(json pipeline.json "int(${traffic}[0]['gradient_bytes'])")" "$(json pipeline.json "int(${traffic}[1]['gradient_bytes'])")")"
