# networks that no switch joins are clusters; what is wrong has its line
cat >two.conf <<'END'
# two halls
SwitchName=a0 Nodes=a[00-07]
SwitchName=a1 Nodes=a[08-15]
SwitchName=spine Switches=a[0-1] LinkSpeed=400
SwitchName=old Nodes=r[1-2]n[0-3],extra
END
reckon import slurm two.conf --link 100Gb/s@50us
reckon import slurm two.conf --link 100Gb/s@50us -s a100-sxm4-80g --gpus-per-node 4 -o -
grep -v old two.conf | reckon import slurm -
echo 'SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]' | reckon import slurm - | xargs -I{} reckon systems {} | sed -n 1p
# leaves of eight nodes, two to one; as a machine
reckon import slurm two.conf --link 100Gb/s@50us --over 2
reckon systems "$(grep -v old two.conf | reckon import slurm - --over 4)" -f json | grep -A1 -E '"(leaf|spine)"'
reckon import slurm two.conf; echo "exit $?"
wrong() { printf "$1" | reckon import slurm -; echo "exit $?"; }
wrong 'SwitchName=a Nodes=n[0-3]\nSwitchName=a Nodes=m1\n'
wrong 'SwitchName=a Nodes=n[0-3\n'
wrong 'SwitchName=a Nodes=n[3-0]\n'
wrong 'SwitchName=a Nods=n1\n'
wrong 'SwitchName=a\n'
wrong 'SwitchName=a Switches=b\n'
wrong 'SwitchName=a Switches=b\nSwitchName=b Switches=a\n'
wrong 'SwitchName=l Nodes=n1\nSwitchName=a Switches=l\nSwitchName=b Switches=l\n'
# what scontrol prints has the nodes of all switches below in each line (slurm 22.05); lines may be joined
cat >show.txt <<'END'
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-15]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[16-31]
SwitchName=top Level=1 LinkSpeed=1 Nodes=tux[0-31] Switches=s[0-1]
END
reckon import slurm show.txt --over 2
sed 1d show.txt | reckon import slurm -; echo "exit $?"
sed '2s/31/30/' show.txt | reckon import slurm -; echo "exit $?"
sed '1s/LinkSpeed/\\\n&/' show.txt | reckon import slurm - -s l40s --gpus-per-node 4
# blocks are leaves of one network; links that join the nodes of a rack join no more than a block
blocks() { printf '# one\nBlockName=b1 Nodes=n[01-18]\nBlockName=b2 Nodes=n[19-34]\nBlockSizes=16,32\n'; }
blocks | reckon import slurm - --over 2
blocks | reckon import slurm - -s gb200-nvl72 --gpus-per-node 4
blocks | reckon import slurm - -s gb200-nvl72; echo "exit $?"
blocks | reckon import slurm - -s gb200-nvl72 --gpus-per-node 4 --over 2; echo "exit $?"
printf 'BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4\nBlockName=b2 BlockIndex=1 Nodes=n[5-8] BlockSize=4\nAggregatedBlock=b1,b2 BlockIndex=2 Nodes=n[1-8] BlockSize=8\n' | reckon import slurm -
reckon import slurm show.txt -s h100-pcie-80g
wrong 'BlockName=b1\n'
wrong 'BlockName=b1 Nodes=n1 Switches=b2\n'
wrong 'BlockName=b1 Nodes=n1\nSwitchName=s Nodes=n2\n'
wrong 'BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[4-7]\n'
wrong 'BlockName=b1 Nodes=n1\nBlockSizes=small\n'
wrong 'SwitchName=l0 Nodes=n[0-3]\nSwitchName=l1 Nodes=n[0-3]\nSwitchName=s Switches=l[0-1]\n'
wrong 'SwitchName=a Nodes=ALL\n'
# what is no machine, or no link, is not passed on
for bad in "-s h100-sxm5-80 --link 100Gb/s" "--link 100" "--link 0Gb/s" "--link 1Gb/s@"; do reckon import slurm two.conf $bad; echo "exit $?"; done
reckon import slurm two.conf -s "h100-sxm5-80g hbm=0GiB" --link 100Gb/s; echo "exit $?"
grep -v old two.conf | reckon import slurm - --link 1Gb/s; echo "exit $?"
# lists as long as they may be, and what is given twice
count() { echo "SwitchName=a Nodes=$1" | reckon import slurm - --gpus-per-node 8; echo "exit $?"; }
count 'r[0-3]c[08-12]n[1,3-4]'
count 'n[0-999],n[0000-0999],a'
count 'n[0-1048575]'
count 'n[0-1048575],m'
count 'n[0-1023][0-1024]'
count "$(printf '%060d' 0)n[8-10]"
count "$(printf '%060d' 0)n[98-100]"
wrong 'SwitchName=a Nodes=n1 Nodes=n2\n'
wrong 'SwitchName=a SwitchName=b Nodes=n2\n'
wrong 'SwitchName=b Nodes=n1\nSwitchName=a Switches=b Switches=c\n'
wrong 'SwitchName=b Nodes=n1\nSwitchName=a Switches=b,\n'
# nothing of a line is lost; what the nodes are is one system, and the file says how many
wrong 'BlockSizes=2 BlockName=b0 Nodes=n[0-7]\n'
wrong 'BlockName=b0 Nodes=n[0-7]\nBlockSizes=2 \n'
reckon import slurm show.txt -s "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us"; echo "exit $?"
reckon import slurm show.txt -s "h100-sxm5-80g x16"; echo "exit $?"
reckon import slurm show.txt -s "h100-sxm5-80g hbm=64GiB"; echo "exit $?"
=== stdout
h100-sxm5-80g x128 name=spine + h100-sxm5-80g x72 name=old link=100Gb/s@50us
a100-sxm4-80g x64 net0.size=4 name=spine + a100-sxm4-80g x36 net0.size=4 name=old link=100Gb/s@50us
h100-sxm5-80g x128
  in one line: h100-sxm5-80g x32
