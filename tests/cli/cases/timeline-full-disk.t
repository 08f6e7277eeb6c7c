reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --pipeline 2 --batch 8 --trace /dev/full
echo "exit $?"
reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --pipeline 2 --batch 8 --trace missing/trace.json
echo "exit $?"
reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --pipeline 2 --batch 8 --trace same --pytorch-csv same
echo "exit $?"
reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --pipeline 2 --batch 8 --training no --pytorch-csv schedule.csv
echo "exit $?"
ls
=== stdout
exit 4
exit 4
exit 2
exit 2
=== stderr
reckon: /dev/full: cannot write the trace: No space left on device
reckon: missing/trace.json: cannot write: folder missing: No such file or directory
reckon: --trace and --pytorch-csv name the same file, same: give two names
reckon: PyTorch's runtime loads only schedules of training: this plan has no backward passes
