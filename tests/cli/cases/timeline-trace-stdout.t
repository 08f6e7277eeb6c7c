reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --pipeline 2 --batch 8 --trace - --pytorch-csv schedule.csv | tail -n 1; ls
=== stdout
]}
schedule.csv
