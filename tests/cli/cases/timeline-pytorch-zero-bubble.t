reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --pipeline 3 --batch 5 --schedule zero-bubble --pytorch-csv - | tr -d '\r'
=== stdout
0F0,0F1,0F2,,,0I0,0W0,0F3,0I1,0W1,0F4,0I2,0W2,0I3,0W3,0I4,0W4
,1F0,1F1,,1I0,1F2,1I1,1W0,1F3,1I2,1W1,1F4,1I3,1W2,1I4,1W3,1W4
,,2F0,2I0,2F1,2I1,2F2,2I2,2W0,2F3,2I3,2W1,2F4,2I4,2W2,2W3,2W4