h100-sxm5-80g x128 leaf=64,over=2 name=spine + h100-sxm5-80g x72 name=old link=100Gb/s@50us
        "name": "leaf",
        "size": 64,
--
        "name": "spine",
        "size": 65536,
exit 2
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
h100-sxm5-80g x256 leaf=128,over=2
exit 3
exit 3
l40s x128 net0.size=4
h100-sxm5-80g x272 leaf=128,over=2
gb200-nvl72 x136 net0.size=64
exit 2
exit 2
h100-sxm5-80g x64
h100-pcie-80g x256
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
h100-sxm5-80g x480
exit 0
h100-sxm5-80g x16008
exit 0
h100-sxm5-80g x8388608
exit 0
exit 3
exit 3
h100-sxm5-80g x24
exit 0
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
h100-sxm5-80g x64
exit 0
exit 2
exit 2
h100-sxm5-80g hbm=64GiB x256
exit 0
=== stderr
reckon: two.conf has 2 networks that no switch joins, spine and old: say what does, --link 100Gb/s@50us
reckon: <stdin>:2:1: a second switch "a"
reckon: <stdin>:1:1: Nodes="n[0-3" is not a list such as n[00-15],m1
reckon: <stdin>:1:1: Nodes="n[3-0]" is not a list such as n[00-15],m1
reckon: <stdin>:1:1: unknown word "Nods=n1": did you mean "Nodes"?
reckon: <stdin>:1:1: a switch has Nodes= or Switches=
reckon: <stdin>:1:1: there is no switch "b"
reckon: <stdin>:1:1: switch "a" is below itself
reckon: <stdin>:3:1: switch "l" is below two others
reckon: <stdin>:2:1: there is no switch "s0"
reckon: <stdin>:3:1: switch "top" has 32 nodes, but the switches below it 31: is a line missing or cut?
reckon: the links of gb200-nvl72 join 72 accelerators of several nodes: say how many a node has, --gpus-per-node 4
reckon: --over: a leaf of blocks joins 64 accelerators, which the links of gb200-nvl72 join already: leave it out
reckon: <stdin>:1:1: a block has Nodes=
reckon: <stdin>:1:1: a block has Nodes=, not Switches=
reckon: <stdin>:2:1: switches and blocks: say one of them, which TopologyPlugin of slurm.conf names
reckon: <stdin>:2:1: node "n4" is of "b1" already: a node is below one switch, or in one block
reckon: <stdin>:2:1: BlockSizes="small" is not a list of numbers such as 18,36
reckon: <stdin>:2:1: node "n0" is of "l0" already: a node is below one switch, or in one block
reckon: <stdin>:1:1: Nodes=ALL does not say how many: what `scontrol show topology` prints does
reckon: unknown system "h100-sxm5-80": did you mean "h100-sxm5-80g"? ("reckon systems" lists them; a file's name ends in .json)
reckon: "h100-sxm5-80g x128 name=spine + h100-sxm5-80g x72 na...":1:65: "100" has no unit: write a rate such as "100GB/s" or "400Gb/s"
reckon: "h100-sxm5-80g x128 name=spine + h100-sxm5-80g x72 na...":1:65: a link needs a bandwidth above 0; clusters that nothing joins are searched one by one
reckon: "h100-sxm5-80g x128 name=spine + h100-sxm5-80g x72 na...":1:71: "" is not a time: write a time such as "10us" or "30min"
reckon: "h100-sxm5-80g hbm=0GiB":1:19: must be > 0
reckon: --link: the switches of - join all nodes, leave it out
reckon: <stdin>:1:1: Nodes="n[0-1048575],m" is not a list such as n[00-15],m1
reckon: <stdin>:1:1: Nodes="n[0-1023][0-1024]" is not a list such as n[00-15],m1
reckon: <stdin>:1:1: Nodes="0000000000000000000000000000000000000000000000000000..." is not a list such as n[00-15],m1
reckon: <stdin>:1:1: Nodes is given twice in a line
reckon: <stdin>:1:1: SwitchName is given twice in a line
reckon: <stdin>:2:1: Switches is given twice in a line
reckon: <stdin>:2:1: Switches="b," is not a list such as n[00-15],m1
reckon: <stdin>:1:1: BlockSizes= has a line of its own: write "BlockName=b0" on the next one
reckon: --system: this is a machine of 2 clusters; give what the nodes are, one system such as h100-sxm5-80g: show.txt says which clusters there are
reckon: --system: "h100-sxm5-80g x16" has 16 accelerators, and show.txt says how many there are: leave the number out
