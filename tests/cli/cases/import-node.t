# a node of eight A100s, four PCI switches, nine adapters: as lstopo (hwloc 2, hwloc 1) and as nvidia-smi describe it
cd "$SOURCE/tests/data/nodes"
N=.
reckon import hwloc "a100.xml" --nodes 4
reckon import hwloc "a100-hwloc1.xml"
reckon import hwloc "a100.xml" --table
reckon import hwloc "a100.xml" -s "a100-sxm4-80g net0.size=4" | xargs -I{} sh -c 'echo "{}"; reckon systems "{}" | grep "in one line"'
reckon import nvidia-smi "a100-topo.txt" -s a100-sxm4-80g --adapter 100Gb/s
reckon import nvidia-smi "a100-topo.txt" -s a100-sxm4-80g --table -f csv
# half of the adapters, another link; a node with pairs of links
sed 's/\[15b3:101b\]/[15b3:1017]/; s/50000/25000/g' "a100.xml" | reckon import hwloc -
pairs() { printf '\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\nGPU0\tX\t%s\t%s\tSYS\tPHB\t0\nGPU1\t%s\tX\tSYS\t%s\tPHB\t0\nGPU2\t%s\tSYS\tX\t%s\tSYS\t1\nGPU3\tSYS\t%s\t%s\tX\tSYS\t1\nmlx5_0\tPHB\tPHB\tSYS\tSYS\tX\n' "$@"; }
pairs NV4 SYS NV4 SYS SYS NV4 SYS NV4 | reckon import nvidia-smi - -s h100-pcie-80g --adapter 200Gb/s --nodes 2
pairs SYS SYS SYS SYS SYS SYS SYS SYS | reckon import nvidia-smi - -s l40s --nodes 2
# what is wrong
wrong() { reckon import "$@"; echo "exit $?"; }
pairs NV4 NV4 NV4 NV4 NV4 NV4 NV4 NV4 | wrong nvidia-smi - -s v100-sxm2-32g
pairs SYS SYS SYS SYS SYS SYS SYS SYS | wrong nvidia-smi - -s h100-sxm5-80g
pairs NV4 SYS SYS SYS SYS SYS SYS SYS | wrong nvidia-smi - -s h100-sxm5-80g
pairs NV4 FAR NV4 SYS SYS SYS SYS SYS | wrong nvidia-smi - -s h100-sxm5-80g
pairs NV4 SYS NV4 SYS SYS NV4 SYS NV4 | wrong nvidia-smi -
pairs NV4 SYS NV4 SYS SYS NV4 SYS NV4 | sed 4d | wrong nvidia-smi - -s h100-pcie-80g
pairs NV4 SYS NV4 SYS SYS NV4 SYS NV4 | cut -f1-3 | wrong nvidia-smi - -s h100-pcie-80g
wrong nvidia-smi "a100.xml" -s h100-sxm5-80g
wrong nvidia-smi "a100-topo.txt" -s a100-sxm4-80g --adapter 400G
head -40 "a100.xml" | wrong hwloc -
sed 's/10de:20b2/10de:15f9/' "a100.xml" | wrong hwloc -
sed '0,/10de:20b2/s//10de:20b0/' "a100.xml" | wrong hwloc -
grep -v 10de:20b2 "a100.xml" | sed 's/<object type="OSDev" name="\(cuda\|nvml\).*/<object>/' | wrong hwloc - | sed 's/:[0-9]*:[0-9]*:/:/'
printf '<topology version="2.0"><object type="Machine"/></topology>' | wrong hwloc -
wrong hwloc /nowhere.xml
# boards without a switch in common are joined by trunks; a board's own display is no accelerator
sed 's/10de:1af1/10de:1ac2/; s/\[10de:20b2\]/[10de:1db8]/' a100.xml | reckon import hwloc - -s v100-sxm2-32g
sed 's/0300 \[1a03:2000\]/0300 [10de:1eb0]/' a100.xml | reckon import hwloc -
# other kinds of machine, as their matrices are: all accelerators have CELL to each other, and N adapters are as far as FAR
matrix() { # GPUS CELL ADAPTERS FAR
    awk -v n="$1" -v c="$2" -v a="$3" -v far="$4" 'BEGIN {
        for (i = 0; i < n; i++) printf "\tGPU%d", i
        for (k = 0; k < a; k++) printf "\tNIC%d", k
        print "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"
        for (i = 0; i < n; i++) {
            printf "GPU%d", i
            for (j = 0; j < n; j++) printf "\t%s", i == j ? " X " : c
            for (k = 0; k < a; k++) printf "\t%s", k == i ? "PIX" : far
            print "\t0-47,96-143\t0\t\tN/A"
        }
    }'
}
smi() { reckon import nvidia-smi "$@"; echo "exit $?"; }
matrix 8 NV18 10 NODE | smi - -s h100-sxm5-80g
matrix 8 NV8 10 SYS | smi - -s a100-sxm4-80g
matrix 16 NV6 0 SYS | smi - -s v100-sxm2-32g
matrix 4 NV4 1 PXB | smi - -s a100-sxm4-80g
matrix 4 NV18 4 SYS | smi - -s gb200-nvl72 --nodes 36
matrix 1 X 2 SYS | sed 's/PIX/SYS/' | smi - -s gh200-96g
matrix 2 NV4 0 SYS | smi - -s rtx3090
matrix 4 SOC 1 SOC | smi - -s l40s
{ echo 'GPU0: NVIDIA L4'; matrix 2 PHB 1 PHB; } | smi - -s l4
# what no node is, or no matrix
matrix 8 NV18 8 NODE | sed 's/NV18/NODE/2; s/NV18/NODE/2' | smi - -s h100-sxm5-80g
matrix 8 NV18 8 NODE | sed '4s/NV18/NODE/g; 2,3s/NV18/NODE/2; 5,9s/NV18/NODE/3' | smi - -s h100-sxm5-80g
matrix 8 NODE 8 SYS | smi - -s h100-sxm5-80g
matrix 8 NV18 8 NODE | fold -w 70 | smi - -s h100-sxm5-80g
matrix 4 NV18 4 NODE | sed 1d | smi - -s h100-sxm5-80g
matrix 4 NV18 4 NODE | sed '1s/NIC3.//' | smi - -s h100-sxm5-80g
{ echo '==== ROCm System Management Interface ===='; matrix 2 15 0 0; } | smi - -s mi300x
# the form is of the table; two numbers of accelerators are one too many
matrix 8 NV18 8 NODE | smi - -s h100-sxm5-80g --format json
matrix 8 NV18 8 NODE | smi - -s h100-sxm5-80g --table --format csv
reckon import hwloc a100.xml -f csv; echo "exit $?"
matrix 8 NV18 8 NODE | smi - -s "h100-sxm5-80g x16" --nodes 4
matrix 8 NV18 8 NODE | smi - -s "h100-sxm5-80g x16"
=== stdout
a100-sxm4-80g x32 net0.size=8
a100-sxm4-80g net0.size=8
a100.xml: 8 of NVIDIA A100-SXM4-80GB, 9 adapters

