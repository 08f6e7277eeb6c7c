# the operations of each kind of layer: in text those columns where something stands, in CSV all
reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 tp2 pp4 ep8 zero1 --layers | sed -n '/^Operations/,$p'
reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 tp2 pp4 ep8 zero1 --layers --format csv | sed -n '1p;/experts in/p'
=== stdout
Operations of a layer of each kind, one microbatch on one GPU
layer      operation           forward  act. grad  weight grad  forward  act. grad  weight grad  comm fwd  comm bwd  activations  keeps output
                                 TFLOP      TFLOP        TFLOP       ms         ms           ms        ms        ms          MiB
embedding  embedding              0.00       0.00         0.00    0.054      0.386        0.000     0.000     0.000          0.1           yes
embedding  embedding reduce       0.00       0.00         0.00    0.000      0.000        0.000     0.248     0.000          0.0            no
experts    attention norm         0.00       0.00         0.00    0.048      0.071        0.000     0.000     0.000        128.0           yes
experts    attention gather       0.00       0.00         0.00    0.000      0.000        0.000     0.000     0.248          0.0            no
experts    query, key, value      0.21       0.21         0.21    0.348      0.348        0.348     0.000     0.000         48.0           yes
experts    rotary                 0.00       0.00         0.00    0.031      0.031        0.000     0.000     0.000          0.0            no
experts    attention              0.27       0.69         0.00    0.475      1.457        0.000     0.000     0.000         32.5           yes
experts    attention out          0.14       0.14         0.14    0.233      0.233        0.233     0.000     0.000          0.0            no
experts    attention reduce       0.00       0.00         0.00    0.000      0.000        0.000     0.248     0.000          0.0            no
experts    attention residual     0.00       0.00         0.00    0.071      0.071        0.000     0.000     0.000          0.0            no
experts    mlp norm               0.00       0.00         0.00    0.048      0.071        0.000     0.000     0.000        128.0           yes
experts    router                 0.00       0.00         0.00    0.018      0.018        0.018     0.000     0.000          0.1           yes
experts    routing                0.00       0.00         0.00    0.107      0.056        0.000     0.000     0.000          0.2           yes
experts    permute                0.00       0.00         0.00    0.064      0.064        0.000     0.000     0.000          0.0            no
experts    dispatch               0.00       0.00         0.00    0.000      0.000        0.000     1.015     1.015          0.0            no
experts    expert gather          0.00       0.00         0.00    0.000      0.000        0.000     0.248     0.248          0.0            no
experts    experts in             1.92       1.92         1.92    3.221      3.221        3.302     0.000     0.000        576.0           yes
experts    expert activation      0.00       0.00         0.00    0.242      0.401        0.000     0.000     0.000        224.0           yes
experts    experts out            0.96       0.96         0.96    1.612      1.612        1.653     0.000     0.000          0.1           yes
experts    expert reduce          0.00       0.00         0.00    0.000      0.000        0.000     0.248     0.248          0.0            no
experts    combine                0.00       0.00         0.00    0.000      0.000        0.000     1.015     1.015          0.0            no
experts    unpermute              0.00       0.00         0.00    0.064      0.064        0.000     0.000     0.000          0.0            no
experts    tokens gather          0.00       0.00         0.00    0.000      0.000        0.000     0.138     0.138          0.0            no
experts    mlp residual           0.00       0.00         0.00    0.071      0.071        0.000     0.000     0.000          0.0            no
head       final norm             0.00       0.00         0.00    0.048      0.071        0.000     0.000     0.000        128.0           yes
head       logits gather          0.00       0.00         0.00    0.000      0.000        0.000     0.000     0.248          0.0            no
head       logits                 1.07       1.07         1.07    1.799      1.799        1.799     0.000     0.000          0.0            no
head       loss reduce            0.00       0.00         0.00    0.000      0.000        0.000     0.021     0.000          0.0            no
head       cross entropy          0.00       0.00         0.00    1.167      0.628        0.000     0.000     0.000        500.0           yes
layer,layers,name,inputs,outputs,forward_flop,agrad_flop,wgrad_flop,forward_access_bytes,agrad_access_bytes,wgrad_access_bytes,forward_s,agrad_s,wgrad_s,optimizer_flop,optimizer_access_bytes,optimizer_s,base_forward_comm_bytes,edge_forward_comm_bytes,base_backward_comm_bytes,edge_backward_comm_bytes,base_redo_comm_bytes,edge_redo_comm_bytes,base_forward_comm_link_s,edge_forward_comm_link_s,base_backward_comm_link_s,edge_backward_comm_link_s,base_redo_comm_link_s,edge_redo_comm_link_s,base_forward_comm_exposed_s,edge_forward_comm_exposed_s,base_backward_comm_exposed_s,edge_backward_comm_exposed_s,base_redo_comm_exposed_s,edge_redo_comm_exposed_s,parameters,weight_bytes,activation_bytes,activation_grad_bytes,weight_grad_bytes,optimizer_bytes,recomputed,recommunicated,keeps_input,keeps_output,reuses_buffer
experts,32,experts in,0,0,1924145348608,1924145348608,1924145348608,721420288,721420288,721420288,0.0032207275475842102,0.0032207275475842102,0.0033018022504336,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,58720256,0,603979776,0,0,0,false,false,false,true,false
=== stderr
reckon: the plan cannot be launched: 12.needs expert: experts with tensor parallelism need sequence parallelism: give sp
reckon: the plan cannot be launched: 12.needs expert: experts with tensor parallelism need sequence parallelism: give sp
