reckon calibrate "h200-sxm-141g x64" --gemm "$RECKON_SOURCE/tests/data/measured/gemm.csv" -o mine.json >/dev/null
sed -n '/"kernels"/,$p' mine.json
reckon calibrate ./mine.json --gemm "$RECKON_SOURCE/tests/data/measured/gemm.csv"
ls
=== stdout
    "kernels": {
        "host_accelerators": 0,
        "multiprocessors": 132,
        "tile_m": 128,
        "tile_n": 256,
        "float4_TFLOPps": 0,
        "int8_TFLOPps": 0,
        "tfloat32_TFLOPps": 494.7,
        "matrix_efficiency": 0.7957,
        "narrow_efficiency": 0.67,
        "float4_efficiency": 0.6,
        "tile_efficiency": 0.927,
        "narrow_tile_efficiency": 0.7,
        "tile_loss": 1,
        "matrix_k_half": 196,
        "weights_GBps": 0,
        "attention_forward": 0.38,
        "attention_backward": 0.33,
        "newest_attention_forward": 0.65,
        "newest_attention_backward": 0.56,
        "attention_dim_half": 50,
        "attention_key_half": 360,
        "memory_efficiency": 0.88,
        "additions_GFLOPps": 32,
        "kernel_us": 2.744,
        "launch_us": 50,
        "sustained": 0.85,
        "power_W": 700,
        "sustained_power_W": 700,
        "reserve_GiB": 1.5,
        "workspace_MiB": 32,
        "engine_workspace_MiB": 32,
        "fragmentation": 0.06,
        "attention_kernels": [
            "flash",
            "flash3",
            "flash1"
        ],
        "dispatchers": [
            "alltoall",
            "allgather",
            "deepep"
        ],
        "source": "fitted to 14 products: mean error 5.7 %, before 6.3 %, cross-validated 12.6 %; the others as h200-sxm-141g x64"
    },
    "source": "reckon calibrate; what is not fitted as h200-sxm-141g x64"
}
Error of predicted times, mean
of        measurements  before  90 % within  after  90 % within  cross-validated  90 % within
                             %            %      %            %                %            %
products            14     5.7         11.6    5.7         11.6             12.6         24.6

Constants, in the units of system files
constant           before   after
matrix_efficiency  0.7957  0.7957
tile_efficiency    0.9270  0.9270
kernel_us           2.744   2.744
mine.json
