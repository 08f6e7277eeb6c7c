# of changes that cost within 3 % of the same time the one that saves most comes first, the same in predict, fits, check and doctor
on='-m llama3.1-70b -s h100-sxm5-80g -g 64'
plan='tp8 pp4 gbs256 zero1'
reckon predict $on $plan | grep -o 'remedy: [^:]*'
reckon fits $on $plan | awk '/^Single changes/ { getline; getline; getline; print $1; getline; print $1 }'
reckon check $on "$plan" | grep -o '[a-z:=]* needs'
reckon doctor $SOURCE/fuzz/corpus/memory_report/oom-1 $on $plan | grep -o 'change first: [a-z:=]*'
=== stdout
remedy: sp
sp
recompute=selective:layernorm
sp needs
change first: sp