A node
accelerator  joined with    takes          which are at       rate
          0  1 2 3 4 5 6 7  mlx5_0 mlx5_1  PIX           50.0 GB/s
          1  0 2 3 4 5 6 7  mlx5_0 mlx5_1  PIX           50.0 GB/s
          2  0 1 3 4 5 6 7  mlx5_2 mlx5_3  PIX           50.0 GB/s
          3  0 1 2 4 5 6 7  mlx5_2 mlx5_3  PIX           50.0 GB/s
          4  0 1 2 3 5 6 7  mlx5_4 mlx5_5  PIX           50.0 GB/s
          5  0 1 2 3 4 6 7  mlx5_4 mlx5_5  PIX           50.0 GB/s
          6  0 1 2 3 4 5 7  mlx5_6 mlx5_7  PIX           50.0 GB/s
          7  0 1 2 3 4 5 6  mlx5_6 mlx5_7  PIX           50.0 GB/s
a100-sxm4-80g net0.size=4 then net0.size=8
  in one line: a100-sxm4-80g net0.size=4 then net0.size=8
a100-sxm4-80g net0.size=8 net1.bandwidth=12.5GB/s
accelerator,joined,adapters,distance,rate_Bps
0,1 2 3 4 5 6 7,mlx5_0 mlx5_1,PXB,50000000000
1,0 2 3 4 5 6 7,mlx5_0 mlx5_1,PXB,50000000000
2,0 1 3 4 5 6 7,mlx5_2 mlx5_3,PXB,50000000000
3,0 1 2 4 5 6 7,mlx5_2 mlx5_3,PXB,50000000000
4,0 1 2 3 5 6 7,mlx5_4 mlx5_5,PXB,50000000000
5,0 1 2 3 4 6 7,mlx5_4 mlx5_5,PXB,50000000000
6,0 1 2 3 4 5 7,mlx5_6 mlx5_7,PXB,50000000000
7,0 1 2 3 4 5 6,mlx5_6 mlx5_7,PXB,50000000000
a100-sxm4-80g net0.size=8 net0.bandwidth=150GB/s net1.bandwidth=12.5GB/s
h100-pcie-80g x8 net0.size=2 net0.bandwidth=100GB/s net1.size=4 net2=6.25GB/s,size=65536,efficiency=0.9,latency=20us,name=NIC
l40s x8 net0.size=4 net1.bandwidth=6.25GB/s
exit 3
exit 3
exit 3
exit 3
exit 2
exit 3
exit 3
exit 3
exit 2
exit 3
exit 2
exit 3
exit 3
exit 3
exit 3
v100-sxm2-32g net0.size=8 net0.bandwidth=300GB/s net1.bandwidth=25GB/s
a100-sxm4-80g net0.size=8
h100-sxm5-80g net0.size=8
exit 0
a100-sxm4-80g net0.size=8 net0.bandwidth=200GB/s
exit 0
v100-sxm2-32g net0.size=16
exit 0
a100-sxm4-80g net0.size=4 net1.bandwidth=6.25GB/s
exit 0
gb200-nvl72 x144 net0.size=72
exit 0
gh200-96g net0.size=32 net1.bandwidth=100GB/s
exit 0
rtx3090 net0.size=2
exit 0
l40s net0.size=4 net1.bandwidth=6.25GB/s
exit 0
l4 net0.size=2 net1.bandwidth=0.78125GB/s
exit 0
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
accelerator,joined,adapters,distance,rate_Bps
0,1 2 3 4 5 6 7,NIC0,PIX,50000000000
1,0 2 3 4 5 6 7,NIC1,PIX,50000000000
2,0 1 3 4 5 6 7,NIC2,PIX,50000000000
3,0 1 2 4 5 6 7,NIC3,PIX,50000000000
4,0 1 2 3 5 6 7,NIC4,PIX,50000000000
5,0 1 2 3 4 6 7,NIC5,PIX,50000000000
6,0 1 2 3 4 5 7,NIC6,PIX,50000000000
7,0 1 2 3 4 5 6,NIC7,PIX,50000000000
exit 0
exit 2
exit 2
h100-sxm5-80g x16 net0.size=8
exit 0
=== stderr
reckon: a100-hwloc1.xml does not say which accelerators links join: groups of 8, as a100-sxm4-80g has them; net0.size says another number
reckon: -: its accelerators are not joined in equal groups, all with all (accelerator 0 has links to 2 others, 3 to 2): no network of equal ranks is like that. Is a link down? Else describe it by hand, net0.size=2 with net1=RATE
reckon: -: its accelerators have no links of their own, those of h100-sxm5-80g have: say what they are with --system (nvidia-smi topo -m shows links, -mp does not)
reckon: <stdin>:6:1: GPU0 to GPU1 has 4 links, back 0
reckon: <stdin>:2:1: GPU0 to GPU2: "FAR" is none of X, NV1, NV2, ..., PIX, PXB, PHB, NODE, SYS
reckon: - does not say what its accelerators are in the catalog: add --system h100-sxm5-80g or another one of `reckon systems`
reckon: <stdin>:5:1: there is no line GPU2
reckon: <stdin>:4:1: GPU2 has a line, but no column
reckon: a100.xml:242:1: no line of columns: expected GPU0 GPU1 ..., as nvidia-smi topo -m prints
reckon: --adapter: "400G" is ambiguous: write 400GB/s (bytes) or 400Gb/s (bits)
reckon: <stdin>:41:1: no element found
reckon: - does not say what its accelerators, NVIDIA A100-SXM4-80GB are in the catalog: add --system h100-sxm5-80g or another one of `reckon systems`
reckon: <stdin>: two kinds of accelerator, [10de:20b0] and [10de:20b2]: a cluster has one
reckon: <stdin>:92:11: mismatched tag
reckon: <stdin>: no accelerator of NVIDIA or AMD among its PCI devices: is it of a node that has some, written without --no-io?
reckon: /nowhere.xml: cannot open: No such file or directory; check the path
reckon: -: the links of gb200-nvl72 join 72 accelerators over several nodes, which one node does not show: net0.size says how many
reckon: -: the links of gh200-96g join 32 accelerators over several nodes, which one node does not show: net0.size says how many
reckon: -: accelerator 0 is near to none of 2 adapters: all count as its, --table shows them
reckon: -: links join its accelerators in groups of 2, rtx3090 has none: left out
reckon: <stdin>:9:1: GPU0 to GPU2 has 0 links, back 18
reckon: -: its accelerators are not joined in equal groups, all with all (accelerator 0 has links to 6 others, 2 to 0): no network of equal ranks is like that. Is a link down? Else describe it by hand, net0.size=2 with net1=RATE
reckon: -: its accelerators have no links of their own, those of h100-sxm5-80g have: say what they are with --system (nvidia-smi topo -m shows links, -mp does not)
reckon: <stdin>:2:1: expected the line of GPU0: are lines wrapped? Write the matrix to a file
reckon: <stdin>:1:1: the line of columns above it is missing
reckon: <stdin>:2:1: GPU0 has more than the 7 cells that there are columns for
reckon: <stdin>:1:1: this is of rocm-smi, whose matrices are not read: `lstopo node.xml` on that node and reckon import hwloc
reckon: --format is of the table, the line is text: add --table, or leave it out
reckon: --format is of the table, the line is text: add --table, or leave it out
reckon: --system: "h100-sxm5-80g x16" has 16 accelerators, and --nodes says how many there are: leave one of them out
