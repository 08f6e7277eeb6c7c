# names of files reach scripts, terminals, tables and pages as text: no command, no escape, no formula, no tag
model=$RECKON_DATA/models/llama3.1-8b.json
newline='x
touch OWNED #.json'
escape=$(printf 'x\033]0;owned\007\302\233y.json')
formula='=cmd|calc!A1.json'
tag='<img src=x onerror=alert(1)>.json'
for name in "$newline" "$escape" "$formula" "$tag"; do cp "$model" "$name"; done

# exported scripts are one comment there, and no more commands
for target in 'megatron' 'megatron --launcher slurm' 'torchtitan' 'torchtitan --launcher slurm' 'deepspeed --launcher torchrun' 'accelerate --launcher slurm'; do
    reckon export $target -m "$newline" gpus8 tp8 -o script 2>remarks || sed -n 1p remarks
    grep -c '^touch' script remarks
    rm -f script
done 2>&1 | sort | uniq -c | sed 's/^ *//'
reckon export megatron -m "$newline" gpus8 tp8 | grep '^# model'
# terminals
for name in "$newline" "$escape" "$tag"; do
    reckon predict -m "$name" -s h100-sxm5-80g tp8 2>&1 | sed -n '2s/^ *//p' | cut -d' ' -f1-3 | LC_ALL=C cat -v
done
reckon predict -m llama3.1-8b -s "$escape" tp8 2>&1 | od -An -c | grep -c 033
# tables: the apostrophe makes a text of it
reckon search -q -m "$formula" -s h100-sxm5-80g -g 8 -b 8,16 --recompute none -f csv | cut -d, -f1 | sort | uniq -c | sed 's/^ *//'
# pages
reckon report -m "$tag" -s h100-sxm5-80g tp8 -o page.html
grep -c '<img src=x' page.html
grep -o '&lt;img src=x onerror=alert(1)&gt;' page.html | sort -u
reckon predict -m "$tag" -s h100-sxm5-80g tp8 -o predict.html
grep -c '<img src=x' predict.html
turned=$(printf 'x\342\200\256evil\302\233y.json')
cp "$model" "$turned"
reckon report -m "./$turned" -s h100-sxm5-80g tp8 -o page.html
LC_ALL=C grep -c "$(printf '\342\200\256')\|$(printf '\302\233')" page.html
# texts in files
sed 's/"name": "[^"]*"/"name": "x\\u001b[2J"/' "$model" >bad.json
reckon predict -m bad.json -s h100-sxm5-80g tp8
[ ! -e OWNED ] || echo owned
=== stdout
6 remarks:0
6 script:0
# model: x?touch OWNED #, 8030261248 parameters
x?touch OWNED #
x?]0;owned???y on h100-sxm5-80g,
<img src=x onerror=alert(1)>
0
2 "'=cmd|calc!A1"
1 model
0
&lt;img src=x onerror=alert(1)&gt;
0
0
=== stderr
reckon: bad.json:2:13: name: holds a control character or no UTF-8: leave it out
