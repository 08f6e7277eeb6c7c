# what a plan allocates: addresses, the caching allocator beside them, a snapshot
reckon place -m llama3.1-8b -s h100-sxm5-80g gpus8 tp2 zero1 gbs16 --alignment 512 --two-level -o step.csv --snapshot step.pickle --format csv | cut -d, -f1-7,12
head -3 step.csv
reckon place step.csv --check --format csv | cut -d, -f2-5
reckon place -m llama3.1-8b -s h100-sxm5-80g gpus8 tp2 zero1 gbs16 --lasting --caching --rank 7 --format json | sed -n '/caching/,$p'
reckon place -m llama3.1-8b -s h100-sxm5-80g gpus8 tp2 zero1 gbs16 --rank 8
echo "exit $?"
reckon place -m llama3.1-8b -s h100-sxm5-80g gpus8 tp3
echo "exit $?"
head -c 40 step.pickle | od -An -c | head -3
# drawn: 2,732 buffers together, each counted once
reckon place step.csv --draw step.html >/dev/null
grep -o '<h3>[^<]*' step.html; grep -o 'data-rows="[0-9]*"' step.html
sed -n '/^"rows":/,/^\]/p' step.html | grep '^\[' | grep -v '"alive"' | sed 's/.*,\([0-9]*\)\].*/\1/' | awk '{ sum += $1 } END { print sum " buffers" }'
reckon place step.csv --draw step.svg >/dev/null
echo "exit $?"
reckon place step.csv --draw /no/such/folder/x.html >/dev/null
echo "exit $?"
=== stdout
file,buffers,peak,live,bound,gap,optimal,two_level_peak
dp4 tp2 gbs16 zero1,2732,24801017856,24801017856,24801017856,0,true,24868093952
id,lower,upper,size,alignment,pass,offset
r:tokens.embedding.0,103,2442,65536,512,,67108864
embedding.embedding.0,102,107,67108864,512,0,0
buffers,peak,live,bound
2732,24801017856,24801017856,24801017856
  "caching": [
    {
      "file": "dp4 tp2 gbs16 zero1",
      "segments": "fixed",
      "allocated": 61684961280,
      "reserved": 63726157824,
      "reserved_at_peak": 62675484672,
      "lost": 0.03309066750864309,
      "asked": 407,
      "retries": 0,
      "verdict": "runs"
    },
    {
      "file": "dp4 tp2 gbs16 zero1",
      "segments": "expandable",
      "allocated": 61681831936,
      "reserved": 61717086208,
      "reserved_at_peak": 61717086208,
      "lost": 0.000571550339759419,
      "asked": 414,
      "retries": 0,
      "verdict": "runs"
    }
  ]
}
exit 2
exit 2
 200 004   }   (   X  \b  \0  \0  \0   s   e   g   m   e   n   t
   s   ]   (   }   (   X 006  \0  \0  \0   d   e   v   i   c   e
   J  \0  \0  \0  \0   X  \a  \0
<h3>Where each buffer of a step lies
data-rows="1764"
2732 buffers
exit 2
exit 4
=== stderr
reckon: there is no rank 8: the plan's are 0 to 7
reckon: "gpus8 tp3":1:1: gpus: 8 GPUs are not a multiple of tensor 3 * pipeline 1 = 3: use 6 or 9
reckon: --draw step.svg: it writes a page, call it FILE.html; a button there saves the drawing as SVG
reckon: /no/such/folder/x.html: cannot write: No such file or directory
