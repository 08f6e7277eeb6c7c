reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" -o -
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
own_1,own,A100-SXM4-80GB,iter_time_s,9,7.85,7.281,9.567,6.112,14.66,-12.78,compared,,
own_2,own,A100-SXM4-80GB,iter_time_s,10,8.653,7.962,10.77,6.562,17.27,-13.47,compared,,
own_2,own,A100-SXM4-80GB,memory.allocated,42949673000,29710000000,29140000000,33100000000,23350000000,54690000000,-30.83,compared,,
own_3,own,A100-SXM4-80GB,OOM,,,,,,,,oom rejected,,"needs 194.41 GiB, has 79.20"
own_4,own,A100-SXM4-80GB,iter_time_s,,,,,,,,not modelled,,"the row gives no layers, and the shape of ""Unheard-of"" is not in the catalog"
own_5,own,Quantum-1,iter_time_s,,,,,,,,not modelled,,"no system of the catalog is known as ""Quantum-1"""
