# A remedy names a line of the tool's file only where that line makes the change: trl's has no tensor or context parallelism, and its fsdp offload is ZeRO-3's.
cat >sft.yaml <<F
model_name_or_path: google/gemma-3-27b-it
dataset_name: trl-lib/Capybara
max_length: 4096
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
bf16: true
use_peft: true
lora_r: 32
lora_target_modules: all-linear
load_in_4bit: true
gradient_checkpointing: true
optim: paged_adamw_8bit
F
echo "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 23.52 GiB of which 1.30 GiB is free. Including non-PyTorch memory, this process has 22.20 GiB memory in use. Of the allocated memory 21.10 GiB is allocated by PyTorch, and 600.00 MiB is reserved by PyTorch but unallocated." >oom.txt
reckon doctor oom.txt sft.yaml -s "rtx4090 x2" 2>/dev/null | sed -n '/^change /,$p' | grep -o "^[a-z].* GiB$\|^loss-in-chunks\|^[ctz].[0-9].*\|use_liger.*\|no line of.*\|gradient_acc.*"
# A change is all that its line changes: the file with that line takes that step, and fits as surely, as import says.
{ cat sft.yaml; echo use_liger_kernel: true; } >liger.yaml
reckon doctor oom.txt sft.yaml -s "rtx4090 x2" -f json 2>/dev/null >doctor.json
reckon import trl liger.yaml -s "rtx4090 x2" -f json >import.json
reckon fits $(sed -n 's/.*"plan_words": "\([^"]*\)".*/\1/p' import.json | head -1) -m gemma3-27b -s "rtx4090 x2" -f json >fits.json
python3 - <<P
import json
doctor, fits = (json.load(open(name + ".json")) for name in ("doctor", "fits"))
said = next(c for c in doctor["changes"] if c["change"].startswith("loss-in-chunks"))
print(said["outcome"], said["outcome"] == fits["outcome"], abs(said["step_s"] / fits["step_s"] - 1) < 1e-9)
P
=== stdout
no line of trl: offload weights and optimizer state to memory tier 1
tp2                                       13.6  fits         81  91.437 s  no line of trl: double tensor, halve data parallelism
loss-in-chunks
use_liger_kernel: true
cp2                                        6.7  unsure       23  72.812 s  no line of trl: double context, halve data parallelism
unsure True True
