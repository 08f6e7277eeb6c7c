reckon report --search -m multi-1t -s a100-80g-nvl8 -g 8 -b 8 --weight-offload no --optimizer-offload no -o page.html; echo $?
grep -c "No plan can run" page.html; grep -c "<figure" page.html
=== stdout
1
1
1
