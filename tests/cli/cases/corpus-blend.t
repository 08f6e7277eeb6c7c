reckon corpus blend "$SOURCE/data/corpus/mt-nlg.csv" --tokens 270B --most-epochs 3
printf 'name,tokens\na,3\n' >wrong.csv
reckon corpus blend wrong.csv
=== stdout
name                       tokens  weight  share  epochs  capped  published
                                               %
Books3             25,700,000,000    14.3  14.84    1.56      no        1.5
OpenWebText2       14,800,000,000    19.3  16.44    3.00     yes        3.6
Stack Exchange     11,600,000,000     5.7   5.92    1.38      no        1.4
PubMed Abstracts    4,400,000,000     2.9   3.01    1.85      no        1.8
Wikipedia           4,200,000,000     4.8   4.67    3.00     yes        3.2
Gutenberg (PG-19)   2,700,000,000     0.9   0.93   0.934      no        0.9
BookCorpus2         1,500,000,000     1.0   1.04    1.87      no        1.8
NIH ExPorter          300,000,000     0.2   0.21    1.87      no        1.8
ArXiv              20,800,000,000     1.4   1.45   0.189      no        0.2
GitHub             24,300,000,000     1.6   1.66   0.185      no        0.2
Pile-CC            49,800,000,000     9.4   9.76   0.529      no        0.5
CC-2020-50         68,700,000,000    13.0  13.49   0.530      no        0.5
CC-2021-04         82,600,000,000    15.7  16.30   0.533      no        0.5
RealNews           21,900,000,000     9.0   9.34    1.15      no        1.1
CC-Stories          5,300,000,000     0.9   0.93   0.476      no        0.5
=== stderr
reckon: wrong.csv:1:1: the columns must be name, weight, and tokens or file
=== exit 3
