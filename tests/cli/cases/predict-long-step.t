# Hours of a step are said in hours, here and in the range of errors.
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 128 cp16 seq1048576 tp8 sp recompute=full zero1 >answer
sed -n '1s/.* [0-9.]* h per step.*/H h per step/p;s/.* within [0-9]* %: [0-9.]* h to [0-9.]* h$/from H h to H h/p' answer
=== stdout
H h per step
