printf 'name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1000,1,1,1000\n' >pods.csv
orrery describe pods.csv
