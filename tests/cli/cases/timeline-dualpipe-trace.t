# ranks with two stages each, microbatches from both ends
reckon timeline -m gpt2-124m -s h100-sxm5-80g -g 2 pp2 schedule=dualpipe gbs4 --trace trace.json >/dev/null && grep -c '"name":"agrad"' trace.json && grep -E 'process_name|"name":"(forward|backward|agrad|wgrad)"' trace.json | cut -d, -f2-5,9-
=== stdout
2
"name":"process_name","pid":0,"args":{"name":"rank 0 of the pipeline (stages 0 and 1)"}},
"name":"process_name","pid":1,"args":{"name":"rank 1 of the pipeline (stages 1 and 0)"}},
"name":"forward","cat":"compute","pid":0,"tid":0,"microbatch":0,"chunk":0}},
"name":"forward","cat":"compute","pid":1,"tid":0,"microbatch":2,"chunk":1}},
"name":"forward","cat":"compute","pid":1,"tid":0,"microbatch":0,"chunk":0}},
"name":"forward","cat":"compute","pid":1,"tid":0,"microbatch":3,"chunk":1}},
"name":"backward","cat":"compute","pid":1,"tid":0,"microbatch":0,"chunk":0}},
"name":"forward","cat":"compute","pid":0,"tid":0,"microbatch":2,"chunk":1}},
"name":"forward","cat":"compute","pid":0,"tid":0,"microbatch":1,"chunk":0}},
"name":"backward","cat":"compute","pid":0,"tid":0,"microbatch":2,"chunk":1}},
"name":"forward","cat":"compute","pid":0,"tid":0,"microbatch":3,"chunk":1}},
"name":"backward","cat":"compute","pid":0,"tid":0,"microbatch":0,"chunk":0}},
"name":"backward","cat":"compute","pid":0,"tid":0,"microbatch":3,"chunk":1}},
"name":"forward","cat":"compute","pid":1,"tid":0,"microbatch":1,"chunk":0}},
"name":"backward","cat":"compute","pid":1,"tid":0,"microbatch":2,"chunk":1}},
"name":"backward","cat":"compute","pid":1,"tid":0,"microbatch":1,"chunk":0}},
"name":"agrad","cat":"compute","pid":1,"tid":0,"microbatch":3,"chunk":1}},
"name":"wgrad","cat":"compute","pid":1,"tid":0,"microbatch":3,"chunk":1}},
"name":"agrad","cat":"compute","pid":0,"tid":0,"microbatch":1,"chunk":0}},
"name":"wgrad","cat":"compute","pid":0,"tid":0,"microbatch":1,"chunk":0}},
