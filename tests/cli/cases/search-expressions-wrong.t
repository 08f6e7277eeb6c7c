# The option, the column in its expression, and a way out; exit status 2 before anything is searched.
while read -r option expression; do
    reckon search -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 "$option" "$expression" </dev/null
    echo "$? $option $expression"
done <<'LIST'
--where hbm <= 60Gib
--where hbm <= 60G
--where hbmm <= 60GiB
--where hbm <= 
--where (hbm <= 60GiB
--where hbm <= 60GiB and
--where hbm <= 60GiB tensor
--where recompute == nome
--where 1 <
--sort tensr
--sort time,hbm
--pareto time,hbmm
--pareto time,,hbm
--pareto ,
--pareto 1,2,3,4,5,6,7,8,9
LIST
reckon search -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --sort hbm --pareto time,hbm
echo $?
for list in time, ,time time,,hbm ' '; do
    reckon search -m llama3.1-8b -s h100 -g 8 -b 8 --pareto "$list"
done
reckon predict -m llama3.1-8b -s h100 -g 8 seq0 gbs8 zero3 | grep -o 'sequence 8192.*'
=== stdout
2 --where hbm <= 60Gib
2 --where hbm <= 60G
2 --where hbmm <= 60GiB
2 --where hbm <=
2 --where (hbm <= 60GiB
2 --where hbm <= 60GiB and
2 --where hbm <= 60GiB tensor
2 --where recompute == nome
2 --where 1 <
2 --sort tensr
2 --sort time,hbm
2 --pareto time,hbmm
2 --pareto time,,hbm
2 --pareto ,
2 --pareto 1,2,3,4,5,6,7,8,9
2
sequence 8192 (the model's),
=== stderr
reckon: --where: column 10 of "hbm <= 60Gib": unknown unit; write a size such as 60GiB or a time such as 10us
reckon: --where: column 10 of "hbm <= 60G": unknown unit; write a size such as 60GiB or a time such as 10us
reckon: --where: column 1 of "hbmm <= 60GiB": unknown name hbmm; did you mean hbm
reckon: --where: column 7 of "hbm <=": a number or a name is missing
reckon: --where: column 14 of "(hbm <= 60GiB": ')' expected
reckon: --where: column 17 of "hbm <= 60GiB and": a number or a name is missing
reckon: --where: column 14 of "hbm <= 60GiB tensor": what follows here is not part of the expression
reckon: --where: column 14 of "recompute == nome": no such value: nome; did you mean none
reckon: --where: column 4 of "1 <": a number or a name is missing
reckon: --sort: column 1 of "tensr": unknown name tensr; did you mean tensor
reckon: --sort: column 5 of "time,hbm": what follows here is not part of the expression
reckon: --pareto: column 1 of "hbmm": unknown name hbmm; did you mean hbm
reckon: --pareto: "time,,hbm": an expression is missing next to a comma
reckon: --pareto: ",": an expression is missing next to a comma
reckon: --pareto: at most 8 expressions, in column 17 begins one more
reckon: --sort and --pareto exclude each other: a frontier has an order of its own
reckon: --pareto: "time,": an expression is missing next to a comma
reckon: --pareto: ",time": an expression is missing next to a comma
reckon: --pareto: "time,,hbm": an expression is missing next to a comma
reckon: --pareto: " ": an expression is missing next to a comma
