plan="framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1"
reckon report "$plan" -m gpt3-175b -s a100-80g-selene -o none/page.html; echo $?
: > file
reckon report "$plan" -m gpt3-175b -s a100-80g-selene --charts file; echo $?
reckon report "$plan" -m gpt3-175b -s a100-80g-selene -o /dev/full; echo $?
ls
=== stdout
4
4
4
file
=== stderr
reckon: none/page.html: cannot write: folder none: No such file or directory
reckon: file/time.json: cannot write: Not a directory
reckon: /dev/full: cannot write the page: No space left on device
