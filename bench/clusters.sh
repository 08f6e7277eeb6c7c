# clusters.sh - sourced by the scripts that run ranks in two clusters on one machine: network namespaces joined by a
# link that is shaped, MPI over TCP between them and over shared memory within. For root, with ip, tc, unshare, mpirun.

# clusters_open RATE: the two, in $work, $a and $b; they go when the script ends.
clusters_open()
{
    for tool in ip tc mpirun unshare; do
        command -v $tool >/dev/null || { echo "$0: needs $tool" >&2; exit 77; }
    done
    [ -x build/reckon-mpi ] || { echo "$0: build reckon-mpi first" >&2; exit 77; }
    [ "$(id -u)" -eq 0 ] || { echo "$0: needs root, for network namespaces" >&2; exit 77; }
    work=$(mktemp -d)
    a=rk$$a b=rk$$b
    trap clusters_close EXIT
    trap 'exit 130' INT TERM
    ip netns add $a || exit 77
    ip netns add $b
    ip link add rk0 netns $a type veth peer name rk1 netns $b
    for end in "$a rk0 1" "$b rk1 2"; do
        # shellcheck disable=SC2086
        set -- $end "$1"
        ip -n "$1" addr add "10.77.0.$3/24" dev "$2"
        ip -n "$1" link set lo up
        ip -n "$1" link set "$2" up
        # a token bucket alone halves both directions when both are used; queues are short (links/links.sh)
        ip -n "$1" link set "$2" gso_max_size 6000
        {
            tc -n "$1" qdisc add dev "$2" root handle 1: htb default 1 &&
                tc -n "$1" class add dev "$2" parent 1: classid 1:1 htb rate "$4" burst 15k quantum 60000 &&
                tc -n "$1" qdisc add dev "$2" parent 1:1 handle 20: pfifo limit 32
        } || { echo "$0: this kernel shapes no links" >&2; exit 77; }
        # Linux's usual congestion control, whatever this machine's is: BBR's estimates lose a third of the rate between exchanges
        ip -n "$1" route replace 10.77.0.0/24 dev "$2" src "10.77.0.$3" congctl cubic
        set -- "$4"
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
}

clusters_close()
{
    ip netns del $a 2>/dev/null || true
    ip netns del $b 2>/dev/null || true
    rm -rf "$work"
}

# clusters_run RANKS "ARGUMENTS": reckon-mpi with so many ranks in each of the two, those of the first before the others;
# groups take the interface of that net. Messages are sent, not put: those of two directions are put one after the other.
clusters_run()
{
    ip netns exec $a unshare -u sh -c "hostname $a; exec mpirun --allow-run-as-root --oversubscribe \
        --mca plm_rsh_agent $work/agent --mca oob_tcp_if_include 10.77.0.0/24 \
        --mca btl self,vader,tcp --mca btl_tcp_if_include 10.77.0.0/24 --mca pml ob1 \
        --mca btl_tcp_sndbuf 0 --mca btl_tcp_rcvbuf 0 --mca btl_tcp_flags 1 --mca mpi_yield_when_idle 1 \
        --host 10.77.0.1:$1,10.77.0.2:$1 -n $(($1 * 2)) $PWD/build/reckon-mpi $2"
}
