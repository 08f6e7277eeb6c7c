# a machine of several clusters behind any spelling of the option
two="h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s"
reckon search -m llama3.1-8b -b 64 -qs "$two" | head -1
reckon search -m llama3.1-8b -b 64 "-qs$two" | head -1
reckon search -qm llama3.1-8b -b 64 "-s$two" | head -1
reckon search -m llama3.1-8b -b 64 "-qs=$two" | head -1
reckon search -m llama3.1-8b -b 64 -q --system="$two" tp2 | head -1
reckon fits -m llama3.1-8b -b 64 -s="$two" | head -1
reckon predict -m llama3.1-8b -b 64 --system "$two" | head -1
=== stdout
Best plan fits: P(fits) 78 %, 5.109 s per step, MFU 50.7 %, memory 64.4 of 79.2 GiB on stage 1 of 0-1, 97.01 USD per 1B tokens
Best plan fits: P(fits) 78 %, 5.109 s per step, MFU 50.7 %, memory 64.4 of 79.2 GiB on stage 1 of 0-1, 97.01 USD per 1B tokens
Best plan fits: P(fits) 78 %, 5.109 s per step, MFU 50.7 %, memory 64.4 of 79.2 GiB on stage 1 of 0-1, 97.01 USD per 1B tokens
Best plan fits: P(fits) 78 %, 5.109 s per step, MFU 50.7 %, memory 64.4 of 79.2 GiB on stage 1 of 0-1, 97.01 USD per 1B tokens
Best plan fits: P(fits) 97 %, 5.281 s per step, MFU 49.1 %, memory 37.2 of 79.2 GiB on stage 1 of 0-1, 100.3 USD per 1B tokens
fits: P(fits) 78 %, 5.115 s per step, MFU 50.7 %, memory 64.4 of 79.2 GiB on stage 1 of 0-1, 97.13 USD per 1B tokens
fits: P(fits) 78 %, 5.115 s per step, MFU 50.7 %, memory 64.4 of 79.2 GiB on stage 1 of 0-1, 97.13 USD per 1B tokens
